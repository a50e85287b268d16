"""Where sentences begin and end, by rules, in any script.

Takes: text.  Gives: offsets of sentences, or the sentence boundary nearest to an offset.
Source: ours. A boundary is decided by the characters near it only, in linear time.

Terminators of scripts that leave a blank between sentences (``. ! ?``) count when white space
follows and what comes next does not continue the sentence; abbreviations, initials, list numbers
and quotations in mid-sentence are known. Those of other scripts count where they stand.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from offbook.text.grammar import word_set
from offbook.text.word_lists import word_lists

_LISTS: Final = word_lists("offbook.text")

_BLANK_AFTER: Final = ".!?…"
_ALONE: Final = "。！？｡．।॥؟۔։།။។።"
TERMINATORS: Final = _BLANK_AFTER + _ALONE
"""Characters that can end a sentence."""

_CLOSERS: Final = "\"'”’»›)\\]*_」』”’）》】〉"
# Not `[...]+`: a search is fastest for a pattern that begins with a set of characters.
_END: Final = re.compile(f"[{TERMINATORS}][{TERMINATORS}]*[{_CLOSERS}]*")
_CANDIDATE: Final = re.compile(f"[{TERMINATORS}]+[{_CLOSERS}]*|\\n\\s*")
_NEXT: Final = re.compile(r"[ \t\u00a0\u3000]*\n?[ \t]*[\"'“‘«‹(\[*_]*([^\s])")
_WORD_BEFORE: Final = re.compile(r"[^\s\"'“‘«(\[*_—–-]*\Z")
_INITIALS: Final = re.compile(r"(?:\w\.)+\w")
_BLOCK_START: Final = re.compile(r"[-+*•·–—][ \t]|\d{1,9}[.)、][ \t]?|[#>|]")
_LOOK_BACK: Final = 24
_LONG_WORD: Final = 7


_NEVER_ENDS: Final = _LISTS["never ends"]
_BEFORE_NUMBER: Final = _LISTS["before number"]
_MAY_END: Final = word_set("jr esq etc inc ltd co corp a.m p.m bros ph.d m.d b.a m.a d.c")
_SHORTENED: Final = _NEVER_ENDS | _BEFORE_NUMBER | _MAY_END
_OPENERS: Final = _LISTS["openers"]
_FIRST_WORD: Final = re.compile(r"\s*[\"'“‘«(\[*_]*(\w+)")


def sentences(text: str) -> list[tuple[int, int]]:
    """Offsets of the sentences of ``text``, which hold all of it but white space."""
    spans: list[tuple[int, int]] = []
    start = 0
    for match in _CANDIDATE.finditer(text):
        if text[match.start()] == "\n":
            if not _line_ends(text, match.start(), match.end()):
                continue
            end = match.start()
        else:
            end = sentence_end(text, match.start(), match.end())
            if end < 0:
                continue
        _append(spans, text, start, end)
        start = end
    _append(spans, text, start, len(text))
    return spans


def last_sentence_end(text: str, low: int, high: int) -> int:
    """Offset behind the last sentence that ends in ``(low, high]``; -1 if none does.

    Args:
        text: The text.
        low: Where to stop looking.
        high: Where to begin, going backwards.
    """
    stop = high
    while True:
        index = -1
        for mark in TERMINATORS:
            index = max(index, text.rfind(mark, max(low, index), stop))
        if index < 0:
            return -1
        run = index
        while run > low and text[run - 1] in TERMINATORS:
            run -= 1
        match = _END.match(text, run)
        end = sentence_end(text, run, match.end()) if match else -1
        if low < end <= high:
            return end
        stop = run


def first_sentence_end(text: str, low: int, high: int) -> int:
    """Offset behind the first sentence whose terminator lies in ``[low, high)``; -1 if none."""
    position = low
    while (match := _END.search(text, position, high)) is not None:
        index, stop = match.span()
        if index == low or stop == high:  # it may begin before, or go on behind
            while index > max(0, low - _LOOK_BACK) and text[index - 1] in TERMINATORS:
                index -= 1
            whole = _END.match(text, index)
            stop = whole.end() if whole else index + 1
        end = sentence_end(text, index, stop)
        if low < end <= high:
            return end
        position = stop
    return -1


def sentence_end(text: str, start: int, end: int) -> int:
    """``end`` if the terminators and closing marks in ``[start, end)`` end a sentence, else -1."""
    if text[start] in _ALONE:
        # A quotation that the sentence goes on from: 「来い！」と言った。
        continued = text[end - 1] not in TERMINATORS and text[end : end + 1] in (
            "と",
            "，",
            "、",
            ",",
        )
        return -1 if continued else end
    if end == len(text):
        return end
    if not text[end].isspace():
        # CJK text often uses an ASCII mark or an ellipsis without a blank; a sentence ends there
        # only before a quotation or another wide character that begins one, which we cannot know.
        return -1
    character = text[end + 1 : end + 2]
    if not character.isalnum():
        following = _NEXT.match(text, end)
        if following is None:
            return end
        character = following[1]
    if character.islower():
        return -1
    if text[start] != "." or text[start : start + 2] == "..":
        return end
    return end if _full_stop_ends(text, start, end, character) else -1


def _full_stop_ends(text: str, stop: int, end: int, following: str) -> bool:
    """Whether the full stop at ``stop`` ends a sentence, from the word before and what follows."""
    if stop >= _LONG_WORD and text[stop - _LONG_WORD : stop].isalpha():
        return True  # longer than all that is shortened by a full stop
    low = max(0, stop - _LOOK_BACK)
    before = text[low:stop]
    raw = "" if not before or before[-1].isspace() else before.rsplit(None, 1)[-1]
    if len(raw) > 1 and raw.isalpha() and raw.lower() not in _SHORTENED:
        return True
    if not raw.isalnum():
        match = _WORD_BEFORE.search(raw)
        raw = match[0] if match else ""
    word = raw.lower()
    if word in _NEVER_ENDS:
        return False
    if word in _BEFORE_NUMBER and not (len(raw) == 1 and raw.isupper()):
        return not (following.isdigit() or following in "#№")
    if word in _MAY_END or ("." in word and _INITIALS.fullmatch(word)):
        return _opens(text, end)
    if len(raw) == 1 and raw.isupper():
        return raw == "I" and text[max(0, stop - 3) : stop - 1].strip()[-1:].islower()
    return not (word.isdigit() and _begins_line(text, low, stop - len(word)))


def _begins_line(text: str, low: int, position: int) -> bool:
    """Whether only white space stands before ``position`` in its line: ``1.`` is a list number."""
    line = text.rfind("\n", low, position)
    return (line >= 0 or low == 0) and not text[max(line, low) : position].strip()


def _opens(text: str, end: int) -> bool:
    """Whether the word behind ``end`` is one that sentences begin with."""
    match = _FIRST_WORD.match(text, end)
    return match is None or match[1].lower() in _OPENERS


def _line_ends(text: str, start: int, end: int) -> bool:
    """Whether the line break in ``[start, end)`` ends a sentence: false inside wrapped prose."""
    if end == len(text) or text.count("\n", start, end) > 1 or _BLOCK_START.match(text, end):
        return True
    if text[end].islower():
        return False
    low = text.rfind("\n", max(0, start - 120), start) + 1
    wrapped = 50 <= start - low <= 100 and text[end].isalnum() and text[end].isascii()
    return not (wrapped and text[start - 1] not in ":;" and not _BLOCK_START.match(text, low))


def _append(spans: list[tuple[int, int]], text: str, start: int, end: int) -> None:
    """Add ``[start, end)`` without its outer white space; nothing if it is blank."""
    piece = text[start:end]
    stripped = piece.strip()
    if stripped:
        first = start + len(piece) - len(piece.lstrip())
        spans.append((first, first + len(stripped)))


@dataclass(frozen=True, slots=True)
class Strip:
    """A stretch of a passage: ``passage[start:end]``."""

    start: int
    end: int

    def of(self, passage: str) -> str:
        """Its text."""
        return passage[self.start : self.end]


def strips_of(passage: str, sentences_each: int) -> list[Strip]:
    """The strips of a passage, of so many sentences at most; they hold all but white space."""
    strips: list[Strip] = []
    count = 0
    for start, end in sentences(passage):
        last = strips[-1] if strips else None
        if last is None or count == sentences_each or "\n" in passage[last.end : start]:
            strips.append(Strip(start, end))
            count = 1
        else:
            strips[-1] = Strip(last.start, end)
            count += 1
    return strips
