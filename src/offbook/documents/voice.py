"""How a character sounds: the speech samples of a persona document.

Takes: the text of a document.  Gives: samples with their offsets, taken from sections whose heading
promises speech (voice, sayings, quotes, example dialogue ...) and from nowhere else. Source: ours.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

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


@dataclass(frozen=True, slots=True)
class Sample:
    """Something that the character says: ``document[start:end] == text``."""

    text: str
    start: int
    end: int


def speech_samples(text: str, limit: int) -> tuple[Sample, ...]:
    """The first ``limit`` speech samples, in the order of the text, none twice.

    In a section for speech every quotation is a sample, and every bullet or ``Name:`` line without
    quotation marks; of an example dialogue the lines of ``{{user}}`` are left out.
    """
    found: list[Sample] = []
    seen: set[str] = set()
    if limit <= 0:
        return ()
    for start, line in _speech_lines(text):
        for first, last in _spans(line):
            sample = line[first:last]
            if sample in seen or not _SHORTEST <= len(sample) <= _LONGEST:
                continue
            seen.add(sample)
            found.append(Sample(sample, start + first, start + last))
            if len(found) == limit:
                return tuple(found)
    return tuple(found)


def _speech_lines(text: str) -> Iterator[tuple[int, str]]:
    """Lines, with their offsets, of the sections for speech and of what is nested in them."""
    level = 0  # of the heading that opened a section for speech; 0 outside of one
    for match in _LINE.finditer(text):
        line = match.group().rstrip()
        heading = _HEADING.match(line)
        if heading is None:
            if level:
                yield match.start(), line
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
