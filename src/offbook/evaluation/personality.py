"""From ratings of items and batches to personalities, and how near they come to people's labels.

Paper: AMADEUS (003), section 5.2, tables 3-5; Emotional RAG (004), section III, tables II and III.
The interval of a dimension's mean is ours: it draws items (batches), repeats together.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from offbook.evaluation.metrics.statistics import Estimate, estimate
from offbook.evaluation.metrics.typology import (
    TYPOLOGIES,
    Dimension,
    DimensionScore,
    ItemRating,
    LabelScore,
    LabelType,
    Letters,
    Typology,
    agreement_with_labels,
    batched_score,
    compare,
    dimension_scores,
    keyed,
    letters_of,
    scaled,
)
from offbook.evaluation.record import Score

if TYPE_CHECKING:
    from offbook.evaluation.benchmark import Label, Subject
    from offbook.evaluation.scores import Measured, Place


def _interval(
    measured: Measured, metric: str, variant: str, subject: str, dimension: str
) -> Estimate:
    """The mean of the keyed ratings of a dimension, on its scale, with its interval."""
    values: list[float | None] = []
    clusters: list[str] = []
    for place, rating in measured.values(variant, metric).items():
        sign = _sign(measured, metric, place, dimension) if place.subject == subject else None
        if sign is not None:
            is_item = rating is not None and not metric.endswith("_batch")
            values.append(scaled(metric, keyed(metric, sign, rating or 0)) if is_item else rating)
            clusters.append(place.unit)
    return estimate(values, clusters)


def _sign(measured: Measured, metric: str, place: Place, dimension: str) -> int | None:
    """How a place is keyed to a dimension; None where it belongs to another."""
    if metric.endswith("_batch"):
        return 1 if place.unit.rpartition("/")[0] == dimension else None
    question = measured.question(place)
    item = None if question is None else question.item
    return None if item is None or item.dimension != dimension else item.sign


LETTERS: Final = ("mbti_item", "bigfive_item")
"""Tests that end in letters (AMADEUS); the others end in types and scores (InCharacter)."""
_BANDED: Final = ("BFI", "16Personalities")
"""Questionnaires whose labels are H, L or X: H is the first pole of MBTI, or much of a trait."""


@dataclass(frozen=True, slots=True)
class Personality:
    """One character as one variant answered for it in one repeat; None: all repeats together.

    ``labels`` are letters of the typology, None where people have not decided or said nothing.
    """

    metric: str
    variant: str
    subject: str
    repeat: int | None
    scores: tuple[DimensionScore, ...]
    labels: Letters

    @property
    def letters(self) -> Letters:
        """The letters of the scores."""
        return letters_of(self.scores)


def personalities(measured: Measured) -> Iterator[Personality]:
    """The characters by metric and variant, for tables of letters and radar pictures."""
    for metric in measured.run.metrics:
        if metric in TYPOLOGIES:
            for variant in measured.variants:
                yield from of_variant(measured, metric, variant, by_repeat=False)


def estimate_of(measured: Measured, one: Personality, score: DimensionScore) -> Estimate:
    """The score of a dimension with its n and interval."""
    drawn = _interval(measured, one.metric, one.variant, one.subject, score.dimension)
    return Estimate(score.score, score.n, score.missing, drawn.low, drawn.high)


def personality_scores(measured: Measured) -> Iterator[Score]:
    """Dimension scores; letters against labels (AMADEUS), or types and scores (InCharacter)."""
    for one in personalities(measured):
        yield from _dimension_scores(measured, one)
    for metric in measured.run.metrics:
        if metric in TYPOLOGIES:
            compared = _against_letters if metric in LETTERS else _against_labels
            for variant in measured.variants:
                yield from compared(measured, metric, variant)


def typology_labels(subject: Subject, typology: Typology) -> Letters:
    """What people say of a subject, as letters; None where they are undecided or silent."""
    labels = label_scores(subject, typology)
    types = (labels[each.name].type if each.name in labels else "X" for each in typology.dimensions)
    return tuple(
        {"H": each.first, "L": each.second}.get(kind)
        for each, kind in zip(typology.dimensions, types, strict=True)
    )


def label_scores(subject: Subject, typology: Typology) -> dict[str, LabelScore]:
    """What people say of a subject by dimension, as H, L or X with a score where there is one."""
    known = {dimension.name: dimension for dimension in typology.dimensions}
    return {
        label.dimension: LabelScore(_band(label, known[label.dimension]), label.score)
        for label in subject.labels
        if label.dimension in known
    }


def _band(label: Label, dimension: Dimension) -> LabelType:
    """H, L or X of a label; what is none of its questionnaire's is undecided."""
    plain: dict[str, LabelType] = {dimension.first: "H", dimension.second: "L"}
    banded: dict[str, LabelType] = {"H": "H", "L": "L"}
    return (banded if label.questionnaire in _BANDED else plain).get(label.type, "X")


def of_variant(
    measured: Measured, metric: str, variant: str, *, by_repeat: bool
) -> Iterator[Personality]:
    """The characters as one variant answered for them."""
    by_character = _by_character(measured, metric, variant, by_repeat=by_repeat)
    for (subject, repeat), values in by_character.items():
        labels = typology_labels(measured.places.of(subject).subject, TYPOLOGIES[metric])
        scores = _scored(measured, metric, subject, values)
        yield Personality(metric, variant, subject, repeat, scores, labels)


def _by_character(
    measured: Measured, metric: str, variant: str, *, by_repeat: bool
) -> dict[tuple[str, int | None], dict[tuple[str, int], float | None]]:
    """Values of each character by (unit, repeat)."""
    by_character: dict[tuple[str, int | None], dict[tuple[str, int], float | None]] = defaultdict(
        dict
    )
    for place, value in measured.values(variant, metric).items():
        whose = place.subject, (place.repeat if by_repeat else None)
        by_character[whose][place.unit, place.repeat] = value
    return dict(sorted(by_character.items(), key=lambda pair: (pair[0][0], pair[0][1] or 0)))


def _scored(
    measured: Measured, metric: str, subject: str, values: Mapping[tuple[str, int], float | None]
) -> tuple[DimensionScore, ...]:
    if not metric.endswith("_batch"):
        return dimension_scores(metric, _items(measured, subject, values), measured.run.tie)
    typology = TYPOLOGIES[metric]
    batches: dict[str, list[float | None]] = defaultdict(list)
    for (unit, _), value in values.items():
        batches[unit.rpartition("/")[0]].append(value)
    names = (dimension.name for dimension in typology.dimensions)
    tie = measured.run.tie
    return tuple(batched_score(typology, name, batches.get(name, []), tie) for name in names)


def _items(
    measured: Measured, subject: str, values: Mapping[tuple[str, int], float | None]
) -> Sequence[ItemRating]:
    """The ratings with their items, matched by id."""
    questions = measured.places.of(subject).questions
    items = []
    for (unit, _), value in values.items():
        question = questions.get(unit)
        if question is not None and question.item is not None:
            items.append(ItemRating(question.item.dimension, question.item.sign, value))
    return items


def _dimension_scores(measured: Measured, one: Personality) -> Iterator[Score]:
    scale = TYPOLOGIES[one.metric].scale
    for score in one.scores:
        if score.n or score.missing:
            estimate = estimate_of(measured, one, score)
            group = f"subject={one.subject}/dimension={score.dimension}"
            yield Score(f"{one.metric}.score", one.variant, group, estimate, None, scale.unit)


def _against_letters(measured: Measured, metric: str, variant: str) -> Iterator[Score]:
    group = list(of_variant(measured, metric, variant, by_repeat=False))
    labels = {one.subject: one.labels for one in group if any(one.labels)}
    if not labels:
        return
    table = compare({one.subject: one.letters for one in group}, labels, TYPOLOGIES[metric])
    wrong = _wrong(table.wrong, table.accuracy)
    yield Score(f"{metric}.sum_d", variant, "all", wrong, "lower", "letters")
    yield Score(f"{metric}.accuracy", variant, "all", table.accuracy, "higher", "share")
    yield Score(f"{metric}.avg_f1", variant, "all", table.average_f1, "higher", "F1")


def _wrong(wrong: int, accuracy: Estimate) -> Estimate:
    """Sum |d|: the letters that are not right, with the interval of that share of the letters."""
    n = accuracy.n
    ends = accuracy.interval
    low, high = (None, None) if ends is None else ((1 - ends[1]) * n, (1 - ends[0]) * n)
    return Estimate(float(wrong), n, accuracy.missing, low, high)


def _against_labels(measured: Measured, metric: str, variant: str) -> Iterator[Score]:
    labels = {
        (subject, dimension): label
        for subject in measured.subjects
        for dimension, label in label_scores(
            measured.places.of(subject).subject, TYPOLOGIES[metric]
        ).items()
    }
    if not labels:
        return
    repeats: dict[int, dict[tuple[str, str], float | None]] = defaultdict(dict)
    for one in of_variant(measured, metric, variant, by_repeat=True):
        for score in one.scores:
            repeats[one.repeat or 0][one.subject, score.dimension] = score.score
    scored = [repeats[each] for each in sorted(repeats)]
    scale, tie = TYPOLOGIES[metric].scale, measured.run.tie
    agreement = agreement_with_labels(scored, labels, scale, tie)
    yield Score(f"{metric}.acc_dim", variant, "all", agreement.acc_dim, "higher", "share")
    yield Score(f"{metric}.acc_full", variant, "all", agreement.acc_full, "higher", "share")
    if all(label.score is None for label in labels.values()):
        return
    yield Score(f"{metric}.mse", variant, "all", agreement.mse, "lower", "span squared")
    yield Score(f"{metric}.mae", variant, "all", agreement.mae, "lower", "span")
