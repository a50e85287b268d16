"""The whole character: its graph, its file, its vectors anew.

Takes: a character, or its file in base64.  Gives: files to keep, and characters.  The files pass
through folders of the server's own that nobody names.
"""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path
from typing import Annotated, Any, Final, Literal
from urllib.parse import quote

from fastapi import APIRouter, Query, Request, Response, status
from pydantic import ConfigDict, Field

from offbook.errors import OffbookError
from offbook.server.book import Book
from offbook.server.native import shapes
from offbook.server.native.access import (
    Administered,
    Administrator,
    Responses,
    Seen,
    Writable,
    failing,
)
from offbook.server.native.aside import commanded
from offbook.server.native.body import Body
from offbook.server.native.given import decoded

_MEDIA: Final = {"json": "application/json", "graphml": "application/xml", "html": "text/html"}
_ARCHIVE: Final = "application/zip"

GraphFormat = Literal["json", "graphml", "html"]


class Archive(Body):
    """A file that an export gave."""

    model_config = ConfigDict(extra="forbid")

    content_base64: str = Field(min_length=1, description="The bytes of the file.")
    replace: bool = Field(False, description="In place of the character of that id.")


def router() -> APIRouter:
    """The routes."""
    made = APIRouter(prefix="/api", tags=["whole characters"])
    file: Responses = {200: {"content": {_ARCHIVE: {"schema": _BINARY}}, "description": "the file"}}
    drawn: Responses = {
        200: {
            "content": {media: {"schema": {"type": "string"}} for media in _MEDIA.values()}
            | {"application/json": {"schema": {"type": "object"}}},
            "description": "the graph",
        }
    }
    one = "/characters/{character}"
    made.get(f"{one}/graph", response_class=Response, responses={**failing(404, 409), **drawn})(
        graph
    )
    made.get(f"{one}/export", response_class=Response, responses={**failing(404), **file})(export)
    made.post(
        "/import",
        response_model=shapes.CharacterMade,
        status_code=status.HTTP_201_CREATED,
        responses=failing(413, 415),
    )(import_)
    made.post(f"{one}/reembed", response_model=shapes.Reembedded, responses=failing(404, 502))(
        reembed
    )
    return made


_BINARY: Final = {"type": "string", "format": "binary"}


async def graph(
    character: Seen,
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


async def export(
    character: Administered,
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


async def import_(body: Archive, book: Book, caller: Administrator) -> dict[str, str]:
    """Read a character from a file that an export gave."""
    del caller
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


async def reembed(character: Writable, request: Request) -> dict[str, Any]:
    """Make all vectors anew with the configured embedder; the old ones answer until then."""
    id_ = character.id
    return (await commanded(request, lambda command: command.reembed(id_))).as_json()


def _saved_as(name: str) -> dict[str, str]:
    return {"content-disposition": f"attachment; filename*=UTF-8''{quote(name, safe='')}"}
