"""Lexical retrieval: BM25 over the terms that each chunk keeps in encoded form.

Takes: one small blob of term numbers and counts a chunk, a question.  Gives: BM25 scores in the
order of the chunks, and the highest score that the question could reach anywhere.
Paper: Robertson, Zaragoza 2009 (The Probabilistic Relevance Framework: BM25 and Beyond), with the
non-negative inverse document frequency of Lucene (Kamphuis, de Vries, Boytsov, Lin 2020).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Self

import numpy as np
from numpy.typing import NDArray

from offbook.errors import StoreFailed
from offbook.retrieval.encoded_terms import ANALYZER, count_terms, encode_terms, term_number

__all__ = [
    "ANALYZER",
    "K1",
    "B",
    "LexicalIndex",
    "bm25",
    "count_terms",
    "encode_terms",
    "inverse_document_frequency",
    "term_number",
]

K1: Final = 1.2
B: Final = 0.75
"""Saturation of counts and strength of the length norm: the usual values, fitted to nothing."""

_RECORD: Final = np.dtype([("term", "<u4"), ("count", "<u2")])
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
                "make them anew from the stored text: offbook reembed NAME",
            )
        records = np.frombuffer(b"".join(blobs), dtype=_RECORD)
        return cls(ids, records, sizes // _RECORD.itemsize)

    def scores(self, question: str) -> NDArray[np.float32]:
        """BM25 of every chunk for ``question``; 0 where they share no term."""
        totals = np.zeros(len(self.ids), dtype=np.float32)
        for number, times in count_terms(question).items():
            found = self._records_of(number)
            if not len(found):
                continue
            owners = self._owners[found]
            weight = times * inverse_document_frequency(len(self.ids), len(owners))
            totals[owners] += np.float32(weight) * bm25(
                self._counts[found], self._lengths[owners], self._average_length
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
