"""Who won, by how much, and how sure that is: the sentences with which a report begins.

Source: ours. Of each metric the best is held against the next best on the same questions; it is
ahead where the 95 % interval of their paired difference lies on its side of zero.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from offbook.evaluation import comparison
from offbook.evaluation.report.material import counted, interval, metric_title, number
from offbook.evaluation.report.tables import is_quality

if TYPE_CHECKING:
    from offbook.evaluation.comparison import Difference
    from offbook.evaluation.record import Score
    from offbook.evaluation.report.material import ReportedRun

FEWEST: Final = 10
"""Questions below which an interval is taken for no evidence, however narrow it is."""
FIRST: Final = "acc"
"""The metric that leads where it was measured: a right answer is least a matter of taste."""


def headlines(runs: Sequence[ReportedRun]) -> Iterator[str]:
    """A sentence a metric, on the methods of runs that were asked the same questions.

    Of several runs, a method goes by ``run: method``.
    """
    labels = [(each, v.label) for each in runs for v in each.run.variants]
    mark = f" ({runs[0].mark})" if runs[0].mark else ""
    if len(labels) == 1:
        yield f"Only one method was asked, {labels[0][1]}: there is nobody to be ahead of."
        return
    scores = {
        (score.metric, place): score
        for place, (each, label) in enumerate(labels)
        for score in each.scores
        if score.variant == label and is_quality(score) and score.estimate.mean is not None
    }
    metrics = dict.fromkeys(metric for metric, _ in scores)
    for metric in sorted(metrics, key=lambda name: name != FIRST):
        places = [place for place in range(len(labels)) if (metric, place) in scores]
        order = sorted(
            places,
            key=lambda place, name=metric: scores[name, place].estimate.mean or 0.0,  # type: ignore[misc]
            reverse=scores[metric, places[0]].better == "higher",
        )
        if len(order) > 1 and (difference := _difference(metric, *(labels[p] for p in order[:2]))):
            several = len(runs) > 1
            names = [f"{r.run.id}: {v}" if several else v for r, v in (labels[p] for p in order)]
            yield _sentence(difference, names, scores[metric, order[0]]) + mark + "."


def _difference(
    metric: str, best: tuple[ReportedRun, str], following: tuple[ReportedRun, str]
) -> Difference | None:
    """The best less the next best on the same questions; None where they cannot be compared."""
    one, other = best[0].measured, following[0].measured
    if one is None or other is None:
        return None
    for each in comparison.differences(one, best[1], other, following[1]):
        if each.metric == metric and each.estimate.mean is not None:
            # Of a difference more is always better here.
            return each if each.better == "higher" else replace(each, estimate=-each.estimate)
    return None


def _sentence(each: Difference, names: Sequence[str], best: Score) -> str:
    estimate = each.estimate
    less = ", where less is better" if best.better == "lower" else ""
    rest = f"in {metric_title(each.metric)}{less}, {counted(estimate)}"
    first, second = names[:2]
    if (estimate.mean or 0) < 0:  # by the questions that both were rated on
        estimate, first, second = -estimate, second, first
    by = " ".join(filter(None, (number(estimate.mean, each.unit), interval(estimate, each.unit))))
    than = f"{first} is better than {second} by {by}" if estimate.mean else f"they are level: {by}"
    if estimate.interval is None or estimate.n < FEWEST:
        return f"Too little was rated to say who is ahead {rest}: {than}"
    if estimate.interval[0] > 0:
        others = f", the next of {len(names) - 1}," if len(names) > 2 else ""
        return f"{first} is ahead of {second}{others} by {by} {rest}"
    return f"Nobody is ahead {rest}: {than}"
