"""How well two described names fit one and the same, with the reason.

Takes: two entities as prompts show them.  Gives: a likeness; what is no person is compared by the
words of its name. Source: ours.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from offbook.language.grammar import word_set
from offbook.language.kinship import kin_likeness
from offbook.language.name_evidence import (
    bare_key,
    callings,
    kin_attached,
    kin_told,
    names_told,
    other_names,
    speakers,
)
from offbook.language.name_likeness import Likeness, likeness
from offbook.language.person_names import PersonName, is_demonstrative, parse_name
from offbook.language.time_names import time_key
from offbook.language.words import fold, words
from offbook.prompts.described import Described

_PERSONS: Final = frozenset(("", "character", "person", "per", "people", "figure", "human"))
TOLD: Final = 0.95
"""The strength of a link that a text states."""
_NOTHING: Final = Likeness(0.0, "nothing links the two names")
_TIMES: Final = frozenset(("time", "date", "period", "era", "year"))
_NUMBER: Final = re.compile(r"\d+|(?<=\s)[IVX]{1,6}\b")
_ESTATES: Final = word_set(
    "park hall house abbey grange college castle manor lodge farm court priory cottage rectory"
    " hills mountains river island valley"
)
_ARTICLES: Final = ("the ", "a ", "an ", "la ", "le ", "les ", "der ", "die ", "das ")


def is_person(kind: str) -> bool:
    """Whether a type means people; an unknown one does."""
    return fold(kind) in _PERSONS


def fit(a: Described, b: Described) -> Likeness:
    """How well ``a`` and ``b`` fit one; symmetric."""
    if a.type and b.type and fold(a.type) != fold(b.type):
        return Likeness(0.0, f"one is a {a.type}, the other a {b.type}", conflict=True)
    if _is_time(a.type) or _is_time(b.type):
        same = time_key(a.name) == time_key(b.name) != ()
        return (
            Likeness(0.9, "the same time") if same else Likeness(0.0, "another time", conflict=True)
        )
    if not (is_person(a.type) and is_person(b.type)):
        return _things(a, b)
    if apart := kept_apart(a, b):
        return Likeness(0.0, apart, conflict=True)
    return told(a, b) or fit_of_names(a, b)


def fit_of_names(a: Described, b: Described) -> Likeness:
    """How well two persons fit by their names and by who says them, whatever else is told."""
    one, other = parse_name(a.name), parse_name(b.name)
    said = speakers(a.description), speakers(b.description)
    if is_demonstrative(one) or is_demonstrative(other):
        return _demonstrative(one, said[0], other, said[1])
    return likeness(one, other) or _kin(one, said[0], other, said[1])


def _kin(
    a: PersonName, said_a: tuple[str, ...], b: PersonName, said_b: tuple[str, ...]
) -> Likeness:
    by_kin = kin_likeness(a, said_a, b, said_b)
    return by_kin if by_kin or by_kin.conflict else likeness(a, b)


def told(a: Described, b: Described) -> Likeness | None:
    """Whether what is said of one gives the other as another name of the same person."""
    one, other = parse_name(a.name), parse_name(b.name)
    if one.gender and other.gender and one.gender != other.gender:
        return None
    return _gives(a, b.name, other) or _gives(b, a.name, one)


def _gives(a: Described, name: str, parsed: PersonName) -> Likeness | None:
    key = bare_key(name)
    for told_name in names_told(a.description, a.name):
        if told_name != key:
            called = parse_name(told_name.title())
            if not called.words or called.words != parsed.words:
                continue
            if likeness(called, parsed).conflict:
                continue
        return Likeness(TOLD, "a description gives one as a name of the other")
    return None


def kept_apart(a: Described, b: Described) -> str:
    """Why what is said of two persons speaks against their being one; empty where nothing does."""
    one, other = bare_key(a.name), bare_key(b.name)
    if one == other:
        return ""
    if other in kin_told(a.description, a.name) or one in kin_told(b.description, b.name):
        return "one is called the kin of the other"
    trades, others = callings(a.description, a.name), callings(b.description, b.name)
    for trade, child in trades | others:
        if child and {(trade, child), (trade, "")} <= trades ^ others:
            return f"one is the {trade}, the other the {trade}'s {child}"
    kin, other_kin = kin_attached(a.description, a.name), kin_attached(b.description, b.name)
    if min(len(kin), len(other_kin)) > 1 and set(kin).isdisjoint(other_kin):
        return f"one is called the {kin[0]}, the other the {other_kin[0]}"
    return ""


def _demonstrative(
    a: PersonName, said_a: tuple[str, ...], b: PersonName, said_b: tuple[str, ...]
) -> Likeness:
    if (a.role, a.titles) == (b.role, b.titles) and not (a.words or b.words or a.kin or b.kin):
        if set(said_a) & set(said_b) or not (said_a or said_b):
            return Likeness(0.5, "the same term of address, said by the same person")
        return Likeness(0.0, "a term of address, said by different people")
    return _NOTHING


def _is_time(kind: str) -> bool:
    return fold(kind) in _TIMES


@lru_cache(maxsize=1 << 16)
def _numbers(name: str) -> tuple[str, ...]:
    """Numbers in a name, in figures or capital Roman numerals: "Opus 9", "Henry IV, Part 2"."""
    return tuple(_NUMBER.findall(name))


@lru_cache(maxsize=1 << 16)
def _thing_key(name: str) -> str:
    parts = name.split()
    named = next((at for at, part in enumerate(parts) if part[:1].isupper()), 0)
    low = " ".join(parts[named:]).casefold()
    for article in _ARTICLES:
        low = low.removeprefix(article)
    return " ".join(words(low))


def _things(a: Described, b: Described) -> Likeness:
    one, other = _thing_key(a.name), _thing_key(b.name)
    if _numbers(a.name) != _numbers(b.name):
        return Likeness(0.0, "they are numbered differently", conflict=True)
    if one and one == other:
        return Likeness(0.9, "the same name")
    called = {_thing_key(n) for n in other_names(a.description, a.name)}
    named = {_thing_key(n) for n in other_names(b.description, b.name)}
    if other in called or one in named:
        return Likeness(0.95, "a description gives one as a name of the other")
    short, long = sorted((one, other), key=len)
    if short and long.startswith(short + " ") and long[len(short) + 1 :] in _ESTATES:
        return Likeness(0.5, "the same name without what kind of place it is")
    if short and long.startswith((short + " of ", short + " in ")) and len(short) > 3:
        return Likeness(0.6, "the same name, more fully")
    return _NOTHING
