"""Hard wrap: where a line of a text ends because the printed line was full. Source: ours.

A line is *full* where the first word of the line behind it would not have fit. A section is wrapped
where most lines that another one follows are full, and most end in mid-sentence. Verse and plain
lists are not: the next word would mostly have fit. Marked lists, quotations and tables are not
looked at, and their items stay lines of their own in a wrapped section, too.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from math import ceil
from typing import Final, NamedTuple

from offbook.documents.chunk_ids import Span
from offbook.text.sentences import TERMINATORS

_WIDTHS: Final = range(40, 121)
"""Widths that people wrap at: e-mail 72 to 78, books 60 to 75, code 80 to 120. Most verse and
lists of names are narrower; where lines are longer, they are paragraphs."""
_LEAST_ENDS: Final = 3
"""Of fewer line ends a section says too little (of two, one is the longest and full by itself):
then the document's width and verdict count."""
_FULL: Final = 0.75
"""Share of the line ends that must be full: nearly all are in prose, about a quarter in verse (the
last third of a line's spread), and by hand or around dialogue some are broken early."""
_CLOSED: Final = 0.5
"""Share of them that may end a sentence: about a tenth do in wrapped prose, nearly all where a line
is a statement."""
_OUTLIERS: Final = 0.05
"""Share of the lines that may be longer than the width: an address that cannot be broken."""
_LONGEST_WORD: Final = 16
"""Characters of a word that count: longer ones are rare, and in scripts without blanks no words."""

_BLOCK: Final = re.compile(r"\s*(?:[-+*•·–—|>#]|\d{1,9}[.)]\s|```|~~~)")
"""How a list item, table row, quotation, heading or code begins."""
_COLUMN: Final = "   "
_CLOSING: Final = tuple(f"{TERMINATORS}:")
_CLOSERS: Final = "\"'”’»)]*_"


class _LineEnd(NamedTuple):
    """The end of a line that another line follows without a blank one between them."""

    offset: int
    length: int
    with_next: int
    closes: bool

    def is_full(self, width: int) -> bool:
        """Whether the next word would not have fit."""
        return self.with_next > width


def without_wraps(text: str, stretches: Sequence[Span]) -> tuple[str, list[bool]]:
    """Make a blank of each line end that is due to the width of a page.

    Args:
        text: The document's text.
        stretches: Offsets of the bodies of its sections, in order.

    Returns:
        The text, in which all offsets hold as before, and of each stretch whether it is wrapped.
    """
    ends = [_line_ends(text, start, end) for start, end in stretches]
    every = [end for each in ends for end in each]
    whole = _width(every)
    if len(every) < _LEAST_ENDS or not _are_wrapped(every, whole):
        whole = 0  # nothing is wrapped at it
    wrapped: list[bool] = []
    blanks: list[int] = []
    for (start, stop), each in zip(stretches, ends, strict=True):
        width = _width(each) if len(each) >= _LEAST_ENDS else whole
        wrapped.append(bool(each) and _are_wrapped(each, width))
        if wrapped[-1]:
            # Without blank lines, a short line that ends a sentence ends its paragraph.
            spaced = text.find("\n\n", start, stop) >= 0
            blanks += [end.offset for end in each if spaced or end.is_full(width) or not end.closes]
    if not blanks:
        return text, wrapped
    pieces = [text[a + 1 : b] for a, b in zip([-1, *blanks], [*blanks, len(text)], strict=True)]
    return " ".join(pieces), wrapped


def _line_ends(text: str, start: int, end: int) -> list[_LineEnd]:
    """The line ends of a stretch between lines of running text."""
    count = text.count("\n", start, end)
    if count == 0 or (end - start) / (count + 1) > _WIDTHS.stop:
        return []
    ends: list[_LineEnd] = []
    lines = text[start:end].split("\n")
    offset = start - 1
    for line, following in itertools.pairwise(lines):
        offset += len(line) + 1
        here, words = line.rstrip(), following.split(None, 1)
        if not here or not words or _BLOCK.match(following) or _COLUMN in here.lstrip():
            continue
        with_next = len(here) + 1 + min(len(words[0]), _LONGEST_WORD)
        closes = here.rstrip(_CLOSERS).endswith(_CLOSING)
        ends.append(_LineEnd(offset, len(here), with_next, closes))
    return ends


def _width(ends: Sequence[_LineEnd]) -> int:
    """The width that lines are wrapped at, if they are: the longest but for outliers."""
    lengths = sorted(end.length for end in ends)
    return lengths[ceil((len(lengths) - 1) * (1 - _OUTLIERS))] if lengths else 0


def _are_wrapped(ends: Sequence[_LineEnd], width: int) -> bool:
    """Whether most lines are full, and most go on in the next line."""
    full = sum(end.is_full(width) for end in ends)
    closed = sum(end.closes for end in ends)
    return width in _WIDTHS and full >= _FULL * len(ends) and closed <= _CLOSED * len(ends)
