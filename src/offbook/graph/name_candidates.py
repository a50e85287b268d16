"""Earlier entities whose names resemble one another, however far apart they stand.

For each at most k, best first: a shared name, an initial or a nickname, a title, kinship with the
speaker, or a description that gives one as a name of the other. Source: ours. What row i gets
depends on the rows up to i only. Inverted indexes keep the first and the latest few names of each
token, so that the work is nearly linear.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Final

from offbook.graph.candidates import speaks_against
from offbook.names.evidence import names_told, speakers
from offbook.names.identity import name_key
from offbook.names.likeness import kin_likeness, likeness
from offbook.names.nicknames import formal_names, is_given, name_stem
from offbook.names.person import PersonName, parse_name
from offbook.text.grammar import word_set
from offbook.text.words import words
from offbook.types import RawEntity

_HEADS: Final = 4
_HEAD: Final = 3
"""Letters by which a given name is found that no list has a short form of."""
_LATEST: Final = 8
_COMMON_TITLES: Final = frozenset(("mr", "mrs", "miss"))
_FUNCTION: Final = word_set("the a an of and in on at de la le my your his her our")


def candidates_by_name(entities: Sequence[RawEntity], k: int) -> list[tuple[int, ...]]:
    """For each entity at most ``k`` earlier rows that it may be by name, best first.

    A name that stood before and that nothing speaks against needs no candidates of its own: it is
    linked to its equal, which had them. Only other names that its description gives are looked up.

    Args:
        entities: In reading order.
        k: The most rows an entity gets.
    """
    index = _Index(entities)
    return [index.take(row, k) for row in range(len(entities))]


class _Index:
    """Rows seen so far, by the tokens that they can be found by."""

    def __init__(self, entities: Sequence[RawEntity]) -> None:
        self._entities = entities
        self._names: list[PersonName] = []
        """The names of the rows seen so far, parsed."""
        self._first: dict[str, list[int]] = {}
        self._latest: dict[str, list[int]] = {}
        self._by_key: dict[str, list[int]] = {}

    def take(self, row: int, k: int) -> tuple[int, ...]:
        """The candidates of ``row``; from then on it can be found itself."""
        entity = self._entities[row]
        key = name_key(entity.name)
        equals = self._by_key.setdefault(key, [])
        known = any(self._continues(other, row) for other in reversed(equals))
        name = parse_name(entity.name)
        self._names.append(name)
        rows = self._told(row, entity)
        if not known:
            rows += self._alike(row, name)
            self._keep(row, _tokens(name, entity))
            equals.append(row)
            del equals[:-_LATEST]
        self._keep(row, _told_tokens(entity))
        return tuple(dict.fromkeys(rows))[:k]

    def _continues(self, earlier: int, row: int) -> bool:
        return speaks_against(self._entities[earlier], self._entities[row]) is None

    def _alike(self, row: int, name: PersonName) -> list[int]:
        """Rows that share a token, by how well the names fit, the latest first among equals."""
        entity = self._entities[row]
        rows: dict[int, None] = {}
        for token in dict.fromkeys(_looked_up(name, entity)):
            rows.update(dict.fromkeys(self._holding(token)))
        said = speakers(entity.description)
        mine = _word_set(entity.name)
        scored = []
        for other in rows:
            with_name = self._names[other]
            strength = likeness(name, with_name).strength
            if not strength and (name.kin or with_name.kin):
                heard = speakers(self._entities[other].description)
                strength = kin_likeness(name, said, with_name, heard).strength
            if strength > 0 or _nested(mine, _word_set(self._entities[other].name)):
                scored.append((-strength, -other))
        return self._varied([-other for _, other in sorted(scored)])

    def _varied(self, rows: Sequence[int]) -> list[int]:
        """One row of each form of name first ("dear Tom", "poor Tom"), then the others."""
        first: dict[tuple[object, ...], int] = {}
        for row in rows:
            name = self._names[row]
            first.setdefault((name.words, name.titles, name.kin, name.role), row)
        heads = set(first.values())
        return [*first.values(), *(row for row in rows if row not in heads)]

    def _told(self, row: int, entity: RawEntity) -> list[int]:
        """Rows whose name this description gives, or whose description gives this name."""
        tokens = [f"is:{_called(name)}" for name in names_told(entity.description, entity.name)]
        tokens.append(f"called:{_called(entity.name)}")
        return [other for token in tokens for other in self._holding(token) if other != row]

    def _holding(self, token: str) -> list[int]:
        """The first rows of a token, then the latest, the last one first."""
        return [*self._first.get(token, ()), *self._latest.get(token, ())[::-1]]

    def _keep(self, row: int, tokens: Iterable[str]) -> None:
        for token in dict.fromkeys(tokens):
            first = self._first.setdefault(token, [])
            if len(first) < _HEADS:
                first.append(row)
            else:
                latest = self._latest.setdefault(token, [])
                latest.append(row)
                del latest[:-_LATEST]


def _tokens(name: PersonName, entity: RawEntity) -> Iterator[str]:
    """What a row is found by where its name stands for the first time."""
    yield from _kept_under(name, entity)
    yield f"is:{_called(entity.name)}"


def _told_tokens(entity: RawEntity) -> Iterator[str]:
    """Other names that a description gives: whoever bears them later finds this row."""
    for other in names_told(entity.description, entity.name):
        yield f"called:{_called(other)}"


def _called(name: str) -> str:
    return name_key(name).removeprefix("the ")


def _kept_under(name: PersonName, entity: RawEntity) -> Iterator[str]:
    """The tokens by which a row is found."""
    if name.is_full:
        yield f"surname:{name.surname}"
        yield from _as_place(name)
        for word in name.given:
            yield from (f"given:{form}" for form in _forms(word))
        if len(name.given[0]) > _HEAD:
            yield f"head:{name.given[0][:_HEAD]}"
    elif name.words:
        yield from (f"word:{form}" for form in _forms(name.words[0]))
    yield from _other_tokens(name, entity)


def _looked_up(name: PersonName, entity: RawEntity) -> Iterator[str]:
    """The tokens by which a row finds others: full names do not look for mere namesakes."""
    if name.is_full:
        yield f"surname:{name.surname}"
        yield from _as_place(name)
        for word in (*name.given, name.surname):
            yield from (f"word:{form}" for form in _forms(word))
    elif name.words:
        word = name.words[0]
        yield f"surname:{word}"
        for form in _forms(word):
            yield f"word:{form}"
            yield f"given:{form}"
        if len(word) >= _HEAD and not is_given(word):
            yield f"head:{word[:_HEAD]}"
    yield from _other_tokens(name, entity)


def _as_place(name: PersonName) -> Iterator[str]:
    """A full name as that of a place: who is called so may be known by an office."""
    if not is_given(name.given[0]):
        yield f"word:{' '.join(name.words)}"


def _forms(word: str) -> tuple[str, ...]:
    """A word of a name, what it may be short for, and without a pet ending."""
    return (*sorted(formal_names(word)), name_stem(word))


def _other_tokens(name: PersonName, entity: RawEntity) -> Iterator[str]:
    if not name.words:
        yield f"role:{name.role}" if name.role else f"kin:{name.kin}"
        yield from (f"described:{word}" for word in _word_set(name.role))
    for title in name.titles - _COMMON_TITLES:
        yield f"title:{title}"
    if name.kin and not name.words:
        for speaker in speakers(entity.description):
            if surname := parse_name(speaker).surname:
                yield f"surname:{surname}"
                yield f"word:{surname}"


@lru_cache(maxsize=1 << 16)
def _word_set(name: str) -> frozenset[str]:
    return frozenset(words(name)) - _FUNCTION


def _nested(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether all words of one name, particles aside, stand in the other."""
    return bool(one and other) and (one <= other or other <= one)
