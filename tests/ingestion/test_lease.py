"""One ingestion of a character at a time."""

from __future__ import annotations

import asyncio
import threading

import pytest

from offbook.errors import StoreFailed
from offbook.ingestion import lease
from offbook.ingestion.lease import ingestion_lease
from offbook.stores import leases, schema
from tests.waiting import PATIENCE_SECONDS, eventually


def held_by(conn):
    return conn.execute(schema.leases.select()).one_or_none()


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
    assert await kept.read(held_by) is None
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
    assert await kept.write(held_by) is None


async def test_who_is_cancelled_while_it_is_being_given_back_gives_it_back(kept):
    async def ingest() -> None:
        async with ingestion_lease(kept, "keeper", unheard):
            asyncio.get_running_loop().call_soon(ingesting.cancel)

    ingesting = asyncio.create_task(ingest())
    with pytest.raises(asyncio.CancelledError):
        await ingesting
    assert await kept.read(held_by) is None


@pytest.mark.parametrize("failures", [0, 1, 1_000])
async def test_signs_of_life_go_on_whether_some_fail_or_all(kept, monkeypatch, failures):
    monkeypatch.setattr(lease, "HEARTBEAT_SECONDS", 0.01)
    heartbeat, signs = leases.heartbeat, list[bool]()

    def may_fail(*told) -> bool:
        signs.append(len(signs) >= failures)
        if not signs[-1]:
            raise StoreFailed("the disk is full")
        return heartbeat(*told)

    monkeypatch.setattr(leases, "heartbeat", may_fail)
    async with ingestion_lease(kept, "keeper", unheard):
        await eventually(lambda: len(signs) > 3)
        assert any(signs) == (failures < 1_000)
    assert await kept.read(held_by) is None
