"""Runs, cells and ratings as rows of the store, and back, a page at a time.

A run of any size is read without holding it; a record of another version is refused.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeVar

from pydantic import TypeAdapter, ValidationError

from offbook.errors import UsageError
from offbook.evaluation.record import Cell, CellKey, ModelNamed, Rating, RatingKey, Run
from offbook.stores import evaluations
from offbook.stores.evaluations import StoredRun
from offbook.stores.text_versions import memory_name
from offbook.types import ContextItem, TaskUsage, Usage

if TYPE_CHECKING:
    from offbook.evaluation.benchmark import Dataset
    from offbook.evaluation.record import EvaluationProtocol, Score
    from offbook.protocols import Store
    from offbook.stores.connection import Connection


FORMAT: Final = 1
"""Grows when a record can no longer be read by what was released before."""

Row = Mapping[str, Any]
Sum = TypeVar("Sum", Usage, TaskUsage)

_RUN: Final = TypeAdapter(Run)
_CELL: Final = TypeAdapter(Cell)
_RATING: Final = TypeAdapter(Rating)
_USAGE: Final = TypeAdapter(Usage)
_APART: Final = ("id", "created", "status")
"""Fields of a run that have columns of their own."""
_REPLACEMENT: Final = "�"
"""In the place of a null character, which no engine keeps alike."""


# -- runs --------------------------------------------------------------------------------------


def run_row(run: Run) -> StoredRun:
    """A new run as it is stored."""
    record = _RUN.dump_python(run, mode="json", exclude=set(_APART))
    judge = run.models["judge"]
    return StoredRun(
        run.id,
        run.benchmark,
        run.created,
        run.status,
        FORMAT,
        record,
        {judge.model: judge.base_url},
        {},
    )


def run_of(stored: StoredRun) -> Run:
    """The run that a row holds.

    Raises:
        UsageError: the record is of a newer version, or cannot be read.
    """
    if stored.format > FORMAT:
        raise UsageError(
            f"the run {stored.id!r} is recorded in format {stored.format}; this offbook reads up to"
            f" {FORMAT}",
            "it was made by a newer offbook: install that to read it",
        )
    columns = {name: getattr(stored, name) for name in _APART}
    try:
        return _RUN.validate_python({**stored.record, **columns})
    except ValidationError as error:
        raise UsageError(
            f"the record of the run {stored.id!r} cannot be read: {error.error_count()} of its"
            " fields are missing or not what they were",
            f"another version of offbook made it; delete it: offbook eval delete {stored.id}",
        ) from error


def judged_by(run: Run, judges: Mapping[str, str], judge: str | None) -> Run:
    """The run as another judge of it rated it.

    Raises:
        UsageError: that judge was never asked.
    """
    if judge is None or judge == run.models["judge"].model:
        return run
    if judge not in judges:
        known = ", ".join(map(repr, judges))
        raise UsageError(
            f"the run {run.id!r} has no ratings by {judge!r}",
            f"it has those by {known}; ask another: offbook eval score {run.id} --judge {judge}",
        )
    named = ModelNamed(judge, judges[judge])
    return replace(run, models={**run.models, "judge": named})


# -- cells and ratings -------------------------------------------------------------------------


def cell_row(run: str, cell: Cell) -> dict[str, Any]:
    """A cell as it is stored."""
    row = _flat(
        _CELL.dump_python(cell, mode="json", exclude={"character", "evidence"}), ("reply", "error")
    )
    documents = sorted(rests_on(cell.context))
    return {**row, "run_id": run, "character_id": cell.character, "documents": documents}


def cell_of(row: Row) -> Cell:
    """The cell that a row holds."""
    return _CELL.validate_python({**row, "key": row, "character": row["character_id"]})


def rating_row(
    run: str, character: str, rating: Rating, documents: frozenset[str] = frozenset()
) -> dict[str, Any]:
    """A rating as it is stored; ``documents`` are ids of those whose text the judge read."""
    row = _flat(_RATING.dump_python(rating, mode="json"), ("missing", "analysis"))
    return {**row, "run_id": run, "character_id": character, "documents": sorted(documents)}


def rating_of(row: Row) -> Rating:
    """The rating that a row holds."""
    return _RATING.validate_python({**row, "key": row})


def rests_on(context: tuple[ContextItem, ...]) -> set[str]:
    """Ids of the documents that a context is from; its memories stand among them by a name."""
    ids = {source.document for item in context for source in item.sources}
    return ids | {memory_name(item.memory) for item in context if item.memory is not None}


def storable(text: str) -> str:
    """A model's text as every engine keeps it: null characters and half pairs are replaced."""
    return text.replace("\0", _REPLACEMENT).encode("utf-8", "replace").decode()


def _flat(row: dict[str, Any], texts: tuple[str, ...]) -> dict[str, Any]:
    """A row with the parts of its key as columns, and a model's texts as they can be stored."""
    stored = {name: storable(row[name]) for name in texts if row[name] is not None}
    return {**row.pop("key"), **row, **stored}


# -- usage -------------------------------------------------------------------------------------


def usage_row(usage: Usage) -> dict[str, Any]:
    """What something cost as it is stored."""
    row: dict[str, Any] = _USAGE.dump_python(usage, mode="json")
    return row


def usage_of(row: Row) -> Usage:
    """What something cost; nothing where nothing is noted."""
    return _USAGE.validate_python(row)


def summed(one: Usage, other: Usage) -> Usage:
    """What two stretches of work cost together; without a price of either, no price of both."""
    tasks = {
        name: _sum(one.by_task.get(name, TaskUsage()), other.by_task.get(name, TaskUsage()))
        for name in sorted({*one.by_task, *other.by_task})
    }
    costs = [part.cost_usd for part in (one, other) if part.calls or part.embed_calls]
    cost = None if not costs or None in costs else sum(filter(None, costs))
    return replace(_sum(one, other), by_task=tasks, cost_usd=cost)


def _sum(one: Sum, other: Sum) -> Sum:
    """The sum of each number; None where neither told it."""
    sums: dict[str, Any] = {}
    for name in (each.name for each in fields(one) if each.name != "by_task"):
        numbers = [n for n in (getattr(one, name), getattr(other, name)) if n is not None]
        sums[name] = sum(numbers) if numbers else None
    return replace(one, **sums)


T = TypeVar("T")
Page = Sequence[Any]
ReadPage = Callable[[Any, Any], Page]


async def stored_keys(store: Store, run: str) -> set[CellKey]:
    """The keys of the cells that are stored."""
    keys = await store.read(lambda conn: evaluations.cell_keys(conn, run))
    return {CellKey(**dict(zip(evaluations.CELL_KEY, key, strict=True))) for key in keys}


async def rated_keys(store: Store, run: str, judge: str) -> set[RatingKey]:
    """The keys of the ratings that a judge gave, missing ones among them."""
    keys = await store.read(lambda conn: evaluations.rating_keys(conn, run, judge))
    return {RatingKey(**dict(zip(evaluations.RATING_KEY, key, strict=True))) for key in keys}


async def cells_of(store: Store, run: str, keys: Sequence[CellKey]) -> list[Cell]:
    """The cells of these keys that are stored."""
    places = [(key.subject, key.question, key.variant, key.repeat) for key in keys]
    rows = await store.read(lambda conn: evaluations.cells_at(conn, run, places))
    return [cell_of(row) for row in rows]


async def scores(
    store: Store, protocol: EvaluationProtocol, run: Run, dataset: Dataset
) -> list[Score]:
    """The scores of a run by the judge that it names."""
    return await with_stream(store, run, lambda *streams: protocol.scores(run, dataset, *streams))


async def with_stream(
    store: Store,
    run: Run,
    function: Callable[[Iterator[Cell], Iterator[Rating]], T],
    *,
    of_all: bool = False,
) -> T:
    """What a plain function makes of the cells and ratings of a run, read as it goes on.

    Ratings are those of the judge that the run names; ``of_all``: of all judges.
    """
    loop = asyncio.get_running_loop()
    judge = None if of_all else run.models["judge"].model

    def pages(read: ReadPage, key: Sequence[str]) -> Iterator[Any]:
        after: tuple[Any, ...] | None = None
        while True:
            reading = store.read(partial(read, after))
            page = asyncio.run_coroutine_threadsafe(reading, loop).result()
            if not page:
                return
            yield from page
            after = tuple(page[-1][name] for name in key)

    def cell_page(after: Any, conn: Connection) -> Page:
        return evaluations.cells_after(conn, run.id, after)

    def rating_page(after: Any, conn: Connection) -> Page:
        return evaluations.ratings_after(conn, run.id, judge, after)

    all_cells = map(cell_of, pages(cell_page, evaluations.CELL_KEY))
    rated = map(rating_of, pages(rating_page, evaluations.RATING_KEY))
    return await asyncio.to_thread(function, all_cells, rated)
