"""The plain splitters: fixed windows, recursive windows, Markdown sections.

Takes: a document.  Gives: chunks whose text is a stretch of the document.
Paper: 003, table 1 (what ACTS is compared with); 001, section 4 (600 tokens, overlap 100).

Fixed and recursive windows know nothing of headings: these are text like any other. No last chunk
lies wholly inside the one before it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from offbook.documents.chunk_ids import Span, make_chunks
from offbook.documents.headings import bodies, sections, trimmed
from offbook.documents.rulers import UNITS, Unit, counted_in, ruler
from offbook.documents.windows import WindowCutter
from offbook.errors import ConfigurationError
from offbook.types import Chunk, Document


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
        self._size, self._overlap, self._name = size, overlap, name
        self._unit, self._encoding = unit, encoding

    @property
    def name(self) -> str:
        """The name of the chunking."""
        return self._name

    def split(self, document: Document) -> Sequence[Chunk]:
        """Chunks in the order of the text, white space at their ends left out."""
        return make_chunks(document, self._name, [((), self._windows(document.text))])

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


class MarkdownHeaderSplitter:
    """One chunk a section, its heading path in front; longer ones are cut without overlap.

    Args:
        size: The longest chunk in ``unit``: what the embedder takes.
        unit: What it is counted in.
        encoding: The tiktoken encoding whose tokens count; None for the built-in estimate.
        name: The name of the chunking.
    """

    def __init__(
        self,
        size: int = 4000,
        unit: Unit = "characters",
        encoding: str | None = None,
        name: str = "markdown",
    ) -> None:
        check_window(size, 0, unit)
        self._size, self._unit, self._encoding, self._name = size, unit, encoding, name

    @property
    def name(self) -> str:
        """The name of the chunking."""
        return self._name

    def split(self, document: Document) -> Sequence[Chunk]:
        """Chunks in the order of the text."""
        text = document.text
        cutter = WindowCutter(text, ruler(text, self._unit, self._encoding), self._size, 0)
        parts = (
            (headings, cutter.cut(start, end)) for headings, start, end in bodies(sections(text))
        )
        return make_chunks(document, self._name, parts)

    def parameters(self, document: Document) -> dict[str, Any]:
        """Size and unit."""
        return {"size": self._size, "overlap": 0, **counted_in(self._unit, self._encoding)}
