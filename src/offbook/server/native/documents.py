"""Documents: added behind the request, estimated, read and forgotten.

Takes: texts in JSON, or the bytes of files in base64.  Gives: an ingestion to look at or listen to,
and the reports of ``offbook ingest`` and ``offbook forget``.  A request names no path: what is
read is what it brings.
"""

from __future__ import annotations

import asyncio
import uuid
from collections import Counter
from collections.abc import Awaitable, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import quote

from fastapi import APIRouter, Path, Query, Request, Response, status
from fastapi.responses import StreamingResponse
from pydantic import ConfigDict, Field

from offbook import registry
from offbook.documents.readers import ReadDocument, read_content
from offbook.errors import UnknownName, UsageError
from offbook.server.book import Book
from offbook.server.native import shapes
from offbook.server.native.access import Seen, Writable, failing, readable, require, streamed
from offbook.server.native.aside import commanded
from offbook.server.native.asking import Preset
from offbook.server.native.body import Body, Listed
from offbook.server.native.following import EVENTS, TOLD, followed
from offbook.server.native.given import GivenFile
from offbook.server.principal import Caller, CurrentPrincipal
from offbook.stores import documents, ingestions

_MOST_DOCUMENTS = 1_000

if TYPE_CHECKING:
    from offbook.app.book import Offbook

DocumentName = Annotated[str, Path(description="The document's name or id.", max_length=4_000)]
IngestionId = Annotated[str, Path(max_length=100)]


class GivenDocument(GivenFile):
    """A document: its text, or the bytes of its file."""

    name: str = Field(
        min_length=1,
        max_length=1_000,
        description="Its ending tells the type: .txt, .md, .html, .pdf; plain text otherwise.",
    )
    text: str | None = Field(None, description="The text; of HTML, its source.")
    content_base64: str | None = Field(None, description="The bytes of a file, such as a PDF.")


class GivenDocuments(Body):
    """Documents, and for which method they are to be indexed."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [
                {"documents": [{"name": "keeper.md", "text": "# Ada\n\nAda keeps the light."}]}
            ]
        },
    )

    documents: Listed[GivenDocument] = Field(
        default_factory=list,
        max_length=_MOST_DOCUMENTS,
        description="None: build what the stored documents lack.",
    )
    method: str | None = Field(None, max_length=100, description="None: as it is configured.")
    preset: Preset | None = Field(None, description="`faithful` repeats the papers' settings.")
    order: Listed[str] | None = Field(
        None, max_length=100_000, description="Names in the order of the story."
    )


def router() -> APIRouter:
    """The routes."""
    made = APIRouter(prefix="/api/characters/{character}", tags=["documents"])
    one, given = failing(404), failing(404, 413, 415)
    made.post(
        "/documents",
        response_model=shapes.IngestionSeen,
        status_code=status.HTTP_202_ACCEPTED,
        responses=given,
    )(add)
    made.post("/estimate", response_model=shapes.Estimated, responses=given)(estimate)
    # A document's name may hold slashes: those of a folder are named by their path below it.
    made.get("/documents/{document:path}", response_model=shapes.Passage, responses=one)(read)
    made.delete(
        "/documents/{document:path}",
        response_model=shapes.DocumentForgotten,
        responses=failing(404, 502),
    )(forget)
    made.get("/ingestions", response_model=list[shapes.IngestionSeen], responses=one)(
        list_ingestions
    )
    made.get("/ingestions/{ingestion}", response_model=shapes.IngestionSeen, responses=one)(look_at)
    made.post("/ingestions/{ingestion}/cancel", response_model=shapes.IngestionSeen, responses=one)(
        cancel
    )
    stream = streamed(f"`progress` events with the ingestion{TOLD}", EVENTS)
    made.get(
        "/ingestions/{ingestion}/events",
        response_class=StreamingResponse,
        responses={**one, **stream},
    )(listen)
    return made


async def add(
    body: GivenDocuments,
    character: Writable,
    book: Book,
    request: Request,
    response: Response,
    caller: CurrentPrincipal,
) -> dict[str, Any]:
    """Add or update documents; reading them for the character goes on behind the request.

    The answer names the ingestion: look at it, or listen to its events. It goes on where it
    stopped when the server is stopped in between.
    """
    if body.method is not None:
        registry.load("method", body.method)
    readings = await asyncio.to_thread(_readings, body.documents)
    known = await book.store.read(lambda conn: documents.list_all(conn, character.id))
    names = [info.name for info in known]
    _check(character.name, names, readings, body.order or ())
    asked = {
        "documents": [asdict(reading) for reading in readings],
        "method": body.method,
        "preset": body.preset,
        "order": body.order,
    }
    id_ = uuid.uuid4().hex[:12]
    await book.store.write(lambda conn: ingestions.add(conn, character.id, id_, asked))
    request.app.state.background.wake()
    where = f"/api/characters/{quote(character.id, safe='')}/ingestions/{id_}"
    response.headers["location"] = where
    return await look_at(id_, character, book, caller)


async def estimate(body: GivenDocuments, character: Writable, request: Request) -> dict[str, Any]:
    """What adding these documents would cost; no model is asked."""
    from offbook.ingestion.estimating import estimate_ingestion

    if body.method is not None:
        registry.load("method", body.method)

    async def estimated(command: Offbook) -> dict[str, Any]:
        readings = await asyncio.to_thread(_readings, body.documents)
        stage = command.stage(character.dimension)
        return (await estimate_ingestion(stage, character, readings)).as_json()

    return await commanded(request, estimated, method=body.method, preset=body.preset)


async def read(
    document: DocumentName,
    character: Seen,
    book: Book,
    start: Annotated[int, Query(ge=0, le=10**9, description="The first character.")] = 0,
    end: Annotated[int | None, Query(ge=0, le=10**9, description="Behind the last.")] = None,
) -> dict[str, Any]:
    """The text of a document, or the passage that a source names."""
    found = await book.store.read(lambda conn: documents.require(conn, character.id, document))
    last = min(found.chars, found.chars if end is None else end)
    first = min(start, last)
    text = found.text[first:last]
    place = {"id": found.id, "name": found.name, "chars": found.chars}
    return {**place, "start": first, "end": last, "text": text}


async def forget(
    document: DocumentName,
    character: Writable,
    request: Request,
    caller: CurrentPrincipal,
    with_memories: Annotated[
        bool, Query(description="Also turns and memories of anybody that rest on it: `admin`.")
    ] = False,
) -> dict[str, Any]:
    """Delete a document and all that only it supports, from the whole database."""
    if with_memories:
        require(caller, "admin")
    id_ = character.id
    report = await commanded(
        request, lambda command: command.forget(id_, document, with_memories=with_memories)
    )
    messages = readable(report.messages, whole=caller.may_administer)
    return {**report.as_json(), "messages": messages}


async def list_ingestions(
    character: Seen, book: Book, caller: CurrentPrincipal
) -> list[dict[str, Any]]:
    """The ingestions of a character, newest first."""
    found = await book.store.read(lambda conn: ingestions.list_all(conn, character.id))
    return [_seen(each, caller) for each in found]


async def look_at(
    ingestion: IngestionId, character: Seen, book: Book, caller: CurrentPrincipal
) -> dict[str, Any]:
    """How far an ingestion is, or what became of it."""
    found = await book.store.read(lambda conn: ingestions.get(conn, character.id, ingestion))
    if found is None:
        raise UnknownName(f"no ingestion {ingestion!r}", "GET .../ingestions lists those there are")
    return _seen(found, caller)


async def cancel(
    ingestion: IngestionId,
    character: Writable,
    book: Book,
    request: Request,
    caller: CurrentPrincipal,
) -> dict[str, Any]:
    """Have an ingestion end; what it read is kept, and the same again goes on where it was.

    One that has ended stays as it is. One under way ends a moment later: look at it, or listen.
    """
    await look_at(ingestion, character, book, caller)
    await book.store.write(lambda conn: ingestions.cancel(conn, character.id, ingestion))
    request.app.state.background.wake()
    return await look_at(ingestion, character, book, caller)


async def listen(
    ingestion: IngestionId,
    character: Seen,
    book: Book,
    request: Request,
    caller: CurrentPrincipal,
) -> StreamingResponse:
    """How far an ingestion is, as server-sent events, until it has ended."""
    await look_at(ingestion, character, book, caller)

    def look() -> Awaitable[dict[str, Any]]:
        return look_at(ingestion, character, book, caller)

    return followed(look, ingestions.ENDED, request.app.state.stopping)


def _seen(found: ingestions.Ingestion, caller: Caller) -> dict[str, Any]:
    """As the caller may read it: what an endpoint says names it, and may quote its prompt."""
    row, whole = asdict(found), caller.may_administer
    if row["error"] is not None and not whole:
        told = {"message": "the documents were not read", "hint": "ask whoever runs this server"}
        row["error"] = {**row["error"], **told}
    for document in (row["report"] or {}).get("documents", ()):
        document["messages"] = readable(document["messages"], whole=whole)
    return row


def _readings(given: Sequence[GivenDocument]) -> list[ReadDocument]:
    """Read what was given; where one cannot be read, nothing is done.

    Raises:
        UnreadableDocument: it is empty, binary, damaged, or in another encoding.
    """
    return [read_content(each.name, each.data()) for each in given]


def _check(
    character: str, known: Sequence[str], readings: Sequence[ReadDocument], order: Sequence[str]
) -> None:
    """Refuse what cannot be done, before anything is.

    Raises:
        UsageError: two documents of one name, or none at all.
        UnknownName: the order names what is not there.
    """
    twice = [name for name, times in Counter(r.name for r in readings).items() if times > 1]
    if twice:
        raise UsageError(f"two documents are called {twice[0]!r}", "give each a name of its own")
    there = {*known, *(reading.name for reading in readings)}
    if not there:
        raise UsageError(f"{character!r} has no documents yet", "give some")
    if missing := [name for name in order if name not in there]:
        raise UnknownName(
            f"the order names {missing[0]!r}, which is no document of {character!r}",
            "name documents that are stored or given",
        )
