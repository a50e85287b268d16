"""Ratings of items and batches on the scale of their dimension, and the interval of their mean.

Takes: what a run has measured.  Gives: for a character and dimension the mean of its keyed ratings
with its interval, which draws items (batches); repeats of an item are drawn together.
Paper: AMADEUS (003), section 5.2; the scores are those of ``metrics.typology``, the interval ours.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from offbook.evaluation.metrics.statistics import Estimate, estimate

if TYPE_CHECKING:
    from offbook.evaluation.measured import Measured, Place


def dimension_mean(
    measured: Measured, metric: str, variant: str, subject: str, dimension: str
) -> Estimate:
    """The mean of the keyed ratings of a dimension."""
    values: list[float | None] = []
    clusters: list[str] = []
    for place, rating in measured.values(variant, metric).items():
        if place.subject != subject:
            continue
        sign = _sign(measured, metric, place, dimension)
        if sign is not None:
            values.append(None if rating is None else keyed(metric, sign, rating))
            clusters.append(place.unit)
    return estimate(values, clusters)


def keyed(metric: str, sign: int, rating: float) -> float:
    """One rating on the scale of its dimension, towards the first pole."""
    if metric.endswith("_batch"):
        return rating
    if metric in ("mbti_item", "16p_option"):
        return 50 + 50 * sign * (4 - rating) / 3
    agrees = rating if metric == "bfi_option" else 6 - rating
    return agrees if sign > 0 else 6 - agrees


def _sign(measured: Measured, metric: str, place: Place, dimension: str) -> int | None:
    """How a place is keyed to a dimension; None where it belongs to another."""
    if metric.endswith("_batch"):
        return 1 if place.unit.rpartition("/")[0] == dimension else None
    question = measured.question(place)
    item = None if question is None else question.item
    return None if item is None or item.dimension != dimension else item.sign
