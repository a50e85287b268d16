"""Search: the chunks that fit a question best, by vector, by words, or by both.

Takes: unit vectors as one float32 matrix, small blobs of encoded terms, a question and its vector.
Gives: hits, best first, ties by position, each with the score that ranked it and what it is made
of. Vectors are compared exactly; words are weighed by BM25 (Robertson, Zaragoza 2009, The
Probabilistic Relevance Framework) with the non-negative inverse document frequency of Lucene
(Kamphuis, de Vries, Boytsov, Lin 2020). Both are fused by a convex combination as in Bruch, Gai,
Ingber 2023 (ACM TOIS 42/1, An Analysis of Fusion Functions for Hybrid Retrieval); ours:
similarity is counted from what chance gives. Loaded indexes stay in memory until what they were
loaded from has changed.
"""

from __future__ import annotations

import asyncio
from collections import Counter, OrderedDict
from collections.abc import Awaitable, Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from struct import Struct
from typing import TYPE_CHECKING, Final, Generic, Literal, Self, TypeVar
from weakref import WeakKeyDictionary
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from offbook.errors import EmbedderMismatch, IndexMissing, StoreFailed
from offbook.text.words import search_terms

if TYPE_CHECKING:
    from offbook.protocols import Store

ANALYZER: Final = "words-1"
"""Names what ``encode_terms`` writes; it changes when the same text would give other bytes."""

_PACKED: Final = Struct("<IH")
_MOST: Final = 0xFFFF


@lru_cache(maxsize=1 << 17)
def term_number(term: str) -> int:
    """The number that stands for a term on every machine: CRC-32 of its UTF-8 form."""
    return crc32(term.encode("utf-8", "surrogatepass"))


def encode_terms(text: str) -> bytes:
    """The terms of ``text`` as they are stored with its chunk.

    Returns:
        Records of 6 bytes, ascending by term: number (uint32) and count (uint16, at most 65,535),
        little-endian. Empty for a text without terms.
    """
    counted = sorted(count_terms(text).items())
    return b"".join(_PACKED.pack(number, min(count, _MOST)) for number, count in counted)


def count_terms(text: str) -> Counter[int]:
    """How often each term (by its number) occurs in ``text``."""
    return Counter(map(term_number, search_terms(text)))


_RECORD: Final = np.dtype([("term", "<u4"), ("count", "<u2")])


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
                "rebuild the vectors: offbook reembed NAME",
            )

    def scores(self, vector: NDArray[np.float32]) -> NDArray[np.float32]:
        """Cosine similarity of every row with the unit vector ``vector``, in order of the rows.

        Raises:
            EmbedderMismatch: the vector has another dimension than the index.
            StoreFailed: a vector holds what is not a number.
        """
        if vector.shape != self.matrix.shape[1:]:
            raise EmbedderMismatch(
                f"the question's vector has shape {vector.shape!r}, "
                f"the stored ones have {self.matrix.shape[1]!r} numbers",
                "rebuild the stored vectors with the configured embedder: offbook reembed NAME",
            )
        scores: NDArray[np.float32] = self.matrix @ vector
        if not np.isfinite(scores).all():
            broken = self.ids[int(np.flatnonzero(~np.isfinite(scores))[0])]
            raise StoreFailed(
                f"the vector of chunk {broken!r}, or of the question, holds what is not a number",
                "rebuild the vectors: offbook reembed NAME",
            )
        return scores


K1: Final = 1.2
B: Final = 0.75
"""Saturation of counts and strength of the length norm: the usual values, fitted to nothing."""

_SCANS: Final = 64
"""Terms looked up by scanning; after these, sorting the records once is the cheaper way."""


def inverse_document_frequency(documents: int, containing: int) -> float:
    """``ln(1 + (N - n + 0.5) / (n + 0.5))``: never negative, highest for what occurs nowhere."""
    return float(np.log1p((documents - containing + 0.5) / (containing + 0.5)))


def bm25(
    counts: NDArray[np.float32],
    lengths: NDArray[np.float32],
    average_length: float,
    k1: float = K1,
    b: float = B,
) -> NDArray[np.float32]:
    """Weight of one term in documents, before its inverse document frequency; below ``k1 + 1``.

    Args:
        counts: How often the term occurs in each document.
        lengths: Terms of each document, repetitions included.
        average_length: Mean of ``lengths`` over the collection.
        k1: Saturation: the weight of a second occurrence against the first.
        b: Length norm: 0 none, 1 full.
    """
    norm = k1 * (1 - b + b * lengths / average_length)
    return (counts * (k1 + 1) / (counts + norm)).astype(np.float32, copy=False)


class LexicalIndex:
    """The encoded terms of some chunks, in the order of ``ids``.

    Opening it joins buffers and makes no object a term, so that a command that asks one question
    pays milliseconds. The first questions are answered by scanning; after them the records are
    sorted by term, once. Both ways add the same numbers in the same order.
    """

    def __init__(
        self, ids: Sequence[str], records: NDArray[np.void], sizes: NDArray[np.intp]
    ) -> None:
        self.ids = ids
        self._terms = np.ascontiguousarray(records["term"])
        self._counts = records["count"].astype(np.float32)
        self._owners = np.repeat(np.arange(len(ids), dtype=np.int32), sizes)
        self._lengths = np.bincount(self._owners, weights=self._counts, minlength=len(ids)).astype(
            np.float32
        )
        self._average_length = float(self._lengths.mean()) if len(ids) else 0.0
        self._sorted: tuple[NDArray[np.intp], NDArray[np.uint32]] | None = None
        self._lookups = 0

    @classmethod
    def from_blobs(cls, ids: Sequence[str], blobs: Sequence[bytes]) -> Self:
        """Open the index from what ``encode_terms`` wrote, one blob an id.

        Raises:
            StoreFailed: a blob is missing or was cut off.
        """
        sizes = np.fromiter(map(len, blobs), dtype=np.intp, count=len(blobs))
        if len(ids) != len(blobs) or (sizes % _RECORD.itemsize).any():
            raise StoreFailed(
                f"{len(ids)} chunks have {len(blobs)!r} lists of terms, or one was cut off",
                "rebuild them from the stored text: offbook reembed NAME",
            )
        records = np.frombuffer(b"".join(blobs), dtype=_RECORD)
        return cls(ids, records, sizes // _RECORD.itemsize)

    def holds(self, term: str) -> bool:
        """Whether any chunk has a search term."""
        return bool(len(self._records_of(term_number(term))))

    def chunks_with(self, terms: Iterable[str], most: int) -> list[str]:
        """The first chunks that have all of these terms; none where no term is given."""
        common: NDArray[np.int32] | None = None
        for term in terms:
            having = self._owners[self._records_of(term_number(term))]
            common = having if common is None else np.intersect1d(common, having)
        return [] if common is None else [self.ids[row] for row in common[:most].tolist()]

    def scores(self, question: str) -> NDArray[np.float32]:
        """BM25 of every chunk for ``question``; 0 where they share no term."""
        totals = np.zeros(len(self.ids), dtype=np.float32)
        for number, times in count_terms(question).items():
            records = self._records_of(number)
            if not len(records):
                continue
            owners = self._owners[records]
            weight = times * inverse_document_frequency(len(self.ids), len(owners))
            totals[owners] += np.float32(weight) * bm25(
                self._counts[records], self._lengths[owners], self._average_length
            )
        return totals

    def highest_score(self, question: str) -> float:
        """What ``question`` would score where each of its terms stood without end.

        Terms that no chunk holds count with the highest weight, so ``scores / highest_score`` is
        the share of what the question asks about that a chunk speaks of: 0 to 1.
        """
        return sum(
            times
            * (K1 + 1)
            * inverse_document_frequency(len(self.ids), len(self._records_of(number)))
            for number, times in count_terms(question).items()
        )

    def _records_of(self, number: int) -> NDArray[np.intp]:
        """Where the records of a term lie, in order of the chunks."""
        self._lookups += 1
        if self._lookups <= _SCANS:
            return np.flatnonzero(self._terms == np.uint32(number))
        if self._sorted is None:
            order = np.argsort(self._terms, kind="stable")
            self._sorted = (order, self._terms[order])
        order, terms = self._sorted
        left = int(np.searchsorted(terms, np.uint32(number), side="left"))
        right = int(np.searchsorted(terms, np.uint32(number), side="right"))
        return order[left:right]


def above_chance(similarities: NDArray[np.float32]) -> NDArray[np.float32]:
    """Similarity counted from the mean over all chunks: 0 is what any text has, 1 is equal.

    Embedders differ in what unrelated texts score: 0 for one, 0.7 for another. Without this, the
    second kind would add a constant to every chunk, and next to nothing to their order.
    """
    if not len(similarities):
        return similarities
    chance = float(similarities.mean(dtype=np.float64))
    if chance >= 1:
        return np.zeros_like(similarities)
    return ((similarities - chance) / (1 - chance)).astype(np.float32)


def convex_combination(
    matches: NDArray[np.float32], similarities: NDArray[np.float32], dense_weight: float
) -> NDArray[np.float32]:
    """``(match + weight * similarity above chance) / (1 + weight)``: 1 is the best possible.

    Args:
        matches: BM25 divided by the highest possible, 0 to 1.
        similarities: Cosines, in the same order.
        dense_weight: What a similarity counts for against a match, not negative.
    """
    combined = matches + np.float32(dense_weight) * above_chance(similarities)
    return (combined / np.float32(1 + dense_weight)).astype(np.float32)


RetrievalMode = Literal["dense", "lexical", "hybrid"]

DENSE_WEIGHT: Final = 0.5
"""What similarity counts for against matching words in ``hybrid``; docs/retrieval.md says why."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A chunk that was found.

    Args:
        id: The chunk's.
        score: What ranked it, at most 1: the cosine in ``dense``, the match in ``lexical``, both
            combined in ``hybrid``. Near 0 it says that the chunk has nothing to do with the
            question, so it can be held against a threshold.
        similarity: Cosine with the question, or None where no vectors were used.
        match: Share of what the question asks about that the chunk speaks of, weighted by rarity
            (BM25 divided by the highest possible), or None where no terms were used.
    """

    id: str
    score: float
    similarity: float | None
    match: float | None


@dataclass(frozen=True, slots=True)
class Searcher:
    """Both indices over the same chunks; either may be missing where its mode is not asked for."""

    dense: DenseIndex | None = None
    lexical: LexicalIndex | None = None

    def __post_init__(self) -> None:
        if self.dense and self.lexical and len(self.dense.ids) != len(self.lexical.ids):
            raise StoreFailed(
                f"{len(self.dense.ids)} chunks have vectors, {len(self.lexical.ids)} have terms",
                "rebuild both from the stored text: offbook reembed NAME",
            )

    def search(
        self,
        question: str,
        vector: NDArray[np.float32] | None,
        *,
        mode: RetrievalMode,
        k: int,
    ) -> list[Hit]:
        """The ``k`` best chunks for a question, best first, ties in the order of the chunks.

        Args:
            question: Its text; used by ``lexical`` and ``hybrid``.
            vector: Its unit vector; used by ``dense`` and ``hybrid``.
            mode: What ranks them.
            k: How many at most. In ``lexical`` a chunk that shares no term is no hit; the other
                modes return ``k`` where there are as many, whether they fit or not.

        Raises:
            IndexMissing: the mode needs an index, or a vector, that is not there.
            EmbedderMismatch: the vector has another dimension than the stored ones.
        """
        similarities: NDArray[np.float32] | None = None
        matches: NDArray[np.float32] | None = None
        if mode != "lexical":
            if self.dense is None or vector is None:
                raise IndexMissing(
                    "this retrieval mode needs vectors, and there are none",
                    "make them with `offbook reembed NAME`, or set retrieval.mode to lexical",
                )
            scores = similarities = self.dense.scores(vector)
        if mode != "dense":
            if self.lexical is None:
                raise IndexMissing(
                    "this retrieval mode needs the chunks' terms, and there are none",
                    "make them with `offbook reembed NAME`, or set retrieval.mode to dense",
                )
            highest = self.lexical.highest_score(question)
            scores = matches = self.lexical.scores(question) / np.float32(highest or 1)
        if similarities is not None and matches is not None:
            scores = convex_combination(matches, similarities, DENSE_WEIGHT)
        ranking = top_positions(scores, k)
        if mode == "lexical":
            ranking = ranking[scores[ranking] > 0]
        ids = next(index.ids for index in (self.dense, self.lexical) if index is not None)
        return [
            Hit(
                id=ids[position],
                score=float(scores[position]),
                similarity=None if similarities is None else float(similarities[position]),
                match=None if matches is None else float(matches[position]),
            )
            for position in ranking.tolist()
        ]


K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class IndexCache(Generic[K, V]):
    """Loaded indexes of one kind; the one not used for longest goes first.

    Args:
        most: How many are kept for each store.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self._kept: WeakKeyDictionary[Store, OrderedDict[K, tuple[int, V]]] = WeakKeyDictionary()
        self._turns: WeakKeyDictionary[Store, asyncio.Lock] = WeakKeyDictionary()

    async def get(self, store: Store, key: K, revision: int, load: Callable[[], Awaitable[V]]) -> V:
        """The index of this key, loaded where it is not kept or is of another revision.

        Questions that come side by side have it loaded once.

        Args:
            store: Where it is loaded from.
            key: What tells it from others of its kind.
            revision: Of the character, as the caller saw it.
            load: Loads it.
        """
        of_store = self._kept.setdefault(store, OrderedDict())
        if of_store.get(key, (None,))[0] != revision:
            async with self._turns.setdefault(store, asyncio.Lock()):
                if of_store.get(key, (None,))[0] != revision:
                    of_store[key] = revision, await load()
        _, index = of_store[key]
        of_store.move_to_end(key)
        while len(of_store) > self.most:
            of_store.popitem(last=False)
        return index

    def count(self, store: Store) -> int:
        """How many are kept of a store."""
        return len(self._kept.get(store, ()))

    def clear(self) -> None:
        """Keep none."""
        self._kept.clear()
