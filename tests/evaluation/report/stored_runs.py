"""A run in a store, made of cells and ratings, with the character that it asks."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

from offbook import registry
from offbook.evaluation.report.collection import collect
from offbook.evaluation.runs import OpenRun
from offbook.evaluation.storage import cell_row, rating_row, run_row
from offbook.stores import characters, documents, evaluations
from offbook.types import Document
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
) -> OpenRun:
    """The run with its cells and ratings in the store; its characters are made where missing."""
    whose = {cell.key.subject: cell.character for cell in cells}

    def write(conn: Any) -> None:
        for subject, character in run.subjects.items():
            if characters.find(conn, character) is None:
                assert characters.create(conn, subject).id == character
        for cell in cells:  # a reply that rests on a document which is not there is not kept
            for source in chain.from_iterable(item.sources for item in cell.context):
                if documents.get(conn, cell.character, source.document) is None:
                    document = Document(source.document, source.document, "", "")
                    documents.put(conn, cell.character, document)
        evaluations.add_run(conn, run_row(run))
        if cells:
            evaluations.add_cells(conn, [cell_row(run.id, cell) for cell in cells])
        if ratings:
            rows = [rating_row(run.id, whose[r.key.subject], r) for r in ratings]
            evaluations.add_ratings(conn, rows)

    await store.write(write)
    protocol = registry.load("protocol", run.protocol)()
    return OpenRun(run, dataset, protocol, {}, {made.JUDGE: "http://127.0.0.1:1/v1"})


async def collected(store: Store, *what: Any, **how: Any) -> ReportedRun:
    """Store a run and collect it."""
    return await collect(store, await stored(store, *what), **how)
