"""Personality types in letters: from ratings of items to letters, and letters against labels.

Takes: ratings of MBTI items (1-7) or Big Five items (1-5), both with 1 = very much so; letters.
Gives: scores and letters by dimension; sum |d|, accuracy and the average F1 of a group.
Paper: AMADEUS (003), sections 5.2 and 5.3, tables 3 and 4 (002: tables 4 and 5); the formulas are
evaluation.md's, which reproduce those tables. A missing rating is excluded and counted; a dimension
without any has no letter. A label X (undecided) is not compared with.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from offbook.evaluation.metrics.scales import SCALES, JudgedScale
from offbook.evaluation.metrics.statistics import Estimate, estimate, resampled

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from offbook.evaluation.metrics.statistics import Floats

UNDECIDED: Final = "X"
"""A label on which people did not agree."""

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
    """Dimensions in the order of the letters, and the scale on which items are rated."""

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

    def letters(self, text: str) -> Letters:
        """Letters from ``text``, such as INFJ; ``-`` and X stand for no letter.

        Raises:
            ValueError: as many letters as dimensions are needed, each a pole of its own dimension.
        """
        if len(text) != len(self.dimensions):
            raise ValueError(f"{text!r} is no type of {self.name}: {len(self.dimensions)} letters")
        found: list[str | None] = []
        for dimension, letter in zip(self.dimensions, text.upper(), strict=True):
            if letter not in (dimension.first, dimension.second, UNDECIDED, "-"):
                raise ValueError(f"{text!r} is no type of {self.name}: {letter!r}")
            found.append(None if letter in (UNDECIDED, "-") else letter)
        return tuple(found)


MBTI: Final = Typology(
    "mbti",
    (
        Dimension("E/I", "E", "I"),
        Dimension("S/N", "S", "N"),
        Dimension("T/F", "T", "F"),
        Dimension("P/J", "P", "J"),
    ),
    SCALES["mbti_item"],
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
    SCALES["bigfive_item"],
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


def mbti_scores(items: Sequence[ItemRating]) -> tuple[DimensionScore, ...]:
    """MBTI: 50 + 50 * mean(sign * (4 - r)) / 3; the first pole above 50, at a tie the second.

    Args:
        items: Ratings 1-7, 1 = very much so.

    Raises:
        ValueError: a rating is off the scale, a sign is neither 1 nor -1, or a dimension is not
            MBTI's.
    """
    scores = []
    for dimension, present, missing in _by_dimension(MBTI, items):
        agreement = [sign * (4 - rating) for sign, rating in present]
        mean = _mean(agreement)
        score = None if mean is None else 50 + 50 * mean / 3
        scores.append(_scored(dimension, score, 50, len(present), missing))
    return tuple(scores)


def sloan_scores(items: Sequence[ItemRating]) -> tuple[DimensionScore, ...]:
    """Big Five as SLOAN letters: agreement 6 - r, minus-keyed r; the first pole above a mean of 3.

    Args:
        items: Ratings 1-5, 1 = very much so.

    Raises:
        ValueError: a rating is off the scale, a sign is neither 1 nor -1, or a dimension is none
            of the five.
    """
    scores = []
    for dimension, present, missing in _by_dimension(SLOAN, items):
        mean = _mean([6 - rating if sign > 0 else rating for sign, rating in present])
        scores.append(_scored(dimension, mean, 3, len(present), missing))
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

    ``undecided`` dimensions have the label X; ``missing`` ones have a label and no letter.
    """

    character: str
    predicted: Letters
    label: Letters
    wrong: int
    compared: int
    undecided: int
    missing: int


@dataclass(frozen=True, slots=True)
class TypeTable:
    """Predicted types beside the labels.

    ``wrong`` is sum |d|. ``accuracy`` is 1 - wrong / compared letters, its interval by drawing
    characters. ``f1`` has the binary macro-F1 of each dimension (None where nothing is compared)
    and ``average_f1`` their mean, n being the compared letters. ``unlabelled`` are characters that
    were predicted and have no label.
    """

    rows: tuple[TypeRow, ...]
    wrong: int
    accuracy: Estimate
    f1: Mapping[str, float | None]
    average_f1: Estimate
    unlabelled: tuple[str, ...] = ()

    @property
    def undecided(self) -> int:
        """Letters that were not compared, because the label is X."""
        return sum(row.undecided for row in self.rows)


def compare(
    predicted: Mapping[str, Letters], labels: Mapping[str, Letters], typology: Typology
) -> TypeTable:
    """Predicted letters against labels, by character.

    Args:
        predicted: Letters of each character; None for a dimension without ratings.
        labels: Letters of each character; None for X. A character without a prediction is
            missing in all of its decided dimensions.
        typology: Whose letters they are.
    """
    rows = []
    # Sorted by name, so that the interval does not depend on who was finished first.
    for character in sorted(labels):
        guess = predicted.get(character) or (None,) * len(typology.dimensions)
        rows.append(_row(character, guess, labels[character], typology))
    compared = sum(row.compared for row in rows)
    missing = sum(row.missing for row in rows)
    hits, owners = _hits(rows)
    confusion = _confusion(rows, typology)
    by_dimension = _macro_f1(confusion, _ones(len(rows)))[0]
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
        unlabelled=tuple(sorted(set(predicted) - set(labels))),
    )


def _by_dimension(
    typology: Typology, items: Sequence[ItemRating]
) -> list[tuple[Dimension, list[tuple[int, float]], int]]:
    """Each dimension with its ratings (sign, rating) and how many are missing."""
    present: dict[str, list[tuple[int, float]]] = {each.name: [] for each in typology.dimensions}
    missing: Counter[str] = Counter()
    for item in items:
        name = typology.dimension(item.dimension).name
        if item.sign not in (1, -1):
            raise ValueError(f"sign {item.sign!r} of an item is neither 1 nor -1")
        if item.rating is None:
            missing[name] += 1
        elif typology.scale.accepts(item.rating):
            present[name].append((item.sign, item.rating))
        else:
            raise ValueError(f"{item.rating!r} is no rating of {typology.scale.title!r}")
    return [(each, present[each.name], missing[each.name]) for each in typology.dimensions]


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


def _scored(
    dimension: Dimension, score: float | None, tie: float, n: int, missing: int
) -> DimensionScore:
    letter = None
    if score is not None:
        letter = dimension.first if score > tie else dimension.second
    return DimensionScore(dimension.name, score, letter, n, missing)


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
        undecided=len(label) - len(decided),
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

    defined: NDArray[np.bool_] = ~np.isnan(values)
    counts = defined.sum(axis=1)
    sums = np.where(defined, values, 0.0).sum(axis=1)
    means: Floats = np.divide(sums, counts, out=np.full(len(values), np.nan), where=counts > 0)
    return means


def _ones(units: int) -> Floats:
    import numpy as np

    return np.ones((1, units))
