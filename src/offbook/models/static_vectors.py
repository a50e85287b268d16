"""Static word vectors: what a word means, read from a table without running a model.

Takes: hashes of folded words and of their stems.  Gives: rows of the table, frequency ranks, unit
vectors. The table (Apache-2.0, see NOTICE) is what benchmarks/distil_static.py makes of
all-MiniLM-L6-v2; it is mapped into memory, so only the pages that are asked for are read.
Paper: Model2Vec (Tulkens, van Dongen 2024), with the differences that the script names.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

DIMENSION: Final = 256
WORD_RECORD: Final = np.dtype([("hash", "<u4"), ("row", "<u2")])
ABSENT: Final = -1
"""The row of a word that the table does not hold."""

_DATA: Final = Path(__file__).parent / "data"


@dataclass(frozen=True, slots=True)
class StaticVectors:
    """A table of word vectors, rows in order of frequency.

    Args:
        hashes: Of words and stems, ascending.
        places: Row of each hash.
        vectors: int8, shape (rows, 256); only their direction counts.
    """

    hashes: NDArray[np.uint32]
    places: NDArray[np.uint16]
    vectors: NDArray[np.int8]

    def rows(self, words: NDArray[np.uint32], stems: NDArray[np.uint32]) -> NDArray[np.int64]:
        """The row of each word, else of its stem, else ``ABSENT``."""
        found = self._find(words)
        return np.where(found == ABSENT, self._find(stems), found)

    def ranks(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """How many words are more frequent; one that is absent is rarer than all."""
        return np.where(rows == ABSENT, len(self.vectors), rows)

    def unit(self, rows: NDArray[np.int64]) -> NDArray[np.float32]:
        """The vectors of ``rows`` with length 1, zeros where absent."""
        gathered = self.vectors[np.maximum(rows, 0)].astype(np.float32)
        lengths = np.sqrt(np.einsum("ij,ij->i", gathered, gathered))
        scale = np.where(rows == ABSENT, 0.0, 1.0 / lengths).astype(np.float32)
        return gathered * scale[:, None]

    def _find(self, hashes: NDArray[np.uint32]) -> NDArray[np.int64]:
        at = np.minimum(np.searchsorted(self.hashes, hashes), len(self.hashes) - 1)
        return np.where(self.hashes[at] == hashes, self.places[at].astype(np.int64), ABSENT)


@cache
def shipped_vectors() -> StaticVectors:
    """The table that comes with the package."""
    words = np.load(_DATA / "static_words.npy", allow_pickle=False)
    vectors = np.load(_DATA / "static_vectors.npy", mmap_mode="r", allow_pickle=False)
    return StaticVectors(
        np.ascontiguousarray(words["hash"]), np.ascontiguousarray(words["row"]), vectors
    )
