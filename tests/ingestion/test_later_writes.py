"""Writes that nobody waits for: all of them, in their order, and a failure is told."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from offbook.errors import StoreFailed
from offbook.ingestion.later_writes import LaterWrites
from tests.waiting import PATIENCE_SECONDS, eventually


class Noted:
    """A store that notes what is written, in which transaction, and may be full."""

    def __init__(self) -> None:
        self.transactions: list[list[Any]] = []
        self.full = False

    async def write(self, operation):
        await asyncio.sleep(0)
        if self.full:
            raise StoreFailed("the disk is full", "make room")
        made: list[Any] = []
        operation(made)
        self.transactions.append(made)

    @property
    def written(self) -> list[Any]:
        return [each for made in self.transactions for each in made]


def put(number: int):
    return lambda transaction: transaction.append(number)


@pytest.fixture
def store() -> Any:
    return Noted()


async def test_they_are_made_together_in_their_order_when_the_loop_is_at_rest(store):
    async with LaterWrites(store) as later:
        for number in range(50):
            later.add(put(number))
        assert not store.written, "what follows from them is asked first"
        await eventually(lambda: store.written)
        assert store.transactions == [list(range(50))]
        later.add(put(50))
        await eventually(lambda: 50 in store.written)


async def test_rows_of_one_kind_that_follow_one_another_are_one_operation(store):
    def rows(transaction, added) -> None:
        transaction.append(list(added))

    def others(transaction, added) -> None:
        transaction.append(tuple(added))

    async with LaterWrites(store) as later:
        for added in ([1], [2, 3]):
            later.add_rows(rows, added)
        later.add(put(4))
        later.add_rows(rows, [5])
        later.add_rows(others, [6])
        await later.flush()
        later.add_rows(others, [7])
    assert store.transactions == [[[1, 2, 3], 4, [5], (6,)], [(7,)]]


async def test_at_the_end_nothing_waits_any_more(store):
    async with LaterWrites(store) as later:
        later.add(put(1))
    assert store.written == [1]


async def test_a_failure_or_a_cancellation_loses_nothing(store):
    async def broken(number: int) -> None:
        async with LaterWrites(store) as later:
            later.add(put(number))
            raise RuntimeError("something else")

    with pytest.raises(RuntimeError, match="something else"):
        await broken(1)

    async def hanging() -> None:
        async with LaterWrites(store) as later:
            later.add(put(2))
            await asyncio.sleep(PATIENCE_SECONDS)

    task = asyncio.create_task(hanging())
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert store.written == [1, 2]


@pytest.mark.parametrize("turns", range(6))
async def test_a_flush_that_is_cancelled_goes_on_and_the_end_waits_for_it(store, turns):
    async with LaterWrites(store) as later:
        for number in range(3):
            later.add(put(number))
        flushing = asyncio.create_task(later.flush())
        for _ in range(turns):
            await asyncio.sleep(0)
        flushing.cancel()
    assert store.written == [0, 1, 2]
    await asyncio.gather(flushing, return_exceptions=True)


async def test_a_full_disk_is_told_to_whoever_writes_next_and_at_the_end(store):
    store.full = True

    async def on() -> None:
        async with LaterWrites(store) as later:
            later.add(put(1))
            with pytest.raises(StoreFailed, match="full"):
                await later.flush()
            with pytest.raises(StoreFailed, match="full"):
                later.add(put(2))
            with pytest.raises(StoreFailed, match="full"):
                later.add_rows(put(3), [3])

    with pytest.raises(StoreFailed, match="full"):
        await on()


async def test_a_full_disk_does_not_hide_what_went_wrong_first(store):
    store.full = True

    async def broken() -> None:
        async with LaterWrites(store) as later:
            later.add(put(1))
            raise RuntimeError("something else")

    with pytest.raises(RuntimeError, match="something else"):
        await broken()


async def test_one_that_fails_does_not_take_the_others_along(store):
    def refuse(transaction) -> None:
        raise ValueError("no such row")

    async def each() -> None:
        async with LaterWrites(store) as later:
            for operation in (put(1), refuse, put(2)):
                later.add(operation)

    with pytest.raises(ValueError, match="no such row"):
        await each()
    assert store.written == [1, 2]
