"""``/api/characters``, ``/api/import``, ``/api/backup``, ``/api/doctor``: characters as a whole."""

from __future__ import annotations

import asyncio
import tempfile
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal
from urllib.parse import quote

from fastapi import APIRouter, Query, Request, Response, status
from fastapi.responses import JSONResponse, StreamingResponse
from pydantic import Field, model_validator

from offbook.app.characters import ReembedReport
from offbook.app.documents import CharacterInfo, require_index
from offbook.errors import IndexMissing, OffbookError
from offbook.server.dependencies import Book, CurrentPrincipal, unless_left
from offbook.server.masking import masked
from offbook.server.native.access import (
    ADMINISTRATOR,
    AdministeredCharacter,
    Body,
    ChangeableCharacter,
    ReadableCharacter,
    User,
    answer,
    commanded,
    decoded,
    whose,
)
from offbook.server.native.books import GivenBook
from offbook.server.native.cards import GivenCard

if TYPE_CHECKING:
    from collections.abc import Iterator

    from offbook.app.book import Offbook
    from offbook.app.books import BookCharacter
    from offbook.types import Character

routes: Final = APIRouter(prefix="/api", tags=["characters"])
_ONE: Final = "/characters/{character}"


@routes.post("/doctor", dependencies=[ADMINISTRATOR])
async def examine(book: Book, request: Request) -> Response:
    """Ask what is configured to do what it will have to do; each probe is a call of a model."""

    async def examined() -> Response:
        checks = [
            replace(check, detail=masked(check.detail), hint=masked(check.hint))
            for check in await book.doctor()
        ]
        offline = book.settings.values.chat.model == "offline"
        return JSONResponse({"offline": offline, "checks": [asdict(check) for check in checks]})

    return await unless_left(request.receive, examined())


_MEDIA: Final = {"json": "application/json", "graphml": "application/xml", "html": "text/html"}
_ARCHIVE: Final = "application/zip"

GraphFormat = Literal["json", "graphml", "html"]


class Archive(Body, json_schema_extra={"examples": [{"name": "Ada Byrne"}]}):
    """A file that an export gave."""

    content_base64: str = Field(min_length=1, description="The bytes of the file.")
    replace: bool = Field(False, description="In place of the character of that id.")


@routes.get(
    f"{_ONE}/graph",
    response_class=Response,
    responses={
        200: {
            "description": "the graph",
            "content": {media: {"schema": {}} for media in _MEDIA.values()},
        }
    },
)
async def graph(
    character: ReadableCharacter,
    book: Book,
    kind: Annotated[
        GraphFormat, Query(alias="format", description="As a file of this type.")
    ] = "json",
) -> Response:
    """The graph with every source and its sentence."""
    with tempfile.TemporaryDirectory(prefix="offbook-") as folder:
        file = Path(folder, f"graph.{kind}")
        await book.graph(character.id, file)
        data = await asyncio.to_thread(file.read_bytes)
    headers = {} if kind == "json" else _saved_as(f"{character.id}.{kind}")
    return Response(data, media_type=_MEDIA[kind], headers=headers)


@routes.get(
    f"{_ONE}/export",
    response_class=Response,
    responses={
        200: {
            "description": "the file",
            "content": {_ARCHIVE: {"schema": {"type": "string", "format": "binary"}}},
        }
    },
)
async def export(
    character: AdministeredCharacter,
    book: Book,
    with_conversations: Annotated[
        bool, Query(description="Also everybody's conversations and what came of them.")
    ] = False,
) -> Response:
    """The character in one file: documents, index, graph, aliases, memories; no secrets."""
    with tempfile.TemporaryDirectory(prefix="offbook-") as folder:
        file = Path(folder, "character.offbook")
        await book.export(character.id, file, with_conversations=with_conversations)
        data = await asyncio.to_thread(file.read_bytes)
    return Response(data, media_type=_ARCHIVE, headers=_saved_as(f"{character.id}.offbook"))


@routes.post("/import", status_code=status.HTTP_201_CREATED, dependencies=[ADMINISTRATOR])
async def import_(body: Archive, book: Book) -> dict[str, str]:
    """Read a character from a file that an export gave."""
    data = decoded(body.content_base64, "the file")
    with tempfile.TemporaryDirectory(prefix="offbook-") as folder:
        file = Path(folder, "character.offbook")
        await asyncio.to_thread(file.write_bytes, data)
        try:
            character = await book.import_(file, replace=body.replace)
        except OffbookError as error:
            # The path is the server's own affair, and tells the client nothing.
            error.message = error.message.replace(repr(str(file)), "the file")
            raise
    return {"id": character.id, "name": character.name}


_DATABASE: Final = "application/vnd.sqlite3"
_PIECE: Final = 1 << 20


@routes.post(
    "/backup",
    dependencies=[ADMINISTRATOR],
    response_class=Response,
    responses={
        200: {
            "description": "the database",
            "content": {_DATABASE: {"schema": {"type": "string", "format": "binary"}}},
        }
    },
)
async def backup(book: Book) -> Response:
    """Copy the whole database as it is at one moment; `offbook restore` puts it back."""
    folder = tempfile.TemporaryDirectory(prefix="offbook-")
    file = Path(folder.name, "offbook.db")
    try:
        size = await book.backup(file)
    except BaseException:
        folder.cleanup()
        raise

    def pieces() -> Iterator[bytes]:
        with folder, file.open("rb") as opened:
            yield from iter(lambda: opened.read(_PIECE), b"")

    headers = {**_saved_as("offbook.db"), "Content-Length": str(size)}
    return StreamingResponse(pieces(), media_type=_DATABASE, headers=headers)


@routes.post(f"{_ONE}/reembed", response_model=ReembedReport)
async def reembed(character: ChangeableCharacter, request: Request) -> Response:
    """Make all vectors anew with the configured embedder; the old ones answer until then."""
    id_ = character.id
    return answer(await commanded(request, lambda command: command.reembed(id_)))


def _saved_as(name: str) -> dict[str, str]:
    return {"content-disposition": f"attachment; filename*=UTF-8''{quote(name, safe='')}"}


Offset = Annotated[int, Query(ge=0, le=10**9, description="Rows that are passed over.")]
Limit = Annotated[int | None, Query(ge=1, le=10**6, description="The most rows; none: all.")]


class NewCharacter(Body):
    """A name, in any script; or a card, which brings one; or a name and the book that has it."""

    name: str | None = Field(
        None, min_length=1, max_length=1_000, description="With a card, none: the card's."
    )
    card: GivenCard | None = Field(None, description="The card that it is made from.")
    book: GivenBook | None = Field(None, description="The book that it is one of the people of.")

    @model_validator(mode="after")
    def _is_called(self) -> NewCharacter:
        if self.name is None and self.card is None:
            raise ValueError("a character has a name: give `name`, or a `card` that has one")
        if self.book is not None and (self.card is not None or self.name is None):
            raise ValueError("of a `book` a character is made by its `name`, and without a `card`")
        return self


_PARTS: Final = {
    "documents": "The documents without their texts.",
    "chunks": "Passages of the documents, of every chunking.",
    "entities": "Who and what there is in the graph.",
    "relations": "How they relate.",
    "aliases": "Other names, each with the canonical one.",
    "decisions": "Which names are one, and who said so.",
    "attributes": "What chunks reveal of the character.",
}


@routes.get("/characters")
async def list_characters(book: Book, caller: CurrentPrincipal) -> list[CharacterInfo]:
    """List the characters that the caller may talk to."""
    return [info for info in await book.characters() if caller.sees(info)]


@routes.post("/characters", status_code=status.HTTP_201_CREATED, dependencies=[ADMINISTRATOR])
async def create(
    body: NewCharacter, book: Book, request: Request, response: Response
) -> dict[str, Any]:
    """Make a character, from a name, a card or a book; its id is made from the name and is unique.

    What is in a card becomes documents, which are indexed at once where that is free; else `ready`
    is false, and what it would cost and where it is done stand beside it. One of a book can be
    talked to at once, and shares its texts with the others of that book; `.../estimate` tells what
    a model would add.
    """
    if body.book is not None:
        given, name = body.book, body.name or ""

        async def made_of(command: Offbook) -> BookCharacter:
            return await command.create_from(await given.found(command), name)

        made_one = await commanded(request, made_of)
        character, made = made_one.character, made_one.as_json()
    elif body.card is not None:
        report = await book.cards.create(body.card.sent(), body.name)
        character = report.character
        made = report.as_json() | await commanded(request, partial(_readied, character=character))
    else:
        character = await book.create(body.name or "")
        made = {"id": character.id, "name": character.name, "created": character.created}
    response.headers["location"] = f"/api/characters/{quote(character.id, safe='')}"
    return made


async def _readied(command: Offbook, character: Character) -> dict[str, Any]:
    """Index what a card brought where nobody pays for it; whether it can be talked to now."""
    from offbook.app.estimate import estimate_ingestion

    try:
        await require_index(command, character, with_cost=False)
    except IndexMissing:
        runtime = command.runtime(character.dimension)
        estimate = await estimate_ingestion(runtime, character, ())
        if estimate.calls or estimate.embed_calls:
            where = f"/api/characters/{quote(character.id, safe='')}/documents"
            build = {"method": "POST", "url": where, "body": {"documents": []}}
            return {"ready": False, "estimate": estimate.as_json(), "build": build}
        await command.ingest(character.id)
    return {"ready": True}


@routes.get(_ONE)
async def show(character: ReadableCharacter, book: Book) -> Any:
    """A character, seen from outside."""
    return await book.show(character.id, None)


@routes.delete(_ONE)
async def delete(character: AdministeredCharacter, book: Book) -> dict[str, str]:
    """Delete a character and all that belongs to it, from the whole database."""
    await book.delete(character.id)
    return {"id": character.id, "name": character.name}


def _rows_of(part: str) -> Any:
    async def rows(
        character: ReadableCharacter, book: Book, offset: Offset = 0, limit: Limit = None
    ) -> list[dict[str, Any]]:
        all_rows: list[dict[str, Any]] = await book.show(character.id, part)
        return all_rows[offset : None if limit is None else offset + limit]

    return rows


for _part, _words in _PARTS.items():
    routes.get(f"{_ONE}/{_part}", name=f"show_{_part}", summary=f"The {_part}", description=_words)(
        _rows_of(_part)
    )


@routes.get(f"{_ONE}/memories")
async def memories(
    character: ReadableCharacter,
    book: Book,
    caller: CurrentPrincipal,
    user: User = None,
    offset: Offset = 0,
    limit: Limit = None,
) -> list[dict[str, Any]]:
    """Authored memories and the caller's own, oldest first; the owner sees everybody's."""
    from offbook.app.memories import memory_rows

    mine = whose(caller, user)
    all_rows: list[dict[str, Any]] = await book.store.read(memory_rows, character.id, mine)
    return all_rows[offset : None if limit is None else offset + limit]
