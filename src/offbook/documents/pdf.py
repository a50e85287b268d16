"""The reader of PDF: printed lines become paragraphs, headings by their size. Source: ours.

Lines are told by their height on the page. A paragraph begins behind a gap, at an indented line,
or, where the text has neither, behind a short line that ends a sentence. Lines at the head or foot
of pages that come again there, or count the pages, are running heads and page numbers, and go.
"""

from __future__ import annotations

import io
import itertools
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from logging import NullHandler, getLogger
from math import inf
from pathlib import Path
from statistics import median
from typing import Any, Final

from offbook.documents.aside import closes
from offbook.documents.hard_wrap import Words
from offbook.documents.labels import number_of
from offbook.documents.places import Places
from offbook.errors import ConfigurationError, UnreadableDocument
from offbook.extras import install_command

_SAME_LINE: Final = 0.4
"""Of a line's size: how far its letters may stand above or below its first."""
_GAP: Final = 1.3
"""Times the usual distance of two lines at which a paragraph begins."""
_INDENT: Final = 0.5
"""Of a line's size: how far to the right a line that is indented begins."""
_DEEPER: Final = 1.3
"""Times the indentation of first lines from which on lines are set in."""
_SHORT: Final = 0.75
_FULL: Final = 0.9
"""Shares of the usual length of a line, with the next word, below which it was ended by hand, and
above which it is full; letters differ in width."""
_LEAST_LENGTH: Final = 30
"""Letters of a full line at least: pages of a few words have none."""
_NARROW: Final = "ijltfrI.,;:'|!() "
_WIDE: Final = "mwMWGOQDCHNUVKAR—"
_LARGER: Final = 1.15
"""Times the size of the text at which a line can be a heading."""
_SMALLER: Final = 0.9
"""Times the size of the text below which a line at the foot of a page is a note."""
_LONGEST_HEADING: Final = 160
_EDGE_LINES: Final = 2
_LEAST_PAGES: Final = 3
_COMES_AGAIN: Final = 0.6
"""Share of the pages whose line at one height comes again for all lines there to be heads."""
_LETTER: Final = 0.46
"""Of a line's size: about how wide its letters are."""
_LEAST_LINES: Final = 6
"""Pieces that must begin at one place for a column to begin there."""
_ACROSS: Final = 1.25
"""Times the place of the second column beyond which a line of both columns ends."""
_LEAST_PART: Final = 4
"""The first column has at least one such part of the page."""
_FILLED: Final = 0.75
_OVER: Final = 0.1
"""Shares of the width of the first column: where its lines end at least, and how far beyond."""
_NUMBER: Final = re.compile(r"\d+|\b[ivxlc]+\b", re.IGNORECASE)

# What pypdf mends it logs, and without a handler that would be printed between our own messages.
getLogger("pypdf").addHandler(NullHandler())


@dataclass(slots=True)
class _Line:
    """A printed line: its page from 1, where it begins in points from the lower left, its size.

    ``column`` is 0, or 1 in the second of two columns.
    """

    page: int
    x: float
    y: float
    size: float
    text: str
    column: int = 0

    def beside(self, other: _Line) -> bool:
        """Whether both are in one column of one page."""
        return (self.page, self.column) == (other.page, other.column)


def pdf_text(path: Path, data: bytes) -> tuple[str, Places, list[str]]:
    """The text of all pages that have any, the pages, and what was dropped.

    Raises:
        ConfigurationError: pypdf is not installed.
        UnreadableDocument: the file is damaged or needs a password, or its pages are pictures.
    """
    pages = _pages(path, data)
    if not any(pages):
        raise UnreadableDocument(
            f"{str(path)!r} has {len(pages)} pages, but no text in them",
            "its pages are probably pictures: run it through text recognition (OCR) first",
        )
    dropped = _running(pages)
    lines = [line for page in pages for line in page if id(line) not in dropped]
    messages = []
    if dropped:
        dropped_texts = Counter(line.text for page in pages for line in page if id(line) in dropped)
        some = ", ".join(repr(text) for text, _ in dropped_texts.most_common(2))
        messages.append(
            f"dropped: {len(dropped)} running heads, feet and page numbers (such as {some})"
        )
    text, places = _set(lines or [line for page in pages for line in page])
    return text, places, messages


def _pages(path: Path, data: bytes) -> list[list[_Line]]:
    """The lines of each page."""
    try:
        from pypdf import PdfReader
    except ImportError as error:
        raise ConfigurationError(
            f"{str(path)!r} is a PDF, and the extra that reads PDF is not installed",
            install_command("pdf"),
        ) from error
    try:
        reader = PdfReader(io.BytesIO(data))
        locked = reader.is_encrypted and not reader.decrypt("")
        pages = [] if locked else [_lines(page, n) for n, page in enumerate(reader.pages, 1)]
    except Exception as error:  # pypdf raises whatever a damaged file makes it stumble over
        raise UnreadableDocument(
            f"{str(path)!r} cannot be read as PDF: {error}",
            "open it and save it anew, or save it as text",
        ) from error
    if locked:
        raise UnreadableDocument(
            f"{str(path)!r} is protected by a password", "save it without one, or save it as text"
        )
    return pages


def _lines(page: Any, number: int) -> list[_Line]:
    """The lines of a page, in the order in which they are drawn, of columns one after the other."""
    pieces: list[tuple[_Line, bool]] = []
    ended = True

    def visit(text: str, cm: list[float], tm: list[float], font: Any, size: float) -> None:
        nonlocal ended
        del font
        x = tm[4] * cm[0] + tm[5] * cm[2] + cm[4]
        y = tm[4] * cm[1] + tm[5] * cm[3] + cm[5]
        points = max(abs(size * tm[3] * cm[3]), 1.0)
        for index, piece in enumerate(text.split("\n")):
            ended = ended or index > 0
            if piece.strip():
                pieces.append((_Line(number, x, y, points, piece), ended))
                ended = False
            elif pieces and piece and not ended:
                pieces[-1][0].text += piece

    page.extract_text(visitor_text=visit)
    second = _second_column([piece for piece, _ in pieces])
    lines: list[_Line] = []
    for piece, begins in pieces:
        piece.column = int(piece.x > second - piece.size / 2)
        last = lines[-1] if lines else piece
        same = abs(last.y - piece.y) < _SAME_LINE * piece.size and last.column == piece.column
        if lines and same:
            last.text += (" " if begins else "") + piece.text
        else:
            lines.append(piece)
    for line in lines:
        # What a damaged font makes of its letters may be NUL, or half a character.
        whole = line.text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        line.text = " ".join(whole.replace("\0", "").split())
    across = {
        line.y for line in lines if not line.column and line.x + _reach(line) > _ACROSS * second
    }
    lines.sort(key=lambda line: (sum(y > line.y for y in across), line.y in across, line.column))
    return [line for line in lines if line.text]


def _second_column(pieces: Sequence[_Line]) -> float:
    """Where the second of two columns begins, in points from the left; infinity in one.

    Many lines begin there, and a third at least of those in front of it end close to it.
    """
    starts = Counter(round(piece.x) for piece in pieces)
    left = min((x for x, times in starts.items() if times >= _LEAST_LINES), default=0)
    ends = [piece.x + _reach(piece) for piece in pieces]
    for x in sorted(x for x, times in starts.items() if times >= _LEAST_LINES):
        if x > left + max(ends) / _LEAST_PART:
            before = [end for one, end in zip(pieces, ends, strict=True) if one.x < x - one.size]
            low, high = left + _FILLED * (x - left), x + _OVER * (x - left)
            if sum(low < end < high for end in before) > len(before) / 3:
                return x
    return inf


def _reach(line: _Line) -> float:
    """About how long a line is in points."""
    return _length(line.text) * line.size * _LETTER


def _running(pages: Sequence[Sequence[_Line]]) -> set[int]:
    """The running heads and feet and the page numbers, by identity."""
    edges: dict[tuple[bool, int], list[_Line]] = defaultdict(list)
    for page in pages:
        by_height = sorted(page, key=lambda line: -line.y)
        for line in by_height[:_EDGE_LINES]:
            edges[True, round(line.y)].append(line)
        for line in by_height[_EDGE_LINES:][-_EDGE_LINES:]:
            edges[False, round(line.y)].append(line)
    dropped: set[int] = set()
    for lines in edges.values():
        if len(lines) < _LEAST_PAGES:
            continue
        texts = Counter(itertools.chain.from_iterable(map(_said, lines)))
        again = [line for line in lines if max(texts[s] for s in _said(line)) >= _LEAST_PAGES]
        all_of_them = len(again) >= _COMES_AGAIN * len(lines)
        dropped.update(map(id, lines if all_of_them else again))
    return dropped


def _length(text: str) -> float:
    """About how long a text is in print, in letters; wide and narrow ones differ by half."""
    return len(text) + (sum(map(text.count, _WIDE)) - sum(map(text.count, _NARROW))) / 2


def _said(line: _Line) -> set[str]:
    """What a line says that may come again: its words, or with one number counted from its page."""
    said = {line.text}
    for match in _NUMBER.finditer(line.text):
        if (number := number_of(match.group())) is not None:
            counted = f"#{number - line.page}"
            said.add(line.text[: match.start()] + counted + line.text[match.end() :])
    return said


class _Layout:
    """How the text of a document is set.

    Its size and the distance of its lines, the indentation of first lines (0 where they have none),
    all in points; and the length of a full line in letters.
    """

    def __init__(self, lines: Sequence[_Line]) -> None:
        sizes: Counter[float] = Counter()
        for line in lines:
            sizes[round(line.size, 1)] += len(line.text)
        self.size = sizes.most_common(1)[0][0]
        text = [line for line in lines if abs(line.size - self.size) < 0.5]
        steps = Counter(
            round(one.y - two.y, 1)
            for one, two in itertools.pairwise(text)
            if one.beside(two) and 0 < one.y - two.y < 3 * self.size
        )
        self.step = steps.most_common(1)[0][0] if steps else 1.2 * self.size
        lengths = sorted(_length(line.text) for line in text)
        self.length = max(_LEAST_LENGTH, lengths[int(0.75 * (len(lengths) - 1))])
        margins: dict[tuple[int, int], list[float]] = defaultdict(list)
        for line in text:
            margins[line.page, line.column].append(line.x)
        self._left = {column: min(values) for column, values in margins.items()}
        self.left = median(self._left.values())
        inner = [line for line in text if self.indent(line) > 0]
        behind = [(one, two) for one, two in itertools.pairwise(text) if self.indent(one) > 0]
        back = [self.indent(one) for one, two in behind if self.indent(two) == 0]
        indented = len(inner) > len(text) / 50 and len(back) > len(behind) / 4
        self.first = median(back) if indented else 0.0

    def indent(self, line: _Line) -> float:
        """How many points a line begins to the right of its page's margin; 0 at the margin."""
        inner = line.x - self._left.get((line.page, line.column), self.left)
        return inner if inner > _INDENT * line.size else 0.0

    def is_heading(self, line: _Line) -> bool:
        """Whether a line is set larger than the text."""
        return line.size > _LARGER * self.size and len(line.text) <= _LONGEST_HEADING

    def between(self, line: _Line, following: _Line) -> str:
        """What stands between two lines: a blank line, a line's end, or nothing said ("")."""
        if abs(line.size - following.size) > 0.1 * self.size:
            return "\n\n"
        if self.is_heading(line):
            return "" if line.beside(following) else "\n\n"
        apart = line.beside(following) and (not 0 < line.y - following.y <= _GAP * self.step)
        with_next = _length(line.text) + _length(following.text.split()[0])
        short = with_next < _SHORT * self.length
        lower = following.text[0].islower()
        if apart:
            return "" if lower and not closes(line.text) and line.y < following.y else "\n\n"
        before, behind = self.indent(line), self.indent(following)
        if min(before, behind) > _DEEPER * self.first:  # verse, or a letter
            return "\n" if short and not lower else ""
        if self.first:
            if behind:
                return "\n\n"
        elif closes(line.text) and not lower and with_next < _FULL * self.length:
            return "\n\n"
        return "\n" if short and not lower and not closes(line.text) else ""


def _set(lines: Sequence[_Line]) -> tuple[str, Places]:
    """The lines as paragraphs and headings, and the page of each."""
    layout = _Layout(lines)
    lines = list(_notes_behind(lines, layout))
    words = Words("\n".join(line.text for line in lines))
    sizes = sorted({round(line.size) for line in lines if layout.is_heading(line)}, reverse=True)
    pieces: list[str] = []
    places: list[tuple[int, str]] = []
    size = 0
    for line, between, gone in _with_joints(lines, layout, words):
        if gone:
            pieces[-1] = pieces[-1][:-gone]
            size -= gone
        mark = ""
        if layout.is_heading(line) and (not pieces or between == "\n\n"):
            mark = "#" * min(6, 1 + sizes.index(round(line.size))) + " "
        if not places or places[-1][1] != f"page {line.page}":
            places.append((size + len(between), f"page {line.page}"))
        pieces += [between + mark, line.text]
        size += len(between) + len(mark) + len(line.text)
    return "".join(pieces) + "\n", tuple(places)


def _notes_behind(lines: Sequence[_Line], layout: _Layout) -> Iterator[_Line]:
    """The lines, notes at the foot of a page behind the paragraph that goes on over it."""
    last, notes = None, list[_Line]()
    for line in lines:
        if line.size < _SMALLER * layout.size:
            notes.append(line)
            continue
        if notes and (last is None or layout.between(last, line)):
            yield from notes
            notes = []
        yield line
        last = line
    yield from notes


def _with_joints(
    lines: Sequence[_Line], layout: _Layout, words: Words
) -> Iterator[tuple[_Line, str, int]]:
    """Each line, what stands in front of it, and how many characters go at the end before it."""
    yield lines[0], "", 0
    for line, following in itertools.pairwise(lines):
        between, gone = layout.between(line, following), 0
        if not between:
            gone, between = words.joint(line.text, following.text)
        yield following, between, gone
