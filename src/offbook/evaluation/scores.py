"""From ratings to scores: means by variant and group, costs, use of chunks, paired differences.

Each score has its n, what is missing, and an interval that draws whole characters where there are
several. Cells and ratings are read once and let go; only numbers are held.
Paper: RoleRAG (001), section 4.2; AMADEUS (003), section 5.2. The intervals, and that what is
missing is counted, are ours: docs/evaluation.md, "A report".
"""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final, NamedTuple

from offbook.evaluation.metrics.retrieval import CharacterUse, RetrievalUse, over_characters
from offbook.evaluation.metrics.scales import SCALES
from offbook.evaluation.metrics.statistics import Estimate, estimate, paired_difference
from offbook.evaluation.record import RECORDED, Score
from offbook.evaluation.reply_metrics import (
    REPLY_METRICS,
    Exchange,
    Places,
    chunk_ids_of,
    is_defined,
)

if TYPE_CHECKING:
    from offbook.evaluation.benchmark import Dataset, Question
    from offbook.evaluation.record import Cell, Rating, Run


COSTS: Final[Mapping[str, str]] = {
    "calls": "calls",
    "prompt_tokens": "tokens",
    "completion_tokens": "tokens",
    "cost_usd": "USD",
    "seconds": "seconds",
}
"""What a reply cost, by the names of the contract's USAGE, with their units."""


class Place(NamedTuple):
    """Where a value belongs: ``unit`` is a question's id, or ``dimension/batch``."""

    subject: str
    unit: str
    repeat: int


Values = Mapping[Place, float | None]
"""Values by place; None is missing."""


@dataclass(slots=True)
class _Chunks:
    """How one variant used the chunks of one subject."""

    questions: int = 0
    times: Counter[str] = field(default_factory=Counter)
    failures: list[bool] = field(default_factory=list)

    def of(self, chunks: int | None) -> CharacterUse:
        """The same of all the chunks that there are; None: nobody counted them."""
        distinct = len(self.times)
        # A document may have been forgotten since: what was used cannot be more than there is.
        whole = 0 if chunks is None else max(chunks, distinct)
        histogram = Counter(self.times.values())
        if whole > distinct:
            histogram[0] = whole - distinct
        duplication = dict(sorted(histogram.items()))
        return CharacterUse(self.questions, whole, distinct, tuple(self.failures), duplication)


class Measured:
    """The numbers of a run.

    Memory grows with the number of ratings, by some hundred bytes each; no text is kept.
    """

    def __init__(
        self, run: Run, dataset: Dataset, cells: Iterable[Cell], ratings: Iterable[Rating]
    ) -> None:
        self.run: Final = run
        self.places: Final = Places(dataset)
        self._values: dict[tuple[str, str], dict[Place, float | None]] = defaultdict(dict)
        self._undefined: Counter[tuple[str, str]] = Counter()
        self._unjudged: Counter[tuple[str, str]] = Counter()
        self._chunks: dict[tuple[str, str], _Chunks] = defaultdict(_Chunks)
        self._known: dict[Place, Place] = {}
        self._failed: dict[str, list[tuple[Place, Exchange | None]]] = defaultdict(list)
        self._recorded = {each.label for each in run.variants if each.method == RECORDED}
        for cell in cells:
            self._add_cell(cell)
        self._count_failed()
        judge = run.models["judge"].model if "judge" in run.models else None
        for rating in ratings:
            if rating.key.judge == judge and rating.key.sample == 0:
                self._add_rating(rating)

    @property
    def variants(self) -> tuple[str, ...]:
        """Labels of the run's variants."""
        return tuple(variant.label for variant in self.run.variants)

    @property
    def subjects(self) -> tuple[str, ...]:
        """Names of the subjects that were asked."""
        return tuple(self.run.subjects)

    def values(self, variant: str, metric: str) -> Values:
        """The values of a metric (a scale, a cost, ``failed``) by place; None is missing."""
        return self._values.get((variant, metric), {})

    def without(self, variant: str, metric: str) -> dict[str, int]:
        """How many replies of a variant have no such rating, and none is missing.

        ``undefined``: by the metric's own definition; ``unjudged``: the judge said that what it
        was shown does not suffice.
        """
        place = (variant, metric)
        return {"undefined": self._undefined[place], "unjudged": self._unjudged[place]}

    def question(self, place: Place) -> Question | None:
        """The question of a place; None for a batch of an interview."""
        return self.places.of(place.subject).questions.get(place.unit)

    def retrieval(self, variant: str) -> RetrievalUse | None:
        """How a variant used the characters' chunks; None where it retrieved none.

        Where the run does not know how many chunks there were, usage rates are undefined, and
        chunks that were never used are not in the histogram.
        """
        chunks = self.run.chunks.get(variant, {})
        uses = [
            tally.of(chunks.get(subject))
            for (label, subject), tally in sorted(self._chunks.items())
            if label == variant
        ]
        used = any(use.distinct or use.failures for use in uses)
        return over_characters(uses) if used else None

    # -- reading -------------------------------------------------------------------------------

    def _add_cell(self, cell: Cell) -> None:
        key = cell.key
        place = self._place(key.subject, key.question, key.repeat)
        self._values[key.variant, "failed"][place] = float(cell.reply is None)
        for cost in () if key.variant in self._recorded else COSTS:
            self._values[key.variant, cost][place] = getattr(cell.usage, cost)
        exchange = self.places.exchange_of(replace(cell, reply=cell.reply or ""))
        if cell.reply is None:
            # One that failed before anything was recalled might have had any context.
            self._failed[key.variant].append((place, exchange if cell.context else None))
        elif exchange is not None:
            self._expect(exchange, place)
        self._add_chunks(cell)

    def _expect(self, exchange: Exchange, place: Place) -> None:
        """What should be rated is missing until its rating comes."""
        variant = exchange.cell.key.variant
        for metric in self._metrics():
            if is_defined(metric, exchange):
                self._values[variant, metric][place] = None
            else:
                self._undefined[variant, metric] += 1

    def _count_failed(self) -> None:
        """A reply that failed has no rating where others of its variant should have one."""
        for variant, failed in self._failed.items():
            for metric in self._metrics():
                missing = [p for p, each in failed if each is None or is_defined(metric, each)]
                expected = self._values.get((variant, metric))
                if expected or not self._undefined[variant, metric]:
                    self._values[variant, metric].update(dict.fromkeys(missing))

    def _add_chunks(self, cell: Cell) -> None:
        tally = self._chunks[cell.key.variant, cell.key.subject]
        tally.questions += 1
        # As the paper counts (002, table 3): of a method that selects, what it selected alone.
        used = chunk_ids_of(cell) if cell.selected is None else cell.selected
        tally.times.update({sys.intern(chunk) for chunk in used})
        if cell.fallback is not None:
            tally.failures.append(cell.fallback)

    def _add_rating(self, rating: Rating) -> None:
        key = rating.key
        place = self._place(key.subject, key.unit, key.repeat)
        if rating.unjudged:
            self._values[key.variant, key.metric].pop(place, None)
            self._unjudged[key.variant, key.metric] += 1
        else:
            self._values[key.variant, key.metric][place] = rating.final

    def _metrics(self) -> Iterator[str]:
        return (metric for metric in self.run.metrics if metric in REPLY_METRICS)

    def _place(self, subject: str, unit: str, repeat: int) -> Place:
        place = Place(subject, unit, repeat)
        return self._known.setdefault(place, place)


More = Callable[[Measured], Iterable[Score]]

ALL: Final = "all"


def scores_of(
    run: Run,
    dataset: Dataset,
    cells: Iterable[Cell],
    ratings: Iterable[Rating],
    more: Sequence[More] = (),
) -> list[Score]:
    """The scores of a run: ratings of replies, what ``more`` finds, chunks, costs."""
    measured = Measured(run, dataset, cells, ratings)
    scores = list(reply_scores(measured))
    for part in more:
        scores.extend(part(measured))
    scores.extend(retrieval_scores(measured))
    scores.extend(cost_scores(measured))
    return scores


def reply_scores(measured: Measured) -> Iterator[Score]:
    """Means of the ratings of replies, over all and over each group.

    Ratings of items are no means of anything: they are keyed (``interviews.scoring``).
    """
    for metric in measured.run.metrics:
        if metric not in REPLY_METRICS or SCALES[metric].better is None:
            continue
        for variant in measured.variants:
            yield from _means(measured, metric, variant)
            yield from _without(measured, metric, variant)


def cost_scores(measured: Measured) -> Iterator[Score]:
    """What a reply cost, and how many failed; a cost that nobody configured is left out."""
    for variant in measured.variants:
        failed = measured.values(variant, "failed")
        if failed:
            yield Score("failed", variant, ALL, _estimate(measured, failed), "lower", "share")
        for cost, unit in COSTS.items():
            values = measured.values(variant, cost)
            if any(value is not None for value in values.values()):
                estimate_of_cost = _estimate(measured, values)
                yield Score(cost, variant, ALL, estimate_of_cost, "lower", unit)


def retrieval_scores(measured: Measured) -> Iterator[Score]:
    """How the variants used the characters' chunks, and how often guided selection failed.

    Usage is the share of each character's chunks that was used at least once (AMADEUS, Figure 6),
    duplication how many questions each chunk that was used was used for.
    """
    for variant in measured.variants:
        use = measured.retrieval(variant)
        if use is None:
            continue
        if use.usage_rate.n:
            yield Score("chunk_usage", variant, ALL, use.usage_rate, None, "share")
        often = [float(times) for times, n in use.duplication.items() if times for _ in range(n)]
        if often:
            yield Score("duplication", variant, ALL, estimate(often), "lower", "times")
        if use.failure_rate.n:
            yield Score("gs_failure", variant, ALL, use.failure_rate, "lower", "share")


def paired(
    measured: Measured,
    metric: str,
    first: str,
    second: str,
    *,
    other: Measured | None = None,
) -> Estimate:
    """Mean of ``first - second`` on the same questions, with its interval.

    ``other``: another run; its judge must be the same, or the difference means nothing.

    Raises:
        ValueError: the two runs were judged by different models.
    """
    theirs = other or measured
    if metric in SCALES and _judge(measured) != _judge(theirs):
        raise ValueError(f"judged by {_judge(measured)!r} and by {_judge(theirs)!r}")
    mine = measured.values(first, metric)
    yours = theirs.values(second, metric)
    cluster = _cluster_of(measured, {*mine, *yours})
    return paired_difference(mine, yours, cluster)


def groups_of(measured: Measured, place: Place) -> Iterator[str]:
    """The groups that a reply belongs to besides all."""
    question = measured.question(place)
    if question is not None:
        if question.scope is not None:
            yield f"scope={question.scope}"
        if question.script:
            yield f"turn={question.turn:03}"
        if question.item is not None:
            yield f"dimension={question.item.dimension}"
        elif question.kind:
            yield f"kind={question.kind}"
    if len(measured.subjects) > 1:
        yield f"subject={place.subject}"


def _means(measured: Measured, metric: str, variant: str) -> Iterator[Score]:
    values = measured.values(variant, metric)
    scale = SCALES[metric]
    yield Score(metric, variant, ALL, _estimate(measured, values), scale.better, scale.unit)
    grouped: dict[str, dict[Place, float | None]] = defaultdict(dict)
    for place, value in values.items():
        for group in groups_of(measured, place):
            grouped[group][place] = value
    for group, some in sorted(grouped.items()):
        yield Score(metric, variant, group, _estimate(measured, some), scale.better, scale.unit)


def _without(measured: Measured, metric: str, variant: str) -> Iterator[Score]:
    """The share of replies that have no such rating though none is missing, by why."""
    rated = len(measured.values(variant, metric))
    for why, count in measured.without(variant, metric).items():
        if count:
            share = estimate([1.0] * count + [0.0] * rated)
            yield Score(f"{metric}_{why}", variant, ALL, share, None, "share")


def _estimate(measured: Measured, values: Values) -> Estimate:
    cluster = _cluster_of(measured, values)
    clusters = None if cluster is None else [cluster(place) for place in values]
    return estimate(values.values(), clusters)


def _cluster_of(measured: Measured, places: Iterable[Place]) -> Callable[[Place], Hashable] | None:
    """What is drawn: characters; of one character questions, whose repeats go together."""
    if len({place.subject for place in places}) > 1:
        return lambda place: place.subject
    return (lambda place: place.unit) if measured.run.repeats > 1 else None


def _judge(measured: Measured) -> object:
    return measured.run.models.get("judge")
