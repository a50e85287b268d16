"""What a passage says of an entity: the one or two sentences that tell most, cut to what matters.

Takes: a passage and an entity of it.  Gives: a description in the passage's own words, without
markup, with the names by which the entity is also known. Source: ours; explicit weights.
"""

from __future__ import annotations

import re
from typing import Final

from offbook.names.evidence import bare_key, told_names
from offbook.rules.entity_kinds import Span
from offbook.rules.name_words import (
    EVENT_NOUNS,
    NAMED_OBJECTS,
    OCCUPATIONS,
    ORGANIZATION_NOUNS,
    PLACE_NOUNS,
)
from offbook.rules.named_entities import Named, leads
from offbook.rules.passage_words import Passage
from offbook.text.grammar import word_set
from offbook.text.word_lists import word_lists

_LISTS: Final = word_lists("offbook.rules")

_MARKUP: Final = re.compile(r"^(?:[-+*•·>#|\s]+|\d{1,3}[.)]\s+)|\*\*|__|\[(?:\d+|[a-z]|note \d+)\]")
_EMPHASIS: Final = re.compile(r"(?<!\w)[*_](?=\S)|(?<=\S)[*_](?!\w)")
_CUTS: Final = re.compile(r"[;:—]\s*|,\s+(?=(?:and|but|while|which|when|where|so|for|or|then)\b)")
_COMMAS: Final = re.compile(r"[,;:—–，、；]\s*|\s[-–—]\s|\)\s")
_LIMIT: Final = 260


def plain_line(text: str) -> str:
    """``text`` on one line, without bullets, emphasis and note marks."""
    line = _EMPHASIS.sub("", _MARKUP.sub("", " ".join(text.split())))
    return " ".join(line.split())


def clipped(passage: Passage, number: int, first: int, last: int, limit: int = _LIMIT) -> str:
    """A sentence, or where it is long the clauses that hold the tokens ``[first, last)``."""
    start, end = passage.sentences[number]
    whole = plain_line(passage.text[start:end])
    if len(whole) <= limit or first >= last:
        return _within(whole, limit)
    kept_from, kept_to = passage.tokens[first].start, passage.tokens[last - 1].end
    for cuts in (_CUTS, _COMMAS):
        low, high = _clause(passage.text, start, end, kept_from, kept_to, cuts)
        line = plain_line(passage.text[low:high])
        if len(line) <= limit:
            return line
    room = max(0, limit - (kept_to - kept_from)) // 2
    low, high = max(start, kept_from - room), min(end, kept_to + room)
    return _within(plain_line(_whole_words(passage.text, low, high, start, end)), limit)


def _clause(
    text: str, start: int, end: int, kept_from: int, kept_to: int, cuts: re.Pattern[str]
) -> tuple[int, int]:
    low, high = start, end
    for match in cuts.finditer(text, start, end):
        if match.end() <= kept_from:
            low = match.end()
        elif match.start() >= kept_to:
            high = match.start()
            break
    return low, high


def _whole_words(text: str, low: int, high: int, start: int, end: int) -> str:
    if low > start and (blank := text.find(" ", low, high)) >= 0:
        low = blank + 1
    if high < end and (blank := text.rfind(" ", low, high)) >= 0:
        high = blank
    return text[low:high]


def _within(line: str, limit: int) -> str:
    if len(line) <= limit:
        return line
    head, blank, _ = line[:limit].rpartition(" ")
    return f"{head if blank else line[:limit]}…"


ALSO_KNOWN: Final = re.compile(
    r"\b(?:also known|known (?:as|to)|alias|a\.k\.a\.|aka|nicknamed|née|otherwise|surnamed|dubbed"
    r"|(?:under|by|took|takes|with) the (?:false |assumed )?(?:name|alias|title)|called|real name"
    r"|calls? (?:him|her)self|pen name|pseudonym|maiden name|disguised as|whose name|formerly"
    r"|named|christened|the name under which|short for)\b"
)
"""Says that somebody has another name."""
_NOUNS: Final = OCCUPATIONS | PLACE_NOUNS | ORGANIZATION_NOUNS | EVENT_NOUNS | NAMED_OBJECTS
_TELLING: Final = _LISTS["telling"]
_ARTICLES: Final = word_set("a an the his her one my their")
_LONG: Final = 45
_MOST_WORDS: Final = 60
_SECOND: Final = 2.0
_MENTIONS: Final = 24
_SAME: Final = 0.8


def description(passage: Passage, entity: Named) -> str:
    """One or two sentences of the passage about the entity, the most telling first."""
    worth: dict[int, tuple[float, Span]] = {}
    for order, span in enumerate(entity.spans[:_MENTIONS]):
        number = passage.sentence[span[0]]
        value = _worth(passage, span) - 0.05 * order
        if number not in worth or value > worth[number][0]:
            worth[number] = (value, span)
    ranked = sorted(worth.items(), key=lambda item: (-item[1][0], item[0]))
    lines: list[str] = []
    for number, (value, span) in ranked[:3]:
        line = clipped(passage, number, *span)
        if lines and (value < _SECOND or _repeats(line, lines[0])):
            continue
        if lines and len(f"{lines[0]} {line}".split()) > _MOST_WORDS:
            continue
        lines.append(line)
        if len(lines) == 2:
            break
    return " ".join(_stopped(line) for line in lines)


def _stopped(line: str) -> str:
    stopped = not line or line[-1] in ".!?…。！？”\"'’」』)" or ord(line[-1]) > 0x3000
    return line if stopped else f"{line}."


def _repeats(line: str, other: str) -> bool:
    mine = set(line.split())
    return len(mine & set(other.split())) > _SAME * len(mine)


def _worth(passage: Passage, span: Span) -> float:
    """How much the sentence of a mention says of who or what is mentioned."""
    number = passage.sentence[span[0]]
    start, end = passage.sentences[number]
    text = passage.text[start:end]
    score = 1.0
    score += 3.5 * bool(_is_told_otherwise(passage, span, text))
    score += 6.0 * _is_equated(passage, span, text)
    score += _apposition(passage, span)
    score += 1.2 * leads(passage, span)
    words = text.split()
    score += 0.8 * any(word.strip(".,;").lower() in _TELLING for word in words)
    score -= 1.0 * (len(words) > _LONG) + 0.7 * (len(words) < 4)
    score -= 0.8 * passage.tokens[span[0]].quoted
    return score - 3.0 * passage.titled[span[0]]


def _is_told_otherwise(passage: Passage, span: Span, text: str) -> bool:
    """Whether another name is given near the mention."""
    start = passage.sentences[passage.sentence[span[0]]][0]
    index = passage.tokens[span[0]].start - start
    return any(abs(match.start() - index) < 80 for match in ALSO_KNOWN.finditer(text))


def _is_equated(passage: Passage, span: Span, text: str) -> bool:
    """Whether the sentence says outright that the mention is somebody known by another name."""
    start, end = passage.tokens[span[0]].start, passage.tokens[span[1] - 1].end
    key = bare_key(passage.text[start:end])
    return any(key in pair for pair in told_names(" ".join(text.split())))


def _apposition(passage: Passage, span: Span) -> float:
    """Whether the mention is said to be something: "X was a", "X, the", "the composer X"."""
    lead, article = passage.word(span[1]), passage.word(span[1] + 1)
    if lead in ("is", "was", "are", "were", "became") and article in _ARTICLES:
        return 4.0
    if lead in ("is", "was") and article in ("born", "the"):
        return 2.5
    if lead == "," and article in _ARTICLES:
        following = {passage.word(span[1] + step) for step in range(2, 7)}
        return 3.5 if following & _NOUNS else 1.0
    if lead in (",", "who") and "who" in (lead, article):
        return 1.5
    if lead == "(":
        return 1.0
    return 2.0 if passage.word(span[0] - 1) in _NOUNS else 0.0
