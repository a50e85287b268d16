"""Interviews for a report: each dimension with its interval, its letter and what people say.

Takes: what a run has measured.  Gives: one `Interview` a test, variant and character.
Paper: AMADEUS (003), section 5.2; Emotional RAG (004), section III. Scores and letters are
those of ``interviews.scoring``; the interval draws items (batches), which is ours.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from offbook.evaluation.interviews.scoring import (
    TYPOLOGIES,
    Personality,
    label_scores,
    personalities,
)
from offbook.evaluation.metrics.scales import SCALES
from offbook.evaluation.metrics.statistics import Estimate, estimate
from offbook.evaluation.metrics.typology import MBTI
from offbook.evaluation.report.material import Interview, Trait

if TYPE_CHECKING:
    from offbook.evaluation.measured import Measured, Place


def interviews(measured: Measured) -> Iterator[Interview]:
    """All interviews of a run, by test, variant and character; all repeats together."""
    for one in personalities(measured):
        traits = tuple(_traits(measured, one))
        if any(trait.score.n or trait.score.missing for trait in traits):
            yield Interview(one.metric, one.variant, one.subject, traits)


def _traits(measured: Measured, one: Personality) -> Iterator[Trait]:
    typology = TYPOLOGIES[one.metric]
    scale = SCALES["16p_batch" if typology is MBTI else "bfi_batch"]
    said = label_scores(measured.places.subject(one.subject), one.metric)
    for dimension, score, letter in zip(typology.dimensions, one.scores, one.labels, strict=True):
        label = said.get(dimension.name)
        drawn = _interval(measured, one, dimension.name)
        told = Estimate(score.score, score.n, score.missing, drawn.low, drawn.high)
        yield Trait(
            dimension=dimension.name,
            first=dimension.first,
            second=dimension.second,
            score=told,
            letter=score.letter,
            label=letter or ("X" if label is not None and label.type == "X" else ""),
            label_score=None if label is None else label.score,
            low=scale.low,
            high=scale.high,
        )


def _interval(measured: Measured, one: Personality, dimension: str) -> Estimate:
    """The mean of the keyed ratings of a dimension; an item's repeats are drawn together."""
    values, clusters = [], []
    for place, rating in measured.values(one.variant, one.metric).items():
        if place.subject != one.subject:
            continue
        sign = _sign(measured, one.metric, place, dimension)
        if sign is not None:
            values.append(None if rating is None else keyed(one.metric, sign, rating))
            clusters.append(place.unit)
    return estimate(values, clusters)


def _sign(measured: Measured, metric: str, place: Place, dimension: str) -> int | None:
    """How a place is keyed to a dimension; None where it belongs to another."""
    if metric.endswith("_batch"):
        return 1 if place.unit.rpartition("/")[0] == dimension else None
    question = measured.question(place)
    item = None if question is None else question.item
    return None if item is None or item.dimension != dimension else item.sign


def keyed(metric: str, sign: int, rating: float) -> float:
    """One rating on the scale of its dimension, towards the first pole."""
    if metric.endswith("_batch"):
        return rating
    if TYPOLOGIES[metric] is MBTI:
        return 50 + 50 * sign * (4 - rating) / 3
    agrees = rating if metric == "bfi_option" else 6 - rating
    return agrees if sign > 0 else 6 - agrees
