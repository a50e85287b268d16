from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from functools import partial
from pathlib import Path

from offbook.protocols import Store
from offbook.stores import characters, leases
from offbook.stores.leases import Owner
from tests.waiting import until

HERE, THERE = "here", "there"


def everybody_lives(_: int) -> bool:
    return True


def nobody_lives(_: int) -> bool:
    return False


take = partial(leases.acquire, character="ada", is_alive=everybody_lives)


async def test_one_holds_the_lease_at_a_time(store: Store):
    await store.write(lambda c: characters.create(c, "Ada"))
    first, second = Owner("1", HERE, 1), Owner("2", HERE, 2)
    assert await store.write(partial(take, owner=first, now=0.0))
    assert await store.write(partial(take, owner=first, now=1.0))
    assert not await store.write(partial(take, owner=second, now=2.0))
    await store.write(lambda c: leases.release(c, "ada", second))
    assert not await store.write(partial(take, owner=second, now=2.0))
    await store.write(lambda c: leases.release(c, "ada", first))
    assert await store.write(partial(take, owner=second, now=2.0))
    held = await store.read(lambda c: leases.holder(c, "ada"))
    assert held == leases.Lease(second, 2.0)


async def test_a_lease_without_a_sign_of_life_is_taken_over(store: Store):
    await store.write(lambda c: characters.create(c, "Ada"))
    first, second = Owner("1", THERE, 1), Owner("2", HERE, 2)
    assert await store.write(partial(take, owner=first, now=0.0))
    beat = partial(leases.heartbeat, character="ada", owner=first)
    assert await store.write(partial(beat, now=50.0))
    assert not await store.write(partial(take, owner=second, now=100.0))
    assert await store.write(partial(take, owner=second, now=50.0 + leases.STALE_SECONDS + 1))
    assert not await store.write(partial(beat, now=120.0))


async def test_the_lease_of_a_dead_process_of_this_host_is_taken_over_at_once(store: Store):
    await store.write(lambda c: characters.create(c, "Ada"))
    dead = partial(leases.acquire, character="ada", is_alive=nobody_lives)
    await store.write(partial(take, owner=Owner("1", HERE, 1), now=0.0))
    assert await store.write(partial(dead, owner=Owner("2", HERE, 2), now=1.0))
    # Whether a process of another host lives cannot be known.
    assert not await store.write(partial(dead, owner=Owner("3", THERE, 3), now=1.0))


def test_living_and_dead_processes_are_told_apart():
    assert leases.is_running(os.getpid())
    assert leases.is_running(1)
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as ended:
        assert leases.is_running(ended.pid)
        ended.kill()
        if Path("/proc/self/stat").exists():
            until(lambda: not leases.is_running(ended.pid), "its end, which nobody has looked at")
    assert not leases.is_running(ended.pid)


async def test_only_one_of_many_gets_it(store: Store):
    await store.write(lambda c: characters.create(c, "Ada"))
    got = await asyncio.gather(
        *(store.write(partial(take, owner=Owner(str(n)))) for n in range(12))
    )
    assert sum(got) == 1
