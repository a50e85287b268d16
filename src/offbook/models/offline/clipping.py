"""Sentences of a passage as descriptions: without markup, and cut to the clause that matters.

Takes: a passage, a sentence of it and the tokens that must stay.  Gives: one line of text.
Source: ours; extractive.
"""

from __future__ import annotations

import re
from typing import Final

from offbook.models.offline.passage_words import Passage

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
    """A sentence, or where it is long the clauses that hold the tokens ``[first, last)``.

    Args:
        passage: The passage.
        number: Of the sentence.
        first: The first token that must stay.
        last: The token behind the last one that must.
        limit: Characters at most; only a longer stretch of tokens is cut at a word.
    """
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
