"""Entities as prompts show them: who is the same, and one description made of several.

Takes: entities with their candidates, groups of names, or several descriptions of one.  Gives: the
numbers of those that are the same; whether a group holds several; one name and description. Only
names stand in double quotes, so that a model can tell them from what is said about them.
Paper: RoleRAG (001), section 3.2 and Algorithm 1, lines 7 and 10; verifying whole groups is ours.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from pydantic import BaseModel, Field

from offbook.errors import InvalidAnswer
from offbook.prompts.prompt import Json, Prompt, in_order
from offbook.prompts.refusals import check_summarized
from offbook.text.words import fold

_LINE_CHARS: Final = 400
_QUOTES: Final = str.maketrans(dict.fromkeys('"“”„‟«»〝〞〟＂″', "'"))


@dataclass(frozen=True, slots=True)
class Described:
    """A name with what a text says about it; the type may be empty."""

    name: str
    type: str
    description: str

    def line(self) -> str:
        """Write the entity on one line; a long description is shortened at a word."""
        description = "; ".join(part for part in (self.type, one_line(self.description)) if part)
        shown = f" ({shortened(description, _LINE_CHARS)})" if description else ""
        return f'"{one_line(self.name)}"{shown}'


def one_line(text: str) -> str:
    """``text`` without line breaks and double quotes."""
    plain = text.replace('"', "'") if text.isascii() else text.translate(_QUOTES)
    return " ".join(plain.split())


def shortened(text: str, most_chars: int) -> str:
    """``text`` of at most ``most_chars`` characters, cut at a word where there is one."""
    if len(text) <= most_chars:
        return text
    head, blank, _ = text[:most_chars].rpartition(" ")
    return f"{head if blank else text[:most_chars]}…"


def numbered(entities: Iterable[Described]) -> str:
    """``1 "A" (...); 2 "B" (...)``: the parts of one item."""
    return "; ".join(f"{n} {entity.line()}" for n, entity in enumerate(entities, 1))


_NUMBER: Final = re.compile(
    r"(?:^|(?<=[;,.] ))(?:\[(?P<bracketed>\d{1,2})\]|(?P<number>\d{1,2})(?= ?[:.)–-]))"
    r" ?[:.)–-]? ?(?=\S)"
)
"""What stands before the reason of one candidate: ``2: `` or ``[2] - ``."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """An entity, and the earlier ones that it may be."""

    entity: Described
    candidates: tuple[Described, ...]

    def line(self) -> str:
        """The item of the wording."""
        return f"{self.entity.line()} -- is it: {numbered(self.candidates)}"


@dataclass(frozen=True, slots=True)
class SameEntityInputs:
    """What is compared in one call."""

    character: str
    comparisons: tuple[Comparison, ...]


class ComparisonAnswer(BaseModel):
    """The candidates (by number, from 1) that are the same as the entity of an item, and why."""

    item: int
    same: list[int]
    reason: str

    def reason_of(self, candidate: int, candidates: int) -> str:
        """Why this candidate is the same or is not.

        What is said of several candidates without telling them apart is marked as such: a list of
        reasons would cost as many tokens again, and not every model keeps to the numbers.
        """
        reason = " ".join(self.reason.split())
        if candidates == 1:
            return _NUMBER.sub("", reason, count=1)
        return _by_candidate(reason, candidates).get(candidate) or f"of all {candidates}: {reason}"


def _by_candidate(reason: str, candidates: int) -> dict[int, str]:
    """The parts of a numbered reason; empty where it does not begin with a number.

    Only numbers that ascend begin a part: "1: born in 1770; 2: his brother".
    """
    parts: dict[int, str] = {}
    begun, last = 0, 0
    for match in _NUMBER.finditer(reason):
        number = int(match["bracketed"] or match["number"])
        if not last < number <= candidates or (not last and match.start()):
            continue
        if last:
            parts[last] = reason[begun : match.start()]
        begun, last = match.end(), number
    if last:
        parts[last] = reason[begun:]
    return {number: part.strip(" ;,") for number, part in parts.items()}


class SameEntityAnswer(BaseModel):
    """One part an item."""

    items: list[ComparisonAnswer]


def check_same_entity(inputs: SameEntityInputs, answer: SameEntityAnswer) -> None:
    """Every item once, and only candidates that exist."""
    count = len(inputs.comparisons)
    for part in in_order(answer.items, count):
        known = len(inputs.comparisons[part.item - 1].candidates)
        unknown = sorted({number for number in part.same if not 1 <= number <= known})
        if unknown:
            raise InvalidAnswer(
                f"item {part.item} has {known} candidates; there is no number {unknown}"
            )


SAME_ENTITY: Final = Prompt(
    name="same_entity",
    stage="graph",
    inputs=SameEntityInputs,
    answer=Json(SameEntityAnswer),
    source="RoleRAG Algorithm 1, line 7",
    check=check_same_entity,
)
"""Which candidates are the same as an entity?"""


@dataclass(frozen=True, slots=True)
class LinkedGroup:
    """Names that were linked in pairs; each member is one name with what the texts say of it."""

    members: tuple[Described, ...]

    def line(self) -> str:
        """The item of the wording."""
        return numbered(self.members)


@dataclass(frozen=True, slots=True)
class VerifyGroupInputs:
    """The groups of one call."""

    character: str
    groups: tuple[LinkedGroup, ...]


class GroupVerdict(BaseModel):
    """Whether a group has to be split, and then its parts: each number in exactly one."""

    item: int
    split: bool
    parts: list[list[int]]
    reason: str


class VerifyGroupAnswer(BaseModel):
    """One part a group."""

    items: list[GroupVerdict]


def check_verify_group(inputs: VerifyGroupInputs, answer: VerifyGroupAnswer) -> None:
    """Every group once; the parts of a group that is split hold every member once."""
    for verdict in in_order(answer.items, len(inputs.groups)):
        if verdict.split:
            members = sorted(number for part in verdict.parts for number in part)
            numbers = list(range(1, len(inputs.groups[verdict.item - 1].members) + 1))
            if members != numbers:
                raise InvalidAnswer(
                    f"item {verdict.item}: the parts must hold each of {numbers} exactly once, "
                    f"not {members[:50]}"
                )


VERIFY_GROUP: Final = Prompt(
    name="verify_group",
    stage="graph",
    inputs=VerifyGroupInputs,
    answer=Json(VerifyGroupAnswer),
    source="ours",
    check=check_verify_group,
)
"""Is a group of linked names one and the same throughout?"""


_TOLD_CHARS: Final = 600


@dataclass(frozen=True, slots=True)
class EntityToMerge:
    """The names of one entity, and what the texts say about it, in reading order."""

    names: tuple[str, ...]
    descriptions: tuple[str, ...]

    def line(self) -> str:
        """The item of the wording."""
        names = " = ".join(f'"{one_line(name)}"' for name in self.names)
        return f"{names}: {_told(self.descriptions)}"


@dataclass(frozen=True, slots=True)
class RelationToMerge:
    """A directed relation by the names that its passages use, and what the texts say about it."""

    source: str
    target: str
    descriptions: tuple[str, ...]

    def line(self) -> str:
        """The item of the wording."""
        ends = f'"{one_line(self.source)}" -> "{one_line(self.target)}"'
        return f"{ends}: {_told(self.descriptions)}"


@dataclass(frozen=True, slots=True)
class MergeEntitiesInputs:
    """The entities of one call."""

    entities: tuple[EntityToMerge, ...]


@dataclass(frozen=True, slots=True)
class MergeRelationsInputs:
    """The relations of one call."""

    relations: tuple[RelationToMerge, ...]


class MergedEntity(BaseModel):
    """The canonical name, one of those given, and one description."""

    item: int
    name: str
    description: str = Field(min_length=1)


class MergedRelation(BaseModel):
    """One description."""

    item: int
    description: str = Field(min_length=1)


class MergeEntitiesAnswer(BaseModel):
    """One part an entity."""

    items: list[MergedEntity]


class MergeRelationsAnswer(BaseModel):
    """One part a relation."""

    items: list[MergedRelation]


def check_merge_entities(inputs: MergeEntitiesInputs, answer: MergeEntitiesAnswer) -> None:
    """Every item exactly once, under its own number, and none of them declined or blank."""
    parts = in_order(answer.items, len(inputs.entities))
    for part, entity in zip(parts, inputs.entities, strict=True):
        check_summarized(part.description, entity.descriptions)
    _refuse_exchanged(inputs, parts)


def _refuse_exchanged(inputs: MergeEntitiesInputs, parts: Sequence[MergedEntity]) -> None:
    """Refuse answers that stand under one another's numbers, as their names tell.

    A name of another item that bears one of its own may be a better name of this one as well, and
    one name for all says nothing of the descriptions.
    """
    names = [frozenset(map(fold, entity.names)) for entity in inputs.entities]
    answered = [
        (part.item, fold(part.name), theirs) for part, theirs in zip(parts, names, strict=True)
    ]
    every = frozenset().union(*names)
    in_place = frozenset().union(*(theirs for _, name, theirs in answered if name in theirs))
    astray = {
        item: name
        for item, name, theirs in answered
        if name in every and name not in theirs and name not in in_place
    }
    if len(set(astray.values())) > 1:
        items = list(astray)[:20]
        raise InvalidAnswer(
            f"items {items} bear names of other items; answer each under its own number"
        )


def check_merge_relations(inputs: MergeRelationsInputs, answer: MergeRelationsAnswer) -> None:
    """Every item exactly once, and none of them declined or blank."""
    parts = in_order(answer.items, len(inputs.relations))
    for part, relation in zip(parts, inputs.relations, strict=True):
        check_summarized(part.description, relation.descriptions)


MERGE_ENTITIES: Final = Prompt(
    name="merge_entities",
    stage="graph",
    inputs=MergeEntitiesInputs,
    answer=Json(MergeEntitiesAnswer),
    source="RoleRAG section 3.2 and Algorithm 1, line 10",
    check=check_merge_entities,
)
"""One name and one description for each of several entities."""

MERGE_RELATIONS: Final = Prompt(
    name="merge_relations",
    stage="graph",
    inputs=MergeRelationsInputs,
    answer=Json(MergeRelationsAnswer),
    source="RoleRAG section 3.2",
    check=check_merge_relations,
)
"""One description for each of several relations."""


def _told(descriptions: tuple[str, ...]) -> str:
    return " | ".join(shortened(one_line(description), _TOLD_CHARS) for description in descriptions)
