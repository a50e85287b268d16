"""Dates, years and centuries of a passage.

Takes: text.  Gives: their offsets, the longest reading of each. Source: ours; English notation, and
the years of Chinese, Japanese and Korean.
"""

from __future__ import annotations

import re
from typing import Final

_MONTH: Final = (
    r"(?:January|February|March|April|May|June|July|August|September|October|November|December)"
)
_DAY: Final = r"(?:[12]?\d|3[01])(?:st|nd|rd|th)?"
_YEAR: Final = r"(?:1\d{3}|20\d{2})"
_ERA: Final = r"(?:BCE?|CE|AD|B\.C\.|A\.D\.)"
_ORDINAL: Final = (
    r"(?:\d{1,2}(?:st|nd|rd|th)|first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth"
    r"|eleventh|twelfth|thirteenth|fourteenth|fifteenth|sixteenth|seventeenth|eighteenth"
    r"|nineteenth|twentieth|twenty-first)"
)
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
