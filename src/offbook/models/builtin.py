"""The built-in embedder: vectors without a download, a key or a network, in any script.

Takes: texts.  Gives: unit float32 vectors of 768 numbers in two blocks of equal say: which terms a
text has (hashed, 512) and what its words mean (static vectors, 256). Stop words count in neither,
rare words count more, by their rank in the vocabulary.
Papers: Weinberger et al. 2009 (Feature Hashing for Large Scale Multitask Learning) with several
places a term (Kane, Nelson 2014); Model2Vec (Tulkens, van Dongen 2024). The table of word vectors
(Apache-2.0, see NOTICE) is what benchmarks/distil_static.py makes of all-MiniLM-L6-v2; it is mapped
into memory, so only the pages that are asked for are read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import chain, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from offbook.models.beside import worked_out
from offbook.text.words import search_words
from offbook.types import EMBEDDED

if TYPE_CHECKING:
    from offbook.protocols import EmbedKind


MEANING_DIMENSION: Final = 256
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
        exact = self._find(words)
        return np.where(exact == ABSENT, self._find(stems), exact)

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
        positions = np.minimum(np.searchsorted(self.hashes, hashes), len(self.hashes) - 1)
        return np.where(
            self.hashes[positions] == hashes, self.places[positions].astype(np.int64), ABSENT
        )


@cache
def shipped_vectors() -> StaticVectors:
    """The table that comes with the package."""
    words = np.load(_DATA / "static_words.npy", allow_pickle=False)
    vectors = np.load(_DATA / "static_vectors.npy", mmap_mode="r", allow_pickle=False)
    return StaticVectors(
        np.ascontiguousarray(words["hash"]), np.ascontiguousarray(words["row"]), vectors
    )


NAME: Final = "builtin-768-v1"
"""With its version: other numbers for a text need another name."""
DIMENSION: Final = 768
"""How many numbers a vector has."""

_HASHED: Final = 512
_MEANING: Final = DIMENSION - _HASHED
_PLACES: Final = 4
"""Places a term has in the hashed block: more of them make an accidental likeness smaller."""

_SEED_TERM: Final = 0
_SEED_STRANGER: Final = 1 << 16
_PART_CHARS: Final = 8_000
"""So much text at a time, where other work shares the loop: some 3 ms."""
_BATCH: Final = 128
"""Texts at a time: bounds the memory for the vectors of their words to some 30 MB."""


class BuiltinEmbedder:
    """Hashed terms beside static word vectors: alike are texts that share words or meanings.

    A word that the table of meanings does not hold (a rare name, a number, a pair of Han or
    Hangul characters) has a vector of its own there too, drawn from its hash.
    """

    name: Final = NAME
    dimension: Final = DIMENSION
    traits: Final = EMBEDDED

    async def embed(self, texts: Sequence[str], kind: EmbedKind) -> NDArray[np.float32]:
        """Vectors of ``texts``.

        Args:
            texts: Any number, of any length, in any script.
            kind: Makes no difference: questions and documents are embedded alike.

        Returns:
            Shape ``(len(texts), 768)``, rows of length 1; a text without terms (empty, or stop
            words only) has a row of zeros, which is similar to nothing.
        """
        parts = [await worked_out(embed_texts, part) for part in _parts(texts)]
        return np.concatenate(parts)


def _parts(texts: Sequence[str]) -> Iterator[list[str]]:
    """Texts in runs that are embedded within some milliseconds."""
    part: list[str] = []
    size = 0
    for text in texts:
        if part and size + len(text) > _PART_CHARS:
            yield part
            part, size = [], 0
        part.append(text)
        size += len(text)
    yield part


def embed_texts(texts: Sequence[str]) -> NDArray[np.float32]:
    """What ``BuiltinEmbedder.embed`` does, for callers that do not wait."""
    vectors = np.zeros((len(texts), DIMENSION), dtype=np.float32)
    for start in range(0, len(texts), _BATCH):
        batch = _count(texts[start : start + _BATCH])
        if not len(batch.counts):
            continue
        table = shipped_vectors()
        rows = table.rows(batch.words, batch.stems)
        weights = np.log(table.ranks(rows) + 2.0)
        block = vectors[start : start + _BATCH]
        # A repetition adds less and less.
        values = weights[batch.members] * np.sqrt(batch.counts)
        terms = batch.stems[batch.members]
        block[:, :_HASHED] = _unit(_scatter(batch, terms, values, _HASHED, _SEED_TERM))
        block[:, _HASHED:] = _unit(_meaning_block(batch, rows, weights, table))
    vectors *= np.float32(np.sqrt(0.5))
    return vectors


class _Counted(NamedTuple):
    """The distinct words of some texts, and how often each text has which."""

    size: int
    words: NDArray[np.uint32]
    stems: NDArray[np.uint32]
    owners: NDArray[np.intp]
    members: NDArray[np.intp]
    counts: NDArray[np.float64]


def _count(texts: Sequence[str]) -> _Counted:
    known: dict[tuple[str, str], int] = {}
    counted = [Counter(search_words(text)) for text in texts]
    for counts in counted:
        known |= counts
    place = {pair: number for number, pair in enumerate(known)}
    pairs = chain.from_iterable(counted)
    sizes = [len(counts) for counts in counted]
    total = sum(sizes)
    return _Counted(
        size=len(texts),
        words=np.array([word_hash(word) for word, _ in known], dtype=np.uint32),
        stems=np.array([word_hash(stem) for _, stem in known], dtype=np.uint32),
        owners=np.repeat(np.arange(len(texts)), sizes),
        members=np.fromiter(map(place.__getitem__, pairs), np.intp, total),
        counts=np.array([n for counts in counted for n in counts.values()], dtype=np.float64),
    )


def _meaning_block(
    batch: _Counted,
    rows: NDArray[np.int64],
    weights: NDArray[np.float64],
    table: StaticVectors,
) -> NDArray[np.float64]:
    """Weighted sums of the words' meanings, and of hashed directions for words without one."""
    values = weights[batch.members] * batch.counts
    # In double precision: what another processor adds in another order is the same vector.
    unit, summed = table.unit(rows).astype(np.float64), np.empty((batch.size, _MEANING))
    bounds = np.searchsorted(batch.owners, np.arange(batch.size + 1))
    # Text by text: faster than a sum over all shares at once, which would have to be laid out
    # first, and the same whatever stands beside a text.
    for text, (start, end) in enumerate(pairwise(bounds)):
        np.matmul(values[start:end], unit[batch.members[start:end]], out=summed[text])
    strange = np.where(rows[batch.members] == ABSENT, values, 0.0)
    hashes = batch.stems[batch.members]
    return summed + _scatter(batch, hashes, strange, _MEANING, _SEED_STRANGER)


def _scatter(
    batch: _Counted,
    hashes: NDArray[np.uint32],
    values: NDArray[np.float64],
    width: int,
    seed: int,
) -> NDArray[np.float64]:
    """Each value added, with a sign, at ``_PLACES`` places of its text's row."""
    size = batch.size * width
    seeds = np.arange(seed, seed + _PLACES, dtype=np.uint64)[:, None]
    # SplitMix64 (Steele, Lea, Flood 2014): every bit depends on all bits.
    mixed = (hashes.astype(np.uint64) << np.uint64(20)) + seeds + np.uint64(1)
    mixed = mixed * np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed ^= mixed >> np.uint64(31)
    shares = np.where(mixed >> np.uint64(63), values, -values) / np.sqrt(_PLACES)
    columns = ((mixed >> np.uint64(20)) % np.uint64(width)).astype(np.intp)
    # A row for each place, added in their order: the same numbers whatever else is in the batch.
    owners = batch.owners * width + np.arange(0, _PLACES * size, size)[:, None]
    rows = np.bincount((owners + columns).ravel(), shares.ravel(), _PLACES * size)
    flat: NDArray[np.float64] = rows.reshape(_PLACES, size).sum(axis=0)
    return flat.reshape(batch.size, width)


def _unit(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    scaled: NDArray[np.float64] = rows / np.where(lengths > 0, lengths, 1)
    return scaled


@lru_cache(maxsize=1 << 17)
def word_hash(word: str) -> int:
    """The number under which a folded word or stem stands in the table of meanings."""
    return crc32(word.encode("utf-8", "surrogatepass"))
