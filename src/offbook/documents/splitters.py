"""The plain splitters: fixed windows, recursive windows, Markdown sections, and by meaning.

Paper: AMADEUS (003), table 1 (what ACTS is compared with); RoleRAG (001), section 4.4 (600 tokens,
overlap 100). Fixed and recursive windows know nothing of headings: these are text like any other.
No last chunk lies wholly inside the one before it. Differs: a chunk by meaning is never longer than
``size``, does not cross sections, and keeps its heading path.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from offbook.documents.chunk_ids import Span, make_chunks
from offbook.documents.sections import bodies, sections, trimmed
from offbook.documents.windows import UNITS, CharacterRuler, Unit, WindowCutter, counted_in, ruler
from offbook.errors import ConfigurationError
from offbook.text.sentences import sentences
from offbook.types import Chunk, Document

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def check_window(size: int, overlap: int, unit: Unit) -> None:
    """Refuse windows that never end.

    Raises:
        ConfigurationError: ``size`` is not positive, ``overlap`` not in ``[0, size)``, or ``unit``
            is not known.
    """
    if unit not in UNITS:
        raise ConfigurationError(f"unit {unit!r} is not known", f"units: {', '.join(UNITS)}")
    if size < 1 or not 0 <= overlap < size:
        raise ConfigurationError(
            f"chunks of {size!r} {unit} with an overlap of {overlap!r} never end",
            "the size must be positive and the overlap smaller than it",
        )


class FixedSplitter:
    """Windows of equal length over the whole text, cut wherever they end.

    Args:
        size: Length of a window in ``unit``.
        overlap: How much of it the next one repeats.
        unit: Tokens are never cut apart; characters are code points.
        encoding: The tiktoken encoding whose tokens count; None for the built-in estimate.
        name: The name of the chunking.
    """

    def __init__(
        self,
        size: int = 600,
        overlap: int = 100,
        unit: Unit = "tokens",
        encoding: str | None = None,
        name: str = "fixed",
    ) -> None:
        check_window(size, overlap, unit)
        self._size, self._overlap, self.name = size, overlap, name
        self._unit, self._encoding = unit, encoding

    def split(self, document: Document) -> Sequence[Chunk]:
        """Chunks in the order of the text, white space at their ends left out."""
        return make_chunks(document, self.name, [((), self._windows(document.text))])

    def _windows(self, text: str) -> list[Span]:
        rule = ruler(text, self._unit, self._encoding)
        start, last = trimmed(text, 0, len(text))
        spans: list[Span] = []
        while start < last:
            stop = min(rule.forward(start, self._size), last)
            first, end = trimmed(text, start, stop)
            if end > first and (not spans or end > spans[-1][1]):
                spans.append((first, end))
            if stop >= last:
                break
            start = max(rule.backward(stop, self._overlap), start + 1)
        return spans

    def parameters(self, document: Document) -> dict[str, Any]:
        """Size, overlap and unit."""
        unit = counted_in(self._unit, self._encoding)
        return {"size": self._size, "overlap": self._overlap, **unit}


class RecursiveSplitter(FixedSplitter):
    """Windows over the whole text that end at the best separator: see ``documents.windows``."""

    def __init__(
        self,
        size: int = 1000,
        overlap: int = 200,
        unit: Unit = "characters",
        encoding: str | None = None,
        name: str = "recursive",
    ) -> None:
        super().__init__(size, overlap, unit, encoding, name)

    def _windows(self, text: str) -> list[Span]:
        start, end = trimmed(text, 0, len(text))
        if start == end:
            return []
        rule = ruler(text, self._unit, self._encoding)
        return WindowCutter(text, rule, self._size, self._overlap).cut(start, end)


class MarkdownHeaderSplitter(FixedSplitter):
    """One chunk a section, its heading path in front; longer ones are cut without overlap."""

    def __init__(
        self,
        size: int = 4000,
        unit: Unit = "characters",
        encoding: str | None = None,
        name: str = "markdown",
    ) -> None:
        super().__init__(size, 0, unit, encoding, name)

    def split(self, document: Document) -> Sequence[Chunk]:
        """Chunks in the order of the text."""
        text = document.text
        cutter = WindowCutter(text, ruler(text, self._unit, self._encoding), self._size, 0)
        parts = (
            (headings, cutter.cut(start, end)) for headings, start, end in bodies(sections(text))
        )
        return make_chunks(document, self.name, parts)


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
        self._size, self.name = size, name

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
        return make_chunks(document, self.name, groups)

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
            text[spans[max(0, place - near)][0] : spans[min(len(spans) - 1, place + near)][1]]
            for spans in parts
            for place in range(len(spans))
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
    for place, gap in enumerate(gaps):
        if gap > threshold:
            groups.append((start, spans[place][1]))
            start = spans[place + 1][0]
    groups.append((start, spans[-1][1]))
    return groups
