"""Offline answers to "who is the same": pairs one by one, linked groups as a whole, all names.

Takes: the inputs of ``same_entity``, ``verify_group`` and ``who_is_who``.  Gives: their answers,
each pair and each group judged on its own whatever else is in the batch, and whatever the order.
Source: ours.

1. Names by their form: full names first, then given names, titles with surnames, surnames alone,
   descriptions and kinship. A name that fits several people goes to the one it fits best, never
   to two; one that the character bears goes to the character.
2. Whom a text says to be one ("X is the name under which Y travelled") become one, whatever their
   names: a disguise resembles nobody.
3. A title alone ("the Count") goes to the character where the character bears it, else to
   whoever of those who bear it is told of most.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Final

from offbook.names.evidence import defined
from offbook.names.likeness import ADDRESS, Likeness, certainty, gender_of_full, likeness
from offbook.names.nicknames import is_given
from offbook.names.person import PersonName, is_person, parse_name
from offbook.names.styles import is_maiden_and_wife, is_maiden_beside_wife, is_style_of_given
from offbook.prompts.entities import (
    Comparison,
    ComparisonAnswer,
    Described,
    GroupVerdict,
    SameEntityAnswer,
    SameEntityInputs,
    VerifyGroupAnswer,
    VerifyGroupInputs,
)
from offbook.prompts.who_is_who import OneAndTheSame, WhoIsWho, WhoIsWhoInputs
from offbook.rules.identity import TOLD, fit, fit_of, fit_of_names, kept_apart, portrait, told

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
_ENOUGH: Final = 0.4
"""From here on a pair is the same."""


class Speech:
    """What is said in a group, by the numbers of its members: their names, and who says each."""

    def __init__(self, names: Sequence[PersonName], said: Sequence[Sequence[str]]) -> None:
        self._speakers = [[parse_name(speaker) for speaker in each] for each in said]
        self._heard: dict[PersonName, Counter[int]] = {}
        for number, speakers in enumerate(self._speakers):
            for speaker in speakers:
                self._heard.setdefault(speaker, Counter())[number] += 1
        self._wives = {
            speaker
            for speaker, heard in self._heard.items()
            if any(
                names[m].titles == {"mr"} and names[m].words == (speaker.surname,) for m in heard
            )
        }

    def heard_from(self, name: PersonName) -> Mapping[int, int]:
        """The members that who is called so says, and how often."""
        return self._heard.get(name, {})

    def is_wife(self, woman: PersonName) -> bool:
        """Whether a woman is known for married: she says "Mr. Lane" of one of her own surname."""
        return woman.is_married_woman or woman in self._wives

    def own_part(self, number: int, names: Iterable[PersonName]) -> float:
        """Which part of those who say a member are whoever bears one of the names."""
        speakers = self._speakers[number]
        borne = list(names)
        bearers = sum(any(likeness(s, name).strength >= _SURE for name in borne) for s in speakers)
        return bearers / len(speakers) if speakers else 0.0


@dataclass(frozen=True, slots=True)
class Partition:
    """Parts as ascending numbers from 0, in the order of their first members, and why."""

    parts: tuple[tuple[int, ...], ...]
    reason: str


def partition(members: Sequence[Described], character: str = "") -> Partition:
    """Part the members into persons; ``character`` is the persona of their documents, or empty."""
    table = _Table(members, character)
    people: list[list[int]] = []
    ranked = sorted(range(len(members)), key=table.rank)
    titles = [number for number in ranked if table.is_title(number)]
    for number in ranked:
        if number not in titles:
            _place(number, table.best(number, people), people)
    people = table.joined(people)
    for number in titles:
        _place(number, table.bearer(number, people) or table.best(number, people), people)
    people = table.joined(people)
    parts = sorted(tuple(sorted(someone)) for someone in people)
    return Partition(tuple(parts), _reason(members, parts, table))


def _place(number: int, someone: list[int] | None, people: list[list[int]]) -> None:
    if someone is None:
        people.append([number])
    else:
        someone.append(number)


class _Table:
    """What is known of the members of a group."""

    def __init__(self, members: Sequence[Described], character: str) -> None:
        self.members = members
        self._own = parse_name(character)
        self._fits: dict[tuple[int, int], Likeness] = {}
        self._portraits = [portrait(member) for member in members]
        self.names = [one.name for one in self._portraits]
        self.said = [one.said for one in self._portraits]
        self._speech = Speech(self.names, self.said)
        self._terms = [
            n for n, name in enumerate(self.names) if name.kin in _PARENTS and not name.words
        ]
        self.weight = [1 + member.description.count(" / ") for member in members]

    def rank(self, number: int) -> tuple[int, int, int, str, tuple[str, str, str]]:
        """The surest names first, then by what is said: the order of members is no matter."""
        name, member = self.names[number], self.members[number]
        description = (member.name, member.type, member.description)
        rivals = sum(name.words[0] in n.given for n in self.names) if name.is_bare else 0
        sure = certainty(name)
        if rivals and not self.said[number]:
            sure = min(sure, _GIVEN)
        # A number or an epithet tells who it is; the bare name is given to whoever it leaves.
        plain = 0 if name.numeral or name.epithet else max(rivals, 1)
        return (sure, plain, -self.weight[number], name.key, description)

    def best(self, number: int, people: Sequence[list[int]]) -> list[int] | None:
        """The person whom a member fits best; nobody where rivals fit as well."""
        if (hero := self._is_own(number, people)) is not None:
            return hero
        if self._is_office(number):
            return None
        scored = [(self._score(number, someone), index) for index, someone in enumerate(people)]
        fitting = sorted(
            ((score, -index) for score, index in scored if score >= _LEAST), reverse=True
        )
        if not fitting:
            return None
        name = self.names[number]
        if fitting[0][0] < _TITLED and self._is_parent_of(number, people[-fitting[0][1]]):
            return None  # the parent of whom it fits best, who bears the surname
        close = [
            self._mass(people[-index])
            for score, index in fitting
            if score >= fitting[0][0] - _CLOSE
        ]
        rival = max(close[1:], default=0)
        if name.takes_surname and name.titles & _HEADS and rival * _TWICE > close[0]:
            return None  # the head of a family is named so; the others by their given names
        told_most = self.weight[number] > close[0] and not self.said[number]
        if name.is_bare and told_most and rival * _TWICE >= close[0]:
            return None  # told of more than all who have the name: somebody else of that name
        return people[-fitting[0][1]]

    def _score(self, number: int, someone: list[int]) -> float:
        best = 0.0
        for other in someone:
            likely = self.fit(number, other)
            if likely.conflict and not self._is_style(number, other, someone):
                return 0.0
            best = max(best, likely.strength)
        if best < _LEAST:
            return 0.0
        names = [self.names[m] for m in someone]
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

    def _is_style(self, a: int, b: int, someone: list[int]) -> bool:
        """Whether just one of two names is a title with the given name of a person."""
        given = {word for m in someone for word in self.names[m].given}
        return is_style_of_given(self.names[a], self.names[b], given)

    def _styled_by_given(self, number: int, someone: list[int]) -> float:
        """How often who may be "Miss Lane" is called "Miss Ann": the eldest seldom is."""
        name = self.names[number]
        if not name.takes_surname or not name.titles & _HEADS:
            return 0.0
        if any(name.words[0] in self.names[m].given for m in someone):
            return 0.0  # it is the given name: who is "Miss Ann" may well be "Miss Lane"
        if not any(self._is_namesake(m, name, someone) for m in range(len(self.names))):
            return 0.0  # nobody else of that surname, from whom the given name would tell her
        styled = sum(
            self.weight[m]
            for m in someone
            if self.names[m].titles & name.titles and self.names[m].words != name.words
        )
        return styled / sum(self.weight[m] for m in someone)

    def _is_namesake(self, number: int, name: PersonName, someone: list[int]) -> bool:
        """Whether a member is somebody else of a surname, who may be called by the same title."""
        other = self.names[number]
        if other.surname != name.surname or not other.is_full or number in someone:
            return False
        if name.is_maiden and (gender_of_full(other) != "f" or self._speech.is_wife(other)):
            return False
        return not {gender_of_full(other), name.gender} >= {"m", "f"}

    def _is_mans(self, number: int, someone: list[int]) -> bool:
        """Whether a surname alone, told of more than the women who bear it, is a man's."""
        name = self.names[number]
        if not name.is_bare or is_given(name.words[0]):
            return False
        if any(self.names[m].given[:1] == name.words for m in someone):
            return False  # no list of given names has them all
        women = all(gender_of_full(self.names[m]) == "f" for m in someone)
        return women and self.weight[number] > self._mass(someone)

    def _is_anothers(self, number: int, someone: list[int]) -> bool:
        """Whether "Mrs. Lane" may as well be the mother of "Ann Lane", who is no wife."""
        name = self.names[number]
        if not name.is_married_woman or name.is_full:
            return False
        if any(self._speech.is_wife(self.names[m]) for m in someone):
            return False
        if any("wife" in self._portraits[m].attached_kin for m in someone):
            return False  # the texts call her somebody's wife
        if self._says(number, someone):
            return True
        if any(self._is_sister(m, someone) for m in range(len(self.names))):
            return True
        return not self.said[number] and any(
            other.is_bare and other.words == name.words and self.weight[m] > self.weight[number]
            for m, other in enumerate(self.names)
        )

    def _says(self, number: int, someone: list[int]) -> bool:
        """Whether who is called so says a name of this person: few speak of themselves."""
        name = self.names[number]
        times = sum(
            count
            for m, count in self._speech.heard_from(name).items()
            if any(self.fit(m, other).strength >= _OWN_NAME for other in someone)
        )
        return times >= (1 if name.is_married_woman else _TWICE)

    def _is_sister(self, number: int, someone: list[int]) -> bool:
        """Whether another woman's full name has the surname of a full name of this person."""
        name = self.names[number]
        if not name.is_full or gender_of_full(name) != "f":
            return False
        namesakes = [m for m in someone if self.names[m].surname == name.surname]
        return number not in someone and any(self.fit(number, m).conflict for m in namesakes)

    def _is_parent_of(self, number: int, someone: list[int]) -> bool:
        """Whether a kinship term that fits the name is said by, or belongs to, this person."""
        return any(
            any(self.fit(term, m).conflict for m in someone)
            for term in self._terms
            if term != number and self.fit(term, number).strength >= _LEAST
        )

    def fit(self, a: int, b: int) -> Likeness:
        """The likeness of two members by their names; what is told counts for bare ones."""
        pair = (a, b) if a < b else (b, a)
        if pair not in self._fits:
            one, other = self._portraits[pair[0]], self._portraits[pair[1]]
            likely = fit_of(one, other)
            if likely.strength == TOLD and not (self.names[a].is_bare or self.names[b].is_bare):
                likely = fit_of_names(one, other)
            self._fits[pair] = likely
        return self._fits[pair]

    def is_title(self, number: int) -> bool:
        """Whether a member is a title alone: "the Count", but not "sir"."""
        name = self.names[number]
        return bool(name.titles - ADDRESS) and not (name.words or name.kin or name.owner)

    def joined(self, people: Sequence[list[int]]) -> list[list[int]]:
        """The same people, those one whom a text says to be one."""
        telling = {member for member, one in enumerate(self._portraits) if one.other_names}
        made: list[list[int]] = []
        for someone in people:
            given = {self.names[m].given[:1] for m in someone} - {()}
            same = [
                other
                for other in made
                if self._are_one(someone, other, telling) or self._are_wed(someone, other, given)
            ]
            members = [m for each in (*same, someone) for m in each]
            made = [other for other in made if other not in same]
            made.append(members)
        return made

    def _are_one(self, a: list[int], b: list[int], telling: Container[int]) -> bool:
        if not any(member in telling for each in (a, b) for member in each):
            return False
        of_a, of_b = ([self._portraits[m] for m in someone] for someone in (a, b))
        pairs = [(x, y) for x in of_a for y in of_b]
        if not any(x.is_person and y.is_person and told(x, y) for x, y in pairs):
            return False
        if any(kept_apart(x, y) for x, y in pairs):
            return False
        names = [self.names[m] for m in (*a, *b)]
        if {"old", "young"} <= {name.age for name in names}:
            return False  # father and son: either is called what the other is
        return not {"m", "f"} <= {name.gender for name in names}

    def _are_wed(self, a: list[int], b: list[int], given: Set[tuple[str, ...]]) -> bool:
        """Whether one is the other before she married; ``given`` are the given names of ``a``."""
        if not given or given.isdisjoint(self.names[m].given[:1] for m in b):
            return False
        of_a, of_b = ([self.names[m] for m in someone] for someone in (a, b))
        both = {*a, *b}
        return any(
            is_maiden_and_wife(x, y, (name for n, name in enumerate(self.names) if n not in both))
            for x, y in ((of_a, of_b), (of_b, of_a))
        )

    def bearer(self, number: int, people: Sequence[list[int]]) -> list[int] | None:
        """Who bears a title: the character before others, then who is told of most."""
        titles = self.names[number].titles
        bearing = [
            someone
            for someone in people
            if any(self.names[m].words and titles <= self.names[m].titles for m in someone)
            and not any(self.fit(number, m).conflict for m in someone)
        ]
        hero = self._hero(people)
        return max(bearing, key=lambda s: (s is hero, self._mass(s)), default=None)

    def _hero(self, people: Sequence[list[int]]) -> list[int] | None:
        """The character among the people: of its full names the one most told of."""
        best: tuple[float, bool, int] | None = None
        hero = None
        bare = self._own.words[0] if self._own.is_bare else ""
        for someone in people:
            alike = max((self._is_hero(m) for m in someone), default=0.0)
            apart = any(self._portraits[m].is_beside(bare) for m in someone)
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

    def _is_own(self, number: int, people: Sequence[list[int]]) -> list[int] | None:
        """The character, where a bare name is the character's own as the persona has it."""
        name = self.names[number]
        if not name.is_bare or name.numeral or name.words[0] not in self._own.words:
            return None
        return self._hero(people)

    def _is_office(self, number: int) -> bool:
        """Whether a member is an office of which a text says whose it is ("Duke of Low")."""
        if not self.names[number].place or not self.names[number].titles:
            return False
        office = self._portraits[number]
        return any(told(office, other) for other in self._portraits if other is not office)

    def _mass(self, someone: list[int]) -> int:
        """How much is told of a person."""
        return sum(self.weight[member] for member in someone)


def _reason(members: Sequence[Described], parts: Sequence[tuple[int, ...]], table: _Table) -> str:
    if len(parts) == 1:
        return "nothing speaks against their being one"
    for one in parts[0]:
        for other in parts[1]:
            likely = table.fit(one, other)
            if likely.conflict:
                return f"{members[one].name} and {members[other].name}: {likely.reason}"
    kind = "person" if is_person(members[0].type) else "thing"
    return f"{len(parts)} different ones: each name fits another {kind} best"


def same_entity(inputs: SameEntityInputs) -> SameEntityAnswer:
    """Tell which candidates are the same as their entity."""
    return SameEntityAnswer(
        items=[_compared(item, comparison) for item, comparison in enumerate(inputs.comparisons, 1)]
    )


def _compared(item: int, comparison: Comparison) -> ComparisonAnswer:
    judged = [fit(comparison.entity, candidate) for candidate in comparison.candidates]
    same = [number for number, likely in enumerate(judged, 1) if likely.strength >= _ENOUGH]
    reasons = [f"{number}: {likely.reason}" for number, likely in enumerate(judged, 1)]
    return ComparisonAnswer(item=item, same=same, reason="; ".join(reasons) or "no candidate")


def verify_group(inputs: VerifyGroupInputs) -> VerifyGroupAnswer:
    """Tell which linked groups hold several, and their parts."""
    items = []
    for item, group in enumerate(inputs.groups, 1):
        judged = partition(group.members, inputs.character)
        split = len(judged.parts) > 1
        parts = [[number + 1 for number in part] for part in judged.parts] if split else []
        items.append(GroupVerdict(item=item, split=split, parts=parts, reason=judged.reason))
    return VerifyGroupAnswer(items=items)


def who_is_who(inputs: WhoIsWhoInputs) -> WhoIsWho:
    """Tell which of all names are one; the rules tell no two bearers of one name apart."""
    described = [Described(name.name, name.type, " / ".join(name.told)) for name in inputs.names]
    by_kind: dict[bool, list[int]] = {}
    for number, one in enumerate(described):
        by_kind.setdefault(is_person(one.type), []).append(number)
    same = []
    for numbers in by_kind.values():
        parts = partition([described[number] for number in numbers], inputs.character).parts
        same += [
            OneAndTheSame(
                reason="the names fit one",
                names=[numbers[place] + 1 for place in part],
                sentences=[n for place in part for n in inputs.names[numbers[place]].sentences],
            )
            for part in parts
            if len(part) > 1
        ]
    return WhoIsWho(same=same, several=[])
