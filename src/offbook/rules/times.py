"""Dates, years and centuries: where a passage has them, and which spellings are one time.

Takes: text.  Gives: offsets, the longest reading of each; a key that "24 February 1815" and
"February 24th, 1815" share. Source: ours; English notation, and the years of Chinese, Japanese and
Korean.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from offbook.names.titles import ORDINALS
from offbook.text.grammar import MONTHS_AND_DAYS, word_set
from offbook.text.words import fold

_MONTH: Final = (
    r"(?:January|February|March|April|May|June|July|August|September|October|November|December)"
)
_DAY: Final = r"(?:[12]?\d|3[01])(?:st|nd|rd|th)?"
_YEAR: Final = r"(?:1\d{3}|20\d{2})"
_ERA: Final = r"(?:BCE?|CE|AD|B\.C\.|A\.D\.)"
_ORDINAL: Final = rf"(?:\d{{1,2}}(?:st|nd|rd|th)|{'|'.join(ORDINALS)}|twenty-first)"
_LEADS: Final = (
    r"(?:[Ii]n|[Ss]ince|[Bb]y|[Uu]ntil|[Tt]ill|[Ff]rom|[Aa]fter|[Bb]efore|[Aa]bout|[Aa]round"
    r"|[Dd]uring|[Oo]f|[Tt]o|and|or|early|late|mid|circa|ca?\.|year|[Bb]etween|born|died|b\.|d\.)"
)
_TIME: Final = re.compile(
    rf"\b{_DAY} (?:of )?{_MONTH}(?:,? \d{{1,4}}(?: {_ERA})?)?(?!\w)"
    rf"|\b{_MONTH} {_DAY}(?:, ?| ){_YEAR}(?!\w)"
    rf"|\b{_MONTH},? {_YEAR}(?!\w)"
    rf"|\b{_MONTH} {_DAY}(?!\w)"
    rf"|\b(?:spring|summer|autumn|winter|Christmas|Easter)(?: of| in)? {_YEAR}(?!\w)"
    rf"|\b\d{{1,4}}(?:[–/-]\d{{1,4}})? {_ERA}(?!\w)"
    rf"|\bAD \d{{1,4}}(?!\w)"
    rf"|\b{_YEAR}[–-](?:{_YEAR}|\d\d)(?![\w-])"
    rf"|\b{_YEAR}s(?!\w)"
    rf"|\b{_ORDINAL}(?: |-)centur(?:y|ies)(?: {_ERA})?(?!\w)"
    rf"|(?<=[(,;–] ){_YEAR}(?![\w-])|(?<=\(){_YEAR}(?![\w-])"
    rf"|(?:\b{_LEADS} )(?P<year>{_YEAR})(?![\w-]| [a-z]+s\b)"
    r"|(?<!\w)(?:Christmas|Easter|Michaelmas|Whitsun)(?: Day| Eve)?(?!\w)"
    r"|(?:\d{2,4}|[〇一二三四五六七八九十元]{1,6})年(?:\d{1,2}月(?:\d{1,2}日)?)?"
    r"|\d{2,4}년(?: \d{1,2}월(?: \d{1,2}일)?)?"
)


def times_in(text: str) -> list[tuple[int, int]]:
    """Offsets of the times that ``text`` names, in order, none within another."""
    return [match.span("year") if match["year"] else match.span() for match in _TIME.finditer(text)]


_SHORT: Final = {
    name[:3]: name for name in MONTHS_AND_DAYS - {"saturday", "sunday", "christmas", "easter"}
} | {"sept": "september"}
_WRITTEN: Final = {word: str(number) for number, word in enumerate(ORDINALS, 1)}
_SMALL: Final = word_set("the of in on at a an about around circa c year day ad ce anno")
_PART: Final = re.compile(r"\d+|[^\W\d_]+")
_ORDINAL_ENDING: Final = re.compile(r"(?<=\d)(?:st|nd|rd|th)\b")
_BEFORE_CHRIST: Final = re.compile(r"\b(b)\.?\s?(c)\.?(?:\s?e\b\.?)?(?!\w)")
_RANGE: Final = re.compile(r"\s*(?:[-–—/]|\bto\b|\buntil\b)\s*(?=\d)")


@lru_cache(maxsize=1 << 14)
def time_key(name: str) -> tuple[str, ...]:
    """The parts that tell which time is meant; only a range keeps its order."""
    low = _BEFORE_CHRIST.sub("bc", _ORDINAL_ENDING.sub("", fold(name)))
    sides = [part for part in _RANGE.split(low) if part.strip()]
    key: list[str] = []
    for side in sides:
        words = (_WRITTEN.get(w, _SHORT.get(w, w)) for w in _PART.findall(side))
        key += sorted(str(int(w)) if w.isdecimal() else w for w in words if w not in _SMALL)
        key.append("-")
    return tuple(key[:-1])
