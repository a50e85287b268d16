"""The sections of a document: which heading path each stretch of text lies under.

Paper: AMADEUS (003), section 4.1 (the hierarchical context H); headings as CommonMark has them: ATX
(``#`` to ``######``) and setext (a line underlined by ``===`` or ``---``) lines outside fenced code
and front matter. Differs in one point: a setext heading is one line that follows a blank line or a
heading; underlines below longer paragraphs are rules.
"""

from __future__ import annotations

import re
from collections import Counter
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

_FRONT_MATTER: Final = re.compile(r"\n---\n[\w.-]+[ \t]*:")
_NONSPACE: Final = re.compile(r"\S")


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
    start = first.start()
    return start, start + len(text[start:end].rstrip())


def highest(text: str) -> list[Section]:
    """Return the sections of the highest level of which ``text`` has several, as chapters are."""
    headed = [section for section in sections(text) if section.headings]
    levels = Counter(section.level for section in headed)
    level = min((each for each, times in levels.items() if times > 1), default=0)
    return [section for section in headed if section.level == level]


def sections(text: str) -> list[Section]:
    """Split ``text`` at its headings, in time linear in its length.

    Returns:
        One section a heading, preceded by one of level 0 where text stands before the first.
    """
    parts: list[Section] = []
    path: tuple[str, ...] = ()
    levels: list[int] = []
    level = title_start = title_end = body = 0
    headings = chain(_headings(text), [(0, 0, 0, len(text), 0)])
    for new_level, new_start, new_end, line_start, new_body in headings:
        start, end = trimmed(text, body, line_start)
        if level or end > start:
            parts.append(Section(path, level, title_start, title_end, start, end))
        level, title_start, title_end, body = new_level, new_start, new_end, new_body
        while levels and levels[-1] >= level:
            levels.pop()
        # On one line, with single blanks between its words.
        path = (*path[: len(levels)], " ".join(text[title_start:title_end].split()))
        levels.append(level)
    return parts


def bodies(parts: list[Section]) -> Iterator[tuple[tuple[str, ...], int, int]]:
    """Heading path and offsets of what is cut: bodies, and titles that nothing stands under."""
    following = chain((section.level for section in islice(parts, 1, None)), [0])
    for section, next_level in zip(parts, following, strict=False):
        headings, level, title_start, title_end, start, end = section
        if end > start:
            yield headings, start, end
        elif title_end > title_start and next_level <= level:
            yield headings, title_start, title_end


def _headings(text: str) -> Iterator[Heading]:
    """Heading lines in order; those inside fenced code or front matter are passed over."""
    text = "\n" + text  # the pattern wants a newline in front; what is given is one less
    position = 0
    if _FRONT_MATTER.match(text) and (end := text.find("\n---\n", 4)) >= 0:
        position = end + 4
    blocked = position  # a setext title cannot begin before the end of the last heading or fence
    line: tuple[int, int, int] | None
    while match := _CANDIDATE.search(text, position):
        position = match.end()
        if match.lastindex == _FENCE:
            position = blocked = _fence_end(text, match[_FENCE], match.end())
            continue
        if match.lastindex == _TITLE:
            level, line = len(match[1]), (*_title(match), match.start() + 1)
        else:
            level, line = (
                1 if match[4][0] == "=" else 2,
                _setext_title(text, match.start(), blocked),
            )
        if line is not None:
            blocked = match.end()
            title_start, title_end, line_start = line
            yield level, title_start - 1, title_end - 1, line_start - 1, blocked - 1


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


_HEADING: Final = re.compile(
    r"(?P<level>#{1,6})[ \t]+(?P<title>[^\n]*?)[ \t#]*$|\*\*(?P<bold>[^*\n]{1,60}?):?\*\*:?$"
)
_SPEECH: Final = re.compile(
    r"\b(?:voice|speech|speaks?|speaking|saying|sayings|says|quotes?|quotations?|dialogues?"
    r"|dialogs?"
    r"|catch ?phrases?|example (?:messages?|lines|conversation)|phrases|mes_example"
    r"|(?:sample|typical|signature|famous|spoken|memorable) lines"
    r"|utterances?)\b"
    r"|语录|名言|口头禅|台词|对话|对白|说话|語錄|口頭禪|台詞|對話|說話|セリフ|台詞|口癖|口調|話し方|名言"
    r"|말투|대사|어록|명언|대화|말버릇",
    re.IGNORECASE,
)
_OF_OTHERS: Final = re.compile(r"\b(?:about|by others|on (?:him|her|them))\b", re.IGNORECASE)
"""A section of what others say of the character holds none of its own speech."""
_BULLET: Final = re.compile(r"[ \t]*(?:[-+*•·>]|\d{1,3}[.)、])[ \t]+")
_LINE: Final = re.compile(r"[^\n]+")
_QUOTED: Final = re.compile(
    r"“([^“”\n]+)”|\"([^\"\n]+)\"|「([^「」\n]+)」|『([^『』\n]+)』|«([^«»\n]+)»"
)
_SPEAKER: Final = re.compile(r"(?:\{\{char\}\}|[^\W\d_][\w .'’-]{0,40})[:：][ \t]*")
_USER: Final = re.compile(r"(?:\{\{user\}\}|user|you|player|用户|玩家|사용자)[:：]", re.IGNORECASE)
_SHORTEST: Final = 2
_LONGEST: Final = 400


def speech_samples(text: str, limit: int) -> list[str]:
    """The first ``limit`` speech samples, in the order of the text, none twice.

    In a section for speech every quotation is a sample, and every bullet or ``Name:`` line without
    quotation marks; of an example dialogue the lines of ``{{user}}`` are left out.
    """
    samples: dict[str, None] = {}
    for line in speech_lines(text):
        spoken = (line[first:last] for first, last in _spans(line))
        samples.update((each, None) for each in spoken if _SHORTEST <= len(each) <= _LONGEST)
        if len(samples) >= limit:
            break
    return list(samples)[: max(0, limit)]


def speech_lines(text: str) -> Iterator[str]:
    """Lines of the sections for speech and of what is nested in them."""
    level = 0  # of the heading that opened a section for speech; 0 outside of one
    for match in _LINE.finditer(text):
        line = match.group().rstrip()
        heading = _HEADING.match(line)
        if heading is None:
            if level:
                yield line
            continue
        depth = len(heading["level"] or "") or 7
        title = heading["title"] or heading["bold"] or ""
        if level and depth > level:
            continue
        level = depth if _SPEECH.search(title) and not _OF_OTHERS.search(title) else 0


def _spans(line: str) -> list[tuple[int, int]]:
    """Where in a line something is said."""
    if _USER.match(line.lstrip(" \t-*>")):
        return []
    quoted = [match.span(match.lastindex or 0) for match in _QUOTED.finditer(line)]
    if quoted:
        return quoted
    bullet = _BULLET.match(line)
    start = bullet.end() if bullet else 0
    speaker = _SPEAKER.match(line, start)
    if bullet is None and speaker is None:
        return []
    start = speaker.end() if speaker else start
    end = len(line.rstrip())
    return [(start, end)] if end > start else []
