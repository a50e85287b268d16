"""Which words the texts of a character use, and in which chunks.

Takes: the chunks' stored terms.  Gives: whether the texts hold a term, and the chunks that hold
several at once. Source: ours; the terms are those of lexical search.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from offbook.retrieval.lexical import term_number

_RECORD = np.dtype([("term", "<u4"), ("count", "<u2")])


class TextTerms:
    """The terms of some chunks, in the order of ``ids``."""

    def __init__(self, ids: Sequence[str], blobs: Sequence[bytes]) -> None:
        self._ids = ids
        records = np.frombuffer(b"".join(blobs), dtype=_RECORD)
        sizes = [len(blob) // _RECORD.itemsize for blob in blobs]
        self._terms: NDArray[np.uint32] = np.ascontiguousarray(records["term"])
        self._owners = np.repeat(np.arange(len(ids)), sizes)
        self._known = frozenset(self._terms.tolist())

    def holds(self, term: str) -> bool:
        """Whether any chunk has a search term."""
        return term_number(term) in self._known

    def chunks_with(self, terms: Iterable[str], most: int) -> list[str]:
        """The first chunks that have all of these terms; none where no term is given."""
        found: NDArray[np.intp] | None = None
        for term in terms:
            having = self._owners[self._terms == np.uint32(term_number(term))]
            found = having if found is None else np.intersect1d(found, having)
        return [] if found is None else [self._ids[at] for at in found[:most].tolist()]
