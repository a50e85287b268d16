"""ACTS, the adaptive context-aware text splitter, and ATS, the same without headings.

Paper: AMADEUS (003), section 4.1. Beyond it: the chunk length is capped, so that a persona of one
enormous paragraph does not become one enormous chunk; chunks never cross a section; offsets are
kept.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Iterator, Sequence
from typing import Any, Final, Literal, NamedTuple

from offbook.documents.chunk_ids import Span, make_chunks
from offbook.documents.sections import Section, bodies, sections, trimmed
from offbook.documents.windows import UNITS, Ruler, Unit, WindowCutter, counted_in, ruler
from offbook.errors import ConfigurationError
from offbook.types import Chunk, Document

Paragraph = Literal["line", "block"]
PARAGRAPHS: Final[tuple[Paragraph, ...]] = ("line", "block")
MOST: Final[dict[Unit, int]] = {"characters": 4000, "tokens": 1000}
"""The longest chunk, whatever the embedder takes; 4 characters a token."""

_log = logging.getLogger(__name__)


class _Measured(NamedTuple):
    """What is measured in a document before it is cut."""

    sections: list[Section]
    ruler: Ruler
    longest_paragraph: int
    longest: int
    overlap: int


class ACTSSplitter:
    """Chunk length = the longest paragraph, overlap = a fraction of it, headings in front.

    Args:
        alpha: The overlap is floor(length / alpha); above 1. The paper's best is 2 (figure 8).
        unit: What lengths are counted in.
        paragraph: ``line``: each line is a paragraph; ``block``: blank lines part them.
        limit: The longest text that the embedder takes, in ``unit``; None where it is not known.
        encoding: The tiktoken encoding whose tokens count; None for the built-in estimate.
        name: The name of the chunking; empty for that of the class.
    """

    with_headings = True

    def __init__(
        self,
        alpha: float = 2.0,
        unit: Unit = "characters",
        paragraph: Paragraph = "line",
        limit: int | None = None,
        encoding: str | None = None,
        name: str = "",
    ) -> None:
        if not alpha > 1:
            raise ConfigurationError(
                f"alpha is {alpha!r}, but chunks that overlap wholly never end",
                "set alpha to a number above 1; the paper uses 2",
            )
        if unit not in UNITS or paragraph not in PARAGRAPHS:
            raise ConfigurationError(
                f"unit {unit!r} with paragraph {paragraph!r} is not known",
                f"units: {', '.join(UNITS)}; paragraphs: {', '.join(PARAGRAPHS)}",
            )
        if limit is not None and limit < 1:
            raise ConfigurationError(
                f"the embedder's limit is {limit!r}", "set it to a positive number, or leave it out"
            )
        self.name = name or ("acts" if self.with_headings else "ats")
        self._alpha, self._paragraph = alpha, paragraph
        self._unit, self._encoding = unit, encoding
        self._cap = MOST[unit] if limit is None else min(limit, MOST[unit])

    def split(self, document: Document) -> Sequence[Chunk]:
        """Chunks in the order of the text.

        A section without body text gives a chunk of its title if it has no subsections either; a
        title with subsections lives on in their heading paths.
        """
        measured = self._measure(document)
        if measured.longest_paragraph > measured.longest:
            _log.warning("%s: %s", document.name, self._capped(measured))
        cut = WindowCutter(document.text, measured.ruler, measured.longest, measured.overlap).cut
        parts = (
            (headings if self.with_headings else (), cut(start, end))
            for headings, start, end in bodies(measured.sections)
        )
        return make_chunks(document, self.name, parts)

    def parameters(self, document: Document) -> dict[str, Any]:
        """The lengths in force for ``document``; with ``warning`` where the cap shortened them."""
        measured = self._measure(document)
        shown: dict[str, Any] = {
            "alpha": self._alpha,
            **counted_in(self._unit, self._encoding),
            "paragraph": self._paragraph,
            "l_max": measured.longest,
            "overlap": measured.overlap,
            "longest_paragraph": measured.longest_paragraph,
            "cap": self._cap,
            "capped": measured.longest_paragraph > measured.longest,
        }
        if shown["capped"]:
            shown["warning"] = self._capped(measured)
        return shown

    def _capped(self, measured: _Measured) -> str:
        return (
            f"the longest paragraph has {measured.longest_paragraph} {self._unit}; chunks are cut "
            f"at {measured.longest}, the most that is embedded at once"
        )

    def _measure(self, document: Document) -> _Measured:
        text, parts = document.text, sections(document.text)
        rule = ruler(text, self._unit, self._encoding)
        stretches = [(part.body_start, part.body_end) for part in parts]
        mark = "\n\n" if self._paragraph == "block" else "\n"
        # The paper's phi: the longest paragraph; of a document of headings, the longest title.
        spans = [(part.title_start, part.title_end) for part in parts]
        if any(start < end for start, end in stretches):
            spans = [
                span for start, end in stretches for span in paragraphs(text, start, end, mark)
            ]
        longest_paragraph = max((rule.length(start, end) for start, end in spans), default=0)
        longest = max(1, min(longest_paragraph, self._cap))
        overlap = min(math.floor(longest / self._alpha), longest - 1)
        return _Measured(parts, rule, longest_paragraph, longest, overlap)


class ATSSplitter(ACTSSplitter):
    """ACTS without the heading path in front: the paper's ablation."""

    with_headings = False


def paragraphs(text: str, start: int, end: int, mark: str) -> Iterator[Span]:
    """Offsets of the paragraphs of ``text[start:end]``, parted by ``mark``, blank ones left out."""
    while start < end:
        stop = text.find(mark, start, end)
        stop = end if stop < 0 else stop
        first, last = trimmed(text, start, stop)
        if last > first:
            yield first, last
        start = stop + len(mark)
