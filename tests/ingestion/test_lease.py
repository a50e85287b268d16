"""One ingestion of a character at a time."""

from __future__ import annotations

import asyncio
import threading

import pytest

from offbook.errors import StoreFailed
from offbook.ingestion import lease
from offbook.ingestion.lease import ingestion_lease
from offbook.stores import leases
from tests.waiting import PATIENCE_SECONDS, eventually


def unheard() -> None:
    raise AssertionError("nobody is to wait")


async def test_two_take_turns_and_the_second_is_told_once(kept, monkeypatch):
    monkeypatch.setattr(lease, "_POLL_SECONDS", 0.01)
    order: list[str] = []
    told: list[str] = []

    async def one() -> None:
        async with ingestion_lease(kept, "keeper", unheard):
            order.append("one in")
            await eventually(lambda: told)
            order.append("one out")

    async def two() -> None:
        await eventually(lambda: order)
        async with ingestion_lease(kept, "keeper", lambda: told.append("waiting")):
            order.append("two in")

    await asyncio.gather(one(), two())
    assert order == ["one in", "one out", "two in"]
    assert told == ["waiting"]


async def test_it_is_given_back_after_an_error(kept):
    with pytest.raises(RuntimeError):
        async with ingestion_lease(kept, "keeper", unheard):
            raise RuntimeError
    assert await kept.read(lambda conn: leases.holder(conn, "keeper")) is None
    async with ingestion_lease(kept, "keeper", unheard):
        pass


async def test_who_is_cancelled_while_it_is_being_taken_gives_it_back(kept, monkeypatch):
    taken, go_on = threading.Event(), threading.Event()
    acquire = leases.acquire

    def slow(*told) -> bool:
        has_it = acquire(*told)
        taken.set()
        assert go_on.wait(PATIENCE_SECONDS)
        return has_it

    async def ingest() -> None:
        async with ingestion_lease(kept, "keeper", unheard):
            raise AssertionError("nothing is to be done any more")

    monkeypatch.setattr(leases, "acquire", slow)
    ingesting = asyncio.create_task(ingest())
    await eventually(taken.is_set)
    ingesting.cancel()
    go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await ingesting
    # As a write: what was begun before it is over.
    assert await kept.write(lambda conn: leases.holder(conn, "keeper")) is None


async def test_who_is_cancelled_while_it_is_being_given_back_gives_it_back(kept):
    async def ingest() -> None:
        async with ingestion_lease(kept, "keeper", unheard):
            asyncio.get_running_loop().call_soon(ingesting.cancel)

    ingesting = asyncio.create_task(ingest())
    with pytest.raises(asyncio.CancelledError):
        await ingesting
    assert await kept.read(lambda conn: leases.holder(conn, "keeper")) is None


async def test_a_sign_of_life_that_fails_is_not_the_last_and_it_is_given_back(kept, monkeypatch):
    monkeypatch.setattr(lease, "HEARTBEAT_SECONDS", 0.01)
    heartbeat = leases.heartbeat
    failed: list[str] = []
    given: list[bool] = []

    def fail_once(*told) -> bool:
        if not failed:
            failed.append("a sign of life")
            raise StoreFailed("the disk is full")
        given.append(heartbeat(*told))
        return given[-1]

    monkeypatch.setattr(leases, "heartbeat", fail_once)
    async with ingestion_lease(kept, "keeper", unheard):
        await eventually(lambda: given)
    assert given[0]
    assert await kept.read(lambda conn: leases.holder(conn, "keeper")) is None


async def test_it_is_given_back_where_every_sign_of_life_fails(kept, monkeypatch):
    monkeypatch.setattr(lease, "HEARTBEAT_SECONDS", 0.01)
    failed: list[str] = []

    def fail(*_: object) -> bool:
        failed.append("a sign of life")
        raise StoreFailed("the disk is full")

    monkeypatch.setattr(leases, "heartbeat", fail)
    async with ingestion_lease(kept, "keeper", unheard):
        await eventually(lambda: failed)
    assert await kept.read(lambda conn: leases.holder(conn, "keeper")) is None


async def test_the_lease_of_a_process_that_is_gone_is_taken_at_once(kept):
    gone = leases.Owner("gone", pid=2**22 + 12345)
    await kept.write(lambda conn: leases.acquire(conn, "keeper", gone))
    async with ingestion_lease(kept, "keeper", unheard):
        held = await kept.read(lambda conn: leases.holder(conn, "keeper"))
        assert held.owner.id != "gone"


async def test_it_gives_signs_of_life(kept, monkeypatch):
    monkeypatch.setattr(lease, "HEARTBEAT_SECONDS", 0.01)
    async with asyncio.timeout(PATIENCE_SECONDS), ingestion_lease(kept, "keeper", unheard):
        now = first = await kept.read(lambda conn: leases.holder(conn, "keeper"))
        while now.heartbeat <= first.heartbeat:
            await asyncio.sleep(0.01)
            now = await kept.read(lambda conn: leases.holder(conn, "keeper"))
