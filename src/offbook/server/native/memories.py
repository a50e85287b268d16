"""Memories and aliases: added, searched, forgotten, said, undone."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from typing import Annotated, Any, Final

from fastapi import APIRouter, Path, Request, Response
from pydantic import Field, model_validator

from offbook.app.documents import AliasReport
from offbook.app.memories import MemoryFile, RememberReport, memories_in
from offbook.errors import UsageError
from offbook.server.dependencies import Book, CurrentPrincipal
from offbook.server.failures import asked_by_owner
from offbook.server.native.access import (
    Body,
    ChangeableCharacter,
    Listed,
    ReadableCharacter,
    SentFileBody,
    User,
    WritableCharacter,
    answer,
    commanded,
    readable,
    whose,
)

_TEXT = 100_000


class GivenMemory(
    Body,
    json_schema_extra={
        "examples": [{"memories": [{"said": "Who was Tom?", "answered": "My brother."}]}]
    },
):
    """What was said to the character and what it answered."""

    said: str = Field(min_length=1, max_length=_TEXT)
    answered: str = Field(min_length=1, max_length=_TEXT)
    at: str | None = Field(None, max_length=2_000, description="A point in the story.")


class GivenMemories(Body):
    """Memories, or a file of them; neither: only those that wait are scored."""

    memories: Listed[GivenMemory] = Field(default_factory=list, max_length=10_000)
    file: SentFileBody | None = Field(
        None,
        description="A memory a line, or a chat log of SillyTavern, Chub, Ooba, Agnai or CAI.",
    )

    @model_validator(mode="after")
    def _one_way(self) -> GivenMemories:
        if self.memories and self.file is not None:
            raise ValueError("give either `memories` or a `file`")
        return self

    def read(self, character: str) -> MemoryFile | None:
        """What is to be remembered; of a chat of several characters, by this one."""
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


class Search(Body, json_schema_extra={"examples": [{"text": "the lamp"}]}):
    """What to search for."""

    text: str = Field(min_length=1, max_length=_TEXT)
    k: int = Field(10, ge=1, le=1_000, description="The most memories that are found.")
    user: str | None = Field(None, min_length=1, max_length=200)


class Ids(Body, json_schema_extra={"examples": [{"ids": ["1f0c"]}]}):
    """Ids of memories."""

    ids: Listed[Annotated[str, Field(max_length=200)]] = Field(min_length=1, max_length=10_000)
    user: str | None = Field(None, min_length=1, max_length=200)


class TwoNames(
    Body, json_schema_extra={"examples": [{"a": "Tom", "b": "Thomas Byrne", "same": True}]}
):
    """Two names, and whether they are one and the same."""

    a: str = Field(min_length=1, max_length=1_000)
    b: str = Field(min_length=1, max_length=1_000)
    same: bool = True


routes: Final = APIRouter(prefix="/api/characters/{character}", tags=["memories and aliases"])


@routes.post("/memories", response_model=RememberReport)
async def remember(body: GivenMemories, character: WritableCharacter, request: Request) -> Response:
    """Add memories that a person has written, or of a chat log, and score all that wait."""
    read, id_ = await asyncio.to_thread(body.read, character.name), character.id
    report = await commanded(request, lambda command: command.memories.remember(id_, read))
    # What waits may be of anybody's conversations, and quoted: only the owner reads those.
    return _answer(report, whole=asked_by_owner.get())


@routes.post("/memories/search")
async def search(
    body: Search, character: ReadableCharacter, book: Book, caller: CurrentPrincipal
) -> list[dict[str, Any]]:
    """Memories by their words, then by their meaning, best first; no chat model is asked."""
    mine = whose(caller, body.user)
    return await book.memories.search(character.id, body.text, k=body.k, principal=mine)


@routes.post("/memories/forget")
async def forget(
    body: Ids, character: ReadableCharacter, book: Book, caller: CurrentPrincipal
) -> dict[str, list[str]]:
    """Delete memories: the caller's own, and with the right `write` authored ones as well."""
    gone = await book.memories.forget(
        character.id,
        body.ids,
        principal=whose(caller, body.user),
        authored=caller.allows("write"),
    )
    return {"forgotten": gone}


@routes.get("/memories/kept-out")
async def kept_out(
    character: ReadableCharacter, book: Book, caller: CurrentPrincipal, user: User = None
) -> list[dict[str, Any]]:
    """The caller's turns that did not become memories, and why."""
    return await book.memories.kept_out(character.id, principal=whose(caller, user))


@routes.post("/aliases", response_model=AliasReport)
async def say(
    body: TwoNames, character: ChangeableCharacter, request: Request, caller: CurrentPrincipal
) -> Response:
    """A person's word that two names are one and the same, or are not."""
    id_ = character.id
    report = await commanded(
        request, lambda command: command.alias(id_, body.a, body.b, same=body.same)
    )
    return _answer(report, whole=caller.may_administer)


@routes.delete("/decisions/{decision}", response_model=AliasReport)
async def undo(
    decision: Annotated[str, Path(max_length=200)],
    character: ChangeableCharacter,
    request: Request,
    caller: CurrentPrincipal,
) -> Response:
    """Take a person's word back, or overrule what a model or a rule decided."""
    id_ = character.id
    report = await commanded(request, lambda command: command.undo_decision(id_, decision))
    return _answer(report, whole=caller.may_administer)


def _answer(report: AliasReport | RememberReport, *, whole: bool) -> Response:
    return answer(replace(report, messages=tuple(readable(report.messages, whole=whole))))
