"""What of a book is not its text: Project Gutenberg's frame, title page, contents. Source: ours.

Contents are a run of labels ("CHAPTER I. ...") without text between them that all come again, or
short lines below "Contents". A title page is the short lines in front of the first heading.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from offbook.documents.labels import Label, label_of
from offbook.documents.places import Edit
from offbook.text.sentences import TERMINATORS

_LEAST_CONTENTS: Final = 3
_COMES_AGAIN: Final = 0.6
"""Share of the labels of contents that must come again."""
LONGEST_LINE: Final = 90
"""Characters of a line that may be a title."""
_TITLE_PAGE: Final = 1_500
"""Characters that a title page has at most."""
_CONTENTS: Final = re.compile(
    r"[\s_*]*(?:(?:table of )?contents|inhalt(?:sverzeichnis)?|table des mati[èe]res|[íi]ndice"
    r"|sommario|inhoud|spis treści|содержание|оглавление"
    r"|目录|目錄|目次|차례)[\s_*.:]*",
    re.IGNORECASE,
)
_CREDITS: Final = re.compile(r"\W*(?:produced by|e-?text prepared by|transcrib|illustration)", re.I)
_CLOSERS: Final = "\"'”’»)]*_」』"
_FRAME: Final = re.compile(
    r"^\*{3} ?(START|END) OF TH(?:E|IS) PROJECT GUTENBERG[^*]{0,300}\*{3}[ \t]*$", re.MULTILINE
)
_END: Final = re.compile(r"\s*^End of (?:the )?Project Gutenberg[^\n]*\s*\Z", re.MULTILINE)


class Line(NamedTuple):
    """A line that is not blank: where it begins with its blanks and without, and its text.

    ``opens`` says whether a blank line stands in front of it.
    """

    raw: int
    start: int
    text: str
    opens: bool

    @property
    def end(self) -> int:
        """Offset behind its text."""
        return self.start + len(self.text)


class Labelled(NamedTuple):
    """A line with a label, by its place among the lines that are not blank."""

    at: int
    label: Label


def lines_of(text: str) -> Iterator[Line]:
    """The lines of a text that are not blank."""
    offset, opens = 0, True
    for raw in text.split("\n"):
        line = raw.strip()
        if line:
            yield Line(offset, offset + len(raw) - len(raw.lstrip()), line, opens)
        opens = not line
        offset += len(raw) + 1


def closes(line: str) -> bool:
    """Whether a line ends as a sentence does."""
    return line.rstrip(_CLOSERS).endswith(tuple(TERMINATORS))


def licences(text: str) -> Iterator[Edit]:
    """Edits that take Project Gutenberg's licence out, around each book that stands in it."""
    marks = list(_FRAME.finditer(text))
    begins = 0 if marks and marks[0][1] == "START" else None
    for mark in marks:
        if mark[1] == "START":
            if begins is not None:
                yield begins, mark.end(), "\n"
            begins = None
        elif begins is None:
            last = _END.search(text, max(0, mark.start() - 400), mark.start())
            begins = last.start() if last else mark.start()
    if begins is not None:
        yield begins, len(text), "\n"


def title_page(lines: Sequence[Line], end: int) -> int:
    """How many of the lines in front of the ``end``-th are a title page: all, or none."""
    front = [line.text for line in lines[:end]]
    prose = any(
        line.startswith("#") or (is_prose(line) and not _CREDITS.match(line)) for line in front
    )
    return end if sum(map(len, front)) <= _TITLE_PAGE and not prose else 0


def contents(lines: Sequence[Line], labelled: Sequence[Labelled]) -> list[tuple[int, int]]:
    """The lists of contents: places of their first line, and behind their last one."""
    later = Counter(map(_key, labelled))
    spans: list[tuple[int, int]] = []
    for run in _runs(lines, labelled):
        titles = Counter(map(_key, run))
        later -= titles
        again = sum(later[key] > 0 for key in titles)
        if len(run) >= _LEAST_CONTENTS and again >= _COMES_AGAIN * len(titles):
            first, last = run[0].at, run[-1].at + 1
            while first > 0 and _CONTENTS.fullmatch(lines[first - 1].text):
                first -= 1
            spans.append((first, last))
    listed = {row for first, last in spans for row in range(first, last)}
    behind = 0
    for row, line in enumerate(lines):
        if row >= behind and line.opens and _CONTENTS.fullmatch(line.text) and row not in listed:
            behind = _end_of_contents(lines, row + 1)
            spans.append((row, behind))
    return sorted((first, last) for first, last in spans if last > first + 1)


def _key(each: Labelled) -> tuple[str, int | None]:
    return each.label.kind, each.label.number


def _runs(lines: Sequence[Line], labelled: Sequence[Labelled]) -> Iterator[list[Labelled]]:
    """Labels in rows, none twice, with no text between them but short lines."""
    run: list[Labelled] = []
    earlier: dict[int, set[tuple[str, int | None]]] = {}
    for each in labelled:
        between = lines[run[-1].at + 1 : each.at] if run else []
        again = each.label.number is not None and _key(each) in earlier.get(each.label.rank, ())
        if again or len(between) > 2 or any(is_prose(line.text) for line in between):
            yield run
            run, earlier = [], {}
        run.append(each)
        # Chapters begin anew in each part.
        earlier = {rank: keys for rank, keys in earlier.items() if rank <= each.label.rank}
        earlier.setdefault(each.label.rank, set()).add(_key(each))
    if run:
        yield run


def is_prose(line: str) -> bool:
    """Whether a line looks like running text: long, or a sentence."""
    return len(line) > LONGEST_LINE or (closes(line) and len(line.split()) > 3)


def _end_of_contents(lines: Sequence[Line], start: int) -> int:
    """Behind the last entry of contents; what comes again, or alone has a number, is none."""
    names: set[str] = set()
    numbered = False
    for place in range(start, len(lines)):
        line = lines[place].text
        label = label_of(line)
        number = label.number if label else None
        name = f"{label.kind} {number}" if label and number else line.strip(" .0123456789").lower()
        if name in names or is_prose(line) or (names and number and not numbered):
            return place
        numbered = numbered or bool(number)
        if name:
            names.add(name)
    return start
