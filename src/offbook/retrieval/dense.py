"""Dense retrieval: the chunks nearest to a question's vector, found exactly.

Takes: unit vectors as one float32 matrix, a question's vector.  Gives: cosine scores, and the
positions of the best k, ties by position, so that equal inputs rank equally everywhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from offbook.errors import EmbedderMismatch, StoreFailed


def top_positions(scores: NDArray[np.float32], k: int) -> NDArray[np.intp]:
    """Positions of the ``k`` highest scores, best first; equal scores in order of position.

    A partial sort finds the k-th score; only what reaches it is sorted. ``argpartition`` alone
    would take any of several equal scores at the cut.
    """
    size = len(scores)
    if k <= 0 or size == 0:
        return np.empty(0, dtype=np.intp)
    if k >= size:
        return np.argsort(-scores, kind="stable")
    cut = np.partition(scores, size - k)[size - k]
    reaching = np.flatnonzero(scores >= cut)
    return reaching[np.argsort(-scores[reaching], kind="stable")[:k]]


@dataclass(frozen=True, slots=True)
class DenseIndex:
    """The vectors of some chunks, rows in the order of ``ids``.

    Args:
        ids: One a row.
        matrix: float32, shape ``(len(ids), dimension)``, rows of length 1 (or 0: never similar).
    """

    ids: Sequence[str]
    matrix: NDArray[np.float32]

    def __post_init__(self) -> None:
        if self.matrix.ndim != 2 or len(self.matrix) != len(self.ids):
            raise StoreFailed(
                f"{len(self.ids)} chunks have vectors of shape {self.matrix.shape!r}",
                "make the vectors anew: offbook reembed NAME",
            )

    @classmethod
    def from_blobs(cls, ids: Sequence[str], blobs: Sequence[bytes], dimension: int) -> Self:
        """Join stored vectors (little-endian float32) into one matrix: one copy, no loop.

        Raises:
            StoreFailed: the blobs are not ``len(ids)`` vectors of ``dimension``.
        """
        joined = b"".join(blobs)
        if len(blobs) != len(ids) or len(joined) != len(ids) * dimension * 4:
            raise StoreFailed(
                f"{len(ids)} chunks have {len(joined)!r} bytes of vectors of {dimension!r} numbers",
                "make the vectors anew: offbook reembed NAME",
            )
        return cls(ids, np.frombuffer(joined, dtype="<f4").reshape(len(ids), dimension))

    @property
    def dimension(self) -> int:
        """How many numbers a vector has."""
        return int(self.matrix.shape[1])

    def scores(self, vector: NDArray[np.float32]) -> NDArray[np.float32]:
        """Cosine similarity of every row with the unit vector ``vector``, in order of the rows.

        Raises:
            EmbedderMismatch: the vector has another dimension than the index.
            StoreFailed: a vector holds what is not a number.
        """
        if vector.shape != (self.dimension,):
            raise EmbedderMismatch(
                f"the question's vector has shape {vector.shape!r}, "
                f"the stored ones have {self.dimension!r} numbers",
                "make the stored vectors anew with the configured embedder: offbook reembed NAME",
            )
        scores: NDArray[np.float32] = self.matrix @ vector
        if not np.isfinite(scores).all():
            broken = self.ids[int(np.flatnonzero(~np.isfinite(scores))[0])]
            raise StoreFailed(
                f"the vector of chunk {broken!r}, or of the question, holds what is not a number",
                "make the vectors anew: offbook reembed NAME",
            )
        return scores
