"""Interviews for a report: each dimension with its interval, its letter and what people say.

Takes: what a run has measured.  Gives: one `Interview` a test, variant and character.
Paper: AMADEUS (003), section 5.2; Emotional RAG (004), section III. Scores, letters and
intervals are those of ``interviews.scoring``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from offbook.evaluation.interviews.scoring import (
    TYPOLOGIES,
    Personality,
    estimate_of,
    label_scores,
    personalities,
    scale_of_scores,
)
from offbook.evaluation.metrics.scales import SCALES
from offbook.evaluation.report.material import Interview, Trait

if TYPE_CHECKING:
    from offbook.evaluation.measured import Measured


def interviews(measured: Measured) -> Iterator[Interview]:
    """All interviews of a run, by test, variant and character; all repeats together."""
    for one in personalities(measured):
        traits = tuple(_traits(measured, one))
        if any(trait.score.n or trait.score.missing for trait in traits):
            yield Interview(one.metric, one.variant, one.subject, traits)


def _traits(measured: Measured, one: Personality) -> Iterator[Trait]:
    typology = TYPOLOGIES[one.metric]
    scale = SCALES[scale_of_scores(one.metric)]
    said = label_scores(measured.places.subject(one.subject), one.metric)
    for dimension, score, letter in zip(typology.dimensions, one.scores, one.labels, strict=True):
        label = said.get(dimension.name)
        yield Trait(
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
