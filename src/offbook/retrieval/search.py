"""Search: the chunks that fit a question best, by vector, by words, or by both.

Takes: a dense and a lexical index over the same chunks, a question and its vector, a mode.
Gives: hits, best first, each with the score that ranked it and what it is made of.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from offbook.errors import IndexMissing, StoreFailed
from offbook.retrieval.dense import DenseIndex, top_positions
from offbook.retrieval.fusion import convex_combination
from offbook.retrieval.lexical import LexicalIndex

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
                "make both anew from the stored text: offbook reembed NAME",
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
        if mode == "dense":
            scores = similarities = self._similarities(vector)
        elif mode == "lexical":
            scores = matches = self._matches(question)
        else:
            similarities, matches = self._similarities(vector), self._matches(question)
            scores = convex_combination(matches, similarities, DENSE_WEIGHT)
        ranking = top_positions(scores, k)
        if mode == "lexical":
            ranking = ranking[scores[ranking] > 0]
        ids = self._ids
        return [
            Hit(
                id=ids[position],
                score=float(scores[position]),
                similarity=None if similarities is None else float(similarities[position]),
                match=None if matches is None else float(matches[position]),
            )
            for position in ranking.tolist()
        ]

    @property
    def _ids(self) -> Sequence[str]:
        if self.dense is not None:
            return self.dense.ids
        return self.lexical.ids if self.lexical is not None else ()

    def _similarities(self, vector: NDArray[np.float32] | None) -> NDArray[np.float32]:
        if self.dense is None or vector is None:
            raise IndexMissing(
                "this retrieval mode needs vectors, and there are none",
                "make them with `offbook reembed NAME`, or set retrieval.mode to lexical",
            )
        return self.dense.scores(vector)

    def _matches(self, question: str) -> NDArray[np.float32]:
        if self.lexical is None:
            raise IndexMissing(
                "this retrieval mode needs the chunks' terms, and there are none",
                "make them with `offbook reembed NAME`, or set retrieval.mode to dense",
            )
        scores = self.lexical.scores(question)
        highest = self.lexical.highest_score(question)
        return scores / np.float32(highest) if highest else scores
