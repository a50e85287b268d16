"""Distances of many vectors from one: all of them roughly in one product, a few of them exactly.

Takes: a float32 matrix, a vector.  Gives: bounds between which each distance surely lies, and exact
distances of chosen rows in double precision. With both, the nearest are found as if all had been
compared in double precision. Source: ours; the bounds follow Higham 2002, section 3.1.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal, Self

import numpy as np
from numpy.typing import NDArray

from offbook.errors import EmbedderMismatch, StoreFailed

Distance = Literal["euclidean", "cosine"]
Floats = NDArray[np.float64]
Singles = NDArray[np.float32]
Positions = NDArray[np.intp]

_UNIT: Final = 2.0**-24
"""What rounding to single precision changes at most, relatively."""
_BLOCK: Final = 8_192
"""Rows that are widened to double precision at a time."""


@dataclass(frozen=True, slots=True)
class SemanticVectors:
    """Vectors with what their distances need, so that a question costs one product.

    Args:
        matrix: float32, shape ``(n, dimension)``, of any lengths; kept, never copied.
        lengths: Of the rows, float32.
    """

    matrix: Singles
    lengths: Singles

    @classmethod
    def build(cls, matrix: Singles, before: SemanticVectors | None = None) -> Self:
        """Measure the rows, block by block.

        Args:
            matrix: The rows.
            before: Vectors whose rows are the first of these; they are not measured again.
        """
        known = 0 if before is None else len(before)
        lengths = np.empty(len(matrix), dtype=np.float32)
        if before is not None:
            lengths[:known] = before.lengths
        for start in range(known, len(matrix), _BLOCK):
            block = matrix[start : start + _BLOCK].astype(np.float64)
            lengths[start : start + _BLOCK] = np.sqrt(np.einsum("ij,ij->i", block, block))
        return cls(matrix, lengths)

    def __len__(self) -> int:
        return len(self.matrix)

    def bounds(self, vector: Singles, distance: Distance) -> tuple[Singles, Singles]:
        """Below and above the distance of each row.

        Raises:
            EmbedderMismatch: the vector has another dimension than the rows.
            StoreFailed: a vector holds what is not a number.
        """
        if vector.shape != self.matrix.shape[1:]:
            raise EmbedderMismatch(
                f"the question's vector has shape {vector.shape!r}, "
                f"the memories' have {self.matrix.shape[1]!r} numbers",
                "make the stored vectors anew with the configured embedder: offbook reembed NAME",
            )
        with np.errstate(all="ignore"):  # BLAS raises flags of its own; the result is checked
            dots = self.matrix @ vector
        if not np.isfinite(dots).all():
            broken = int(np.flatnonzero(~np.isfinite(dots))[0])
            raise StoreFailed(
                f"the vector of memory {broken!r}, or of the question, holds what is not a number",
                "make the vectors anew: offbook reembed NAME",
            )
        return (
            self._euclidean(dots, vector) if distance == "euclidean" else self._cosine(dots, vector)
        )

    def _euclidean(self, dots: Singles, vector: Singles) -> tuple[Singles, Singles]:
        """``|m - q|^2 = |m|^2 + |q|^2 - 2 m.q``, which is least certain where the two are near."""
        asked = float(np.linalg.norm(vector.astype(np.float64)))
        longest = float(self.lengths.max(initial=0))
        off = _UNIT * (2 * len(vector) * longest * asked + 8 * (longest**2 + asked**2))
        squares = np.square(self.lengths)
        squares += np.float32(asked**2)
        dots *= np.float32(2)
        squares -= dots
        below = np.maximum(squares - np.float32(off), 0, out=dots)
        squares += np.float32(off)
        return np.sqrt(below, out=below), np.sqrt(squares, out=squares)

    def _cosine(self, dots: Singles, vector: Singles) -> tuple[Singles, Singles]:
        asked = float(np.linalg.norm(vector.astype(np.float64)))
        scale = self.lengths * np.float32(asked)
        cosines = np.divide(dots, scale, out=np.zeros_like(dots), where=scale > 0)
        off = np.float32(_UNIT * (len(vector) + 16))
        near = np.float32(1) - cosines
        return np.maximum(near - off, 0), near + off

    def exact(self, rows: Positions, vector: Singles, distance: Distance) -> Floats:
        """Distances of ``rows`` in double precision; a zero vector has cosine 0 with any."""
        measure = _MEASURES[distance]
        wide = vector.astype(np.float64)
        found = np.empty(len(rows))
        for start in range(0, len(rows), _BLOCK):
            block = self.matrix[rows[start : start + _BLOCK]].astype(np.float64)
            found[start : start + _BLOCK] = measure(block, wide)
        return found


def _euclidean_exactly(block: Floats, vector: Floats) -> Floats:
    block -= vector
    distances: Floats = np.sqrt(np.einsum("ij,ij->i", block, block))
    return distances


def _cosine_exactly(block: Floats, vector: Floats) -> Floats:
    lengths = np.sqrt(np.einsum("ij,ij->i", block, block)) * np.linalg.norm(vector)
    dots = np.einsum("ij,j->i", block, vector)
    distances: Floats = 1 - dots / np.where(lengths > 0, lengths, 1)
    return distances


_MEASURES: Final[dict[str, Callable[[Floats, Floats], Floats]]] = {
    "euclidean": _euclidean_exactly,
    "cosine": _cosine_exactly,
}
