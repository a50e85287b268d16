"""Times by name: "24 February 1815", "February 24th, 1815" and "24 Feb. 1815" are one day.

Takes: a name of a time.  Gives: a key that spellings of one time share. Source: ours.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from offbook.language.grammar import word_set
from offbook.language.words import fold

_MONTHS: Final = re.findall(
    r"\w+",
    "january february march april may june july august september october november december",
)
_DAYS: Final = re.findall(r"\w+", "monday tuesday wednesday thursday friday saturday sunday")
_SHORT: Final = {
    **{month[:3]: month for month in _MONTHS},
    "sept": "september",
    **{day[:3]: day for day in _DAYS if day not in ("saturday", "sunday")},
}
_ORDINALS: Final = re.findall(
    r"\w+",
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth"
    " fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth",
)
_WRITTEN: Final = {word: str(number) for number, word in enumerate(_ORDINALS, 1)}
_SMALL: Final = word_set("the of in on at a an about around circa c year day ad ce anno")
_PART: Final = re.compile(r"\d+|[^\W\d_]+")
_ORDINAL: Final = re.compile(r"(?<=\d)(?:st|nd|rd|th)\b")
_ERA: Final = re.compile(r"\b(b)\.?\s?(c)\.?(?:\s?e\b\.?)?(?!\w)")
_RANGE: Final = re.compile(r"\s*(?:[-–—/]|\bto\b|\buntil\b)\s*(?=\d)")


@lru_cache(maxsize=1 << 14)
def time_key(name: str) -> tuple[str, ...]:
    """The parts that tell which time is meant, in no order of their own; numbers count wholly.

    A range keeps its order: 1810-1812 begins before it ends.
    """
    low = _ERA.sub("bc", _ORDINAL.sub("", fold(name)))
    sides = [part for part in _RANGE.split(low) if part.strip()]
    key: list[str] = []
    for side in sides:
        words = (_WRITTEN.get(w, _SHORT.get(w, w)) for w in _PART.findall(side))
        key += sorted(str(int(w)) if w.isdecimal() else w for w in words if w not in _SMALL)
        key.append("-")
    return tuple(key[:-1])
