"""The semantic splitter: cuts where neighbouring sentences mean the most different things.

Takes: a document and a function that embeds sentences.  Gives: chunks of whole sentences.
Paper: 003, table 1 (SemanticChunker).  Differs: a chunk is never longer than ``size``, chunks do
not cross sections, and the heading path stays with them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from offbook.documents.chunk_ids import Span, make_chunks
from offbook.documents.headings import bodies, sections
from offbook.documents.rulers import CharacterRuler
from offbook.documents.splitters import check_window
from offbook.documents.windows import WindowCutter
from offbook.errors import ConfigurationError
from offbook.language.sentences import sentences
from offbook.types import Chunk, Document

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

EmbedSentences = Callable[[list[str]], "NDArray[np.float32]"]
"""Unit vectors of sentences, one a row; a row of zeros for a sentence without any feature."""


class SemanticSplitter:
    """Breakpoints are the distances above a percentile of all distances in the document.

    Args:
        embed: Embeds the sentences of a document, each with its neighbours, in one call.
        percentile: Above which share of the distances to cut, 0 to 100.
        neighbours: How many sentences on each side are embedded with a sentence.
        size: The longest chunk in characters.
        name: The name of the chunking.
    """

    def __init__(
        self,
        embed: EmbedSentences,
        percentile: float = 95.0,
        neighbours: int = 1,
        size: int = 4000,
        name: str = "semantic",
    ) -> None:
        check_window(size, 0, "characters")
        if not 0 <= percentile <= 100 or neighbours < 0:
            raise ConfigurationError(
                f"percentile {percentile!r} with {neighbours!r} neighbours makes no sense",
                "the percentile lies between 0 and 100, neighbours are 0 or more",
            )
        self._embed, self._percentile, self._neighbours = embed, percentile, neighbours
        self._size, self._name = size, name

    @property
    def name(self) -> str:
        """The name of the chunking."""
        return self._name

    def split(self, document: Document) -> Sequence[Chunk]:
        """Chunks in the order of the text."""
        text = document.text
        parts = [
            (headings, [(start + a, start + b) for a, b in sentences(text[start:end])])
            for headings, start, end in bodies(sections(text))
        ]
        threshold, distances = self._distances(text, [spans for _, spans in parts])
        cutter = WindowCutter(text, CharacterRuler(), self._size, 0)
        groups = (
            (headings, cutter.cut(start, end))
            for (headings, spans), gaps in zip(parts, distances, strict=True)
            for start, end in _groups(spans, gaps, threshold)
        )
        return make_chunks(document, self._name, groups)

    def parameters(self, document: Document) -> dict[str, Any]:
        """Percentile, neighbours and size."""
        return {
            "percentile": self._percentile,
            "neighbours": self._neighbours,
            "size": self._size,
            "unit": "characters",
        }

    def _distances(self, text: str, parts: list[list[Span]]) -> tuple[float, list[list[float]]]:
        """The threshold, and per section 1 - cosine of each sentence and the next."""
        import numpy as np

        near = self._neighbours
        windows = [
            text[spans[max(0, at - near)][0] : spans[min(len(spans) - 1, at + near)][1]]
            for spans in parts
            for at in range(len(spans))
        ]
        if not windows:
            return 0.0, [[] for _ in parts]
        vectors = self._embed(windows)
        cosines = np.einsum("ij,ij->i", vectors[:-1], vectors[1:]).tolist()
        distances: list[list[float]] = []
        first = 0
        for spans in parts:
            distances.append([1.0 - cosine for cosine in cosines[first : first + len(spans) - 1]])
            first += len(spans)
        every = [distance for gaps in distances for distance in gaps]
        threshold = float(np.percentile(every, self._percentile)) if every else 0.0
        return threshold, distances


def _groups(spans: list[Span], gaps: list[float], threshold: float) -> list[Span]:
    """Sentences joined across every gap that is not above the threshold."""
    groups: list[Span] = []
    start = spans[0][0]
    for at, gap in enumerate(gaps):
        if gap > threshold:
            groups.append((start, spans[at][1]))
            start = spans[at + 1][0]
    groups.append((start, spans[-1][1]))
    return groups
