"""Writes that arrive together are stored together, and fail alone."""

from __future__ import annotations

import asyncio
import gc
import sqlite3
import weakref
from typing import Any

import pytest
from sqlalchemy import text

from offbook.errors import StoreFailed
from offbook.stores.grouped_writes import GroupedWrites
from offbook.stores.sqlite import SqliteStore


class Counted:
    """A store that counts its transactions."""

    def __init__(self, store) -> None:
        self._store, self.transactions = store, 0

    async def write(self, operation):
        self.transactions += 1
        return await self._store.write(operation)


def put(number: int):
    def operation(conn) -> None:
        conn.execute(text("INSERT INTO numbers VALUES (:n)"), {"n": number})

    return operation


@pytest.fixture
async def store(sqlite_store):
    await sqlite_store.write(
        lambda c: c.execute(text("CREATE TABLE numbers (n INTEGER UNIQUE)")) and None
    )
    return Counted(sqlite_store)


async def numbers(store) -> list[int]:
    found: list[int] = await store._store.read(
        lambda c: list(c.scalars(text("SELECT n FROM numbers ORDER BY n")))
    )
    return found


async def test_many_at_once_share_few_transactions(store):
    writes = GroupedWrites(store)
    await asyncio.gather(*(writes.write(put(n)) for n in range(50)))
    assert await numbers(store) == list(range(50))
    assert store.transactions <= 3
    await writes.write(put(99))
    assert 99 in await numbers(store), "it is stored when the caller goes on"


async def test_one_that_fails_does_not_take_the_others_along(store):
    writes = GroupedWrites(store)
    outcomes = await asyncio.gather(
        *(writes.write(put(n)) for n in (1, 2, 2, 3)), return_exceptions=True
    )
    assert [isinstance(outcome, Exception) for outcome in outcomes] == [False, False, True, False]
    assert await numbers(store) == [1, 2, 3]


async def test_who_gives_up_does_not_stop_the_others(store):
    writes = GroupedWrites(store)
    tasks = [asyncio.create_task(writes.write(put(n))) for n in range(3)]
    await asyncio.sleep(0)
    tasks[1].cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    assert {0, 2} <= set(await numbers(store))


async def test_writers_of_one_store_share_transactions_and_the_store_is_not_kept_alive(store):
    assert GroupedWrites.of(store) is GroupedWrites.of(store)
    other: Any = Counted(store._store)
    assert GroupedWrites.of(other) is not GroupedWrites.of(store)
    await asyncio.gather(*(GroupedWrites.of(store).write(put(n)) for n in range(20)))
    assert store.transactions <= 2
    kept = weakref.ref(other)
    del other
    gc.collect()
    assert kept() is None


async def test_a_database_that_fails_is_told_to_all_at_once(sqlite_home):
    stored = await SqliteStore(sqlite_home / "offbook.db", busy_timeout_seconds=0.1).open()
    counted = Counted(stored)
    other = sqlite3.connect(stored.path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    writes: Any = GroupedWrites(counted)  # type: ignore[arg-type]
    outcomes = await asyncio.gather(
        *(writes.write(put(n)) for n in range(20)), return_exceptions=True
    )
    other.close()
    await stored.close()
    assert all(isinstance(outcome, StoreFailed) for outcome in outcomes)
    assert counted.transactions == 1, "each would wait as long again"


async def test_a_write_that_finds_nothing_to_write_to_fails_alone(store):
    def lacking(conn) -> None:
        raise StoreFailed("there is no such set", "run the command again")

    writes = GroupedWrites(store)
    outcomes = await asyncio.gather(
        *(writes.write(each) for each in (put(1), lacking, put(2))), return_exceptions=True
    )
    assert [isinstance(outcome, StoreFailed) for outcome in outcomes] == [False, True, False]
    assert await numbers(store) == [1, 2]
