"""Open interviews rated in batches, and how near they come to people's labels.

Takes: answers by dimension, an expert's ratings of batches, labels with scores.  Gives: batches,
dimension scores, types H, L and X; Acc(Dim), Acc(Full), MSE and MAE.
Paper: Emotional RAG (004), section III, tables II and III, after InCharacter; the rules of batching
and of types are evaluation.md's. Option conversion scores BFI by its key; the formula of the
16Personalities site is not public, and ours is AMADEUS's of 50 + 50 * mean / 3.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, TypeVar

from offbook.evaluation.metrics.scales import SCALES, JudgedScale
from offbook.evaluation.metrics.statistics import Estimate, resampled
from offbook.evaluation.metrics.typology import DimensionScore, ItemRating, mbti_scores

if TYPE_CHECKING:
    from collections.abc import Callable

    from offbook.evaluation.metrics.statistics import Floats

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


@dataclass(frozen=True, slots=True)
class BatchedScore:
    """Score of one dimension: plain mean over its rated batches.

    ``score`` is None where no batch has a rating; ``deviation`` is the population standard
    deviation over the batches. ``n`` and ``missing`` count batches.
    """

    score: float | None
    deviation: float | None
    n: int
    missing: int


def batched_score(ratings: Sequence[float | None]) -> BatchedScore:
    """Mean over batches, whatever their sizes; None is a batch without a rating."""
    present = [rating for rating in ratings if rating is not None]
    missing = len(ratings) - len(present)
    if not present:
        return BatchedScore(None, None, 0, missing)
    mean = math.fsum(present) / len(present)
    deviation = math.sqrt(math.fsum((each - mean) ** 2 for each in present) / len(present))
    return BatchedScore(mean, deviation, len(present), missing)


def label_type(score: float, scale: JudgedScale) -> LabelType:
    """Type of a label: X from 40 to 60 % of the span, both ends included; H above, L below."""
    part = (score - scale.low) / scale.span
    if part < _UNDECIDED_FROM - _ROUNDING:
        return "L"
    return "H" if part > _UNDECIDED_TO + _ROUNDING else "X"


def predicted_type(score: float, scale: JudgedScale) -> LabelType:
    """Type of a prediction: H above the midpoint, else L."""
    return "H" if score > scale.midpoint else "L"


def code(scores: Mapping[str, float | None], dimensions: Sequence[str]) -> str:
    """Type code of 16Personalities: the first letter of each dimension above 50, else the second.

    Args:
        scores: Percentage of the first pole, by dimension.
        dimensions: Names such as E/I, in the order of the code; ``-`` stands for one that has no
            score.
    """
    letters = []
    for dimension in dimensions:
        first, second = dimension.split("/")
        score = scores.get(dimension)
        letters.append("-" if score is None else first if score > 50 else second)
    return "".join(letters)


def sign_of(category: str, dimension: str) -> Literal[1, -1]:
    """How an item is keyed: +1 where agreement speaks for the dimension's first pole.

    Args:
        category: ``positive``, ``negative``, or a letter of the dimension. 16Personalities items
            are keyed by this, not by the questionnaire's list ``reverse``: they differ at item 25.
        dimension: Its name, such as E/I or Openness.

    Raises:
        ValueError: the category is none of those.
    """
    first, _, second = dimension.partition("/")
    if category == "positive" or (second and category == first):
        return 1
    if category == "negative" or (second and category == second):
        return -1
    raise ValueError(f"an item of {dimension!r} cannot be keyed to {category!r}")


def bfi_option_score(items: Sequence[ItemRating], dimension: str) -> DimensionScore:
    """BFI from converted options (1 = strongly disagree, 5 = agree): mean, minus-keyed 6 - r.

    Args:
        items: Those of other dimensions are passed over.
        dimension: Whose score.

    Raises:
        ValueError: a rating is off the scale.
    """
    scale = SCALES["bfi_option"]
    values, missing = [], 0
    for item in items:
        if item.dimension != dimension:
            continue
        if item.rating is None:
            missing += 1
        elif scale.accepts(item.rating):
            values.append(item.rating if item.sign > 0 else 6 - item.rating)
        else:
            raise ValueError(f"{item.rating!r} is no rating of {scale.title!r}")
    score = math.fsum(values) / len(values) if values else None
    letter = None if score is None else predicted_type(score, scale)
    return DimensionScore(dimension, score, letter, len(values), missing)


def sixteen_option_scores(items: Sequence[ItemRating]) -> tuple[DimensionScore, ...]:
    """16Personalities from converted options (1 = strongly agree, 7 = disagree), in percent."""
    return mbti_scores(items)


@dataclass(frozen=True, slots=True)
class LabelScore:
    """What people say of one dimension; ``score`` None where only the type is known."""

    type: LabelType
    score: float | None = None

    @classmethod
    def of(cls, score: float, scale: JudgedScale) -> LabelScore:
        """A label from its score alone."""
        return cls(label_type(score, scale), score)


@dataclass(frozen=True, slots=True)
class LabelAgreement:
    """How near predicted scores come to labels; intervals by drawing characters.

    With repeats each number is the mean over them, and n counts all of them. ``acc_full`` is the
    share of characters with all their decided dimensions right; one of whom a decided dimension
    was not rated is missing there. ``pairs`` are the decided (character, dimension) pairs.
    """

    acc_dim: Estimate
    acc_full: Estimate
    mse: Estimate
    mae: Estimate
    pairs: int
    undecided: int
    characters: int


def agreement_with_labels(
    repeats: Sequence[Mapping[Place, float | None]],
    labels: Mapping[Place, LabelScore],
    scale: JudgedScale,
) -> LabelAgreement:
    """Acc(Dim), Acc(Full), MSE and MAE over all pairs whose label is not X.

    Args:
        repeats: Predicted scores by (character, dimension), one mapping a repeat. What has no
            score is missing; what has no label is passed over.
        labels: Labels by (character, dimension).
        scale: On which scores and labels lie; errors are in parts of its span.
    """
    decided = {place: label for place, label in sorted(labels.items()) if label.type != "X"}
    characters = sorted({character for character, _ in decided})
    rights, squares, sizes, fulls = [], [], [], []
    for predicted in repeats:
        scored = {place: (predicted.get(place), label) for place, label in decided.items()}
        right = {place: right_type(*each, scale) for place, each in scored.items()}
        error = {place: error_of(*each, scale) for place, each in scored.items()}
        rights.append(_by_character(right, characters))
        fulls.append([_full(each) for each in rights[-1]])
        sizes.append(_by_character(error, characters))
        squares.append([[e if e is None else e * e for e in each] for each in sizes[-1]])
    return LabelAgreement(
        acc_dim=_mean_over_repeats(rights),
        acc_full=_mean_over_repeats(fulls),
        mse=_mean_over_repeats(squares),
        mae=_mean_over_repeats(sizes),
        pairs=len(decided),
        undecided=len(labels) - len(decided),
        characters=len(characters),
    )


def right_type(score: float | None, label: LabelScore, scale: JudgedScale) -> float | None:
    """1 where the type of a score is that of the label, else 0; None without a score."""
    return None if score is None else float(predicted_type(score, scale) == label.type)


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
    asked = sum(len(each) for repeat in repeats for each in repeat)
    n = int(counts.sum())
    return resampled(_ratio(sums, counts), sums.shape[1], n=n, missing=asked - n)


def _ratio(sums: Floats, counts: Floats) -> Callable[[Floats], Floats]:
    """The mean over repeats of sum / count; a repeat without any value is left out."""
    import numpy as np

    def statistic(weights: Floats) -> Floats:
        above, below = weights @ sums.T, weights @ counts.T
        defined = below > 0
        means = np.divide(above, below, out=np.zeros_like(above), where=defined)
        repeats = defined.sum(axis=1)
        undefined = np.full(len(weights), np.nan)
        found: Floats = np.divide(means.sum(axis=1), repeats, out=undefined, where=repeats > 0)
        return found

    return statistic
