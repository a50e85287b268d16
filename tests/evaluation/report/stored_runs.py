"""A run in a store, made of cells and ratings, with the character that it asks.

Takes: a store and what the run holds.  Gives: what `collect` reads.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from offbook import registry
from offbook.evaluation.keeping import cell_row, rating_row, run_row
from offbook.evaluation.report.collecting import Source, collect
from offbook.stores import characters, evaluations
from tests.evaluation import made

if TYPE_CHECKING:
    from offbook.evaluation.benchmark import Dataset
    from offbook.evaluation.record import Cell, Rating, Run
    from offbook.evaluation.report.material import ReportedRun
    from offbook.protocols import Store


async def stored(
    store: Store,
    run: Run,
    dataset: Dataset,
    cells: Sequence[Cell] = (),
    ratings: Sequence[Rating] = (),
) -> Source:
    """The run with its cells and ratings in the store; its characters are made where missing."""
    whose = {cell.key.subject: cell.character for cell in cells}

    def write(conn: Any) -> None:
        for subject, character in run.subjects.items():
            if characters.find(conn, character) is None:
                assert characters.create(conn, subject).id == character
        evaluations.add_run(conn, run_row(run))
        if cells:
            evaluations.add_cells(conn, [cell_row(run.id, cell) for cell in cells])
        if ratings:
            rows = [rating_row(run.id, whose[r.key.subject], r) for r in ratings]
            evaluations.add_ratings(conn, rows)

    await store.write(write)
    protocol = registry.load("protocol", run.protocol)()
    return Source(run, dataset, protocol, {}, {made.JUDGE: "http://127.0.0.1:1/v1"})


async def collected(store: Store, *what: Any, **how: Any) -> ReportedRun:
    """Store a run and collect it."""
    return await collect(store, await stored(store, *what), **how)
