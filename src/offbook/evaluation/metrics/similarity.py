"""The similarity table: how near the chunks lie that are found for a question.

Takes: vectors of questions and chunks, or the cosines themselves.  Gives: a character's mean and
population variance, and their sums over characters, with intervals.
Paper: AMADEUS (003), section 5.3, table 1 and appendix E: for each character the mean and variance
of the cosine of each question with each of its top three chunks; the table has their sums.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from offbook.evaluation.metrics.statistics import DRAWS, SEED, Estimate, draw_weights

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from offbook.evaluation.metrics.statistics import Floats

TOP: Final = 3
"""Chunks a question, as in table 1."""


def top_cosines(questions: NDArray[Any], chunks: NDArray[Any], top: int = TOP) -> Floats:
    """Cosines of each question with its nearest chunks, the nearest first.

    Args:
        questions: Vectors, shape (questions, dimensions); of any length.
        chunks: Vectors, shape (chunks, dimensions).
        top: How many chunks a question.

    Returns:
        Shape (questions, min(top, chunks)).

    Raises:
        ValueError: a vector is zero, so that it has no direction.
    """
    import numpy as np

    cosines = _unit(questions) @ _unit(chunks).T
    kept = min(top, cosines.shape[1])
    return -np.sort(-cosines, axis=1)[:, :kept]


@dataclass(frozen=True, slots=True)
class CharacterSimilarity:
    """Mean and population variance over all (question, chunk) pairs of a character.

    Both are None without a pair; ``n`` counts pairs, ``without_chunks`` questions that found none.
    """

    mean: float | None
    variance: float | None
    n: int
    questions: int
    without_chunks: int


@dataclass(frozen=True, slots=True)
class SimilarityTable:
    """One line of table 1: sums over characters, n being the pairs.

    ``missing`` of the two estimates counts questions that found no chunk. The intervals draw
    questions, within each character.
    """

    characters: Mapping[str, CharacterSimilarity]
    sum_of_means: Estimate
    sum_of_variances: Estimate


def similarity_table(
    cosines: Mapping[str, Sequence[Sequence[float]]], *, draws: int = DRAWS, seed: int = SEED
) -> SimilarityTable:
    """Table 1 from the cosines of each character's questions.

    Args:
        cosines: By character, for each question the cosines with its nearest chunks.
        draws: Resamples.
        seed: Of the draw.
    """
    import numpy as np

    rows: dict[str, CharacterSimilarity] = {}
    means, variances = np.zeros(draws), np.zeros(draws)
    # One stream a character: taking one away leaves the draws of the others alone.
    for place, character in enumerate(sorted(cosines)):
        own = cosines[character]
        found = [np.asarray(each, dtype=np.float64) for each in own if len(each)]
        rows[character] = _row(found, len(own))
        if len(found) > 1:
            drawn = _drawn(found, draws, seed + place)
            means += drawn[0]
            variances += drawn[1]
        else:
            means[:] = variances[:] = np.nan
    return SimilarityTable(
        characters=rows,
        sum_of_means=_summed([row.mean for row in rows.values()], means, rows),
        sum_of_variances=_summed([row.variance for row in rows.values()], variances, rows),
    )


def _unit(vectors: NDArray[Any]) -> Floats:
    import numpy as np

    wide = np.asarray(vectors, dtype=np.float64)
    lengths = np.linalg.norm(wide, axis=1, keepdims=True)
    if not lengths.all():
        raise ValueError(f"vector {int(np.argmin(lengths))} is zero: it has no cosine with any")
    unit: Floats = wide / lengths
    return unit


def _row(found: Sequence[Floats], questions: int) -> CharacterSimilarity:
    import numpy as np

    if not found:
        return CharacterSimilarity(None, None, 0, questions, questions)
    pairs = np.concatenate(found)
    return CharacterSimilarity(
        mean=float(pairs.mean()),
        variance=float(pairs.var()),
        n=len(pairs),
        questions=questions,
        without_chunks=questions - len(found),
    )


def _drawn(found: Sequence[Floats], draws: int, seed: int) -> tuple[Floats, Floats]:
    """Means and variances of a character when its questions are drawn anew."""
    import numpy as np

    # Around the mean of all: variances of 0.005 must not be the difference of two numbers near 1.
    centre = float(np.concatenate(found).mean())
    counts = np.array([len(each) for each in found], dtype=np.float64)
    sums = np.array([float((each - centre).sum()) for each in found])
    squares = np.array([float(((each - centre) ** 2).sum()) for each in found])
    means, variances = [], []
    for weights in draw_weights(len(found), draws, seed):
        below = weights @ counts
        offset = (weights @ sums) / below
        means.append(centre + offset)
        variances.append((weights @ squares) / below - offset**2)
    return np.concatenate(means), np.concatenate(variances)


def _summed(
    values: Sequence[float | None], drawn: Floats, rows: Mapping[str, CharacterSimilarity]
) -> Estimate:
    """A sum over characters; without any of them it would be no sum over characters."""
    import numpy as np

    n = sum(row.n for row in rows.values())
    missing = sum(row.without_chunks for row in rows.values())
    present = [value for value in values if value is not None]
    if not present or len(present) < len(values):
        return Estimate(None, n, missing)
    if np.isnan(drawn).any():
        return Estimate(sum(present), n, missing)
    low, high = np.percentile(drawn, [2.5, 97.5])
    return Estimate(sum(present), n, missing, float(low), float(high))
