"""Documents: added behind the request, estimated, read and forgotten."""

from __future__ import annotations

import asyncio
import uuid
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, replace
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Final
from urllib.parse import quote

from fastapi import APIRouter, Depends, Path, Query, Request, Response, status
from fastapi.responses import StreamingResponse
from pydantic import Field

from offbook import registry
from offbook.app.documents import ForgetReport
from offbook.documents.readers import ReadDocument, read_content
from offbook.errors import UnknownName, UsageError
from offbook.ingestion.reports import Estimate
from offbook.server.dependencies import Book, Caller, CurrentPrincipal
from offbook.server.events import EVENTS, TOLD, followed
from offbook.server.native.access import (
    Body,
    ChangeableCharacter,
    Listed,
    ReadableCharacter,
    SentFileBody,
    WritableCharacter,
    answer,
    commanded,
    readable,
    require,
    streamed,
)
from offbook.server.native.talk import Preset
from offbook.stores import documents, queue
from offbook.stores.queue import Ingestion

MOST_DOCUMENTS = 1_000

if TYPE_CHECKING:
    from offbook.app.book import Offbook

DocumentName = Annotated[str, Path(description="The document's name or id.", max_length=4_000)]
IngestionId = Annotated[str, Path(max_length=100)]


class GivenDocument(
    SentFileBody,
    json_schema_extra={
        "examples": [
            {"documents": [{"name": "keeper.md", "text": "# Ada\n\nAda keeps the light."}]}
        ]
    },
):
    """A document: its text, or the bytes of its file."""

    name: str = Field(
        min_length=1,
        max_length=1_000,
        description="Its ending tells the type, as a file's does; plain text otherwise.",
    )
    text: str | None = Field(None, description="The text; of HTML, its source.")
    content_base64: str | None = Field(None, description="The bytes of a file, such as a PDF.")


class GivenDocuments(Body):
    """Documents, and for which method they are to be indexed."""

    documents: Listed[GivenDocument] = Field(
        default_factory=list,
        max_length=MOST_DOCUMENTS,
        description="None: build what the stored documents lack.",
    )
    method: str | None = Field(None, max_length=100, description="None: as it is configured.")
    preset: Preset | None = Field(None, description="`faithful` repeats the papers' settings.")
    order: Listed[str] | None = Field(
        None, max_length=100_000, description="Names in the order of the story."
    )


routes: Final = APIRouter(prefix="/api/characters/{character}", tags=["documents"])


@routes.post("/documents", status_code=status.HTTP_202_ACCEPTED)
async def add(
    body: GivenDocuments,
    character: ChangeableCharacter,
    book: Book,
    request: Request,
    response: Response,
    caller: CurrentPrincipal,
) -> Ingestion:
    """Add or update documents; reading them for the character goes on behind the request.

    The answer names the ingestion: look at it, or listen to its events. It goes on where it
    stopped when the server is stopped in between.
    """
    if body.method is not None:
        registry.load("method", body.method)
    readings = await asyncio.to_thread(_readings, body.documents)
    known = await book.store.read(documents.list_all, character.id)
    names = [info.name for info in known]
    _check(character.name, names, readings, body.order or ())
    job_request = {
        "documents": [asdict(reading) for reading in readings],
        "method": body.method,
        "preset": body.preset,
        "order": body.order,
    }
    id_ = uuid.uuid4().hex[:12]
    await book.store.write(queue.add, id_, "ingestion", job_request, character=character.id)
    request.app.state.background.wake()
    where = f"/api/characters/{quote(character.id, safe='')}/ingestions/{id_}"
    response.headers["location"] = where
    return await _look(book, character.id, id_, caller)


@routes.post("/estimate")
async def estimate(
    body: GivenDocuments, character: WritableCharacter, request: Request
) -> Estimate:
    """What adding these documents would cost; no model is asked."""
    from offbook.app.estimate import estimate_ingestion

    if body.method is not None:
        registry.load("method", body.method)

    async def estimated(command: Offbook) -> Estimate:
        readings = await asyncio.to_thread(_readings, body.documents)
        runtime = command.runtime(character.dimension)
        return await estimate_ingestion(runtime, character, readings, body.order or ())

    return await commanded(request, estimated, method=body.method, preset=body.preset)


# A document's name may hold slashes: those of a folder are named by their path below it.
@routes.get("/documents/{document:path}")
async def read(
    document: DocumentName,
    character: ReadableCharacter,
    book: Book,
    start: Annotated[int, Query(ge=0, le=10**9, description="The first character.")] = 0,
    end: Annotated[int | None, Query(ge=0, le=10**9, description="Behind the last.")] = None,
) -> dict[str, Any]:
    """The text of a document, or the passage that a source names."""
    stored = await book.store.read(documents.require, character.id, document)
    last = min(stored.chars, stored.chars if end is None else end)
    first = min(start, last)
    text = stored.text[first:last]
    place = {"id": stored.id, "name": stored.name, "chars": stored.chars}
    return {**place, "start": first, "end": last, "text": text}


@routes.delete("/documents/{document:path}", response_model=ForgetReport)
async def forget(
    document: DocumentName,
    character: ChangeableCharacter,
    request: Request,
    caller: CurrentPrincipal,
    with_memories: Annotated[
        bool, Query(description="Also turns and memories of anybody that rest on it: `admin`.")
    ] = False,
    for_all: Annotated[
        bool, Query(description="Also where other characters share it: for all of them.")
    ] = False,
) -> Response:
    """Delete a document and all that only it supports, from the whole database."""
    if with_memories:
        require(caller, "admin")
    id_ = character.id
    report = await commanded(
        request,
        lambda command: command.forget(id_, document, with_memories=with_memories, for_all=for_all),
    )
    messages = readable(report.messages, whole=caller.may_administer)
    return answer(replace(report, messages=tuple(messages)))


@routes.get("/ingestions")
async def list_ingestions(
    character: ReadableCharacter, book: Book, caller: CurrentPrincipal
) -> list[Ingestion]:
    """The ingestions of a character, newest first."""
    rows = await book.store.read(queue.list_ingestions, character.id)
    return [shown_to(each, caller) for each in rows]


async def _stored(
    ingestion: IngestionId, character: ReadableCharacter, book: Book, caller: CurrentPrincipal
) -> Ingestion:
    return await _look(book, character.id, ingestion, caller)


async def _look(book: Offbook, character: str, id_: str, caller: Caller) -> Ingestion:
    row = await book.store.read(queue.get_ingestion, character, id_)
    if row is None:
        raise UnknownName(f"no ingestion {id_!r}", "GET .../ingestions lists those there are")
    return shown_to(row, caller)


StoredIngestion = Annotated[Ingestion, Depends(_stored)]


@routes.get("/ingestions/{ingestion}")
async def look_at(stored: StoredIngestion) -> Ingestion:
    """How far an ingestion is, or what became of it."""
    return stored


@routes.post("/ingestions/{ingestion}/cancel")
async def cancel(
    stored: StoredIngestion,
    character: ChangeableCharacter,
    book: Book,
    request: Request,
    caller: CurrentPrincipal,
) -> Ingestion:
    """Have an ingestion end; what it read is kept, and the same again goes on where it was.

    One that has ended stays as it is. One under way ends a moment later: look at it, or listen.
    """
    await book.store.write(queue.cancel, stored.id)
    request.app.state.background.wake()
    return await _look(book, character.id, stored.id, caller)


@routes.get(
    "/ingestions/{ingestion}/events",
    response_class=StreamingResponse,
    responses=streamed(f"`progress` events with the ingestion{TOLD}", EVENTS),
)
async def listen(
    stored: StoredIngestion,
    character: ReadableCharacter,
    book: Book,
    request: Request,
    caller: CurrentPrincipal,
) -> StreamingResponse:
    """How far an ingestion is, as server-sent events, until it has ended."""
    look = partial(_look, book, character.id, stored.id, caller)
    return followed(look, request.app.state.stopping.begins)


def shown_to(ingestion: Ingestion, caller: Caller) -> Ingestion:
    """An ingestion as the caller may read it: what an endpoint says may quote its prompt."""
    error, report, whole = ingestion.error, ingestion.report, caller.may_administer
    if error is not None and not whole:
        words = {"message": "the documents were not read", "hint": "ask whoever runs this server"}
        error = {**error, **words}
    if report is not None:
        rows = [
            {**row, "messages": readable(row["messages"], whole=whole)}
            for row in report["documents"]
        ]
        report = {**report, "documents": rows}
    progress = {"stages": [], **ingestion.progress}
    return replace(ingestion, error=error, report=report, progress=progress)


def _readings(documents: Sequence[GivenDocument]) -> list[ReadDocument]:
    """Read what was given; where one cannot be read, nothing is done."""
    return [read_content(each.name, each.data()) for each in documents]


def _check(
    character: str, known: Sequence[str], readings: Sequence[ReadDocument], order: Sequence[str]
) -> None:
    """Refuse what cannot be done, before anything is."""
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
