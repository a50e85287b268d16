"""Several descriptions become one: of entities with their canonical name, and of relations.

Takes: groups with more than one description.  Gives: one name and description a group.
Paper: RoleRAG (001), section 3.2, and Algorithm 1, line 10 for the name.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from pydantic import BaseModel, Field

from offbook.errors import InvalidAnswer
from offbook.language.words import fold
from offbook.prompts.answers import Json
from offbook.prompts.batches import in_order
from offbook.prompts.described import one_line, shortened
from offbook.prompts.prompt import Prompt
from offbook.prompts.refusals import check_summarized

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
    parts = in_order(answer.items, len(inputs.entities), lambda part: part.item)
    for part, entity in zip(parts, inputs.entities, strict=True):
        check_summarized(part.description, entity.descriptions)
    _refuse_exchanged(inputs, parts)


def _refuse_exchanged(inputs: MergeEntitiesInputs, parts: Sequence[MergedEntity]) -> None:
    """Refuse answers that stand under one another's numbers, as their names tell.

    A name of another item that bears one of its own may be a better name of this one as well, and
    one name for all says nothing of the descriptions.
    """
    names = [frozenset(map(fold, entity.names)) for entity in inputs.entities]
    given = [(part.item, fold(part.name), own) for part, own in zip(parts, names, strict=True)]
    every = frozenset().union(*names)
    in_place = frozenset().union(*(own for _, name, own in given if name in own))
    astray = {
        item: name
        for item, name, own in given
        if name in every and name not in own and name not in in_place
    }
    if len(set(astray.values())) > 1:
        items = list(astray)[:20]
        raise InvalidAnswer(
            f"items {items} bear names of other items; answer each under its own number"
        )


def check_merge_relations(inputs: MergeRelationsInputs, answer: MergeRelationsAnswer) -> None:
    """Every item exactly once, and none of them declined or blank."""
    parts = in_order(answer.items, len(inputs.relations), lambda part: part.item)
    for part, relation in zip(parts, inputs.relations, strict=True):
        check_summarized(part.description, relation.descriptions)


MERGE_ENTITIES: Final[Prompt[MergeEntitiesInputs, MergeEntitiesAnswer]] = Prompt(
    name="merge_entities",
    version=1,
    role="extractor",
    stage="graph",
    inputs=MergeEntitiesInputs,
    answer=Json(MergeEntitiesAnswer),
    source="RoleRAG section 3.2 and Algorithm 1, line 10",
    parameters={"temperature": 0.0},
    check=check_merge_entities,
)
"""One name and one description for each of several entities."""

MERGE_RELATIONS: Final[Prompt[MergeRelationsInputs, MergeRelationsAnswer]] = Prompt(
    name="merge_relations",
    version=1,
    role="extractor",
    stage="graph",
    inputs=MergeRelationsInputs,
    answer=Json(MergeRelationsAnswer),
    source="RoleRAG section 3.2",
    parameters={"temperature": 0.0},
    check=check_merge_relations,
)
"""One description for each of several relations."""


def _told(descriptions: tuple[str, ...]) -> str:
    return " | ".join(shortened(one_line(told), _TOLD_CHARS) for told in descriptions)
