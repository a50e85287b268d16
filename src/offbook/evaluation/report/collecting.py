"""One pass over a run's cells and ratings, and everything that a report shows of it.

Takes: a run in the store, its dataset and protocol.  Gives: a `ReportedRun`.  Texts are read again
for the few cells that are shown in full; of all others only numbers are kept.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from offbook.evaluation import streaming
from offbook.evaluation.comparing import Difference, differences
from offbook.evaluation.interviews.scoring import interview_scores, item_scores
from offbook.evaluation.keeping import rating_of, usage_of
from offbook.evaluation.measured import Measured
from offbook.evaluation.plan import plan
from offbook.evaluation.report.material import ChunkUse, Example, Grounds, ReportedRun
from offbook.evaluation.report.naming import one_line
from offbook.evaluation.report.profiles import interviews
from offbook.evaluation.report.similarity import Nearness
from offbook.evaluation.report.watching import Watch
from offbook.evaluation.scoring import (
    cost_scores,
    reply_scores,
    retrieval_scores,
)
from offbook.stores import documents, evaluations

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from offbook.evaluation.benchmark import Dataset
    from offbook.evaluation.protocol import EvaluationProtocol, Score
    from offbook.evaluation.record import Cell, CellKey, Rating, Run
    from offbook.protocols import Embedder, Store

EXAMPLES: Final = 2
"""How many of the worst and of the best replies of each metric and method are shown in full."""
_GROUNDS: Final = 8
_EXCERPT: Final = 600
_LONGEST: Final = 20_000
_INTERVIEWS: Final = {"items": item_scores, "open_interview": interview_scores}

"""By variant, then by subject: how many chunks there are in what the variant searches."""


@dataclass(frozen=True, slots=True)
class Source:
    """A run as it is in the store, with what it was asked and how it is judged."""

    run: Run
    dataset: Dataset
    protocol: EvaluationProtocol
    usage: Mapping[str, Any]
    judges: Mapping[str, str]
    notes: tuple[str, ...] = ()


async def collect(
    store: Store, source: Source, *, embedder: Embedder | None = None, most: int = EXAMPLES
) -> ReportedRun:
    """Everything that a report shows of a run.

    Args:
        store: Where the run is.
        source: The run.
        embedder: Embeds the questions, for similarity; None: that is left out.
        most: How many of the worst and of the best cells of each metric and method are shown.

    Raises:
        ModelError: the embedding endpoint failed for good.
    """
    run, dataset = source.run, source.dataset
    near = None
    if embedder is not None:
        near = await Nearness.prepared(store, run, dataset, embedder)
    watch = Watch(run, most, near)
    judge = run.models["judge"].model if "judge" in run.models else None
    measured = await streaming.with_stream(
        store,
        run.id,
        judge,
        lambda cells, ratings: Measured(run, dataset, watch.cells(cells), watch.ratings(ratings)),
    )
    scores = await asyncio.to_thread(_scores, measured)
    if run.protocol not in ("questions", *_INTERVIEWS):
        # Somebody else's way of measuring: it reads the run for itself.
        scores = await streaming.scores(store, source.protocol, run, dataset)
    return ReportedRun(
        run=run,
        counts=watch.counts(plan(run, dataset, source.protocol).cells),
        usage=usage_of(source.usage),
        judges=source.judges,
        notes=source.notes,
        scores=tuple(scores),
        differences=tuple(await asyncio.to_thread(lambda: list(_differences(measured)))),
        interviews=tuple(await asyncio.to_thread(lambda: list(interviews(measured)))),
        ratings=watch.rated(),
        failed=tuple(watch.failed),
        examples=await _examples(store, measured, watch.examples()),
        use=tuple(_use(measured)),
        cosines=() if near is None else near.cosines(measured.variants),
        measured=measured,
    )


def _scores(measured: Measured) -> list[Score]:
    """The scores as the run's own protocol has them."""
    found = list(reply_scores(measured))
    if measured.run.protocol in _INTERVIEWS:
        found += _INTERVIEWS[measured.run.protocol](measured)
    return [*found, *retrieval_scores(measured), *cost_scores(measured)]


def _differences(measured: Measured) -> Iterator[Difference]:
    """Every other variant less the first, metric by metric."""
    for other in measured.variants[1:]:
        yield from differences(measured, other, measured, measured.variants[0])


def _use(measured: Measured) -> Iterator[ChunkUse]:
    for variant in measured.variants:
        use = measured.retrieval(variant)
        if use is not None:
            is_known = all(measured.run.chunks.get(variant, {}).get(s) for s in measured.subjects)
            yield ChunkUse(variant, use, sum(use.duplication.values()) if is_known else None)


async def _examples(
    store: Store, measured: Measured, chosen: Mapping[CellKey, tuple[str, ...]]
) -> tuple[Example, ...]:
    keys = list(chosen)
    if not keys:
        return ()
    run = measured.run.id
    judge = measured.run.models["judge"].model
    places = [(key.subject, key.variant, key.repeat, key.question) for key in keys]
    cells = {cell.key: cell for cell in await streaming.cells_of(store, run, keys)}
    rows = await store.read(lambda conn: evaluations.ratings_at(conn, run, judge, places))
    ratings: dict[Sequence[Any], list[Rating]] = {}
    for row in rows:
        place = (row["subject"], row["variant"], row["repeat"], row["unit"])
        ratings.setdefault(place, []).append(rating_of(row))
    names = await store.read(lambda conn: _document_names(conn, cells.values()))
    return tuple(
        _example(measured, cells[key], chosen[key], ratings.get(place, []), names)
        for key, place in zip(keys, places, strict=True)
        if key in cells
    )


def _document_names(conn: Connection, cells: Any) -> dict[tuple[str, str], str]:
    characters = dict.fromkeys(cell.character for cell in cells)
    return {
        (character, info.id): info.name
        for character in characters
        for info in documents.list_all(conn, character)
    }


def _example(
    measured: Measured,
    cell: Cell,
    why: tuple[str, ...],
    ratings: Sequence[Rating],
    names: Mapping[tuple[str, str], str],
) -> Example:
    question = measured.places.question(cell.key)
    items = sorted(cell.context, key=lambda item: -item.score)[:_GROUNDS]
    return Example(
        key=cell.key,
        why=why,
        question=question.text if question else cell.key.question,
        answers=question.answers if question else (),
        reply=(cell.reply or "")[:_LONGEST],
        ratings=tuple(replace(each, analysis=each.analysis[:_LONGEST]) for each in ratings),
        grounds=tuple(
            Grounds(
                item.kind,
                one_line(item.title, 200),
                one_line(item.text, _EXCERPT),
                item.score,
                tuple(
                    f"{names.get((cell.character, s.document), s.document)}[{s.start}:{s.end}]"
                    for s in item.sources[:3]
                ),
            )
            for item in items
        ),
        verdict=cell.verdict,
        forgotten=cell.forgotten,
    )
