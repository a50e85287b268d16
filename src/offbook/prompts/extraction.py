"""Entities and relations of one passage.

Takes: a passage with its heading path, and the types that are looked for.  Gives: entities and
directed relations, in the words of the passage's own language.
Paper: RoleRAG (001), section 3.1; the second pass ("gleaning") is off by default.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, Literal

from pydantic import BaseModel, Field, create_model

from offbook.errors import InvalidAnswer
from offbook.prompts.prompt import Json, Prompt
from offbook.prompts.refusals import check_described

ENTITY_TYPES: Final = ("character", "location", "time", "event", "organization", "object")
"""The types of the paper; others may be configured (``graph.entity_types``)."""

_NAME_CHARS: Final = 200


class ExtractedEntity(BaseModel):
    """An entity as the passage mentions it; a configured type each, see :func:`extraction`."""

    name: str = Field(min_length=1, max_length=_NAME_CHARS)
    type: str
    description: str


class ExtractedRelation(BaseModel):
    """A directed relation between two entities, by the names that they have in the passage."""

    source: str = Field(min_length=1, max_length=_NAME_CHARS)
    target: str = Field(min_length=1, max_length=_NAME_CHARS)
    description: str
    strength: int = Field(ge=1, le=10)


class Extraction(BaseModel):
    """What one passage mentions."""

    entities: list[ExtractedEntity]
    relations: list[ExtractedRelation]


@dataclass(frozen=True, slots=True)
class ExtractionInputs:
    """A passage; ``found`` are the names of an earlier pass (gleaning), else empty."""

    character: str
    headings: str
    passage: str
    types: tuple[str, ...] = ENTITY_TYPES
    found: tuple[str, ...] = ()


def check_extraction(inputs: ExtractionInputs, answer: Extraction) -> None:
    """Refuse an answer without entities, or whose names are not from the passage at all.

    A passage of a persona document mentions somebody; a model that translates, or that lists the
    names of its instructions, has not read it.
    """
    if not answer.entities and not inputs.found:
        raise InvalidAnswer("the answer lists no entities; list what the passage mentions")
    ends = [end for relation in answer.relations for end in (relation.source, relation.target)]
    _check_names([*(entity.name for entity in answer.entities), *ends], inputs.passage)
    descriptions = [entity.description for entity in answer.entities]
    descriptions += [relation.description for relation in answer.relations]
    check_described(descriptions, [inputs.passage])
    text = " ".join(f"{inputs.headings} {inputs.passage} {inputs.character}".split()).casefold()
    names = [" ".join(entity.name.split()).casefold() for entity in answer.entities]
    if names and not any(name in text or _in_parts(name, text) for name in names):
        raise InvalidAnswer(
            f"none of the {len(names)} names stands in the passage; copy names as they stand there"
        )


def _check_names(names: Iterable[str], passage: str) -> None:
    """A name has a shape; one of signs alone, such as "???", is one where the passage has it."""
    for name in names:
        if any(map(str.isalnum, name)):
            continue
        if not any(unicodedata.category(c)[0] in "PSN" for c in name):
            raise InvalidAnswer("a name is blank; copy names from the passage")
        if name.strip() not in passage:
            raise InvalidAnswer(f"{name!r} is no name; copy names from the passage")


def _in_parts(name: str, text: str) -> bool:
    """Whether a word of the name stands in the text: a model may write a name out."""
    return any(len(word) > 2 and word in text for word in name.split())


@cache
def extraction(types: tuple[str, ...] = ENTITY_TYPES, name: str = "extract") -> _ExtractionPrompt:
    """The prompt that looks for entities of these types.

    Args:
        types: What an entity may be; the schema admits nothing else.
        name: ``extract``, or ``glean`` for the second pass.
    """
    kind: Any = Literal[types]
    entity: Any = create_model("ExtractedEntity", __base__=ExtractedEntity, type=(kind, ...))
    shape = create_model("Extraction", __base__=Extraction, entities=(list[entity], ...))
    check: Callable[[Any, Any], object] = check_extraction
    return Prompt(
        name=name,
        stage="graph",
        inputs=ExtractionInputs,
        answer=Json(shape),
        source="RoleRAG section 3.1",
        check=check,
    )


_ExtractionPrompt = Prompt[ExtractionInputs, Extraction]

EXTRACT: Final = extraction()
"""What a passage mentions, and how it relates."""

GLEAN: Final = extraction(name="glean")
"""What the first pass missed."""
