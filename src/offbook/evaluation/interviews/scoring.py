"""From ratings of items and batches to personalities, and how near they come to people's labels.

Takes: what a run has measured.  Gives: dimension scores and letters of each character, and scores:
sum |d|, accuracy and average F1; Acc(Dim), Acc(Full), MSE and MAE.
Paper: AMADEUS (003), section 5.2, tables 3-5; Emotional RAG (004), section III, tables II and III.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from offbook.evaluation.interviews.keyed_ratings import dimension_mean
from offbook.evaluation.metrics.incharacter import (
    LabelScore,
    LabelType,
    agreement_with_labels,
    batched_score,
    bfi_option_score,
    sixteen_option_scores,
)
from offbook.evaluation.metrics.scales import SCALES
from offbook.evaluation.metrics.statistics import Estimate
from offbook.evaluation.metrics.typology import (
    MBTI,
    SLOAN,
    DimensionScore,
    ItemRating,
    Letters,
    Typology,
    compare,
    letters_of,
    mbti_scores,
    sloan_scores,
)
from offbook.evaluation.protocol import Score

if TYPE_CHECKING:
    from offbook.evaluation.benchmark import Label, Subject
    from offbook.evaluation.measured import Measured

TYPOLOGIES: Final[Mapping[str, Typology]] = {
    "mbti_item": MBTI,
    "bigfive_item": SLOAN,
    "16p_batch": MBTI,
    "16p_option": MBTI,
    "bfi_batch": SLOAN,
    "bfi_option": SLOAN,
}
"""The test behind each scale."""
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


def personalities(measured: Measured, *, by_repeat: bool = False) -> Iterator[Personality]:
    """The characters by metric and variant, for tables of letters and radar pictures.

    Args:
        measured: What was measured.
        by_repeat: One for each repeat, instead of one over all of them.
    """
    for metric in measured.run.metrics:
        if metric in TYPOLOGIES:
            for variant in measured.variants:
                yield from of_variant(measured, metric, variant, by_repeat=by_repeat)


def estimate_of(measured: Measured, one: Personality, score: DimensionScore) -> Estimate:
    """The score of a dimension with its n and interval."""
    drawn = dimension_mean(measured, one.metric, one.variant, one.subject, score.dimension)
    return Estimate(score.score, score.n, score.missing, drawn.low, drawn.high)


def item_scores(measured: Measured) -> Iterator[Score]:
    """Items one by one (AMADEUS): dimension scores; letters against labels."""
    found: dict[tuple[str, str], list[Personality]] = defaultdict(list)
    for one in personalities(measured):
        if one.metric in ("mbti_item", "bigfive_item"):
            found[one.metric, one.variant].append(one)
            yield from _dimension_scores(measured, one)
    for (metric, variant), group in found.items():
        yield from _against_letters(metric, variant, group)


def interview_scores(measured: Measured) -> Iterator[Score]:
    """Open interviews (InCharacter): dimension scores; types and scores against labels."""
    for one in personalities(measured):
        yield from _dimension_scores(measured, one)
    for metric in measured.run.metrics:
        if metric in TYPOLOGIES:
            for variant in measured.variants:
                yield from _against_labels(measured, metric, variant)


def typology_labels(subject: Subject, typology: Typology) -> Letters:
    """What people say of a subject, as letters; None where they are undecided or silent."""
    found: dict[str, str] = {}
    for label in subject.labels:
        known = {dimension.name: dimension for dimension in typology.dimensions}
        dimension = known.get(label.dimension)
        if dimension is None:
            continue
        poles = {"H": dimension.first, "L": dimension.second}
        own = {dimension.first: dimension.first, dimension.second: dimension.second}
        letter = (poles if label.questionnaire in _BANDED else own).get(label.type)
        if letter is not None:
            found[label.dimension] = letter
    return tuple(found.get(dimension.name) for dimension in typology.dimensions)


def label_scores(subject: Subject, metric: str) -> dict[str, LabelScore]:
    """What people say of a subject by dimension, as H, L or X with a score where there is one."""
    typology = TYPOLOGIES[metric]
    known = {dimension.name: dimension.first for dimension in typology.dimensions}
    return {
        label.dimension: LabelScore(_band(label, known[label.dimension]), label.score)
        for label in subject.labels
        if label.dimension in known
    }


def _band(label: Label, first: str) -> LabelType:
    if label.type == "X":
        return "X"
    if label.questionnaire in _BANDED:
        return "H" if label.type == "H" else "L"
    return "H" if label.type == first else "L"


def of_variant(
    measured: Measured, metric: str, variant: str, *, by_repeat: bool
) -> Iterator[Personality]:
    """The characters as one variant answered for them."""
    found = _by_character(measured, metric, variant, by_repeat=by_repeat)
    for (subject, repeat), values in found.items():
        labels = typology_labels(measured.places.subject(subject), TYPOLOGIES[metric])
        scores = _scored(measured, metric, subject, values)
        yield Personality(metric, variant, subject, repeat, scores, labels)


def _by_character(
    measured: Measured, metric: str, variant: str, *, by_repeat: bool
) -> dict[tuple[str, int | None], dict[tuple[str, int], float | None]]:
    """Values of each character by (unit, repeat)."""
    found: dict[tuple[str, int | None], dict[tuple[str, int], float | None]] = defaultdict(dict)
    for place, value in measured.values(variant, metric).items():
        whose = place.subject, (place.repeat if by_repeat else None)
        found[whose][place.unit, place.repeat] = value
    return dict(sorted(found.items(), key=lambda pair: (pair[0][0], pair[0][1] or 0)))


def _scored(
    measured: Measured, metric: str, subject: str, values: Mapping[tuple[str, int], float | None]
) -> tuple[DimensionScore, ...]:
    if metric.endswith("_batch"):
        return tuple(_batched(metric, values))
    items = _items(measured, subject, values)
    if metric == "mbti_item":
        return mbti_scores(items)
    if metric == "bigfive_item":
        return sloan_scores(items)
    if metric == "16p_option":
        return sixteen_option_scores(items)
    scores = [bfi_option_score(items, dimension.name) for dimension in SLOAN.dimensions]
    return tuple(_lettered(metric, score) for score in scores)


def _batched(
    metric: str, values: Mapping[tuple[str, int], float | None]
) -> Iterator[DimensionScore]:
    """Plain means over the batches of each dimension."""
    batches: dict[str, list[float | None]] = defaultdict(list)
    for (unit, _), value in values.items():
        batches[unit.rpartition("/")[0]].append(value)
    for dimension in TYPOLOGIES[metric].dimensions:
        score = batched_score(batches.get(dimension.name, []))
        found = DimensionScore(dimension.name, score.score, None, score.n, score.missing)
        yield _lettered(metric, found)


def _lettered(metric: str, score: DimensionScore) -> DimensionScore:
    """The score with its letter: above the midpoint of the scale the first pole's."""
    if score.score is None:
        return score
    dimension = TYPOLOGIES[metric].dimension(score.dimension)
    midpoint = SCALES[scale_of_scores(metric)].midpoint
    letter = dimension.first if score.score > midpoint else dimension.second
    return DimensionScore(score.dimension, score.score, letter, score.n, score.missing)


def _items(
    measured: Measured, subject: str, values: Mapping[tuple[str, int], float | None]
) -> Sequence[ItemRating]:
    """The ratings with their items, matched by id."""
    questions = measured.places.questions(subject)
    found = []
    for (unit, _), value in values.items():
        question = questions.get(unit)
        if question is not None and question.item is not None:
            found.append(ItemRating(question.item.dimension, question.item.sign, value))
    return found


def _dimension_scores(measured: Measured, one: Personality) -> Iterator[Score]:
    scale = SCALES[scale_of_scores(one.metric)]
    for score in one.scores:
        if score.n or score.missing:
            told = estimate_of(measured, one, score)
            group = f"subject={one.subject}/dimension={score.dimension}"
            yield Score(f"{one.metric}.score", one.variant, group, told, None, scale.unit)


def _against_letters(metric: str, variant: str, group: Sequence[Personality]) -> Iterator[Score]:
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
        for dimension, label in label_scores(measured.places.subject(subject), metric).items()
    }
    if not labels:
        return
    repeats: dict[int, dict[tuple[str, str], float | None]] = defaultdict(dict)
    for one in of_variant(measured, metric, variant, by_repeat=True):
        for score in one.scores:
            repeats[one.repeat or 0][one.subject, score.dimension] = score.score
    scale = SCALES[scale_of_scores(metric)]
    found = agreement_with_labels([repeats[each] for each in sorted(repeats)], labels, scale)
    yield Score(f"{metric}.acc_dim", variant, "all", found.acc_dim, "higher", "share")
    yield Score(f"{metric}.acc_full", variant, "all", found.acc_full, "higher", "share")
    if all(label.score is None for label in labels.values()):
        return
    yield Score(f"{metric}.mse", variant, "all", found.mse, "lower", "span squared")
    yield Score(f"{metric}.mae", variant, "all", found.mae, "lower", "span")


def scale_of_scores(metric: str) -> str:
    """The name of the scale on which dimension scores of a metric lie."""
    return "16p_batch" if TYPOLOGIES[metric] is MBTI else "bfi_batch"
