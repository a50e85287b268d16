"""The cells and ratings of a run, a page at a time: a run of any size is read without holding it.

Takes: a store and a run.  Gives: cells and ratings, to coroutines one by one, or to a plain
function, which then runs in a thread of its own.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from offbook.evaluation.keeping import cell_of, rating_of
from offbook.evaluation.record import CellKey, RatingKey
from offbook.stores import evaluations

if TYPE_CHECKING:
    from offbook.evaluation.benchmark import Dataset
    from offbook.evaluation.protocol import EvaluationProtocol, Score
    from offbook.evaluation.record import Cell, Rating, Run
    from offbook.protocols import Store

T = TypeVar("T")
Page = Sequence[Any]
ReadPage = Callable[[Any, Any], Page]


async def stored_keys(store: Store, run: str) -> set[CellKey]:
    """The keys of the cells that are stored."""
    found = await store.read(lambda conn: evaluations.cell_keys(conn, run))
    return {CellKey(*key) for key in found}


async def rated_keys(store: Store, run: str, judge: str) -> set[RatingKey]:
    """The keys of the ratings that a judge gave, missing ones among them."""
    found = await store.read(lambda conn: evaluations.rating_keys(conn, run, judge))
    return {RatingKey(*key) for key in found}


async def cells(store: Store, run: str) -> AsyncIterator[Cell]:
    """The cells of a run by subject, question, variant and repeat."""
    async for row in _rows(store, partial(_cell_page, run), evaluations.CELL_KEY):
        yield cell_of(row)


async def ratings(store: Store, run: str, judge: str | None = None) -> AsyncIterator[Rating]:
    """The ratings of a run, of one judge or of all, by the order of their keys."""
    async for row in _rows(store, partial(_rating_page, run, judge), evaluations.RATING_KEY):
        yield rating_of(row)


async def cells_of(store: Store, run: str, keys: Sequence[CellKey]) -> list[Cell]:
    """The cells of these keys that are stored."""
    places = [(key.subject, key.question, key.variant, key.repeat) for key in keys]
    rows = await store.read(lambda conn: evaluations.cells_at(conn, run, places))
    return [cell_of(row) for row in rows]


async def scores(
    store: Store, protocol: EvaluationProtocol, run: Run, dataset: Dataset
) -> list[Score]:
    """The scores of a run by the judge that it names."""
    judge = run.models["judge"].model
    return await with_stream(
        store,
        run.id,
        judge,
        lambda all_cells, rated: protocol.scores(run, dataset, all_cells, rated),
    )


async def with_stream(
    store: Store,
    run: str,
    judge: str | None,
    function: Callable[[Iterator[Cell], Iterator[Rating]], T],
) -> T:
    """What a plain function makes of the cells and ratings of a run, read as it goes on.

    Args:
        store: Where the run is.
        run: Its id.
        judge: Whose ratings; None: those of all judges.
        function: Runs in a thread of its own.
    """
    loop = asyncio.get_running_loop()

    def pages(read: ReadPage, key: Sequence[str]) -> Iterator[Any]:
        after: tuple[Any, ...] | None = None
        while True:
            reading = store.read(partial(read, after))
            page = asyncio.run_coroutine_threadsafe(reading, loop).result()
            if not page:
                return
            yield from page
            after = tuple(page[-1][name] for name in key)

    all_cells = map(cell_of, pages(partial(_cell_page, run), evaluations.CELL_KEY))
    rated = map(rating_of, pages(partial(_rating_page, run, judge), evaluations.RATING_KEY))
    return await asyncio.to_thread(function, all_cells, rated)


def _cell_page(run: str, after: Any, conn: Any) -> Page:
    return evaluations.cells_after(conn, run, after)


def _rating_page(run: str, judge: str | None, after: Any, conn: Any) -> Page:
    return evaluations.ratings_after(conn, run, judge, after)


async def _rows(store: Store, read: ReadPage, key: Sequence[str]) -> AsyncIterator[Any]:
    after: tuple[Any, ...] | None = None
    while page := await store.read(partial(read, after)):
        for row in page:
            yield row
        after = tuple(page[-1][name] for name in key)
