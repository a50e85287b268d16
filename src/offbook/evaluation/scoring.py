"""From ratings to scores: means by variant and group, costs, use of chunks, paired differences.

Takes: what a run has measured.  Gives: scores, each with its n, what is missing and an interval
that draws whole characters where there are several.
Paper: evaluation.md, "RoleRAG's metrics", "AMADEUS's metrics", "Honest reporting".
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from offbook.evaluation.judging import REPLY_METRICS
from offbook.evaluation.measured import COSTS, Measured, Place, Values
from offbook.evaluation.metrics.scales import SCALES
from offbook.evaluation.metrics.statistics import Estimate, estimate, paired_difference
from offbook.evaluation.protocol import Score

if TYPE_CHECKING:
    from offbook.evaluation.benchmark import Dataset
    from offbook.evaluation.record import Cell, Rating, Run

More = Callable[[Measured], Iterable[Score]]

ALL: Final = "all"
UNITS: Final = {
    "calls": "calls",
    "prompt_tokens": "tokens",
    "completion_tokens": "tokens",
    "cost_usd": "USD",
    "seconds": "seconds",
}
"""Of what replies cost."""


def scores_of(
    run: Run,
    dataset: Dataset,
    cells: Iterable[Cell],
    ratings: Iterable[Rating],
    more: Sequence[More] = (),
) -> list[Score]:
    """The scores of a run: ratings of replies, what ``more`` finds, chunks, costs.

    Args:
        run: The run.
        dataset: What was asked.
        cells: Its cells, read once.
        ratings: Its ratings, read once.
        more: What a protocol scores besides.
    """
    measured = Measured(run, dataset, cells, ratings)
    found = list(reply_scores(measured))
    for part in more:
        found.extend(part(measured))
    found.extend(retrieval_scores(measured))
    found.extend(cost_scores(measured))
    return found


def reply_scores(measured: Measured) -> Iterator[Score]:
    """Means of the ratings of replies, over all and over each group.

    Ratings of items are no means of anything: they are keyed (``interviews.scoring``).
    """
    for metric in measured.run.metrics:
        if metric not in REPLY_METRICS or SCALES[metric].better is None:
            continue
        for variant in measured.variants:
            yield from _means(measured, metric, variant)
            yield from _undefined(measured, metric, variant)


def cost_scores(measured: Measured) -> Iterator[Score]:
    """What a reply cost, and how many failed; a cost that nobody configured is left out."""
    for variant in measured.variants:
        failed = measured.values(variant, "failed")
        if failed:
            yield Score("failed", variant, ALL, _estimate(measured, failed), "lower", "share")
        for cost in COSTS:
            values = measured.values(variant, cost)
            if any(value is not None for value in values.values()):
                told = _estimate(measured, values)
                yield Score(cost, variant, ALL, told, "lower", UNITS[cost])


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
    group: str = ALL,
) -> Estimate:
    """Mean of ``first - second`` on the same questions, with its interval.

    Args:
        measured: The run of ``first``.
        metric: A scale, a cost or ``failed``.
        first: A variant's label.
        second: Another's, of the same run or of ``other``.
        other: Another run; its judge must be the same, or the difference means nothing.
        group: Only questions of this group.

    Raises:
        ValueError: the two runs were judged by different models.
    """
    theirs = other or measured
    if metric in SCALES and _judge(measured) != _judge(theirs):
        raise ValueError(f"judged by {_judge(measured)!r} and by {_judge(theirs)!r}")
    mine = _within(measured, measured.values(first, metric), group)
    yours = _within(theirs, theirs.values(second, metric), group)
    cluster = _cluster_of(measured, {*mine, *yours})
    return paired_difference(mine, yours, cluster)


def groups_of(measured: Measured, place: Place) -> Iterator[str]:
    """The groups that a reply belongs to besides all."""
    question = measured.question(place)
    if question is not None:
        if question.scope is not None:
            yield f"scope={question.scope}"
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


def _undefined(measured: Measured, metric: str, variant: str) -> Iterator[Score]:
    """The share of replies that have no such rating by definition, where there are any."""
    undefined = measured.undefined(variant, metric)
    if undefined:
        defined = len(measured.values(variant, metric))
        share = estimate([1.0] * undefined + [0.0] * defined)
        yield Score(f"{metric}_undefined", variant, ALL, share, None, "share")


def _estimate(measured: Measured, values: Values) -> Estimate:
    cluster = _cluster_of(measured, values)
    clusters = None if cluster is None else [cluster(place) for place in values]
    return estimate(values.values(), clusters)


def _cluster_of(measured: Measured, places: Iterable[Place]) -> Callable[[Place], Hashable] | None:
    """What is drawn: characters; of one character questions, whose repeats go together."""
    if len({place.subject for place in places}) > 1:
        return lambda place: place.subject
    return (lambda place: place.unit) if measured.run.repeats > 1 else None


def _within(measured: Measured, values: Values, group: str) -> Values:
    if group == ALL:
        return values
    return {
        place: value
        for place, value in values.items()
        if group in groups_of(measured, place) or group == f"subject={place.subject}"
    }


def _judge(measured: Measured) -> object:
    return measured.run.models.get("judge")
