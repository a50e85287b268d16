"""How well two described names fit one and the same, with the reason.

Takes: two entities as prompts show them.  Gives: a likeness; what is no person is compared by the
words of its name. Source: ours.
"""

from __future__ import annotations

import re
from functools import cached_property, lru_cache
from typing import Final

from offbook.names.evidence import (
    bare_key,
    callings,
    kin_attached,
    kin_told,
    names_told,
    other_names,
    speakers,
)
from offbook.names.likeness import Likeness, kin_likeness, likeness
from offbook.names.nicknames import is_given
from offbook.names.person import PersonName, is_demonstrative, is_person, parse_name
from offbook.prompts.entities import Described
from offbook.rules.times import time_key
from offbook.text.sentences import sentences
from offbook.text.word_lists import word_lists
from offbook.text.words import fold, words

_LISTS: Final = word_lists("offbook.rules")

TOLD: Final = 0.95
"""The strength of a link that a text states."""
_NOTHING: Final = Likeness(0.0, "nothing links the two names")
_MISTAKEN: Final = (
    {"character", "location"},
    {"character", "organization"},
    {"character", "object"},
    {"location", "organization"},
)
"""Types that are taken for one another where a passage says little; a ship is told from a town."""
_TIMES: Final = frozenset(("time", "date", "period", "era", "year"))
_NUMBER: Final = re.compile(r"\d+|(?<=\s)[IVX]{1,6}\b")
_ESTATES: Final = _LISTS["estates"]
_LONE_NAME: Final = re.compile(
    r"(?<![\w.'’-])(?<![A-Z][a-z] )[^\W\d_a-zß-öø-ÿ][\w-]+(?!['’]?\w| [^\W\d_a-zß-öø-ÿ])"
)
"""A word with a capital that no further one follows; its possessive counts."""
_ARTICLES: Final = ("the ", "a ", "an ", "la ", "le ", "les ", "der ", "die ", "das ")


class Portrait:
    """A described name with what its description tells, each read once and only when needed."""

    def __init__(self, described: Described) -> None:
        self.described = described
        self.kind = fold(described.type)
        self.is_person = is_person(described.type)
        self.is_time = self.kind in _TIMES
        self.name = parse_name(described.name)
        self.key = bare_key(described.name)
        self.is_demonstrative = is_demonstrative(self.name)

    @cached_property
    def said(self) -> tuple[str, ...]:
        """Who says the name."""
        return speakers(self.described.description)

    @cached_property
    def kin_of(self) -> frozenset[str]:
        """Whose kin its bearer is told to be."""
        return kin_told(self.described.description, self.described.name)

    @cached_property
    def callings(self) -> frozenset[tuple[str, str]]:
        """Trades that its bearer is told to have, or to be a child of."""
        return callings(self.described.description, self.described.name)

    @cached_property
    def attached_kin(self) -> tuple[str, ...]:
        """What kin its bearer is called: "his nephew Karl"."""
        return kin_attached(self.described.description, self.described.name)

    @cached_property
    def is_set_apart(self) -> bool:
        """Whether anything is told that may speak against its being somebody else's name."""
        return bool(self.kin_of or self.callings or len(self.attached_kin) > 1)

    @cached_property
    def _apart_from_it(self) -> frozenset[str]:
        """Folded words that stand alone, as names, in a sentence with the whole name."""
        name, alone = self.described.name, set[str]()
        text = self.described.description
        for start, end in sentences(text):
            head, named, rest = text[start:end].partition(name)
            if named:
                left = f"{head}|{rest.replace(name, '|')}"
                alone.update(fold(match.group()) for match in _LONE_NAME.finditer(left))
        return frozenset(alone)

    def is_beside(self, bare: str) -> bool:
        """Whether a sentence names somebody who is only called ``bare`` beside its bearer."""
        return bool(bare) and self.name.words[:1] == (bare,) and bare in self._apart_from_it

    @cached_property
    def other_names(self) -> tuple[tuple[str, PersonName], ...]:
        """Other names that the description gives its bearer, folded and parsed."""
        names = names_told(self.described.description, self.described.name)
        return tuple((name, parse_name(name.title())) for name in names)


@lru_cache(maxsize=1 << 13)
def portrait(described: Described) -> Portrait:
    """The portrait of a described name."""
    return Portrait(described)


def fit(a: Described, b: Described) -> Likeness:
    """How well ``a`` and ``b`` fit one; symmetric."""
    return fit_of(portrait(a), portrait(b))


def fit_of(a: Portrait, b: Portrait) -> Likeness:
    """How well two portraits fit one; symmetric."""
    if a.kind and b.kind and a.kind != b.kind:
        if a.key == b.key and {a.kind, b.kind} in _MISTAKEN and _is_nobodys(a.name):
            return Likeness(0.9, "the same name of several words")
        reason = f"one is a {a.described.type}, the other a {b.described.type}"
        return Likeness(0.0, reason, conflict=True)
    if a.is_time or b.is_time:
        same = time_key(a.described.name) == time_key(b.described.name) != ()
        return (
            Likeness(0.9, "the same time") if same else Likeness(0.0, "another time", conflict=True)
        )
    if not (a.is_person and b.is_person):
        return _things(a.described, b.described)
    if apart := kept_apart(a, b):
        return Likeness(0.0, apart, conflict=True)
    if stated := told(a, b):
        return stated
    if _is_ruler_beside(a, b) or _is_ruler_beside(b, a):
        return Likeness(0.0, "one sentence names them both", conflict=True)
    return fit_of_names(a, b)


def _is_nobodys(name: PersonName) -> bool:
    """Whether a name is of several words, and not by its form a person's: "Corrow Head"."""
    named = name.key.split()
    return len(named) > 1 and not (name.titles or name.kin or name.owner or is_given(named[0]))


def _is_ruler_beside(a: Portrait, b: Portrait) -> bool:
    """Whether ``a`` is a ruler with a second name and a number, beside whom ``b`` is named."""
    bare = b.name.is_bare and not b.name.numeral
    return bare and a.name.is_full and bool(a.name.numeral) and a.is_beside(b.name.words[0])


def fit_of_names(a: Portrait, b: Portrait) -> Likeness:
    """How well two persons fit by their names and by who says them, whatever else is told."""
    if a.is_demonstrative or b.is_demonstrative:
        return _demonstrative(a.name, a.said, b.name, b.said)
    by_name = likeness(a.name, b.name)
    if by_name or not (a.name.kin or b.name.kin):
        return by_name
    by_kin = kin_likeness(a.name, a.said, b.name, b.said)
    return by_kin if by_kin or by_kin.conflict else by_name


def told(a: Portrait, b: Portrait) -> Likeness | None:
    """Whether what is said of one gives the other as another name of the same person."""
    if not (a.other_names or b.other_names):
        return None
    if a.name.gender and b.name.gender and a.name.gender != b.name.gender:
        return None
    return _gives(a, b) or _gives(b, a)


def _gives(a: Portrait, b: Portrait) -> Likeness | None:
    for told_name, called in a.other_names:
        if told_name != b.key:
            if not called.words or called.words != b.name.words:
                continue
            if likeness(called, b.name).conflict:
                continue
        return Likeness(TOLD, "a description gives one as a name of the other")
    return None


def kept_apart(a: Portrait, b: Portrait) -> str:
    """Why what is said of two persons speaks against their being one; empty where nothing does."""
    if not (a.is_set_apart or b.is_set_apart) or a.key == b.key:
        return ""
    if b.key in a.kin_of or a.key in b.kin_of:
        return "one is called the kin of the other"
    for trade, child in a.callings | b.callings:
        if child and {(trade, child), (trade, "")} <= a.callings ^ b.callings:
            return f"one is the {trade}, the other the {trade}'s {child}"
    kin, other_kin = a.attached_kin, b.attached_kin
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


@lru_cache(maxsize=1 << 16)
def _numbers(name: str) -> tuple[str, ...]:
    """Numbers in a name, in figures or capital Roman numerals: "Opus 9", "Henry IV, Part 2"."""
    return tuple(_NUMBER.findall(name))


@lru_cache(maxsize=1 << 16)
def _thing_key(name: str) -> str:
    parts = name.split()
    named = next((index for index, part in enumerate(parts) if part[:1].isupper()), 0)
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
