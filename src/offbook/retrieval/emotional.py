"""Emotional recall: memories that are near in meaning and were felt alike.

Takes: semantic and emotion vectors of memories, oldest first, and those of a question.  Gives: the
best k with both distances, measured in double precision.
Paper: Emotional RAG (004), section II-B.3, equations 6 to 8, and the strategies named there. Beyond
it: memories without an emotion yet, and emotions counted from neutral (``centred``), since the
paper's cosine takes "a little of everything" and "much of everything" for the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from offbook.errors import EmbedderMismatch, StoreFailed, UnknownName

Distance = Literal["euclidean", "cosine"]
Floats = NDArray[np.float64]
Singles = NDArray[np.float32]

K: Final = 10
EMOTIONS: Final = 8
NEUTRAL: Final = 1.0
"""The level of an emotion that is not felt at all."""
STRATEGIES: Final = ("ordinary", "C-A", "C-M", "S-S", "S-E")
_DECIMALS: Final = 12
"""Decimals of an emotional distance; what lies behind them is rounding, and would break ties."""
_BLOCK: Final = 8_192
"""Rows that are widened to double precision at a time: the matrix itself is never copied whole."""


@dataclass(frozen=True, slots=True)
class RecalledMemory:
    """A memory that was recalled.

    Args:
        index: Its row, 0 for the oldest.
        score: What the strategy ranked it by last, lower is better.
        c: Its distance in meaning.
        e: Its distance in emotion, for one without an emotion what it was taken for; None where
            the emotion of the question, or of every memory that was compared, is not known.
    """

    index: int
    score: float
    c: float
    e: float | None


def recall(
    matrix: Singles,
    emotions: ArrayLike,
    vector: Singles,
    emotion: ArrayLike | None,
    strategy: str,
    *,
    k: int = K,
    pool: int | None = None,
    distance: Distance = "euclidean",
    centred: bool = False,
) -> list[RecalledMemory]:
    """Find the best ``k`` memories for a question, best first; equal ones oldest first.

    Args:
        matrix: Semantic vectors, float32, shape ``(n, dimension)``, oldest first.
        emotions: Eight levels each, shape ``(n, 8)``; a row that is zero throughout or holds NaN
            is an emotion that is not known.
        vector: The question's semantic vector.
        emotion: Its eight levels, or None where they are not known: then the distance in meaning
            alone decides.
        strategy: One of ``STRATEGIES``.
        k: How many.
        pool: How many the first step of S-S and S-E keeps; None is ``2 * k``.
        distance: What ``c`` is.
        centred: Count emotions from neutral; the paper does not.

    Raises:
        EmbedderMismatch: the vector has another dimension than the memories.
        StoreFailed: the shapes do not fit, or a vector holds what is not a number.
        UnknownName: no such strategy.
    """
    if strategy not in STRATEGIES:
        known = ", ".join(STRATEGIES)
        raise UnknownName(f"no recall strategy {strategy!r}", f"choose one of: {known}")
    levels = np.asarray(emotions, dtype=np.float64)
    if matrix.ndim != 2 or levels.shape != (len(matrix), EMOTIONS):
        raise StoreFailed(
            f"memories have vectors of shape {matrix.shape!r} and emotions of {levels.shape!r}",
            "make the vectors anew: offbook reembed NAME",
        )
    if not len(matrix) or k <= 0:
        return []
    c = semantic_distances(matrix, vector, distance)
    e = np.full(len(matrix), np.nan)
    if emotion is not None:
        e = emotional_distances(levels, emotion, NEUTRAL if centred else 0.0)
    return rank(c, e, strategy, k, 2 * k if pool is None else pool)


def rank(c: Floats, e: Floats, strategy: str, k: int, pool: int) -> list[RecalledMemory]:
    """Rank memories by a strategy of the paper; of equal ones the oldest comes first.

    ``ordinary`` ranks by ``c``, C-A by ``c + e``, C-M by ``c * e``. S-S ranks the ``pool`` nearest
    in meaning by ``e``, S-E the ``pool`` felt most alike by ``c``. Where ``e`` is NaN, it counts as
    the median of the others (with S-S: of those in the pool); where all are, ``c`` alone decides.
    """
    if np.isnan(e).all():
        strategy = "ordinary"
    rows = np.argsort(c, kind="stable")[:pool] if strategy == "S-S" else np.arange(len(c))
    c, e = c[rows], e[rows]
    unknown = np.isnan(e)
    if not unknown.all():
        e = np.where(unknown, np.median(e[~unknown]), e)
    if strategy == "S-E":
        alike = np.argsort(e, kind="stable")[:pool]
        rows, c, e = rows[alike], c[alike], e[alike]
    by_strategy = {"C-A": c + e, "C-M": c * e, "S-S": np.where(np.isnan(e), c, e)}
    scores = by_strategy.get(strategy, c)
    return [
        RecalledMemory(
            int(rows[i]), float(scores[i]), float(c[i]), None if np.isnan(e[i]) else float(e[i])
        )
        for i in np.argsort(scores, kind="stable")[:k].tolist()
    ]


def semantic_distances(matrix: Singles, vector: Singles, distance: Distance) -> Floats:
    """Measure the distance of each row from a vector; a zero vector has cosine 0 with any."""
    if vector.shape != matrix.shape[1:]:
        raise EmbedderMismatch(
            f"the question's vector has shape {vector.shape!r}, "
            f"the memories' have {matrix.shape[1]!r} numbers",
            "make the stored vectors anew with the configured embedder: offbook reembed NAME",
        )
    question = vector.astype(np.float64)
    c = np.empty(len(matrix))
    for start in range(0, len(matrix), _BLOCK):
        block = matrix[start : start + _BLOCK].astype(np.float64)
        if distance == "euclidean":
            c[start : start + _BLOCK] = np.linalg.norm(block - question, axis=1)
        else:
            c[start : start + _BLOCK] = 1 - _cosines(block, question)
    broken = np.flatnonzero(~np.isfinite(c))
    if len(broken):
        raise StoreFailed(
            f"the vector of memory {broken[0]}, or of the question, holds what is not a number",
            "make the vectors anew: offbook reembed NAME",
        )
    return c


def emotional_distances(levels: Floats, emotion: ArrayLike, neutral: float) -> Floats:
    """Measure the cosine distance of each row from an emotion; NaN where it is not known."""
    question = np.asarray(emotion, dtype=np.float64)
    if question.shape != (EMOTIONS,) or not np.isfinite(question).all():
        raise StoreFailed(f"an emotion has eight numbers, not {question!r}")
    counted, question = levels - neutral, question - neutral
    e = 1 - _cosines(counted, question)
    if not question.any():  # counted from neutral: what is neutral, too, is felt alike
        e[~counted.any(axis=1)] = 0
    e[np.isnan(levels).any(axis=1) | ~levels.any(axis=1)] = np.nan
    rounded: Floats = np.round(e, _DECIMALS)
    return rounded


def _cosines(rows: Floats, vector: Floats) -> Floats:
    lengths = np.linalg.norm(rows, axis=1) * np.linalg.norm(vector)
    # Not ``@``: BLAS sums equal rows in different orders, which would break ties.
    dots = np.einsum("ij,j->i", rows, vector)
    cosines: Floats = dots / np.where(lengths > 0, lengths, 1)
    return cosines
