"""What the native API answers: the shapes of the command line's ``--json``, described.

Takes: nothing.  Gives: models for responses. Fields are added to shapes over time: one that is not
described here yet passes through all the same.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from offbook.types import DocumentStatus


class Shape(BaseModel):
    """A shape that later versions add fields to."""

    model_config = ConfigDict(extra="allow")


class Failure(BaseModel):
    """What happened, and what to do."""

    kind: str
    message: str
    hint: str


class Failed(BaseModel):
    """Every failure has this body."""

    error: Failure


class Task(Shape):
    """Calls and tokens of one prompt."""

    calls: int
    prompt_tokens: int
    completion_tokens: int


def _told_by_some(schema: dict[str, Any]) -> None:
    """Describe the fields that are there only where an endpoint told of them."""
    of_prompts = "Of the prompts' tokens, those that the endpoint had cached."
    of_answers = "Of the answers' tokens, those that are thoughts."
    schema["properties"]["cached_tokens"] = {"type": "integer", "description": of_prompts}
    schema["properties"]["reasoning_tokens"] = {"type": "integer", "description": of_answers}


class Spent(Shape):
    """What a command cost."""

    model_config = ConfigDict(extra="allow", json_schema_extra=_told_by_some)

    calls: int
    cached_calls: int
    round_trips: int
    prompt_tokens: int
    completion_tokens: int
    embed_calls: int
    cost_usd: float | None
    seconds: float
    by_task: dict[str, Task]


class Estimated(Shape):
    """What an ingestion would cost."""

    calls: int
    prompt_tokens: int
    completion_tokens: int
    cost_usd: float | None
    embed_calls: int
    by_task: dict[str, Task]
    messages: list[str]


class CharacterMade(Shape):
    """A character."""

    id: str
    name: str


class CharacterCreated(CharacterMade):
    """A new character."""

    created: str


class CharacterListed(CharacterCreated):
    """A character in a list."""

    documents: int
    chars: int


class CharacterOverview(CharacterListed):
    """A character, seen from outside."""

    chunkings: list[str]
    embedder: str | None
    dimension: int | None
    profile: str | None
    voice: list[str]


class Place(Shape):
    """Characters ``start`` to ``end`` of a document."""

    document: str
    chunk: str
    start: int
    end: int


class DocumentListed(Shape):
    """A document without its text."""

    id: str
    name: str
    chars: int
    chunks: int
    status: str
    added: str
    version: int


class Passage(Shape):
    """A document's text, or a part of it."""

    id: str
    name: str
    chars: int
    start: int
    end: int
    text: str


class ChunkListed(Shape):
    """A chunk."""

    id: str
    chunking: str
    document: str
    headings: list[str]
    start: int
    end: int
    text: str


class EntityListed(Shape):
    """An entity of the graph."""

    name: str
    type: str
    description: str
    aliases: list[str]
    mentions: int
    sources: list[Place]


class RelationListed(Shape):
    """A relation of the graph."""

    source: str
    target: str
    description: str
    strength: float
    sources: list[Place]


class AliasListed(Shape):
    """Another name, and the canonical one."""

    alias: str
    name: str


class DecisionListed(Shape):
    """Whether two names are one, and who said so."""

    id: str
    a: str
    b: str
    same: bool
    by: str
    reason: str
    evidence: list[str]
    created: str
    holds: bool


class AttributeListed(Shape):
    """What the texts reveal of the character."""

    kind: str
    text: str
    sources: list[Place]


class MemoryListed(Shape):
    """A memory."""

    id: str
    said: str
    answered: str
    emotion: dict[str, int | float] | None
    at: str | None
    session: str | None
    user: str | None


class MemoryFound(MemoryListed):
    """A memory that was searched for."""

    score: float


class KeptOut(Shape):
    """A turn that did not become a memory, and why."""

    said: str
    answered: str
    why: str
    at: str
    session: str
    user: str | None


class Forgotten(Shape):
    """Ids of what was forgotten."""

    forgotten: list[str]


class Remembered(Shape):
    """What became of memories that were given."""

    character: str
    added: int
    known: int
    scored: int
    embedded: int
    waiting: int
    messages: list[str]
    usage: Spent


class DocumentForgotten(Shape):
    """What forgetting a document took along."""

    character: str
    document: str
    chunks: int
    cached_calls: int
    turns: int
    memories: int
    messages: list[str]
    usage: Spent


class NameBorne(Shape):
    """An entity that bears one of two names now."""

    name: str
    aliases: list[str]


class AliasSaid(Shape):
    """What became of a person's word on who is who."""

    character: str
    status: Literal["recorded", "unchanged", "withdrawn", "overruled"]
    id: str
    a: str
    b: str
    same: bool
    evidence: list[str]
    undone: str | None
    entities: list[NameBorne]
    messages: list[str]
    usage: Spent


class DocumentTaken(Shape):
    """What became of a document."""

    id: str
    name: str
    status: DocumentStatus
    chunks: int
    quarantined: int
    messages: list[str]


class Ingested(Shape):
    """What an ingestion did."""

    character: str
    character_id: str
    method: str
    documents: list[DocumentTaken]
    unknown_files: list[str]
    entities: int
    relations: int
    aliases: int
    usage: Spent


class StageProgress(Shape):
    """How far a stage is."""

    stage: str
    done: int
    total: int


class Progressed(Shape):
    """How far an ingestion is."""

    stages: list[StageProgress] = Field(default_factory=list)


class IngestionSeen(Shape):
    """An ingestion behind requests; ``report`` or ``error`` when it is done or has failed."""

    id: str
    character: str
    status: Literal["queued", "running", "done", "failed", "cancelled"]
    progress: Progressed
    report: Ingested | None
    error: Failure | None
    created: str
    updated: str


class Reembedded(Shape):
    """What re-embedding did."""

    character: str
    embedder: str
    vectors: int
    quarantined: int
    usage: Spent


class CheckMade(Shape):
    """A probe: whether it went well, what was seen, and how to mend what was not."""

    name: str
    ok: bool
    detail: str
    hint: str
    exit_code: int


class Examined(Shape):
    """Whether what is configured does what it should."""

    offline: bool
    checks: list[CheckMade]
