"""Where in a text a name stands: exact first, then ever more tolerant. Source: ours."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator, Mapping
from functools import lru_cache
from typing import Final

from offbook.text.tokens import UNSPACED

_UNSPACED: Final = re.compile(f"[{UNSPACED}]")
"""A name may begin or end anywhere in these scripts."""
_VOICING: Final = "\u3099\u309a"
"""Marks that make another syllable of a Kana, so that they are no accents."""
_INVISIBLE: Final = frozenset("\u00ad\u200b\u200c\u200d\u200e\u200f\u2060\ufeff")
_ALIKE: Final = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i"}
    | dict.fromkeys("’‘ʼ＇´`", "'")
    | dict.fromkeys("‐‑‒–", "-")
)


Span = tuple[int, int]
"""Start and end of a mention in a text."""


def find_mentions(text: str, names: Collection[str]) -> Mapping[str, Span | None]:
    """Where each name stands; by itself rather than inside a longer one of these names.

    "Ada Byrne wrote to Tom. Ada waits." mentions "Ada" in its second sentence; a name that stands
    nowhere else is found inside the longer one.
    """
    spans: dict[str, Span | None] = {}
    taken: list[Span] = []
    longest_first = sorted(dict.fromkeys(names), key=lambda name: len(name.strip()), reverse=True)
    bare_names = [name.strip() for name in longest_first]
    for place, (name, bare) in enumerate(zip(longest_first, bare_names, strict=True)):
        spans[name] = find_mention(text, name, taken)
        if bare and any(map(bare.__contains__, bare_names[place + 1 :])):
            taken += _bounded(text, text, bare)
    return spans


def find_mention(text: str, name: str, taken: Collection[Span] = ()) -> Span | None:
    """The offsets of the first mention of ``name``, such that ``text[start:end]`` reads as it.

    Looked for as it is written, then in any case, then also with other accents, apostrophes,
    hyphens or white space (a name may be broken over two lines). A name in an alphabetic script
    is a whole word: "Ann" is not mentioned in "Annapolis".

    Args:
        text: The text of a chunk.
        name: The name; outer white space does not count.
        taken: Spans of longer names: a mention inside one counts only where there is no other.

    Returns:
        Start and end in ``text``, or None where the name does not stand in it.
    """
    name = name.strip()
    if not name:
        return None
    if (exact := _first_free(_bounded(text, text, name), taken)) is not None:
        return exact
    if text.isascii() and name.isascii():
        lowered = _first_free(_bounded(text, text.lower(), name.lower()), taken)
        if lowered is not None:
            return lowered
        if len(name.split()) == 1 and "`" not in name + text:
            return None  # nothing is left that could differ
    return _tolerant(text, name)


def _first_free(spans: Iterator[Span], taken: Collection[Span]) -> Span | None:
    """The first span that lies in none of those taken; else the first."""
    first: Span | None = None
    for span in spans:
        if not any(start <= span[0] and span[1] <= end for start, end in taken):
            return span
        first = first or span
    return first


def _bounded(text: str, searched: str, name: str) -> Iterator[Span]:
    """The occurrences that are whole words; offsets are those of both texts."""
    start = searched.find(name)
    while start >= 0:
        if _is_whole(text, start, start + len(name)):
            yield start, start + len(name)
        start = searched.find(name, start + 1)


def _is_whole(text: str, start: int, end: int) -> bool:
    return not (_joins(text, start) or _joins(text, end))


def _joins(text: str, place: int) -> bool:
    """Whether the characters on both sides of ``at`` belong to one word."""
    if place <= 0 or place >= len(text):
        return False
    before, after = text[place - 1], text[place]
    if _is_mark(after):
        return not before.isspace()
    return _is_letter(before) and _is_letter(after)


def _is_letter(character: str) -> bool:
    return (character.isalnum() or _is_mark(character)) and not _UNSPACED.match(character)


@lru_cache(maxsize=4096)
def _is_mark(character: str) -> bool:
    return unicodedata.category(character) in ("Mn", "Mc")


def _tolerant(text: str, name: str) -> Span | None:
    sought = _plain(name)[0].strip()
    if not sought:
        return None
    searched, origins = _plain(text)
    first = searched.find(sought)
    while first >= 0:
        last = first + len(sought)
        begins = first == 0 or origins[first - 1] != origins[first]
        ends = last == len(searched) or origins[last] != origins[last - 1]
        if begins and ends:
            start, end = origins[first], _past_marks(text, origins[last - 1] + 1)
            if _is_whole(text, start, end):
                return start, end
        first = searched.find(sought, first + 1)
    return None


def _past_marks(text: str, place: int) -> int:
    """The offset behind the accents that belong to the character before ``at``."""
    while place < len(text) and unicodedata.combining(text[place]) and text[place] not in _VOICING:
        place += 1
    return place


def _plain(text: str) -> tuple[str, list[int]]:
    """``text`` with case, accents and white space made alike, and where each character is from."""
    parts: list[str] = []
    origins: list[int] = []
    blank = False
    for index, character in enumerate(text):
        if character.isspace():
            if not blank:
                parts.append(" ")
                origins.append(index)
            blank = True
            continue
        plain = _plain_character(character)
        if plain:
            parts.append(plain)
            origins.extend([index] * len(plain))
            blank = False
    return "".join(parts), origins


@lru_cache(maxsize=1 << 14)
def _plain_character(character: str) -> str:
    if character in _INVISIBLE:
        return ""
    decomposed = unicodedata.normalize("NFKD", character.casefold()).casefold()
    letters = (c for c in decomposed if not unicodedata.combining(c) or c in _VOICING)
    return "".join(letters).translate(_ALIKE)
