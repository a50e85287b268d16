"""Books: who is in one, before and after a character is made of it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final, Literal

from fastapi import APIRouter, Request
from pydantic import Field, model_validator

from offbook.app.books import Book as FoundBook
from offbook.app.books import book_of, find_book, known_book
from offbook.app.casts import CastRow
from offbook.app.story import SceneRow, StoryReport
from offbook.documents.readers import read_content
from offbook.server.native.access import (
    ADMINISTRATOR,
    Body,
    ChangeableCharacter,
    Listed,
    ReadableCharacter,
    commanded,
)
from offbook.server.native.documents import MOST_DOCUMENTS, GivenDocument
from offbook.types import WitnessHow

if TYPE_CHECKING:
    from offbook.app.book import Offbook


class GivenBook(
    Body,
    json_schema_extra={
        "examples": [{"documents": [{"name": "rock.txt", "text": "Ada saw Tom. Tom saw Ada."}]}]
    },
):
    """A book: its texts; or one that is here, by its name or that of a character of it."""

    documents: Listed[GivenDocument] = Field(
        default_factory=list, max_length=MOST_DOCUMENTS, description="Its texts, in their order."
    )
    known: str | None = Field(
        None, min_length=1, max_length=1_000, description="A book or character there is."
    )

    @model_validator(mode="after")
    def _has_one(self) -> GivenBook:
        if (self.known is None) == (not self.documents):
            raise ValueError("give either `documents` or `known`")
        return self

    async def found(self, command: Offbook) -> FoundBook:
        """The book, read; what is ``known`` is never a path."""
        if self.known is not None:
            return await known_book(command, self.known)
        documents = [(each.name, each.data()) for each in self.documents]
        texts = await asyncio.to_thread(lambda: [read_content(*each) for each in documents])
        return await find_book(command, texts)


routes: Final = APIRouter(prefix="/api", tags=["books"])


@routes.post("/cast", dependencies=[ADMINISTRATOR])
async def cast(body: GivenBook, request: Request) -> list[CastRow]:
    """List who is in a book, the most named first; no model is asked, and nothing is stored."""

    async def listed(command: Offbook) -> list[CastRow]:
        return await command.cast(await body.found(command))

    return await commanded(request, listed)


@routes.get("/characters/{character}/cast")
async def cast_of(character: ReadableCharacter, request: Request) -> list[CastRow]:
    """List who is in the texts of a character, the most named first; no model is asked."""

    async def listed(command: Offbook) -> list[CastRow]:
        return await command.cast(await book_of(command, character.id))

    return await commanded(request, listed)


class WitnessWord(Body):
    """A person's word on how somebody knows of a scene."""

    scene: int = Field(ge=1, description="Its number, as `GET` lists it.")
    witness: str = Field(min_length=1, max_length=200, description="Who, by any of their names.")
    how: WitnessHow | None = Field(description="How they know of it; null takes the word back.")


class KindWord(Body):
    """A person's word on which kind the documents are."""

    kind: Literal["story", "persona"] | None = Field(description="null: as rules find.")


@routes.get("/characters/{character}/story")
async def story_of(character: ReadableCharacter, request: Request) -> StoryReport:
    """List the scenes of a character's texts, who knows of each and how; no model is asked."""

    async def listed(command: Offbook) -> StoryReport:
        return await command.story(await book_of(command, character.id))

    return await commanded(request, listed)


@routes.post("/characters/{character}/story")
async def correct_witness(
    body: WitnessWord, character: ChangeableCharacter, request: Request
) -> SceneRow:
    """Let a person's word on who knows of a scene count above a model's and the rules'."""

    async def corrected(command: Offbook) -> SceneRow:
        book = await book_of(command, character.id)
        return await command.correct_witness(book, body.scene, body.witness, body.how)

    return await commanded(request, corrected)


@routes.put("/characters/{character}/story")
async def set_kind(body: KindWord, character: ChangeableCharacter, request: Request) -> StoryReport:
    """Say whether a character's texts are a story or about one person."""

    async def noted(command: Offbook) -> StoryReport:
        return await command.set_kind(await book_of(command, character.id), body.kind)

    return await commanded(request, noted)
