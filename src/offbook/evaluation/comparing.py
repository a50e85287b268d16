"""One variant less another on the same questions, or on the same dimensions of the same characters.

Takes: what two variants, of one run or of two, have measured.  Gives: paired differences, each with
its n and interval. Ratings of items are keyed, and a difference of two of them means nothing: there
letters and scores of dimensions are held against people's labels first.
Paper: evaluation.md, "RoleRAG's metrics" (the paired difference); of letters it is ours.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final

from offbook.evaluation.interviews.scoring import (
    TYPOLOGIES,
    label_scores,
    of_variant,
    scale_of_scores,
    typology_labels,
)
from offbook.evaluation.measured import COSTS
from offbook.evaluation.metrics.incharacter import error_of, right_type
from offbook.evaluation.metrics.scales import SCALES
from offbook.evaluation.metrics.statistics import Estimate, paired_difference
from offbook.evaluation.scoring import UNITS, paired

if TYPE_CHECKING:
    from offbook.evaluation.measured import Measured
    from offbook.evaluation.protocol import Better
    from offbook.evaluation.record import Run

Values = Mapping[tuple[str, str, int], float | None]
"""By subject, dimension and repeat."""
_ValuesOf = Callable[["Measured", str, str], Values]
_LETTERS: Final = ("mbti_item", "bigfive_item")
"""Tests that end in letters (AMADEUS); the others end in types and scores (InCharacter)."""


@dataclass(frozen=True, slots=True)
class Difference:
    """The mean of ``first`` less that of ``second``, on the same questions."""

    metric: str
    first: str
    second: str
    estimate: Estimate
    better: Better | None
    unit: str = ""

    def as_json(self) -> dict[str, Any]:
        """A plain dictionary."""
        told = asdict(self)
        return {**told, **told.pop("estimate")}


def differences(one: Measured, first: str, other: Measured, second: str) -> Iterator[Difference]:
    """``first`` of one run less ``second`` of another (or the same), metric by metric.

    The runs have the same judge: that is looked at before.
    """
    for metric in dict.fromkeys((*one.run.metrics, *other.run.metrics)):
        if metric in TYPOLOGIES:
            yield from _of_labels(one, metric, first, other, second)
            continue
        scale = SCALES.get(metric)
        asked = one.values(first, metric) or other.values(second, metric)
        if scale is not None and scale.better is not None and asked:
            told = paired(one, metric, first, second, other=other)
            yield Difference(metric, first, second, told, scale.better, scale.unit)


def cost_differences(
    one: Measured, first: str, other: Measured, second: str
) -> Iterator[Difference]:
    """The same of what replies cost, and of how many failed."""
    for metric in ("failed", *COSTS):
        told = paired(one, metric, first, second, other=other)
        if told.n:
            unit = UNITS.get(metric, "share")
            yield Difference(metric, first, second, told, "lower", unit)


def why_no_differences(measured: Measured) -> list[str]:
    """Which tests have nothing to be compared by, and why."""
    return [
        f"{metric}: no differences, because people have given its characters no labels"
        for metric in measured.run.metrics
        if metric in TYPOLOGIES and not _labelled(measured, metric)
    ]


def comparable(one: Run, other: Run) -> list[tuple[str, str]]:
    """Variants of one label, or the only ones that two runs have."""
    mine = [variant.label for variant in one.variants]
    theirs = [variant.label for variant in other.variants]
    shared = [(label, label) for label in mine if label in theirs]
    if not shared and len(mine) == len(theirs) == 1:
        return [(mine[0], theirs[0])]
    return shared


def _of_labels(
    one: Measured, metric: str, first: str, other: Measured, second: str
) -> Iterator[Difference]:
    kinds: tuple[tuple[str, _ValuesOf, Better, str], ...]
    if metric in _LETTERS:
        kinds = (("accuracy", _right_letters, "higher", "share"),)
    else:
        kinds = (("acc_dim", _right_types, "higher", "share"), ("mae", _errors, "lower", "span"))
    for name, values_of, better, unit in kinds:
        mine, yours = values_of(one, metric, first), values_of(other, metric, second)
        if any(value is not None for value in (*mine.values(), *yours.values())):
            told = paired_difference(mine, yours, lambda place: place[0])
            yield Difference(f"{metric}.{name}", first, second, told, better, unit)


def _right_letters(measured: Measured, metric: str, variant: str) -> Values:
    """1 where a letter is that of the label, 0 where it is not, None where there is none."""
    dimensions = [each.name for each in TYPOLOGIES[metric].dimensions]
    return {
        (one.subject, name, 0): None if letter is None else float(letter == label)
        for one in of_variant(measured, metric, variant, by_repeat=False)
        for name, letter, label in zip(dimensions, one.letters, one.labels, strict=True)
        if label is not None
    }


def _right_types(measured: Measured, metric: str, variant: str) -> Values:
    return _by_label(measured, metric, variant, right_type)


def _errors(measured: Measured, metric: str, variant: str) -> Values:
    return _by_label(measured, metric, variant, error_of)


def _by_label(
    measured: Measured, metric: str, variant: str, compared: Callable[..., float | None]
) -> Values:
    """Scores of dimensions whose label is not X, each held against it."""
    scale = SCALES[scale_of_scores(metric)]
    found: dict[tuple[str, str, int], float | None] = {}
    for one in of_variant(measured, metric, variant, by_repeat=True):
        labels = label_scores(measured.places.subject(one.subject), metric)
        for score in one.scores:
            label = labels.get(score.dimension)
            if label is not None and label.type != "X":
                value = compared(score.score, label, scale)
                found[one.subject, score.dimension, one.repeat or 0] = value
    return found


def _labelled(measured: Measured, metric: str) -> bool:
    subjects: Iterable[str] = measured.subjects
    return any(
        any(typology_labels(measured.places.subject(name), TYPOLOGIES[metric])) for name in subjects
    )
