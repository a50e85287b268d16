"""How well two described names fit one and the same, with the reason.

Takes: two entities as prompts show them.  Gives: a likeness; what is no person is compared by the
words of its name. Source: ours.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from offbook.language.grammar import word_set
from offbook.language.kinship import kin_likeness
from offbook.language.name_evidence import other_names, speakers
from offbook.language.name_likeness import Likeness, likeness
from offbook.language.person_names import PersonName, is_demonstrative, parse_name
from offbook.language.words import fold, words
from offbook.prompts.described import Described

_PERSONS: Final = frozenset(("", "character", "person", "per", "people", "figure", "human"))
_NOTHING: Final = Likeness(0.0, "nothing links the two names")
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
    if not (is_person(a.type) and is_person(b.type)):
        return _things(a, b)
    one, other = parse_name(a.name), parse_name(b.name)
    if told := _told(a, other) or _told(b, one):
        return told
    said = speakers(a.description), speakers(b.description)
    if is_demonstrative(one) or is_demonstrative(other):
        return _demonstrative(one, said[0], other, said[1])
    return likeness(one, other) or _kin(one, said[0], other, said[1])


def _kin(
    a: PersonName, said_a: tuple[str, ...], b: PersonName, said_b: tuple[str, ...]
) -> Likeness:
    by_kin = kin_likeness(a, said_a, b, said_b)
    return by_kin if by_kin or by_kin.conflict else likeness(a, b)


def _told(a: Described, other: PersonName) -> Likeness | None:
    """Whether the description of ``a`` says that it is called as ``other`` is."""
    for name in other_names(a.description, a.name):
        called = parse_name(name.title())
        if called.words and called.words == other.words and not likeness(called, other).conflict:
            return Likeness(0.95, "a description gives one as a name of the other")
        if not called.words and called.role and called.role == other.role:
            return Likeness(0.95, "a description gives one as a name of the other")
    return None


def _demonstrative(
    a: PersonName, said_a: tuple[str, ...], b: PersonName, said_b: tuple[str, ...]
) -> Likeness:
    if (a.role, a.titles) == (b.role, b.titles) and not (a.words or b.words or a.kin or b.kin):
        if set(said_a) & set(said_b) or not (said_a or said_b):
            return Likeness(0.5, "the same term of address, said by the same person")
        return Likeness(0.0, "a term of address, said by different people")
    return _NOTHING


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
