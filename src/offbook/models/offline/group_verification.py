"""A linked group as a whole: which of its names belong together.

Takes: the members of a group, each a name with what is said of it, and the character's name.
Gives: a partition of them, the same whatever their order. Source: ours.

1. Names by their form: full names first, then given names, titles with surnames, surnames alone,
   descriptions and kinship. A name that fits several people goes to the one it fits best, never
   to two; one that the character bears goes to the character.
2. Whom a text says to be one ("X is the name under which Y travelled") become one, whatever their
   names: a disguise resembles nobody.
3. A title alone ("the Count") goes to the character where the character bears it, else to
   whoever of those who bear it is told of most.
"""

from __future__ import annotations

from collections.abc import Container, Sequence, Set
from dataclasses import dataclass, field
from typing import Final

from offbook.language.married_names import is_maiden_and_wife
from offbook.language.name_evidence import defined
from offbook.language.name_likeness import ADDRESS, Likeness, certainty, gender_of_full, likeness
from offbook.language.nicknames import is_given
from offbook.language.person_names import PersonName, parse_name
from offbook.language.styles import is_maiden_beside_wife, is_style_of_given
from offbook.models.offline.identity import (
    TOLD,
    fit_of,
    fit_of_names,
    is_person,
    kept_apart,
    portrait,
    told,
)
from offbook.models.offline.speaking import Speech
from offbook.prompts.described import Described

_LEAST: Final = 0.3
"""A likeness below this links nothing."""
_SURE: Final = 0.9
"""From here on a name is the person's own, whoever says it."""
_TITLED: Final = 0.75
"""From here on a parent may still be a given person ("Mr. Hugh Lane", "Mr. Lane")."""
_PARENTS: Final = frozenset(("father", "mother"))
_HERO: Final = 0.6
"""How well a name fits the character's for it to be the character."""
_HEADS: Final = frozenset(("mr", "miss"))
"""Titles that belong, with the surname alone, to one of a family only."""
_CLOSE: Final = 0.1
_TWICE: Final = 2
"""Rivals that fit nearly alike: the name goes to one only if twice as much is told of them."""
_MASS: Final = 0.001
_MOST: Final = 40
"""What each description of a person adds, and how many count: the better known are meant."""
_STYLE: Final = 0.5
"""What it costs "Miss Lane" to be who is always called "Miss Ann"."""
_MARRIED: Final = 0.3
"""What it costs "Mrs. Lane" to be who is called "Miss", and the other way round."""
_GIVEN: Final = 1
"""The rank of a given name; so is one that some full name of the group begins with."""
_OWN_NAME: Final = 0.8
"""From here on a name is one of a person's own, so that whoever says it is somebody else."""
_SELF: Final = 0.25
"""What it costs a name to be given to whoever says it: few speak of themselves by name."""


@dataclass(frozen=True, slots=True)
class Partition:
    """Parts as ascending numbers from 0, in the order of their first members, and why."""

    parts: tuple[tuple[int, ...], ...]
    reason: str


@dataclass(slots=True)
class _Someone:
    """One person in the making."""

    members: list[int] = field(default_factory=list)


def partition(members: Sequence[Described], character: str = "") -> Partition:
    """The members that belong together.

    Args:
        members: Names with what is said of them.
        character: The name of the persona whose documents they are from; empty: nobody's.
    """
    table = _Table(members, character)
    people: list[_Someone] = []
    ranked = sorted(range(len(members)), key=table.rank)
    titles = [number for number in ranked if table.is_title(number)]
    for number in ranked:
        if number not in titles:
            _place(number, table.best(number, people), people)
    people = table.joined(people)
    for number in titles:
        _place(number, table.bearer(number, people) or table.best(number, people), people)
    people = table.joined(people)
    parts = sorted(tuple(sorted(someone.members)) for someone in people)
    return Partition(tuple(parts), _reason(members, parts, table))


def _place(number: int, someone: _Someone | None, people: list[_Someone]) -> None:
    if someone is None:
        people.append(_Someone([number]))
    else:
        someone.members.append(number)


class _Table:
    """What is known of the members of a group."""

    def __init__(self, members: Sequence[Described], character: str) -> None:
        self.members = members
        self._own = parse_name(character)
        self._fits: dict[tuple[int, int], Likeness] = {}
        self._portraits = [portrait(member) for member in members]
        self.names = [seen.name for seen in self._portraits]
        self.said = [seen.said for seen in self._portraits]
        self._speech = Speech(self.names, self.said)
        self._terms = [
            n for n, name in enumerate(self.names) if name.kin in _PARENTS and not name.words
        ]
        self.weight = [1 + member.description.count(" / ") for member in members]

    def rank(self, number: int) -> tuple[int, int, int, str, tuple[str, str, str]]:
        """The surest names first, then by what is said: the order of members is no matter."""
        name, member = self.names[number], self.members[number]
        told = (member.name, member.type, member.description)
        rivals = sum(name.words[0] in n.given for n in self.names) if name.is_bare else 0
        sure = certainty(name)
        if rivals and not self.said[number]:
            sure = min(sure, _GIVEN)
        # A number or an epithet tells who it is; the bare name is given to whoever it leaves.
        plain = 0 if name.numeral or name.epithet else max(rivals, 1)
        return (sure, plain, -self.weight[number], name.key, told)

    def best(self, number: int, people: Sequence[_Someone]) -> _Someone | None:
        """The person whom a member fits best; nobody where rivals fit as well."""
        if (own := self._is_own(number, people)) is not None:
            return own
        if self._is_office(number):
            return None
        scored = [(self._score(number, someone), at) for at, someone in enumerate(people)]
        fitting = sorted(((score, -at) for score, at in scored if score >= _LEAST), reverse=True)
        if not fitting:
            return None
        name = self.names[number]
        if fitting[0][0] < _TITLED and self._is_parent_of(number, people[-fitting[0][1]]):
            return None  # the parent of whom it fits best, who bears the surname
        close = [
            self._mass(people[-at]) for score, at in fitting if score >= fitting[0][0] - _CLOSE
        ]
        rival = max(close[1:], default=0)
        if name.takes_surname and name.titles & _HEADS and rival * _TWICE > close[0]:
            return None  # the head of a family is named so; the others by their given names
        told_most = self.weight[number] > close[0] and not self.said[number]
        if name.is_bare and told_most and rival * _TWICE >= close[0]:
            return None  # told of more than all who have the name: somebody else of that name
        return people[-fitting[0][1]]

    def _score(self, number: int, someone: _Someone) -> float:
        best = 0.0
        for other in someone.members:
            found = self.fit(number, other)
            if found.conflict and not self._is_style(number, other, someone):
                return 0.0
            best = max(best, found.strength)
        if best < _LEAST:
            return 0.0
        names = [self.names[m] for m in someone.members]
        score = best + min(self._mass(someone), _MOST) * _MASS
        if best < _SURE:
            score -= _SELF * self._speech.own_part(number, names)
        if self._is_mans(number, someone) or self._is_anothers(number, someone):
            return 0.0
        if self.names[number].takes_surname and best < _OWN_NAME and self._says(number, someone):
            return 0.0
        score -= _STYLE * self._styled_by_given(number, someone)
        score -= _MARRIED * is_maiden_beside_wife(self.names[number], names)
        return score

    def _is_style(self, a: int, b: int, someone: _Someone) -> bool:
        """Whether just one of two names is a title with the given name of a person."""
        given = {word for m in someone.members for word in self.names[m].given}
        return is_style_of_given(self.names[a], self.names[b], given)

    def _styled_by_given(self, number: int, someone: _Someone) -> float:
        """How often who may be "Miss Lane" is called "Miss Ann": the eldest seldom is."""
        name = self.names[number]
        if not name.takes_surname or not name.titles & _HEADS:
            return 0.0
        if any(name.words[0] in self.names[m].given for m in someone.members):
            return 0.0  # it is the given name: who is "Miss Ann" may well be "Miss Lane"
        if not any(self._is_namesake(m, name, someone) for m in range(len(self.names))):
            return 0.0  # nobody else of that surname, from whom the given name would tell her
        styled = sum(
            self.weight[m]
            for m in someone.members
            if self.names[m].titles & name.titles and self.names[m].words != name.words
        )
        return styled / sum(self.weight[m] for m in someone.members)

    def _is_namesake(self, number: int, name: PersonName, someone: _Someone) -> bool:
        """Whether a member is somebody else of a surname, who may be called by the same title."""
        other = self.names[number]
        if other.surname != name.surname or not other.is_full or number in someone.members:
            return False
        if name.is_maiden and (gender_of_full(other) != "f" or self._speech.is_wife(other)):
            return False
        return not {gender_of_full(other), name.gender} >= {"m", "f"}

    def _is_mans(self, number: int, someone: _Someone) -> bool:
        """Whether a surname alone, told of more than the women who bear it, is a man's."""
        name = self.names[number]
        if not name.is_bare or is_given(name.words[0]):
            return False
        if any(self.names[m].given[:1] == name.words for m in someone.members):
            return False  # no list of given names has them all
        women = all(gender_of_full(self.names[m]) == "f" for m in someone.members)
        return women and self.weight[number] > self._mass(someone)

    def _is_anothers(self, number: int, someone: _Someone) -> bool:
        """Whether "Mrs. Lane" may as well be the mother of "Ann Lane".

        She is where that one has a sister, or where a man is told of more: nothing in the names
        says which of the two she is, and two nodes are mended more easily.
        """
        name = self.names[number]
        if not name.is_married_woman or name.is_full:
            return False
        if any(self._speech.is_wife(self.names[m]) for m in someone.members):
            return False
        if any("wife" in self._portraits[m].attached_kin for m in someone.members):
            return False  # the texts call her somebody's wife
        if self._says(number, someone):
            return True
        if any(self._is_sister(m, someone) for m in range(len(self.names))):
            return True
        return not self.said[number] and any(
            other.is_bare and other.words == name.words and self.weight[m] > self.weight[number]
            for m, other in enumerate(self.names)
        )

    def _says(self, number: int, someone: _Someone) -> bool:
        """Whether who is called so says a name of this person: few speak of themselves."""
        name = self.names[number]
        times = sum(
            count
            for m, count in self._speech.heard_from(name).items()
            if any(self.fit(m, other).strength >= _OWN_NAME for other in someone.members)
        )
        return times >= (1 if name.is_married_woman else _TWICE)

    def _is_sister(self, number: int, someone: _Someone) -> bool:
        """Whether another woman's full name has the surname of a full name of this person."""
        name = self.names[number]
        if not name.is_full or gender_of_full(name) != "f":
            return False
        namesakes = [m for m in someone.members if self.names[m].surname == name.surname]
        return number not in someone.members and any(
            self.fit(number, m).conflict for m in namesakes
        )

    def _is_parent_of(self, number: int, someone: _Someone) -> bool:
        """Whether a kinship term that fits the name is said by, or belongs to, this person."""
        return any(
            any(self.fit(term, m).conflict for m in someone.members)
            for term in self._terms
            if term != number and self.fit(term, number).strength >= _LEAST
        )

    def fit(self, a: int, b: int) -> Likeness:
        """The likeness of two members by their names; what is told counts for bare ones."""
        pair = (a, b) if a < b else (b, a)
        if pair not in self._fits:
            one, other = self._portraits[pair[0]], self._portraits[pair[1]]
            found = fit_of(one, other)
            if found.strength == TOLD and not (self.names[a].is_bare or self.names[b].is_bare):
                found = fit_of_names(one, other)
            self._fits[pair] = found
        return self._fits[pair]

    def is_title(self, number: int) -> bool:
        """Whether a member is a title alone: "the Count", but not "sir"."""
        name = self.names[number]
        return bool(name.titles - ADDRESS) and not (name.words or name.kin or name.owner)

    def joined(self, people: Sequence[_Someone]) -> list[_Someone]:
        """The same people, those one whom a text says to be one."""
        telling = {member for member, seen in enumerate(self._portraits) if seen.other_names}
        made: list[_Someone] = []
        for someone in people:
            given = {self.names[m].given[:1] for m in someone.members} - {()}
            same = [
                other
                for other in made
                if self._are_one(someone, other, telling) or self._are_wed(someone, other, given)
            ]
            members = [m for each in (*same, someone) for m in each.members]
            made = [other for other in made if other not in same]
            made.append(_Someone(members))
        return made

    def _are_one(self, a: _Someone, b: _Someone, telling: Container[int]) -> bool:
        if not any(member in telling for each in (a, b) for member in each.members):
            return False
        of_a, of_b = ([self._portraits[m] for m in someone.members] for someone in (a, b))
        pairs = [(x, y) for x in of_a for y in of_b]
        if not any(x.is_person and y.is_person and told(x, y) for x, y in pairs):
            return False
        if any(kept_apart(x, y) for x, y in pairs):
            return False
        names = [self.names[m] for m in (*a.members, *b.members)]
        if {"old", "young"} <= {name.age for name in names}:
            return False  # father and son: either is called what the other is
        return not {"m", "f"} <= {name.gender for name in names}

    def _are_wed(self, a: _Someone, b: _Someone, given: Set[tuple[str, ...]]) -> bool:
        """Whether one is the other before she married; ``given`` are the given names of ``a``."""
        if not given or given.isdisjoint(self.names[m].given[:1] for m in b.members):
            return False
        of_a, of_b = ([self.names[m] for m in someone.members] for someone in (a, b))
        own = {*a.members, *b.members}
        return any(
            is_maiden_and_wife(x, y, (name for n, name in enumerate(self.names) if n not in own))
            for x, y in ((of_a, of_b), (of_b, of_a))
        )

    def bearer(self, number: int, people: Sequence[_Someone]) -> _Someone | None:
        """Who bears a title: the character before others, then who is told of most."""
        titles = self.names[number].titles
        bearing = [
            someone
            for someone in people
            if any(self.names[m].words and titles <= self.names[m].titles for m in someone.members)
            and not any(self.fit(number, m).conflict for m in someone.members)
        ]
        hero = self._hero(people)
        return max(bearing, key=lambda s: (s is hero, self._mass(s)), default=None)

    def _hero(self, people: Sequence[_Someone]) -> _Someone | None:
        """The character, if it is among the people: of its full names the one most told of.

        Whom a sentence names beside the character ("Ann bore a daughter, Ann Mary II") is another.
        """
        best: tuple[float, bool, int] | None = None
        hero = None
        own = self._own.words[0] if self._own.is_bare else ""
        for someone in people:
            alike = max((self._is_hero(m) for m in someone.members), default=0.0)
            apart = any(self._portraits[m].is_beside(own) for m in someone.members)
            value = (alike, not apart, self._mass(someone))
            if alike and (best is None or value > best):
                best, hero = value, someone
        return hero

    def _is_hero(self, number: int) -> float:
        """Whether a member may be the character by name: 2 where its sentence says who it is."""
        name = self.names[number]
        if not self._own.words or not is_person(self.members[number].type):
            return 0.0
        if likeness(self._own, name).strength < _HERO:
            return 0.0
        return 2.0 if defined(self.members[number].description, self.members[number].name) else 1.0

    def _is_own(self, number: int, people: Sequence[_Someone]) -> _Someone | None:
        """The character, where a bare name is the character's own as the persona has it."""
        name = self.names[number]
        if not name.is_bare or name.numeral or name.words[0] not in self._own.words:
            return None
        return self._hero(people)

    def _is_office(self, number: int) -> bool:
        """Whether a member is an office of which a text says whose it is ("Duke of Low")."""
        if not self.names[number].place or not self.names[number].titles:
            return False
        own = self._portraits[number]
        return any(told(own, other) for other in self._portraits if other is not own)

    def _mass(self, someone: _Someone) -> int:
        """How much is told of a person."""
        return sum(self.weight[member] for member in someone.members)


def _reason(members: Sequence[Described], parts: Sequence[tuple[int, ...]], table: _Table) -> str:
    if len(parts) == 1:
        return "nothing speaks against their being one"
    for one in parts[0]:
        for other in parts[1]:
            found = table.fit(one, other)
            if found.conflict:
                return f"{members[one].name} and {members[other].name}: {found.reason}"
    kind = "person" if is_person(members[0].type) else "thing"
    return f"{len(parts)} different ones: each name fits another {kind} best"
