"""The sections of a document: which heading path each stretch of text lies under.

Takes: Markdown text.  Gives: its leaf sections, in order, with heading paths and offsets.
Paper: 003, section 4.1 (the hierarchical context H); headings as CommonMark has them, see below.

Headings are ATX (``#`` to ``######``) and setext (a line underlined by ``===`` or ``---``) lines
outside fenced code and front matter. Differs from CommonMark in one point: a setext heading is one
line that follows a blank line or a heading; underlines below longer paragraphs are rules.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain, islice
from typing import Final, NamedTuple

_CANDIDATE: Final = re.compile(
    r"\n(?=[ #`~=-]) {0,3}(?:(#{1,6})(?![^ \t\r\n])[ \t]*([^\n]*)"
    r"|(`{3,}(?=[^`\n]*(?:\n|\Z))|~{3,})"
    r"|(=+|-+)[ \t\r]*(?=\n|\Z))"
)
"""A heading line (marks, title), the opening of a fence, or the underline of a setext heading.

Starts with a literal newline, which the regular expression engine finds at memory speed, and then
looks at one character: most lines are passed over by that.
"""
_TITLE, _FENCE = 2, 3

_NO_SETEXT: Final = re.compile(r" {4}|\t| {0,3}(?:>|[-+*][ \t]|\d{1,9}[.)][ \t]|[|#])")
"""A line that is a block quote, list item, table row or code is not a setext heading."""

_FRONT_MATTER: Final = re.compile(r"---\n[\w.-]+[ \t]*:")
_NONSPACE: Final = re.compile(r"\S")
_TRIM_BLOCK: Final = 8
_LONG_TRIM_BLOCK: Final = 1024


class Section(NamedTuple):
    """A heading and the body text up to the next heading.

    Attributes:
        headings: Titles root to leaf; empty for the text before the first heading.
        level: 1 to 6; 0 for the text before the first heading.
        title_start: Offset of the title's first character in the document.
        title_end: Offset behind the title's last character.
        body_start: Offset of the first non-blank character of the body.
        body_end: Offset behind the last one; equal to ``body_start`` where the body is blank.
    """

    headings: tuple[str, ...]
    level: int
    title_start: int
    title_end: int
    body_start: int
    body_end: int


Heading = tuple[int, int, int, int, int]
"""Level, offsets of the title's start and end, of the line's start, and of the body behind it."""


def trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """The offsets without the white space at both ends; ``(start, start)`` if all is blank."""
    first = _NONSPACE.search(text, start, end)
    if first is None:
        return start, start
    start, block = first.start(), _TRIM_BLOCK
    while text[end - 1].isspace():
        low = max(start, end - block)
        end = low + len(text[low:end].rstrip())
        block = _LONG_TRIM_BLOCK
    return start, end


def sections(text: str) -> list[Section]:
    """Split ``text`` at its headings, in time linear in its length.

    Returns:
        One section a heading, preceded by one of level 0 where text stands before the first.
    """
    found: list[Section] = []
    path: tuple[str, ...] = ()
    levels: list[int] = []
    level = title_start = title_end = body = 0
    for new_level, new_start, new_end, line_start, new_body in _headings(text):
        # Most headings that follow one another have nothing but a line break between them.
        start, end = trimmed(text, body, line_start) if line_start - body > 1 else (body, body)
        if level or end > start:
            found.append(Section(path, level, title_start, title_end, start, end))
        level, title_start, title_end, body = new_level, new_start, new_end, new_body
        while levels and levels[-1] >= level:
            levels.pop()
        path = (*path[: len(levels)], _one_line(text[title_start:title_end]))
        levels.append(level)
    start, end = trimmed(text, body, len(text))
    if level or end > start:
        found.append(Section(path, level, title_start, title_end, start, end))
    return found


def bodies(found: list[Section]) -> Iterator[tuple[tuple[str, ...], int, int]]:
    """Heading path and offsets of what is cut: bodies, and titles that nothing stands under."""
    following = chain((section.level for section in islice(found, 1, None)), [0])
    for section, next_level in zip(found, following, strict=False):
        headings, level, title_start, title_end, start, end = section
        if end > start:
            yield headings, start, end
        elif title_end > title_start and next_level <= level:
            yield headings, title_start, title_end


def _one_line(title: str) -> str:
    """``title``, trimmed already, with single blanks between its words."""
    # All white space but the blank is unprintable: most titles need not be taken apart.
    if title.isprintable() and "  " not in title:
        return title
    return " ".join(title.split())


def _headings(text: str) -> Iterator[Heading]:
    """Heading lines in order; those inside fenced code or front matter are passed over."""
    position = _behind_front_matter(text)
    blocked = position  # a setext title cannot begin before the end of the last heading or fence
    if position == 0:
        # The pattern wants a newline in front: look at the first line through a copy of it.
        line_end = text.find("\n")
        first_line = text if line_end < 0 else text[:line_end]
        match = _CANDIDATE.match("\n" + first_line)
        if match and match.lastindex == _TITLE:
            start, end = _title(match)
            position = blocked = len(first_line)
            yield len(match[1]), start - 1, end - 1, 0, blocked
        elif match and match.lastindex == _FENCE:
            position = blocked = _fence_end(text, match[_FENCE], len(first_line))
    while position >= 0:
        for match in _CANDIDATE.finditer(text, position):
            if match.lastindex == _TITLE:
                blocked = match.end()
                yield len(match[1]), *_title(match), match.start() + 1, blocked
            elif match.lastindex == _FENCE:
                position = blocked = _fence_end(text, match[_FENCE], match.end())
                break
            elif line := _setext_title(text, match.start(), blocked):
                blocked = match.end()
                yield 1 if match[4][0] == "=" else 2, *line, blocked
        else:
            position = -1


def _title(match: re.Match[str]) -> tuple[int, int]:
    """Offsets of the title of an ATX heading; a closing run of ``#`` is no part of it."""
    raw = match[_TITLE]
    title = raw.rstrip()
    if title.endswith("#"):
        opened = title.rstrip("#")
        if not opened or opened[-1] in " \t":
            title = opened.rstrip()
    start = match.start(_TITLE)
    return start, start + len(title)


def _setext_title(text: str, line_end: int, blocked: int) -> tuple[int, int, int] | None:
    """Title offsets and line start of the line that ends at ``line_end``, if it is a heading."""
    line_start = max(text.rfind("\n", blocked, line_end) + 1, blocked)
    if _NO_SETEXT.match(text, line_start, line_end):
        return None
    start, end = trimmed(text, line_start, line_end)
    if start == end:
        return None
    if line_start > blocked:
        before_end = line_start - 1
        before = max(text.rfind("\n", blocked, before_end) + 1, blocked)
        if trimmed(text, before, before_end) != (before, before):
            return None
    return start, end, line_start


def _fence_end(text: str, fence: str, after: int) -> int:
    """Offset behind the closing fence; the end of the text where it is never closed."""
    closing = re.compile(rf"\n {{0,3}}{fence[0]}{{{len(fence)},}}[ \t\r]*(?=\n|\Z)")
    match = closing.search(text, after)
    return match.end() if match else len(text)


def _behind_front_matter(text: str) -> int:
    """Offset behind a YAML block between ``---`` lines at the very beginning, else 0."""
    if not _FRONT_MATTER.match(text):
        return 0
    end = text.find("\n---\n", 3)
    return end + 4 if end >= 0 else 0
