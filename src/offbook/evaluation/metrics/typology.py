"""Personality types: from ratings of items or batches to letters and scores, held against labels.

A missing rating is excluded and counted; a dimension without any has no letter. A label X
(undecided) is not compared with.
Paper: AMADEUS (003), sections 5.2 and 5.3, tables 3 and 4 (002: tables 4 and 5); our formulas
reproduce those tables. Emotional RAG (004), section III, tables II and III, after InCharacter; the
rules of batching and of types are ours. The formula of the 16Personalities site is not public, and
ours is AMADEUS's of 50 + 50 * mean / 3.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, TypeVar

from offbook.evaluation.metrics.scales import SCALES, JudgedScale
from offbook.evaluation.metrics.statistics import Estimate, estimate, resampled

if TYPE_CHECKING:
    from collections.abc import Callable

    from offbook.evaluation.metrics.statistics import Floats


UNDECIDED: Final = "X"
"""A label on which people did not agree."""

Tie = Literal["first", "second"]
"""The pole that a score exactly on the midpoint stands for."""

Letters = tuple[str | None, ...]
"""One letter a dimension, in the typology's order; None where there is no rating at all."""


@dataclass(frozen=True, slots=True)
class Dimension:
    """Two poles: agreement with an item of sign + speaks for ``first``."""

    name: str
    first: str
    second: str


@dataclass(frozen=True, slots=True)
class Typology:
    """Dimensions in the order of the letters, and the scale on which their scores lie."""

    name: str
    dimensions: tuple[Dimension, ...]
    scale: JudgedScale

    def dimension(self, name: str) -> Dimension:
        """The dimension of this name.

        Raises:
            ValueError: there is none.
        """
        for dimension in self.dimensions:
            if dimension.name == name:
                return dimension
        known = ", ".join(dimension.name for dimension in self.dimensions)
        raise ValueError(f"{self.name} has no dimension {name!r}; it has {known}")

    def letter(self, dimension: str, score: float | None, tie: Tie = "second") -> str | None:
        """The letter of a score: the first pole's above the midpoint, on it the tie's."""
        poles = self.dimension(dimension)
        if score is None:
            return None
        return poles.first if predicted_type(score, self.scale, tie) == "H" else poles.second

    def letters(self, text: str) -> Letters:
        """Letters from ``text``, such as INFJ; ``-`` and X stand for no letter.

        Raises:
            ValueError: as many letters as dimensions are needed, each a pole of its own dimension.
        """
        if len(text) != len(self.dimensions):
            raise ValueError(f"{text!r} is no type of {self.name}: {len(self.dimensions)} letters")
        letters: list[str | None] = []
        for dimension, letter in zip(self.dimensions, text.upper(), strict=True):
            if letter not in (dimension.first, dimension.second, UNDECIDED, "-"):
                raise ValueError(f"{text!r} is no type of {self.name}: {letter!r}")
            letters.append(None if letter in (UNDECIDED, "-") else letter)
        return tuple(letters)


MBTI: Final = Typology(
    "mbti",
    (
        Dimension("E/I", "E", "I"),
        Dimension("S/N", "S", "N"),
        Dimension("T/F", "T", "F"),
        Dimension("P/J", "P", "J"),
    ),
    SCALES["16p_batch"],
)
SLOAN: Final = Typology(
    "sloan",
    (
        Dimension("Extraversion", "S", "R"),
        Dimension("Neuroticism", "L", "C"),
        Dimension("Conscientiousness", "O", "U"),
        Dimension("Agreeableness", "A", "E"),
        Dimension("Openness", "I", "N"),
    ),
    SCALES["bfi_batch"],
)


@dataclass(frozen=True, slots=True)
class ItemRating:
    """One item as it was rated: ``sign`` +1 where agreement speaks for the first pole, else -1."""

    dimension: str
    sign: int
    rating: float | None


@dataclass(frozen=True, slots=True)
class DimensionScore:
    """The score of one dimension, and its letter; both None where no item has a rating.

    ``n`` and ``missing`` count its items. ``score`` is 0-100 for MBTI (percentage of the first
    pole) and 1-5 for the Big Five (agreement).
    """

    dimension: str
    score: float | None
    letter: str | None
    n: int
    missing: int


TYPOLOGIES: Final[Mapping[str, Typology]] = {
    "mbti_item": MBTI,
    "bigfive_item": SLOAN,
    "16p_batch": MBTI,
    "16p_option": MBTI,
    "bfi_batch": SLOAN,
    "bfi_option": SLOAN,
}
"""The test behind each scale."""


def keyed(metric: str, sign: int, rating: float) -> float:
    """How much a rating of an item speaks for the first pole, or for the trait.

    Of MBTI it is sign * (4 - r), whose mean m is 50 + 50 m / 3 percent of the first pole. Big Five
    items are rated from 1, very much so, options of BFI from 1, strongly disagree.
    """
    if TYPOLOGIES[metric] is MBTI:
        return sign * (4 - rating)
    agrees = rating if metric == "bfi_option" else 6 - rating
    return agrees if sign > 0 else 6 - agrees


def scaled(metric: str, mean: float) -> float:
    """The mean of what items speak for, on the scale of their dimension."""
    return 50 + 50 * mean / 3 if TYPOLOGIES[metric] is MBTI else mean


def dimension_scores(
    metric: str, items: Sequence[ItemRating], tie: Tie = "second"
) -> tuple[DimensionScore, ...]:
    """Score each dimension of a test, with its letter, from the ratings of its items.

    Raises:
        ValueError: a rating is off the scale, a sign is neither 1 nor -1, or a dimension is none
            of the test's.
    """
    typology, scale = TYPOLOGIES[metric], SCALES[metric]
    present: dict[str, list[float]] = {each.name: [] for each in typology.dimensions}
    missing: Counter[str] = Counter()
    for item in items:
        name = typology.dimension(item.dimension).name
        if item.sign not in (1, -1):
            raise ValueError(f"sign {item.sign!r} of an item is neither 1 nor -1")
        if item.rating is None:
            missing[name] += 1
        elif scale.accepts(item.rating):
            present[name].append(keyed(metric, item.sign, item.rating))
        else:
            raise ValueError(f"{item.rating!r} is no rating of {scale.title!r}")
    scores = []
    for name, values in present.items():
        score = scaled(metric, sum(values) / len(values)) if values else None
        letter = typology.letter(name, score, tie)
        scores.append(DimensionScore(name, score, letter, len(values), missing[name]))
    return tuple(scores)


def letters_of(scores: Sequence[DimensionScore]) -> Letters:
    """The letters of scored dimensions."""
    return tuple(score.letter for score in scores)


def written(letters: Letters) -> str:
    """Letters as text; ``-`` where there is none."""
    return "".join(letter or "-" for letter in letters)


@dataclass(frozen=True, slots=True)
class TypeRow:
    """One character: ``wrong`` is |d| of the papers' tables, over the ``compared`` letters.

    ``missing`` dimensions have a label and no letter.
    """

    character: str
    predicted: Letters
    label: Letters
    wrong: int
    compared: int
    missing: int


@dataclass(frozen=True, slots=True)
class TypeTable:
    """Predicted types beside the labels.

    ``wrong`` is sum |d|. ``accuracy`` is 1 - wrong / compared letters, its interval by drawing
    characters. ``f1`` has the binary macro-F1 of each dimension (None where nothing is compared)
    and ``average_f1`` their mean, n being the compared letters.
    """

    rows: tuple[TypeRow, ...]
    wrong: int
    accuracy: Estimate
    f1: Mapping[str, float | None]
    average_f1: Estimate


def compare(
    predicted: Mapping[str, Letters], labels: Mapping[str, Letters], typology: Typology
) -> TypeTable:
    """Predicted letters against labels, by character.

    ``labels``: letters of each character; None for X. A character without a prediction is missing
    in all of its decided dimensions.
    """
    import numpy as np

    rows = []
    # Sorted by name, so that the interval does not depend on who was finished first.
    for character in sorted(labels):
        guess = predicted.get(character) or (None,) * len(typology.dimensions)
        rows.append(_row(character, guess, labels[character], typology))
    compared = sum(row.compared for row in rows)
    missing = sum(row.missing for row in rows)
    hits, owners = _hits(rows)
    confusion = _confusion(rows, typology)
    by_dimension = _macro_f1(confusion, np.ones((1, len(rows))))[0]
    return TypeTable(
        rows=tuple(rows),
        wrong=sum(row.wrong for row in rows),
        accuracy=estimate(hits, owners),
        f1={
            dimension.name: None if math.isnan(value) else float(value)
            for dimension, value in zip(typology.dimensions, by_dimension, strict=True)
        },
        average_f1=resampled(
            lambda weights: _mean_of_defined(_macro_f1(confusion, weights)),
            len(rows),
            n=compared,
            missing=missing,
        ),
    )


def _row(character: str, guess: Letters, label: Letters, typology: Typology) -> TypeRow:
    if not len(guess) == len(label) == len(typology.dimensions):
        raise ValueError(
            f"{guess!r} and {label!r} of {character!r} are no types of {typology.name}"
        )
    decided = [(mine, theirs) for mine, theirs in zip(guess, label, strict=True) if theirs]
    compared = [(mine, theirs) for mine, theirs in decided if mine]
    return TypeRow(
        character=character,
        predicted=guess,
        label=label,
        wrong=sum(mine != theirs for mine, theirs in compared),
        compared=len(compared),
        missing=len(decided) - len(compared),
    )


def _hits(rows: Sequence[TypeRow]) -> tuple[list[float | None], list[str]]:
    """1 for each right letter, 0 for a wrong one, None for a missing one; and whose it is."""
    hits: list[float | None] = []
    owners: list[str] = []
    for row in rows:
        right = row.compared - row.wrong
        mine = [1.0] * right + [0.0] * row.wrong + [None] * row.missing
        hits += mine
        owners += [row.character] * len(mine)
    return hits, owners


def _confusion(rows: Sequence[TypeRow], typology: Typology) -> Floats:
    """Right at the first pole, right at the second, wrong: shape (3, rows, dimensions)."""
    import numpy as np

    counts = np.zeros((3, len(rows), len(typology.dimensions)))
    for place, row in enumerate(rows):
        pairs = zip(typology.dimensions, row.predicted, row.label, strict=True)
        for column, (dimension, mine, theirs) in enumerate(pairs):
            if mine is None or theirs is None:
                continue
            kind = 2 if mine != theirs else int(mine == dimension.second)
            counts[kind, place, column] = 1
    return counts


def _macro_f1(confusion: Floats, weights: Floats) -> Floats:
    """Binary macro-F1, shape (resamples, dimensions); NaN where nothing is compared.

    F1 of a pole is 2 TP / (2 TP + FP + FN), and 0 where that is 0 / 0; with two poles FP + FN is
    all that is wrong, whichever pole is looked at.
    """
    import numpy as np

    first, second, wrong = (weights @ each for each in confusion)
    poles = []
    for right in (first, second):
        below = 2 * right + wrong
        poles.append(np.divide(2 * right, below, out=np.zeros_like(below), where=below > 0))
    mean: Floats = (poles[0] + poles[1]) / 2
    mean[(first + second + wrong) == 0] = np.nan
    return mean


def _mean_of_defined(values: Floats) -> Floats:
    """Mean over the dimensions that are defined, NaN where none is."""
    import numpy as np

    means: Floats = np.ma.masked_invalid(values).mean(axis=1).filled(np.nan)
    return means


T = TypeVar("T")

LabelType = Literal["H", "L", "X"]
"""High, low, or undecided."""

Place = tuple[str, str]
"""A character and a dimension."""

_FEWEST_TO_SPLIT: Final = 6
_BLOCK: Final = 4
_SHORTEST: Final = 3
_UNDECIDED_FROM, _UNDECIDED_TO = 0.4, 0.6
_ROUNDING: Final = 1e-9  # (2.6 - 1) / 4 must be the 0.4 that it is on paper


def batches(answers: Sequence[T]) -> list[list[T]]:
    """Groups of answers that an expert rates at once.

    Fewer than 6 answers are one batch; else blocks of 4, and a last block of fewer than 3 is
    topped up to 3 with the last answer of block 0, 1, ... (6: 3 + 3; 13: 3 + 3 + 4 + 3).
    """
    if len(answers) < _FEWEST_TO_SPLIT:
        return [list(answers)] if answers else []
    blocks = [list(answers[start : start + _BLOCK]) for start in range(0, len(answers), _BLOCK)]
    for place in range(_SHORTEST - len(blocks[-1])):
        blocks[-1].append(blocks[place].pop())
    return blocks


def batched_score(
    typology: Typology, name: str, ratings: Sequence[float | None], tie: Tie = "second"
) -> DimensionScore:
    """Score a dimension: the mean over its batches, whatever their sizes; None has no rating."""
    present = [rating for rating in ratings if rating is not None]
    score = math.fsum(present) / len(present) if present else None
    letter, missing = typology.letter(name, score, tie), len(ratings) - len(present)
    return DimensionScore(name, score, letter, len(present), missing)


def label_type(score: float, scale: JudgedScale) -> LabelType:
    """Type of a label: X from 40 to 60 % of the span, both ends included; H above, L below."""
    part = (score - scale.low) / scale.span
    if part < _UNDECIDED_FROM - _ROUNDING:
        return "L"
    return "H" if part > _UNDECIDED_TO + _ROUNDING else "X"


def predicted_type(score: float, scale: JudgedScale, tie: Tie = "second") -> LabelType:
    """Type of a prediction: H above the midpoint, L below; on it H only where ``tie`` is first."""
    is_high = score > scale.midpoint or (tie == "first" and score == scale.midpoint)
    return "H" if is_high else "L"


def sign_of(category: str, dimension: str) -> Literal[1, -1]:
    """How an item is keyed: +1 where agreement speaks for the dimension's first pole.

    Raises:
        ValueError: the category is none of those.
    """
    first, _, second = dimension.partition("/")
    if category == "positive" or (second and category == first):
        return 1
    if category == "negative" or (second and category == second):
        return -1
    raise ValueError(f"an item of {dimension!r} cannot be keyed to {category!r}")


@dataclass(frozen=True, slots=True)
class LabelScore:
    """What people say of one dimension; ``score`` None where only the type is known."""

    type: LabelType
    score: float | None = None


@dataclass(frozen=True, slots=True)
class LabelAgreement:
    """How near predicted scores come to labels; intervals by drawing characters.

    With repeats each number is the mean over them, and n counts all of them. ``acc_full`` is the
    share of characters with all their decided dimensions right; one of whom a decided dimension
    was not rated is missing there.
    """

    acc_dim: Estimate
    acc_full: Estimate
    mse: Estimate
    mae: Estimate


def agreement_with_labels(
    repeats: Sequence[Mapping[Place, float | None]],
    labels: Mapping[Place, LabelScore],
    scale: JudgedScale,
    tie: Tie = "second",
) -> LabelAgreement:
    """Acc(Dim), Acc(Full), MSE and MAE over all pairs whose label is not X.

    ``repeats``: predicted scores by (character, dimension), one mapping a repeat. What has no score
    is missing; what has no label is passed over.
    """
    decided = {place: label for place, label in sorted(labels.items()) if label.type != "X"}
    characters = sorted({character for character, _ in decided})
    rights, squares, sizes, fulls = [], [], [], []
    for predicted in repeats:
        scored = {place: (predicted.get(place), label) for place, label in decided.items()}
        right = {
            place: right_type(score, label, scale, tie) for place, (score, label) in scored.items()
        }
        error = {place: error_of(score, label, scale) for place, (score, label) in scored.items()}
        rights.append(_by_character(right, characters))
        fulls.append([_full(each) for each in rights[-1]])
        sizes.append(_by_character(error, characters))
        squares.append([[e if e is None else e * e for e in each] for each in sizes[-1]])
    return LabelAgreement(
        acc_dim=_mean_over_repeats(rights),
        acc_full=_mean_over_repeats(fulls),
        mse=_mean_over_repeats(squares),
        mae=_mean_over_repeats(sizes),
    )


def right_type(
    score: float | None, label: LabelScore, scale: JudgedScale, tie: Tie
) -> float | None:
    """1 where the type of a score is that of the label, else 0; None without a score."""
    return None if score is None else float(predicted_type(score, scale, tie) == label.type)


def error_of(score: float | None, label: LabelScore, scale: JudgedScale) -> float | None:
    """How far a score is from the label's, in parts of the span; None where one is not there."""
    if score is None or label.score is None:
        return None
    return abs(score - label.score) / scale.span


def _by_character(
    values: Mapping[Place, float | None], characters: Sequence[str]
) -> list[list[float | None]]:
    grouped: dict[str, list[float | None]] = {character: [] for character in characters}
    for (character, _), value in values.items():
        grouped[character].append(value)
    return list(grouped.values())


def _full(right: Sequence[float | None]) -> list[float | None]:
    """Whether all of a character's dimensions are right; unknown where one was not rated."""
    return [None if None in right else float(all(right))]


def _mean_over_repeats(repeats: Sequence[Sequence[Sequence[float | None]]]) -> Estimate:
    """Mean of the repeats' means; shape (repeats, characters, values of that character)."""
    import numpy as np

    if not repeats:
        return Estimate(None, 0)
    present = [[[v for v in each if v is not None] for each in repeat] for repeat in repeats]
    sums = np.array([[math.fsum(each) for each in repeat] for repeat in present])
    counts = np.array([[len(each) for each in repeat] for repeat in present], dtype=np.float64)
    expected = sum(len(each) for repeat in repeats for each in repeat)
    n = int(counts.sum())
    return resampled(_ratio(sums, counts), sums.shape[1], n=n, missing=expected - n)


def _ratio(sums: Floats, counts: Floats) -> Callable[[Floats], Floats]:
    """The mean over repeats of sum / count; a repeat without any value is left out."""
    import numpy as np

    def statistic(weights: Floats) -> Floats:
        above, below = weights @ sums.T, weights @ counts.T
        defined = below > 0
        means = np.divide(above, below, out=np.zeros_like(above), where=defined)
        repeats = defined.sum(axis=1)
        undefined = np.full(len(weights), np.nan)
        ratios: Floats = np.divide(means.sum(axis=1), repeats, out=undefined, where=repeats > 0)
        return ratios

    return statistic
