"""The material of a report, collected from the cells and ratings of runs, and joined."""

from __future__ import annotations

import asyncio
import heapq
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, Self

from offbook.evaluation import comparison, storage
from offbook.evaluation.metrics.retrieval import TOP
from offbook.evaluation.metrics.scales import SCALES
from offbook.evaluation.metrics.statistics import estimate
from offbook.evaluation.metrics.typology import TYPOLOGIES
from offbook.evaluation.personality import (
    Personality,
    estimate_of,
    label_scores,
    personalities,
)
from offbook.evaluation.record import CellKey
from offbook.evaluation.reply_metrics import REPLY_METRICS, chunk_ids_of
from offbook.evaluation.report import material
from offbook.evaluation.report.headline import headlines
from offbook.evaluation.runner import plan, questions_of
from offbook.evaluation.scores import Measured
from offbook.evaluation.storage import rating_of, usage_of
from offbook.stores import documents, evaluations, vectors

if TYPE_CHECKING:
    from collections.abc import Hashable

    from numpy.typing import NDArray

    from offbook.evaluation.benchmark import Dataset
    from offbook.evaluation.record import Cell, Rating, Run
    from offbook.evaluation.runs import OpenRun
    from offbook.protocols import Embedder, Store
    from offbook.stores.connection import Connection


Rows = Mapping[str, int]


class Nearness:
    """Cosines of a run, gathered cell by cell."""

    def __init__(
        self,
        questions: Mapping[tuple[str, str], NDArray[Any]],
        chunks: Mapping[str, tuple[Rows, NDArray[Any]]],
    ) -> None:
        self._questions, self._chunks = questions, chunks
        self._values: dict[str, list[float | None]] = defaultdict(list)
        self._clusters: dict[str, list[tuple[str, str]]] = defaultdict(list)
        self._unmatched: Counter[str] = Counter()

    @classmethod
    async def prepared(cls, store: Store, run: Run, dataset: Dataset, embedder: Embedder) -> Self:
        """With the vectors of what the run asks; the questions are embedded now.

        Raises:
            ModelError: the embedding endpoint failed for good.
        """
        import numpy as np

        questions = {
            (subject, question.id): question.text
            for subject in run.subjects
            for question in questions_of(run, dataset, subject)
        }
        texts = list(dict.fromkeys(questions.values()))
        rows = {text: row for row, text in enumerate(texts)}
        matrix = await embedder.embed(texts, "query") if texts else np.empty((0, 0))
        chunks = {}
        for character in dict.fromkeys(run.subjects.values()):
            ids, matrices = await store.read(
                lambda conn, c=character: vectors.load_matrix(conn, c, "chunk")  # type: ignore[misc]
            )
            chunks[character] = {id_: row for row, id_ in enumerate(ids)}, matrices
        return cls({place: matrix[rows[text]] for place, text in questions.items()}, chunks)

    def add(self, cell: Cell) -> None:
        """Note the chunks of a cell; one that has no reply found nothing and counts for nothing."""
        import numpy as np

        question = self._questions.get((cell.key.subject, cell.key.question))
        if question is None or cell.reply is None:
            return
        rows, matrix = self._chunks.get(cell.character, ({}, None))
        used = dict.fromkeys(chunk_ids_of(cell))
        known = [rows[chunk] for chunk in used if chunk in rows]
        self._unmatched[cell.key.variant] += len(used) - len(known)
        nearest: Sequence[float | None] = (None,)
        if known and matrix is not None and matrix.shape[1] == len(question):
            # Vectors have length 1, or 0 where a text has no words: that one is like nothing.
            cosines = np.sort(matrix[known].astype(np.float64) @ question.astype(np.float64))
            nearest = [float(value) for value in cosines[::-1][:TOP]]
        place = (cell.key.subject, cell.key.question)
        self._values[cell.key.variant] += nearest
        self._clusters[cell.key.variant] += [place] * len(nearest)

    def cosines(self, variants: Sequence[str]) -> tuple[material.Cosines, ...]:
        """What was found, by variant; those that found no chunk at all are left out."""
        groups = []
        for variant in variants:
            values, places = self._values[variant], self._clusters[variant]
            present = tuple(value for value in values if value is not None)
            if not present:
                continue
            several = len({subject for subject, _ in places}) > 1
            clusters = [place[0] if several else place for place in places]
            mean = estimate(values, clusters)
            groups.append(material.Cosines(variant, present, mean, self._unmatched[variant]))
        return tuple(groups)


_REASON: Final = 160
_REASONS: Final = 8
_KINDS_OF_REASONS: Final = 200
_OTHER: Final = "other reasons"
_OVERRULED: Final = 20
_MISSING: Final = 5


class _Ends:
    """The lowest and the highest few ratings of a metric and variant, the most extreme first.

    Of equal ones those with the first keys stay.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self.low: list[tuple[float, CellKey]] = []
        self.high: list[tuple[float, CellKey]] = []

    def add(self, value: float, key: CellKey) -> None:
        """Note a rating."""
        new = (value, key)
        self.low = heapq.nsmallest(self._most, [*self.low, new])
        self.high = heapq.nsmallest(self._most, [*self.high, new], lambda pair: (-pair[0], pair[1]))


class Watch:
    """Looks at every cell and rating of a run once."""

    def __init__(self, run: Run, most: int, nearness: Nearness | None = None) -> None:
        self._run = run
        self.judge = run.models["judge"].model if "judge" in run.models else None
        self._most = most
        self._nearness = nearness
        self._cells = self._forgotten = 0
        self._ends: dict[tuple[str, str], _Ends] = {}
        self._totals: Counter[tuple[str, str]] = Counter()
        self._missing: Counter[tuple[str, str]] = Counter()
        self._reasons: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
        self._overruled: Counter[tuple[str, str]] = Counter()
        self._why: dict[CellKey, list[str]] = defaultdict(list)
        self.failed: list[material.FailedCell] = []

    def cells(self, stream: Iterable[Cell]) -> Iterator[Cell]:
        """The cells, each looked at."""
        for cell in stream:
            self._see_cell(cell)
            yield cell

    def ratings(self, stream: Iterable[Rating]) -> Iterator[Rating]:
        """The ratings, each looked at."""
        for rating in stream:
            if rating.key.judge == self.judge and rating.key.sample == 0:
                self._see_rating(rating)
            yield rating

    def counts(self, planned: int) -> material.Counts:
        """How many cells there are."""
        return material.Counts(planned, self._cells, len(self.failed), self._forgotten)

    def rated(self) -> tuple[material.Ratings, ...]:
        """How the ratings came out, by metric and variant in the order of the run."""
        order = [
            (metric, variant.label)
            for metric in self._run.metrics
            for variant in self._run.variants
        ]
        return tuple(
            material.Ratings(
                place[0],
                place[1],
                self._totals[place],
                self._missing[place],
                self._overruled[place],
                _most_common(self._reasons[place]),
            )
            for place in order
            if self._totals[place]
        )

    def examples(self) -> dict[CellKey, tuple[str, ...]]:
        """The cells to be shown, and for what: by variant, then as they were found."""
        why: dict[CellKey, list[str]] = defaultdict(list)
        for (metric, _), ends in self._ends.items():
            is_low_worst = SCALES[metric].better == "higher"
            worst, best = (ends.low, ends.high) if is_low_worst else (ends.high, ends.low)
            # Where all were rated alike, none is worse than another.
            for name, extremes, others in (("worst", worst, best), ("best", best, worst)):
                for value, key in extremes:
                    if value != others[0][0]:
                        why[key].append(f"{name} {material.metric_name(metric)}: {value:g}")
        for key, reasons in self._why.items():
            why[key] += reasons
        labels = [variant.label for variant in self._run.variants]
        order = {label: place for place, label in enumerate(labels)}
        keys = sorted(why, key=lambda key: (order.get(key.variant, len(order)), key))
        return {key: tuple(why[key]) for key in keys}

    def _see_cell(self, cell: Cell) -> None:
        self._cells += 1
        self._forgotten += cell.forgotten
        if cell.reply is None:
            self.failed.append(
                material.FailedCell(cell.key, material.one_line(cell.error or "", 2 * _REASON))
            )
        if self._nearness is not None:
            self._nearness.add(cell)

    def _see_rating(self, rating: Rating) -> None:
        key, place = rating.key, (rating.key.metric, rating.key.variant)
        cell = CellKey(key.subject, key.unit, key.variant, key.repeat)
        self._totals[place] += 1
        is_reply = key.metric in REPLY_METRICS
        if rating.person is not None:
            self._overruled[place] += 1
            if is_reply and sum(self._overruled.values()) <= _OVERRULED:
                self._why[cell].append(f"overruled {material.metric_name(key.metric)}")
        if rating.final is None:
            self._see_missing(rating, cell, is_reply=is_reply)
        elif is_reply and SCALES[key.metric].better is not None:
            self._ends.setdefault(place, _Ends(self._most)).add(rating.final, cell)

    def _see_missing(self, rating: Rating, cell: CellKey, *, is_reply: bool) -> None:
        place = (rating.key.metric, rating.key.variant)
        self._missing[place] += not rating.unjudged
        why = material.one_line(rating.missing or "no reason is noted", _REASON)
        reasons = self._reasons[place]
        reasons[why if why in reasons or len(reasons) < _KINDS_OF_REASONS else _OTHER] += 1
        if is_reply and self._missing[place] <= _MISSING:
            self._why[cell].append(f"no rating of {material.metric_name(rating.key.metric)}")


def _most_common(reasons: Counter[str]) -> tuple[tuple[str, int], ...]:
    """The most frequent reasons, those left over together; equal ones by their words."""
    ordered = sorted(reasons.items(), key=lambda each: (-each[1], each[0]))
    left = sum(count for _, count in ordered[_REASONS:])
    return (*ordered[:_REASONS], *(((_OTHER, left),) if left else ()))


def interviews(measured: Measured) -> Iterator[material.Interview]:
    """All interviews of a run, by test, variant and character; all repeats together."""
    for one in personalities(measured):
        traits = tuple(_traits(measured, one))
        if any(trait.score.n or trait.score.missing for trait in traits):
            yield material.Interview(one.metric, one.variant, one.subject, traits)


def _traits(measured: Measured, one: Personality) -> Iterator[material.Trait]:
    typology = TYPOLOGIES[one.metric]
    scale = typology.scale
    labels = label_scores(measured.places.of(one.subject).subject, typology)
    for dimension, score, letter in zip(typology.dimensions, one.scores, one.labels, strict=True):
        label = labels.get(dimension.name)
        yield material.Trait(
            dimension=dimension.name,
            first=dimension.first,
            second=dimension.second,
            score=estimate_of(measured, one, score),
            letter=score.letter,
            label=letter or ("X" if label is not None and label.type == "X" else ""),
            label_score=None if label is None else label.score,
            low=scale.low,
            high=scale.high,
        )


EXAMPLES: Final = 2
"""How many of the worst and of the best replies of each metric and method are shown in full."""
_GROUNDS: Final = 8
_EXCERPT: Final = 600
_LONGEST: Final = 20_000


async def collect(
    store: Store, source: OpenRun, *, embedder: Embedder | None = None, most: int = EXAMPLES
) -> material.ReportedRun:
    """Everything that a report shows of a run.

    Raises:
        ModelError: the embedding endpoint failed for good.
    """
    run, dataset = source.run, source.dataset
    near = None
    if embedder is not None:
        near = await Nearness.prepared(store, run, dataset, embedder)
    watch = Watch(run, most, near)
    measured = await storage.with_stream(
        store,
        run,
        lambda cells, ratings: Measured(run, dataset, watch.cells(cells), watch.ratings(ratings)),
    )
    return material.ReportedRun(
        run=run,
        counts=watch.counts(sum(map(len, plan(run, dataset, source.protocol)))),
        usage=usage_of(source.usage),
        judges=source.judges,
        notes=source.notes,
        scores=tuple(await storage.scores(store, source.protocol, run, dataset)),
        differences=tuple(await asyncio.to_thread(lambda: list(_differences(measured)))),
        interviews=tuple(await asyncio.to_thread(lambda: list(interviews(measured)))),
        ratings=watch.rated(),
        failed=tuple(watch.failed),
        examples=await _examples(store, measured, watch.examples()),
        use=tuple(_use(measured)),
        cosines=() if near is None else near.cosines(measured.variants),
        measured=measured,
    )


def _differences(measured: Measured) -> Iterator[comparison.Difference]:
    """Every other variant less the first, metric by metric."""
    for other in measured.variants[1:]:
        yield from comparison.differences(measured, other, measured, measured.variants[0])


def _use(measured: Measured) -> Iterator[material.ChunkUse]:
    for variant in measured.variants:
        use = measured.retrieval(variant)
        if use is not None:
            is_known = all(measured.run.chunks.get(variant, {}).get(s) for s in measured.subjects)
            yield material.ChunkUse(
                variant, use, sum(use.duplication.values()) if is_known else None
            )


async def _examples(
    store: Store, measured: Measured, chosen: Mapping[CellKey, tuple[str, ...]]
) -> tuple[material.Example, ...]:
    keys = list(chosen)
    if not keys:
        return ()
    run = measured.run.id
    judge = measured.run.models["judge"].model
    places = [(key.subject, key.variant, key.repeat, key.question) for key in keys]
    cells = {cell.key: cell for cell in await storage.cells_of(store, run, keys)}
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
) -> material.Example:
    question = measured.places.question(cell.key)
    items = sorted(cell.context, key=lambda item: -item.score)[:_GROUNDS]
    return material.Example(
        key=cell.key,
        why=why,
        question=question.text if question else cell.key.question,
        answers=question.answers if question else (),
        reply=(cell.reply or "")[:_LONGEST],
        ratings=tuple(replace(each, analysis=each.analysis[:_LONGEST]) for each in ratings),
        grounds=tuple(
            material.Grounds(
                item.kind,
                material.one_line(item.title, 200),
                material.one_line(item.text, _EXCERPT),
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


def joined(runs: Sequence[material.ReportedRun]) -> material.Report:
    """One report of these runs.

    Raises:
        UsageError: they were rated by different judges.
    """
    for other in runs[1:]:
        comparison.check_judge(runs[0].run, other.run)
    groups: dict[Hashable, list[material.ReportedRun]] = {}
    for each in runs:
        groups.setdefault(_asked_alike(each.run), []).append(each)
    several = [group for group in groups.values() if len(group) > 1]
    joint = tuple(_side_by_side(f"joint-{place}", group) for place, group in enumerate(several, 1))
    won = tuple(
        f"{', '.join(each.run.id for each in group)}: {said}" if len(groups) > 1 else said
        for group in groups.values()
        for said in headlines(group)
    )
    return material.Report(tuple(runs), joint, won)


def _asked_alike(run: Run) -> Hashable:
    """What must be equal for scores to stand in one table: questions, metrics, judge's words."""
    questions = (run.benchmark, run.benchmark_version, run.dataset_checksum, run.protocol)
    seed = run.seed if run.limit is not None else None
    subjects, prompts = sorted(run.subjects), sorted(comparison.judging_prompts(run).items())
    return questions, tuple(subjects), run.limit, seed, tuple(prompts)


def _side_by_side(name: str, runs: Sequence[material.ReportedRun]) -> material.JointRuns:
    scores = tuple(
        replace(score, variant=_variant(each, score.variant))
        for each in runs
        for score in each.scores
        if score.group == "all"
    )
    return material.JointRuns(
        name=name,
        runs=tuple(each.run.id for each in runs),
        benchmark=runs[0].run.benchmark,
        scores=scores,
        differences=tuple(_joining_differences(runs)),
        mark=runs[0].mark,
    )


def _joining_differences(runs: Sequence[material.ReportedRun]) -> Iterator[comparison.Difference]:
    """Each later run less the first: variants of one name, or the only ones that they have."""
    base = runs[0]
    for other in runs[1:]:
        if base.measured is None or other.measured is None:
            continue
        for mine, theirs in comparison.comparable(base.run, other.run):
            names = _variant(other, theirs), _variant(base, mine)
            for difference in comparison.differences(other.measured, theirs, base.measured, mine):
                yield replace(difference, first=names[0], second=names[1])


def _variant(report: material.ReportedRun, label: str) -> str:
    return f"{report.run.id}: {label}"
