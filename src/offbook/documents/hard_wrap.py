"""Hard wrap: line ends that are due to the width of a page become blanks. Source: ours.

A line is *full* where the first word of the line behind it would not have fit. A stretch is wrapped
where most lines that another one follows are full, and most end in mid-sentence. In a wrapped text
each block between blank lines is looked at by itself: verse, whose next words would mostly have
fit, stays as it is, and so do marked lists, quotations, tables and code, the lines of an address,
a salutation and a signature. Where no blank lines part the paragraphs, indentation does, or a short
line that ends a sentence. The hyphen of a broken word goes where the text writes the word without
one, or where its halves are no words.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property
from math import ceil
from statistics import median
from typing import Final, NamedTuple

from offbook.documents.chunk_ids import Span
from offbook.documents.places import Edit
from offbook.text.sentences import TERMINATORS
from offbook.text.tokens import UNSPACED, WIDE

_WIDTHS: Final = range(36, 121)
"""Widths that people wrap at: e-mail 72 to 78, books 60 to 75, code 80 to 120. Most verse and
lists of names are narrower; where lines are longer, they are paragraphs."""
_LEAST_ENDS: Final = 3
"""Of fewer line ends a stretch says too little (of two, one is the longest and full by itself):
then the document's width and verdict count."""
_GOING_ON: Final = 0.5
"""Share of the line ends that must lie in mid-sentence: about nine of ten do in wrapped prose,
hardly any where a line is a statement."""
_FULL: Final = 0.75
"""Share of these that must be full: nearly all are in prose, about a quarter in verse (the last
third of a line's spread)."""
_ALONE: Final = 0.1
"""Share of the line ends of blocks that are wrapped, each by itself, in a text of many kinds."""
_OUTLIERS: Final = (0.05, 0.15)
"""Shares of the lines that may be longer than the width: an address that cannot be broken; letters
or tables that are set otherwise than the text."""
_INDENTED: Final = 0.1
"""Share of the lines that must be indented for indentation to part paragraphs."""
_SLACK: Final = 0.9
"""Share of the width at which a line of a wrapped text counts as full: editors break some early."""
_OVER: Final = 1.15
"""Share of the width from which on a line is a paragraph in a wrapped text."""
_SHORT: Final = 0.7
"""Share of the width below which a line was ended by hand, if what follows can begin one."""
_LONGEST_WORD: Final = 16
"""Characters of a word that count: longer ones are rare, and in scripts without blanks no words."""
_JOINED: Final = 0.6
"""Share of the lines of a block that must be full, where its text is wrapped."""
_VERSE: Final = 3
"""Lines behind the first that must all begin with a capital where verse fills the width."""
_ROWS: Final = 8
"""The same where no line is brief, as of rows of equal length: prose has no such run."""
_LEAST_SPEECHES: Final = 3

_BLOCK: Final = re.compile(
    r"(?:[-+*•·–—]|\d{1,9}[.)])\s|[|>#+=~`]|\*{2}|-{3}|_{3}|\[?\d{1,2}:\d{2}|<\w"
)
"""How a list item, table row, quotation, heading, rule, code or line of a log begins."""
_ORNAMENT: Final = re.compile(r"[*•·⁂~](?:[*•·⁂~\s]*[*•·⁂~])?")
_SPEAKER: Final = re.compile(r"\s*([^\W\d_][\w .'’-]{0,30})[:：]\s")
_COLUMN: Final = re.compile(r"\S {3,}\S")
_CODE: Final = ("    ", "\t")
_BREAKS: Final = ("  ", "\\")
_CLOSING: Final = (*TERMINATORS, ":", "--", "—")
_CLOSERS: Final = "\"'”’»)]*_」』"
_OPENERS: Final = "\"'“‘«(*_["
_WIDE_CHARACTER: Final = re.compile(f"[{WIDE}\u3000-\u303f\uff00-\uff60]")
_UNSPACED: Final = re.compile(f"[{UNSPACED}\u3000-\u303f\uff00-\uff60]")
_HALF: Final = re.compile(r"[^\W\d_]+")
_BEFORE: Final = re.compile(r"([^\W\d_]+)([-\u00ad\u2010])\Z")
_LONGEST_HALF: Final = 40
_DASHES: Final = ("--", "—")
_WORD: Final = re.compile(
    r"(?<![^\W\d_])(?<![-\u2010]\n)[^\W\d_]++(?:[-\u2010][^\W\d_]++)*+(?![-\u2010]\n)"
)
"""A word, but for the halves of one that is broken at the end of a line."""


class _Line(NamedTuple):
    """A line of running text: offsets without the blanks around it, and its columns."""

    start: int
    end: int
    indent: int
    width: int
    first: int
    """Columns of its first word."""
    begins: bool
    """Whether it begins an item, or what somebody says."""
    upper: bool
    lower: bool
    """Whether it begins with a capital, or with a small letter; there are other scripts."""
    closes: bool
    ornament: bool
    """Whether it parts scenes, as three stars do."""

    def with_next(self, following: _Line) -> int:
        """Columns that the line would have together with the next word."""
        return self.indent + self.width + 1 + following.first


_Lines = Sequence[_Line]


def unwrapped(
    text: str, stretches: Sequence[Span], *, markdown: bool = False
) -> tuple[list[Edit], int]:
    """Find the line ends that are due to the width of a page.

    Args:
        text: The file's text.
        stretches: Offsets of the bodies of its sections, in order; nothing else is looked at.
        markdown: Whether indented blocks are code, and two blanks end a line.

    Returns:
        Edits that make one line of each paragraph, with blank lines between them, and the width
        that lines are wrapped at; 0, and no edits, where they are not.
    """
    blocks = [list(_blocks(text, start, end, markdown=markdown)) for start, end in stretches]
    every = [part for parts in blocks for part in parts]
    first = _indentation([pair for part in every for pair in _ends(part)])
    whole = _wrapped_at(every)
    words, edits, widest = Words(text), list[Edit](), 0
    for parts in blocks:
        width = _width([pair for part in parts for pair in _ends(part)]) or whole
        if width == 0:
            continue
        widest = max(widest, width)
        style = _Style(width, len(parts) > 1, first)
        for part in parts:
            edits += _joined(text, part, style, words)
    return edits, widest if edits else 0


class _Style(NamedTuple):
    """How a stretch is set: columns, blank lines between paragraphs, columns before first lines."""

    width: int
    spaced: bool
    first: float


class Words:
    """The words of a text, by which a hyphen at the end of a line is judged."""

    def __init__(self, text: str) -> None:
        self._text = text

    @cached_property
    def _counts(self) -> Counter[str]:
        return Counter(match.group().lower() for match in _WORD.finditer(self._text))

    @cached_property
    def _dash_blank(self) -> dict[str, str]:
        """What the text puts behind a dash within a line."""
        blanks = {}
        for dash in _DASHES:
            loose = len(re.findall(rf"\S{dash} \S", self._text))
            close = len(re.findall(rf"\w{dash}[\w\"“‘']", self._text))
            blanks[dash] = " " if loose > close else ""
        return blanks

    def joint(self, line: str, following: str) -> tuple[int, str]:
        """How two lines are joined: characters that go at the first one's end, and what comes."""
        if _UNSPACED.match(line[-1]) and _UNSPACED.match(following):
            return 0, ""
        for dash in _DASHES:
            if line.endswith(dash):
                return 0, self._dash_blank[dash]
        before, after = _BEFORE.search(line[-_LONGEST_HALF:]), _HALF.match(following)
        if before is None or after is None:
            return 0, " "
        if before[2] == "\u00ad":
            return 1, ""
        first, second = before[1].lower(), after.group().lower()
        if self._counts[f"{first}-{second}"] or not following[0].islower():
            return 0, ""
        if self._counts[first + second]:
            return 1, ""
        # Each half stands in the text by itself, too: a compound.
        return (0, "") if self._counts[first] and self._counts[second] else (1, "")


def _blocks(text: str, start: int, end: int, *, markdown: bool) -> Iterator[list[_Line]]:
    """The blocks between blank lines of a stretch, as lines, without tables in columns and code."""
    count = text.count("\n", start, end)
    if count == 0 or (end - start) / (count + 1) > _WIDTHS.stop:
        return
    start = text.rfind("\n", 0, start) + 1  # with the indentation of the first line
    speakers = _speakers(text, start, end)
    wide = _WIDE_CHARACTER.search(text, start, end) is not None
    block: list[_Line] = []
    offset, fence = start, ""
    table = code = broken = False
    for raw in text[start:end].split("\n"):
        here = raw.strip()
        mark = here[:3]
        if mark in ("```", "~~~") and fence in ("", mark):
            fence = "" if fence else mark
        if here and not fence:
            code = markdown and raw.startswith(_CODE) and (code or not block)
            table = table or _COLUMN.search(here) is not None
            line = _line(raw, here, offset, speakers, wide=wide)
            begins, broken = line.begins or broken, markdown and raw.endswith(_BREAKS)
            block.append(line._replace(begins=begins, closes=line.closes or broken))
        elif block:
            if not (table or code):
                yield _with_items(block)
            block, table, broken = [], False, False
        offset += len(raw) + 1
    if block and not (table or code):
        yield _with_items(block)


def _with_items(block: list[_Line]) -> list[_Line]:
    """The block; one lone mark of an item in mid-sentence is a dash, or a number."""
    marked = [index for index, line in enumerate(block) if line.begins]
    if len(marked) == 1 and marked[0] > 0 and not block[marked[0] - 1].closes:
        block[marked[0]] = block[marked[0]]._replace(begins=False)
    return block


def _speakers(text: str, start: int, end: int) -> frozenset[str]:
    """The names that several lines begin with, as those of a chat or a play do."""
    names = Counter(
        match[1] for line in text[start:end].split("\n") if (match := _SPEAKER.match(line))
    )
    return frozenset(name for name, times in names.items() if times >= _LEAST_SPEECHES)


def _line(raw: str, here: str, offset: int, speakers: frozenset[str], *, wide: bool) -> _Line:
    blanks = len(raw) - len(raw.lstrip())
    first, width = min(len(here.split(None, 1)[0]), _LONGEST_WORD), len(here)
    if wide:
        width += len(_WIDE_CHARACTER.findall(here))
        first = 2 if _WIDE_CHARACTER.match(here) else first
    speaker = _SPEAKER.match(here) if speakers else None
    letter = here.lstrip(_OPENERS)[:1]
    return _Line(
        start=offset + blanks,
        end=offset + blanks + len(here),
        indent=blanks,
        width=width,
        first=first,
        begins=bool(_BLOCK.match(here) or (speaker and speaker[1] in speakers)),
        upper=letter.isupper(),
        lower=letter.islower(),
        closes=here.rstrip(_CLOSERS).endswith(_CLOSING),
        ornament=_ORNAMENT.fullmatch(here) is not None,
    )


def _ends(block: _Lines) -> list[tuple[_Line, _Line]]:
    """The line ends of a block that may be due to a width, as the lines on both sides."""
    return [pair for pair in itertools.pairwise(block) if not pair[1].begins]


def _wrapped_at(blocks: Sequence[_Lines]) -> int:
    """The width that blocks are wrapped at; 0 where they are not.

    Where they are not all of a kind, those count that are wrapped each by itself.
    """
    ends = [pair for block in blocks for pair in _ends(block)]
    if width := _width(ends):
        return width
    alone = [pair for block in blocks if _width(pairs := _ends(block)) for pair in pairs]
    return _width(alone) if len(alone) > _ALONE * len(ends) else 0


def _width(ends: Sequence[tuple[_Line, _Line]]) -> int:
    """The longest line but for outliers, if most lines are full, and most go on in the next."""
    if len(ends) < _LEAST_ENDS:
        return 0
    lengths = sorted(line.indent + line.width for line, _ in ends)
    going_on = [line.with_next(following) for line, following in ends if not line.closes]
    if len(going_on) < _GOING_ON * len(ends):
        return 0
    for share in _OUTLIERS:
        width = lengths[ceil((len(lengths) - 1) * (1 - share))]
        full = sum(with_next > width for with_next in going_on)
        if width in _WIDTHS and full >= _FULL * len(going_on):
            return width
    return 0


def _indentation(ends: Sequence[tuple[_Line, _Line]]) -> float:
    """Columns in front of first lines; 0 where few are indented, or go on in lines that are too."""
    after = [following.indent for _, following in ends if following.indent]
    going_on = [(line, following) for line, following in ends if line.indent and not line.closes]
    less = sum(line.indent > following.indent for line, following in going_on)
    return median(after) if len(after) > _INDENTED * len(ends) and less > len(going_on) / 2 else 0


def _joined(text: str, block: _Lines, style: _Style, words: Words) -> Iterator[Edit]:
    """The edits that make lines of the paragraphs of a block; none where it is verse or a table."""
    base = _base(block)
    if _is_verse(
        [end for end in _ends(block) if not _parts(*end, style, base)], block, style.width
    ):
        return
    if block[0].indent and not block[0].begins:
        yield block[0].start - block[0].indent, block[0].start, ""
    for line, following in itertools.pairwise(block):
        start, between = line.end, "\n\n"
        broken = line.ornament or following.ornament
        if not broken and (following.begins or not _parts(line, following, style, base)):
            if following.begins or _stays(line, following, style.width):
                continue
            gone, between = words.joint(
                text[line.start : line.end], text[following.start : following.end]
            )
            start -= gone
        if text[start : following.start] != between:
            yield start, following.start, between


def _base(block: _Lines) -> int:
    """Columns in front of the lines that go on; more of them begin a paragraph.

    Where all lines but the first are set in, and not each line is a sentence, it hangs out.
    """
    inner = min((line.indent for line in block[1:]), default=0)
    hangs = not all(line.closes for line in block[:-1])
    return inner if hangs else min(inner, block[0].indent)


def _is_verse(every: Sequence[tuple[_Line, _Line]], block: _Lines, width: int) -> bool:
    """Whether a block is set by hand: most lines end early or too late, or all have capitals.

    What stands in front of a letter and behind it does not count.
    """
    by_hand = [_stays(line, following, width) for line, following in every]
    first = next((index for index, hand in enumerate(by_hand) if not hand), len(every))
    last = next((index for index, hand in enumerate(reversed(by_hand)) if not hand), 0)
    ends = every[first : len(every) - last]
    if len(ends) < max(1, min(2, len(every))):
        return True
    over = sum(line.indent + line.width > _OVER * width for line in block)
    full = sum(
        line.with_next(after) > (_SHORT if after.lower else _SLACK) * width for line, after in ends
    )
    if full < _JOINED * len(ends) or over > len(ends) / 2:
        return True
    brief = any(line.with_next(after) <= width for line, after in ends)
    return len(ends) >= (_VERSE if brief else _ROWS) and all(after.upper for _, after in ends)


def _parts(line: _Line, following: _Line, style: _Style, base: int) -> bool:
    """Whether a paragraph ends between two lines."""
    full = line.with_next(following) > style.width
    if style.first:
        deeper = following.indent > line.indent
        begins = following.indent - base > style.first / 2
        return begins and (line.closes or not full or deeper)
    return not style.spaced and line.closes and not full


def _stays(line: _Line, following: _Line, width: int) -> bool:
    """Whether a line was ended by hand: of an address, a salutation, a signature."""
    return not following.lower and line.with_next(following) < _SHORT * width
