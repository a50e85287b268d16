"""The embedded embedder: vectors without a model file, a key or a network, in any script.

Takes: texts.  Gives: unit float32 vectors, the same on every machine: each search term adds a
few signed ones at places that its hash names, weighted by the root of its count.
Paper: Weinberger, Dasgupta, Langford, Smola, Attenberg 2009 (Feature Hashing for Large Scale
Multitask Learning); several places a term as in Kane, Nelson 2014 (sparse Johnson-Lindenstrauss).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Final
from zlib import crc32

from offbook.language.words import search_terms

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from offbook.protocols import EmbedKind

NAME: Final = "builtin-hashed-512-v1"
DIMENSION: Final = 512
_PLACES: Final = 4


class BuiltinEmbedder:
    """Hashed terms as dense vectors: texts are similar where they share words."""

    @property
    def name(self) -> str:
        """The embedder's name and version; other numbers for a text need another name."""
        return NAME

    @property
    def dimension(self) -> int:
        """How many numbers a vector has."""
        return DIMENSION

    async def embed(self, texts: Sequence[str], kind: EmbedKind) -> NDArray[np.float32]:
        """Vectors of ``texts``; questions and documents are embedded alike.

        Args:
            texts: Any number, of any length, in any script.
            kind: Makes no difference here.

        Returns:
            Shape ``(len(texts), 512)``; a text without terms has a row of zeros.
        """
        return embed_texts(texts)


def embed_texts(texts: Sequence[str]) -> NDArray[np.float32]:
    """What ``BuiltinEmbedder.embed`` does, for callers that do not wait."""
    import numpy as np

    counted = [Counter(map(_hash, search_terms(text))) for text in texts]
    sizes = [len(counts) for counts in counted]
    hashes = np.fromiter((h for counts in counted for h in counts), np.uint64, sum(sizes))
    weights = np.sqrt(
        np.fromiter((n for counts in counted for n in counts.values()), np.float64, sum(sizes))
    )
    rows = np.repeat(np.arange(len(texts)), sizes)
    flat = np.zeros(len(texts) * DIMENSION)
    for place in range(_PLACES):
        mixed = _mix(hashes, place)
        signs = np.where(mixed >> np.uint64(63), 1.0, -1.0)
        columns = ((mixed >> np.uint64(20)) % np.uint64(DIMENSION)).astype(np.intp)
        flat += np.bincount(rows * DIMENSION + columns, signs * weights, minlength=len(flat))
    vectors = flat.reshape(len(texts), DIMENSION)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return (vectors / np.where(lengths > 0, lengths, 1)).astype(np.float32)


@lru_cache(maxsize=1 << 17)
def _hash(term: str) -> int:
    return crc32(term.encode("utf-8", "surrogatepass"))


def _mix(hashes: NDArray[np.uint64], place: int) -> NDArray[np.uint64]:
    """SplitMix64 of the hash and the place: all 64 bits depend on all of the input."""
    import numpy as np

    x = (hashes + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(
        place * 0xD1342543DE82EF95 & 0xFFFFFFFFFFFFFFFF
    )
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))
