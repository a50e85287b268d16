"""Leases of characters and runs: one process at a time, and what a dead one held is free."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest

from offbook.protocols import Store
from offbook.stores import characters, evaluations, leases
from offbook.stores.leases import Owner
from tests.stores.data import RUN
from tests.waiting import until


@pytest.fixture(params=["character", "run"])
async def lease(request: pytest.FixtureRequest, store: Store) -> Lease:
    """What can be held: the index of a character, or a run."""
    await store.write(characters.create, "Ada")
    await store.write(evaluations.add_run, RUN)
    return Lease(store, request.param)


class Lease:
    """The same questions about either."""

    def __init__(self, store: Store, kind: str) -> None:
        self._store, self._is_run = store, kind == "run"

    async def acquire(self, owner: Owner) -> bool:
        """Take it; whether it was to be had."""
        if self._is_run:
            return await self._store.write(evaluations.claim, RUN.id, owner) is None
        return await self._store.write(leases.acquire, "ada", owner)

    async def heartbeat(self, owner: Owner) -> None:
        """Give a sign of life."""
        if self._is_run:
            await self._store.write(evaluations.heartbeat, RUN.id, owner, {"calls": 3})
        else:
            await self._store.write(leases.heartbeat, owner)

    async def release(self, owner: Owner) -> None:
        """Give it back."""
        if self._is_run:
            await self._store.write(evaluations.release, RUN.id, owner)
        else:
            await self._store.write(leases.release, owner)


async def test_one_holds_the_lease_at_a_time(lease: Lease):
    first, second = Owner("1", "here"), Owner("2", "there")
    assert await lease.acquire(first)
    assert await lease.acquire(first)
    assert not await lease.acquire(second)
    await lease.release(second)
    assert not await lease.acquire(second)
    await lease.release(first)
    assert await lease.acquire(second)


async def test_a_lease_without_a_heartbeat_is_taken_over(lease: Lease, clock):
    first, second = Owner("1", "there"), Owner("2", "here")
    assert await lease.acquire(first)
    clock.now += 50
    await lease.heartbeat(first)
    clock.now += 50
    assert not await lease.acquire(second)
    clock.now += leases.STALE_SECONDS
    assert await lease.acquire(second)
    await lease.heartbeat(first)
    await lease.release(first)
    assert not await lease.acquire(first)


async def test_the_lease_of_a_dead_process_of_this_host_is_free_at_once(lease: Lease, alive):
    assert await lease.acquire(Owner("1", "here", 1))
    assert not await lease.acquire(Owner("2", "here", 2))
    alive(answer=False)
    # Whether a process of another host lives cannot be known.
    assert not await lease.acquire(Owner("3", "there", 3))
    assert await lease.acquire(Owner("2", "here", 2))


@pytest.mark.long
def test_living_and_dead_processes_are_told_apart():
    assert leases.is_running(os.getpid())
    assert leases.is_running(1)
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as ended:
        assert leases.is_running(ended.pid)
        ended.kill()
        if Path("/proc/self/stat").exists():
            until(lambda: not leases.is_running(ended.pid), "its end, which nobody has looked at")
    assert not leases.is_running(ended.pid)


async def test_only_one_of_many_gets_it(lease: Lease):
    got = await asyncio.gather(*(lease.acquire(Owner(str(n))) for n in range(12)))
    assert sum(got) == 1
