"""ACTS, the adaptive context-aware text splitter, and ATS, the same without headings.

Takes: a document.  Gives: chunks as long as its longest paragraph, with their heading paths.
Paper: 003, section 4.1.  Beyond it: the chunk length is capped, so that a persona of one enormous
paragraph does not become one enormous chunk; chunks never cross a section; offsets are kept.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from offbook.documents.bulk import collector_paused
from offbook.documents.chunk_ids import Part, Span, make_chunks
from offbook.documents.headings import Section, bodies, sections, trimmed
from offbook.documents.rulers import UNITS, Ruler, Unit, counted_in, ruler
from offbook.documents.windows import WindowCutter
from offbook.errors import ConfigurationError
from offbook.types import Chunk, Document

Paragraph = Literal["line", "block"]
PARAGRAPHS: Final[tuple[Paragraph, ...]] = ("line", "block")
MOST: Final[dict[Unit, int]] = {"characters": 4000, "tokens": 1000}
"""The longest chunk, whatever the embedder takes (methods.md section 2; 4 characters a token)."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Plan:
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
        name: The name of the chunking.
    """

    with_headings = True

    def __init__(
        self,
        alpha: float = 2.0,
        unit: Unit = "characters",
        paragraph: Paragraph = "line",
        limit: int | None = None,
        encoding: str | None = None,
        name: str = "acts",
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
        self._alpha, self._paragraph, self._name = alpha, paragraph, name
        self._unit, self._encoding = unit, encoding
        self._cap = MOST[unit] if limit is None else min(limit, MOST[unit])

    @property
    def name(self) -> str:
        """The name of the chunking."""
        return self._name

    def split(self, document: Document) -> Sequence[Chunk]:
        """Chunks in the order of the text.

        A section without body text gives a chunk of its title if it has no subsections either; a
        title with subsections lives on in their heading paths.
        """
        with collector_paused():
            plan = self._plan(document)
            if plan.longest_paragraph > plan.longest:
                _log.warning("%s: %s", document.name, self._capped(plan))
            return make_chunks(document, self._name, self._parts(document.text, plan))

    def _parts(self, text: str, plan: _Plan) -> Iterator[Part]:
        """The heading path of each section, and where its chunks are."""
        cut = WindowCutter(text, plan.ruler, plan.longest, plan.overlap).cut
        # Most sections of a much divided text are one chunk: this saves a call for each.
        short = plan.longest if self._unit == "characters" else 0
        for headings, start, end in bodies(plan.sections):
            spans = ((start, end),) if end - start <= short else cut(start, end)
            yield headings if self.with_headings else (), spans

    def parameters(self, document: Document) -> dict[str, Any]:
        """The lengths in force for ``document``; with ``warning`` where the cap shortened them."""
        plan = self._plan(document)
        shown: dict[str, Any] = {
            "alpha": self._alpha,
            **counted_in(self._unit, self._encoding),
            "paragraph": self._paragraph,
            "l_max": plan.longest,
            "overlap": plan.overlap,
            "longest_paragraph": plan.longest_paragraph,
            "cap": self._cap,
            "capped": plan.longest_paragraph > plan.longest,
        }
        if shown["capped"]:
            shown["warning"] = self._capped(plan)
        return shown

    def _capped(self, plan: _Plan) -> str:
        return (
            f"the longest paragraph has {plan.longest_paragraph} {self._unit}; chunks are cut at "
            f"{plan.longest}, the most that is embedded at once"
        )

    def _plan(self, document: Document) -> _Plan:
        found = sections(document.text)
        rule = ruler(document.text, self._unit, self._encoding)
        longest_paragraph = self._longest_paragraph(document.text, found, rule)
        longest = max(1, min(longest_paragraph, self._cap))
        overlap = min(math.floor(longest / self._alpha), longest - 1)
        return _Plan(found, rule, longest_paragraph, longest, overlap)

    def _longest_paragraph(self, text: str, found: list[Section], rule: Ruler) -> int:
        """The paper's phi: the longest paragraph; of a document of headings, the longest title."""
        stretches = [(part.body_start, part.body_end) for part in found]
        if all(start == end for start, end in stretches):
            return max((rule.length(s.title_start, s.title_end) for s in found), default=0)
        mark = "\n" if self._paragraph == "line" else "\n\n"
        if self._unit == "characters":
            return longest_stretch(text, stretches, mark)
        return max(
            rule.length(*span) for stretch in stretches for span in paragraphs(text, *stretch, mark)
        )


class ATSSplitter(ACTSSplitter):
    """ACTS without the heading path in front: the paper's ablation."""

    with_headings = False

    def __init__(
        self,
        alpha: float = 2.0,
        unit: Unit = "characters",
        paragraph: Paragraph = "line",
        limit: int | None = None,
        encoding: str | None = None,
        name: str = "ats",
    ) -> None:
        super().__init__(alpha, unit, paragraph, limit, encoding, name)


def paragraphs(text: str, start: int, end: int, mark: str) -> Iterator[Span]:
    """Offsets of the paragraphs of ``text[start:end]``, parted by ``mark``, blank ones left out."""
    while start < end:
        stop = text.find(mark, start, end)
        stop = end if stop < 0 else stop
        first, last = trimmed(text, start, stop)
        if last > first:
            yield first, last
        start = stop + len(mark)


def longest_stretch(text: str, stretches: list[Span], mark: str) -> int:
    """Length of the longest paragraph in any of ``stretches``, by jumps of the best length so far.

    Whatever ends within ``best`` characters cannot be longer than ``best``: the search goes on
    behind the last mark within that distance, so most paragraphs are never looked at.
    """
    best, width = 0, len(mark)
    for begin, end in stretches:
        start = begin
        while end - start > best:
            jump = text.rfind(mark, start, start + best + width)
            if jump >= 0:
                start = jump + width
                continue
            stop = text.find(mark, start + best, end)
            stop = end if stop < 0 else stop
            first, last = trimmed(text, start, stop)
            best = max(best, last - first)
            start = stop + width
    return best
