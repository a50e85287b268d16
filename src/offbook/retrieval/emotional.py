"""Emotional recall: memories that are near in meaning and were felt alike, found exactly.

Takes: semantic and emotion vectors of memories, oldest first, and those of a question.  Gives: the
best k with both distances, the same as the formula in double precision gives, at any size.
Paper: Emotional RAG (004), section II-B.3, equations 6 to 8, and the strategies named there. Beyond
it: memories without an emotion yet, and emotions counted from neutral (``neutral``), since the
paper's cosine takes "a little of everything" and "much of everything" for the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from offbook.errors import StoreFailed, UnknownName
from offbook.retrieval.semantic_distance import Distance, SemanticVectors

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]
Positions = NDArray[np.intp]

K: Final = 10
EMOTIONS: Final = 8
NEUTRAL: Final = 1.0
"""The level of an emotion that is not felt at all."""
_DECIMALS: Final = 12
"""Decimals of an emotional distance; what lies behind them is rounding, and would break ties."""
_ROUNDING: Final = np.float32(2e-6)
"""What an emotional distance in single precision may be off by, with room to spare."""
_BLOCK: Final = 8_192


def ordinary(c: Floats, e: Floats, k: int, pool: int) -> Positions:
    """The ``k`` nearest in meaning, best first; equal ones by age."""
    del e, pool
    return _first(c, k)


def combination_add(c: Floats, e: Floats, k: int, pool: int) -> Positions:
    """C-A: by ``c + e``."""
    del pool
    return _first(c + filled(e), k)


def combination_multiply(c: Floats, e: Floats, k: int, pool: int) -> Positions:
    """C-M: by ``c * e``; a memory felt exactly alike comes before all others, however far."""
    del pool
    return _first(c * filled(e), k)


def semantic_first(c: Floats, e: Floats, k: int, pool: int) -> Positions:
    """S-S: the ``pool`` nearest in meaning, then by ``e``; equal ones stay as they were."""
    nearest = _first(c, pool)
    return nearest[_first(filled(e[nearest]), k)]


def emotion_first(c: Floats, e: Floats, k: int, pool: int) -> Positions:
    """S-E: the ``pool`` felt most alike, then by ``c``; by ``c`` alone where nothing is known."""
    if np.isnan(e).all():
        return _first(c, k)
    alike = _first(filled(e), pool)
    return alike[_first(c[alike], k)]


STRATEGIES: Final[Mapping[str, Callable[[Floats, Floats, int, int], Positions]]] = {
    "ordinary": ordinary,
    "C-A": combination_add,
    "C-M": combination_multiply,
    "S-S": semantic_first,
    "S-E": emotion_first,
}
"""Strategy -> positions of the best ``k``, from distances in order of age and a pool's size.

``e`` is NaN where it is not known; it counts as the median of the others in the pool.
"""


def filled(e: Floats) -> Floats:
    """``e`` with the median of what is known where it is not; ones where nothing is known."""
    unknown = np.isnan(e)
    if not unknown.any():
        return e
    known = e[~unknown]
    return np.where(unknown, np.median(known) if len(known) else 1.0, e)


def _first(scores: Floats, k: int) -> Positions:
    """Positions of the ``k`` lowest scores; equal ones in their order."""
    return np.argsort(scores, kind="stable")[: max(k, 0)]


@dataclass(frozen=True, slots=True)
class Recalled:
    """A memory that was found.

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


@dataclass(frozen=True, slots=True)
class EmotionVectors:
    """Emotion vectors, ready to be compared.

    Args:
        levels: As they are, float32, shape ``(n, 8)``; NaN where not known.
        directions: Counted from neutral and of length 1 (or 0), float32, shape ``(8, n)``.
        neutral: What they are counted from: 0 as the paper has it, or ``NEUTRAL``.
    """

    levels: Singles
    directions: Singles
    neutral: float

    @classmethod
    def build(cls, emotions: ArrayLike, neutral: float) -> Self:
        """Prepare rows; one that is zero throughout or holds NaN is not known."""
        levels = np.array(emotions, dtype=np.float32)
        levels[np.isnan(levels).any(axis=1) | ~levels.any(axis=1)] = np.nan
        directions = np.empty(levels.shape[::-1], dtype=np.float32)
        for start in range(0, len(levels), _BLOCK):
            block = levels[start : start + _BLOCK].astype(np.float64) - neutral
            directions[:, start : start + _BLOCK] = _unit(block).T
        return cls(levels, directions, neutral)

    @property
    def any_known(self) -> bool:
        """Whether there is any emotion to compare with."""
        return not np.isnan(self.directions[0]).all()

    def felt(self, emotion: ArrayLike | None) -> Floats | None:
        """The direction of a question's emotion; None where nothing can be compared."""
        if emotion is None or not self.any_known:
            return None
        felt = np.asarray(emotion, dtype=np.float64)
        if felt.shape != (EMOTIONS,) or not np.isfinite(felt).all():
            raise StoreFailed(f"an emotion has eight numbers, not {felt!r}")
        direction: Floats = _unit((felt - self.neutral)[None, :])[0]
        return direction

    def roughly(self, felt: Floats) -> tuple[Singles, float]:
        """``e`` of all to within ``_ROUNDING``, and the exact median, which stands for unknown."""
        if felt.any():
            # Not a BLAS product: with eight rows, starting its threads costs more than the sums.
            e: Singles = np.einsum("i,ij->j", felt.astype(np.float32), self.directions)
            np.subtract(1, e, out=e)
        else:  # only counted from neutral: like what is neutral, unlike the rest
            e = np.where(self.directions.any(axis=0), np.float32(1), np.float32(0))
            e[np.isnan(self.directions[0])] = np.nan
        unknown = np.isnan(e)
        if not unknown.any():
            return e, np.nan
        median = self._median(e, felt, len(e) - int(unknown.sum()))
        e[unknown] = median
        return e, median

    def _median(self, rough: Singles, felt: Floats, known: int) -> float:
        """The exact median: only what is roughly in the middle has to be measured exactly."""
        middles = [(known - 1) // 2, known // 2]
        ranked = np.partition(rough, middles)  # NaN is last
        found = []
        for place in middles:
            low, high = ranked[place] - 4 * _ROUNDING, ranked[place] + 4 * _ROUNDING
            near = np.flatnonzero((rough >= low) & (rough <= high))
            below = int((rough < low).sum())
            found.append(np.sort(self.exact(near, felt))[place - below])
        return float(np.mean(found))

    def exact(self, rows: Positions, felt: Floats) -> Floats:
        """``e`` of some rows in double precision; NaN where it is not known."""
        unit = _unit(self.levels[rows].astype(np.float64) - self.neutral)
        if felt.any():
            e = 1 - np.einsum("ij,j->i", unit, felt)
        else:
            e = np.where(np.isnan(unit[:, 0]), np.nan, unit.any(axis=1).astype(np.float64))
        rounded: Floats = np.round(e, _DECIMALS)
        return rounded


def _unit(rows: Floats) -> Floats:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    scaled: Floats = rows / np.where(lengths > 0, lengths, 1)
    return scaled


@dataclass(frozen=True, slots=True)
class EmotionalIndex:
    """Memories, oldest first, ready to be recalled; no question copies their matrix."""

    semantic: SemanticVectors
    emotions: EmotionVectors

    @classmethod
    def build(
        cls,
        matrix: Singles,
        emotions: ArrayLike,
        *,
        centred: bool = False,
        before: EmotionalIndex | None = None,
    ) -> Self:
        """Prepare memories.

        Args:
            matrix: float32, shape ``(n, dimension)``, one row a memory; kept, not copied.
            emotions: Numbers, shape ``(n, 8)``; a row that is zero throughout or holds NaN is an
                emotion that is not known.
            centred: Count emotions from neutral; the paper does not.
            before: An index whose vectors are the first of these; they are not measured again.

        Raises:
            StoreFailed: the shapes do not fit.
        """
        shape = np.shape(emotions)
        if matrix.ndim != 2 or shape != (len(matrix), EMOTIONS):
            raise StoreFailed(
                f"memories have vectors of shape {matrix.shape!r} and emotions of {shape!r}",
                "make the vectors anew: offbook reembed NAME",
            )
        felt = EmotionVectors.build(emotions, NEUTRAL if centred else 0.0)
        semantic = SemanticVectors.build(matrix, None if before is None else before.semantic)
        return cls(semantic, felt)

    def __len__(self) -> int:
        return len(self.semantic)

    def recall(
        self,
        vector: Singles,
        emotion: ArrayLike | None,
        strategy: str,
        *,
        k: int = K,
        pool: int | None = None,
        distance: Distance = "euclidean",
    ) -> list[Recalled]:
        """The best ``k`` memories for a question, best first.

        Args:
            vector: The question's semantic vector.
            emotion: Its eight numbers, or None where they are not known: then the distance in
                meaning alone decides.
            strategy: A key of ``STRATEGIES``.
            k: How many.
            pool: How many the first step of S-S and S-E keeps; None is ``2 * k``.
            distance: What ``c`` is.

        Raises:
            EmbedderMismatch: the vector has another dimension than the memories.
            StoreFailed: a vector holds what is not a number.
            UnknownName: no such strategy.
        """
        if strategy not in STRATEGIES:
            raise UnknownName(
                f"no recall strategy {strategy!r}", f"choose one of: {', '.join(STRATEGIES)}"
            )
        if not len(self) or k <= 0:
            return []
        felt = self.emotions.felt(emotion)
        chosen = "ordinary" if felt is None else strategy
        asked = _Asked(self, vector, felt, k, 2 * k if pool is None else pool, distance)
        rows, c, e = _FINDERS[chosen](asked)
        best = STRATEGIES[chosen](c, e, k, asked.pool)
        return _recalled(chosen, rows[best], c[best], e[best])


@dataclass(frozen=True, slots=True)
class _Asked:
    """A question; ``felt`` is None where emotions play no part."""

    index: EmotionalIndex
    vector: Singles
    felt: Floats | None
    k: int
    pool: int
    distance: Distance

    def bounds(self) -> tuple[Singles, Singles]:
        return self.index.semantic.bounds(self.vector, self.distance)

    def exact_c(self, rows: Positions) -> Floats:
        return self.index.semantic.exact(rows, self.vector, self.distance)

    def exact_e(self, rows: Positions, unknown: float | None = None) -> Floats:
        """``e`` of rows; where not known it is ``unknown``, or the median of these rows."""
        if self.felt is None:
            return np.full(len(rows), np.nan)
        e = self.index.emotions.exact(rows, self.felt)
        if unknown is not None:
            return np.where(np.isnan(e), unknown, e)
        return e if np.isnan(e).all() else filled(e)

    def rough_e(self) -> tuple[Singles, float]:
        return self.index.emotions.roughly(_NOTHING if self.felt is None else self.felt)


_NOTHING: Final = np.zeros(EMOTIONS)
_Found = tuple[Positions, Floats, Floats]
"""Rows in order of age, among them all that the strategy can choose, with their distances."""


def _by_meaning(asked: _Asked, size: int) -> _Found:
    """The ``size`` nearest in meaning."""
    rows = _reaching(*asked.bounds(), size)
    c = asked.exact_c(rows)
    kept = np.sort(_first(c, size))
    return rows[kept], c[kept], asked.exact_e(rows[kept])


def _by_emotion(asked: _Asked) -> _Found:
    """The pool felt most alike."""
    rough, median = asked.rough_e()
    rows = _felt_the_same(asked, rough, median, asked.pool)
    if len(rows) < asked.pool:
        rows = _reaching(rough - _ROUNDING, rough + _ROUNDING, asked.pool)
    e = asked.exact_e(rows, median)
    kept = np.sort(_first(e, asked.pool))
    return rows[kept], asked.exact_c(rows[kept]), e[kept]


def _by_sum(asked: _Asked) -> _Found:
    """Whatever may be among the ``k`` with the lowest sum."""
    below, above = asked.bounds()
    rough, median = asked.rough_e()
    below += rough - _ROUNDING
    above += rough + _ROUNDING
    rows = _reaching(below, above, asked.k)
    return rows, asked.exact_c(rows), asked.exact_e(rows, median)


def _by_product(asked: _Asked) -> _Found:
    """Whatever may be among the ``k`` with the lowest product."""
    rough, median = asked.rough_e()
    rows = _felt_the_same(asked, rough, median, asked.k)
    if len(rows) < asked.k:
        below, above = asked.bounds()
        rows = _reaching(
            below * np.maximum(rough - _ROUNDING, 0), above * (rough + _ROUNDING), asked.k
        )
    return rows, asked.exact_c(rows), asked.exact_e(rows, median)


def _felt_the_same(asked: _Asked, rough: Singles, median: float, size: int) -> Positions:
    """The ``size`` oldest with an emotional distance of exactly 0, fewer where there are fewer.

    Nothing comes before them in S-E and C-M. With a million memories without any feeling, looking
    at the oldest is enough.
    """
    near = np.flatnonzero(rough <= _ROUNDING)
    found = near[:0]
    for start in range(0, len(near), _BLOCK):
        block = near[start : start + _BLOCK]
        found = np.append(found, block[asked.exact_e(block, median) == 0])
        if len(found) >= size:
            break
    return found[:size]


def _reaching(below: NDArray[np.floating], above: NDArray[np.floating], size: int) -> Positions:
    """Rows, by age, that may be among the ``size`` lowest."""
    if size >= len(below):
        return np.arange(len(below))
    return np.flatnonzero(below <= np.partition(above, size - 1)[size - 1])


_FINDERS: Final[Mapping[str, Callable[[_Asked], _Found]]] = {
    "ordinary": lambda asked: _by_meaning(asked, asked.k),
    "C-A": _by_sum,
    "C-M": _by_product,
    "S-S": lambda asked: _by_meaning(asked, asked.pool),
    "S-E": _by_emotion,
}


def _recalled(strategy: str, rows: Positions, c: Floats, e: Floats) -> list[Recalled]:
    ranked = {"C-A": c + e, "C-M": c * e, "S-S": e if not np.isnan(e).any() else c}
    scores = ranked.get(strategy, c)
    return [
        Recalled(int(row), float(score), float(near), None if np.isnan(alike) else float(alike))
        for row, score, near, alike in zip(rows, scores, c, e, strict=True)
    ]
