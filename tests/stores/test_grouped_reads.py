"""Look-ups that arrive together are one read; a failure reaches everybody who waited for it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from offbook.errors import StoreFailed
from offbook.stores.grouped_reads import GroupedReads


class Squares:
    """A store whose reads are counted; it fails as long as it is told to."""

    def __init__(self) -> None:
        self.reads: list[list[int]] = []
        self.fails = False

    async def read(self, operation):
        await asyncio.sleep(0)
        if self.fails:
            raise StoreFailed("the disk is gone", "mend it")
        return operation(self)

    def look_up(self, keys):
        self.reads.append(list(keys))
        return {key: key * key for key in keys if key % 2}


@pytest.fixture
def store() -> Squares:
    return Squares()


@pytest.fixture
def squares(store) -> GroupedReads[int, int]:
    def look_up(connection: Any, keys: Sequence[int]) -> Mapping[int, int]:
        return connection.look_up(keys)  # type: ignore[no-any-return]

    return GroupedReads(store, look_up)


async def test_look_ups_that_arrive_together_are_one_read(store, squares):
    found = await asyncio.gather(*(squares.get(n) for n in (1, 2, 3, 3)))
    assert found == [1, None, 9, 9]
    assert store.reads == [[1, 2, 3]]
    assert await squares.get(5) == 25
    assert store.reads[1:] == [[5]]


async def test_a_failure_reaches_all_who_waited_and_nobody_later(store, squares):
    store.fails = True
    outcomes = await asyncio.gather(*(squares.get(n) for n in (1, 3)), return_exceptions=True)
    assert [type(outcome) for outcome in outcomes] == [StoreFailed, StoreFailed]
    store.fails = False
    assert await squares.get(3) == 9


async def test_who_gives_up_does_not_stop_the_others(squares):
    tasks = [asyncio.create_task(squares.get(n)) for n in (1, 3)]
    await asyncio.sleep(0)
    tasks[0].cancel()
    first, second = await asyncio.gather(*tasks, return_exceptions=True)
    assert isinstance(first, asyncio.CancelledError)
    assert second == 9
