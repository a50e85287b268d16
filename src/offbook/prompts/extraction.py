"""Entities and relations of the sections of one window.

Takes: sections with their heading paths, what the character is called so far, and the types that
are looked for.  Gives: entities with other names that their section states, and directed relations;
each numbered with its section, in the words of the section's own language.
Paper: RoleRAG (001), section 3.1; keywords of relations and the second pass ("gleaning") are those
of LightRAG (arXiv 2410.05779), section 3.1, and off by default. Several sections in a call, and
other names with the words that state them, are ours.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, Field, create_model

from offbook.errors import InvalidAnswer
from offbook.prompts.prompt import Json, Prompt
from offbook.prompts.refusals import check_described

ENTITY_TYPES: Final = ("character", "location", "time", "event", "organization", "object")
"""The types of the paper; others may be configured (``graph.entity_types``)."""

_NAME_CHARS: Final = 200


class StatedAlias(BaseModel):
    """Another name of an entity, and the words of its section that state it."""

    called: str = Field(min_length=1, max_length=_NAME_CHARS)
    evidence: str


class ExtractedEntity(BaseModel):
    """An entity as a section mentions it; a configured type each, see :func:`extraction`."""

    section: int
    name: str = Field(min_length=1, max_length=_NAME_CHARS)
    type: str
    description: str
    aliases: list[StatedAlias]


class ExtractedRelation(BaseModel):
    """A directed relation between two entities, by the names that they have in the section."""

    section: int
    source: str = Field(min_length=1, max_length=_NAME_CHARS)
    target: str = Field(min_length=1, max_length=_NAME_CHARS)
    description: str
    strength: int = Field(ge=1, le=10)


class KeyedRelation(ExtractedRelation):
    """A relation with the words that it is searched by: its key in LightRAG."""

    keywords: list[str]


class Extraction(BaseModel):
    """What the sections of a window mention."""

    entities: list[ExtractedEntity]
    relations: list[ExtractedRelation]


@dataclass(frozen=True, slots=True)
class Section:
    """A passage and the path of headings that it stands under, which may be empty."""

    headings: str
    passage: str


@dataclass(frozen=True, slots=True)
class ExtractionInputs:
    """The sections of a window.

    Args:
        character: Whom the texts are about.
        sections: In reading order, numbered from 1.
        types: What an entity may be.
        before: The sentence that stands before the first section, or empty.
        called: What the character is called up to the last section, as the texts spell it.
        found: The names of an earlier pass (gleaning), else empty.
        keywords: Whether relations get keywords.
    """

    character: str
    sections: tuple[Section, ...]
    types: tuple[str, ...] = ENTITY_TYPES
    before: str = ""
    called: tuple[str, ...] = ()
    found: tuple[str, ...] = ()
    keywords: bool = False

    @property
    def passage(self) -> str:
        """The passages of all sections."""
        return "\n\n".join(section.passage for section in self.sections)


def check_extraction(inputs: ExtractionInputs, answer: Extraction) -> None:
    """Refuse an answer without entities, or whose names are not from the window at all.

    A window of a persona document mentions somebody; a model that translates, or that lists the
    names of its instructions, has not read it.
    """
    if not answer.entities and not inputs.found:
        raise InvalidAnswer("the answer lists no entities; list what the passage mentions")
    passage = inputs.passage
    ends = [end for relation in answer.relations for end in (relation.source, relation.target)]
    _check_names([*(entity.name for entity in answer.entities), *ends], passage)
    descriptions = [entity.description for entity in answer.entities]
    descriptions += [relation.description for relation in answer.relations]
    check_described(descriptions, [passage])
    headings = " ".join(section.headings for section in inputs.sections)
    text = plain(f"{headings} {passage} {inputs.character}")
    names = [plain(entity.name) for entity in answer.entities]
    if names and not any(name in text or _in_parts(name, text) for name in names):
        raise InvalidAnswer(
            f"none of the {len(names)} names stands in the passage; copy names as they stand there"
        )


def plain(text: str) -> str:
    """``text`` in one case, its white space folded."""
    return " ".join(text.split()).casefold()


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
def extraction(
    types: tuple[str, ...] = ENTITY_TYPES,
    sections: int = 1,
    name: str = "extract",
    *,
    keywords: bool = False,
) -> _ExtractionPrompt:
    """The prompt that looks for entities of these types.

    Args:
        types: What an entity may be; the schema admits nothing else.
        sections: How many are asked about; the schema admits no other number.
        name: ``extract``, or ``glean`` for the second pass.
        keywords: Whether relations get keywords.
    """
    kind: Any = Literal[types]
    number: Any = Annotated[int, Field(ge=1, le=sections)]
    entity: Any = create_model(
        "ExtractedEntity", __base__=ExtractedEntity, section=(number, ...), type=(kind, ...)
    )
    relation: Any = create_model(
        "ExtractedRelation",
        __base__=KeyedRelation if keywords else ExtractedRelation,
        section=(number, ...),
    )
    shape = create_model(
        "Extraction",
        __base__=Extraction,
        entities=(list[entity], ...),
        relations=(list[relation], ...),
    )
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
