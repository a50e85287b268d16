"""Memories and aliases: added, searched, forgotten, said, undone.

Takes: what a person writes.  Gives: what ``offbook remember``, ``memories`` and ``alias`` print.
"""

from __future__ import annotations

import asyncio
import json
from typing import Annotated, Any

from fastapi import APIRouter, Path, Request
from pydantic import ConfigDict, Field, model_validator

from offbook.app.memory_file import MemoryFile, memories_in
from offbook.errors import UsageError
from offbook.server.book import Book
from offbook.server.failures import asked_by_owner
from offbook.server.native import shapes
from offbook.server.native.access import Seen, User, Writable, failing, readable, whose
from offbook.server.native.aside import commanded
from offbook.server.native.body import Body, Listed
from offbook.server.native.given import GivenFile
from offbook.server.principal import CurrentPrincipal

_TEXT = 100_000


class GivenMemory(Body):
    """What was said to the character and what it answered."""

    model_config = ConfigDict(extra="forbid")

    said: str = Field(min_length=1, max_length=_TEXT)
    answered: str = Field(min_length=1, max_length=_TEXT)
    at: str | None = Field(None, max_length=2_000, description="A point in the story.")


class GivenMemories(Body):
    """Memories, or a file of them; neither: only those that wait are scored."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [{"memories": [{"said": "Who was Tom?", "answered": "My brother."}]}]
        },
    )

    memories: Listed[GivenMemory] = Field(default_factory=list, max_length=10_000)
    file: GivenFile | None = Field(
        None,
        description="A memory a line, or a chat log of SillyTavern, Chub, Ooba, Agnai or CAI.",
    )

    @model_validator(mode="after")
    def _one_way(self) -> GivenMemories:
        if self.memories and self.file is not None:
            raise ValueError("give either `memories` or a `file`")
        return self

    def read(self, character: str) -> MemoryFile | None:
        """What is to be remembered; of a chat of several characters, by this one.

        Raises:
            UsageError: a line is no memory, or the file is no text.
        """
        if self.file is None:
            if not self.memories:
                return None
            lines = (json.dumps(memory.model_dump(exclude_none=True)) for memory in self.memories)
            return memories_in("\n".join(lines), "the request")
        try:
            text = self.file.data().decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise UsageError(
                f"{self.file.name!r} is not in UTF-8: {error.reason} at byte {error.start}",
                "save the file as UTF-8",
            ) from error
        return memories_in(text, self.file.name, character)


class Search(Body):
    """What to search for."""

    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"examples": [{"text": "the lamp"}]}
    )

    text: str = Field(min_length=1, max_length=_TEXT)
    k: int = Field(10, ge=1, le=1_000, description="The most memories that are found.")
    user: str | None = Field(None, min_length=1, max_length=200)


class Ids(Body):
    """Ids of memories."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"ids": ["1f0c"]}]})

    ids: Listed[Annotated[str, Field(max_length=200)]] = Field(min_length=1, max_length=10_000)
    user: str | None = Field(None, min_length=1, max_length=200)


class TwoNames(Body):
    """Two names, and whether they are one and the same."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"examples": [{"a": "Tom", "b": "Thomas Byrne", "same": True}]},
    )

    a: str = Field(min_length=1, max_length=1_000)
    b: str = Field(min_length=1, max_length=1_000)
    same: bool = True


def router() -> APIRouter:
    """The routes."""
    made = APIRouter(prefix="/api/characters/{character}", tags=["memories and aliases"])
    one, given = failing(404), failing(404, 413, 415, 502)
    made.post("/memories", response_model=shapes.Remembered, responses=given)(remember)
    made.post("/memories/search", response_model=list[shapes.MemoryFound], responses=given)(search)
    made.post("/memories/forget", response_model=shapes.Forgotten, responses=given)(forget)
    made.get("/memories/kept-out", response_model=list[shapes.KeptOut], responses=one)(kept_out)
    graph = failing(404, 409, 413, 415, 502)
    made.post("/aliases", response_model=shapes.AliasSaid, responses=graph)(say)
    made.delete("/decisions/{decision}", response_model=shapes.AliasSaid, responses=graph)(undo)
    return made


async def remember(body: GivenMemories, character: Writable, request: Request) -> dict[str, Any]:
    """Add memories that a person has written, or of a chat log, and score all that wait."""
    read, id_ = await asyncio.to_thread(body.read, character.name), character.id
    report = await commanded(request, lambda command: command.memories.remember(id_, read))
    # What waits may be of anybody's conversations, and quoted: only the owner reads those.
    return _told(report.as_json(), whole=asked_by_owner.get())


async def search(
    body: Search, character: Seen, book: Book, caller: CurrentPrincipal
) -> list[dict[str, Any]]:
    """Memories by their words, then by their meaning, best first; no chat model is asked."""
    mine = whose(caller, body.user)
    return await book.memories.search(character.id, body.text, k=body.k, principal=mine)


async def forget(
    body: Ids, character: Seen, book: Book, caller: CurrentPrincipal
) -> dict[str, list[str]]:
    """Delete memories: the caller's own, and with the right `write` authored ones as well."""
    gone = await book.memories.forget(
        character.id,
        body.ids,
        principal=whose(caller, body.user),
        authored=caller.allows("write"),
    )
    return {"forgotten": gone}


async def kept_out(
    character: Seen, book: Book, caller: CurrentPrincipal, user: User = None
) -> list[dict[str, Any]]:
    """The caller's turns that did not become memories, and why."""
    return await book.memories.kept_out(character.id, principal=whose(caller, user))


async def say(
    body: TwoNames, character: Writable, request: Request, caller: CurrentPrincipal
) -> dict[str, Any]:
    """A person's word that two names are one and the same, or are not."""
    id_ = character.id
    report = await commanded(
        request, lambda command: command.alias(id_, body.a, body.b, same=body.same)
    )
    return _told(report.as_json(), whole=caller.may_administer)


async def undo(
    decision: Annotated[str, Path(max_length=200)],
    character: Writable,
    request: Request,
    caller: CurrentPrincipal,
) -> dict[str, Any]:
    """Take a person's word back, or overrule what a model or a rule decided."""
    id_ = character.id
    report = await commanded(request, lambda command: command.undo_decision(id_, decision))
    return _told(report.as_json(), whole=caller.may_administer)


def _told(report: dict[str, Any], *, whole: bool) -> dict[str, Any]:
    return {**report, "messages": readable(report["messages"], whole=whole)}
