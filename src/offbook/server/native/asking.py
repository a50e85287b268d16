"""``recall``, ``ask``, ``chat`` and the caller's conversations.

Takes: a question, and how it is to be grounded.  Gives: what ``offbook recall`` and ``offbook ask``
print; a chat streams pieces of the reply and ends with the whole of it.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Coroutine
from contextlib import aclosing, asynccontextmanager
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Query, Request
from fastapi.responses import Response, StreamingResponse
from pydantic import ConfigDict, Field

from offbook.agent.naming import names_of, stored_id
from offbook.agent.owned import OwnedSession, kept_under
from offbook.app.book import Offbook
from offbook.app.chat_export import chat_of
from offbook.app.commands import command_of, conversation_of
from offbook.app.missing_index import priced, require_index
from offbook.errors import OffbookError, UnknownName
from offbook.server.book import Book
from offbook.server.failures import native_error
from offbook.server.leaving import LEFT, ClientLeftError, until_disconnected
from offbook.server.native.access import Responses, Seen, User, failing, streamed
from offbook.server.native.body import Body
from offbook.server.native.talk_shapes import ConversationListed, Recalled, Replied, TurnListed
from offbook.server.one_line import on_one_line
from offbook.server.principal import Caller, CurrentPrincipal
from offbook.stores import conversations
from offbook.types import Character

Preset = Literal["default", "faithful"]
Strategy = Literal["ordinary", "C-A", "C-M", "S-S", "S-E"]
SessionFormat = Literal["json", "jsonl"]
SessionName = Annotated[str, Path(min_length=1, max_length=500)]

_JSON_LINES = "application/jsonl"
STREAM_HEADERS = {"cache-control": "no-cache", "x-accel-buffering": "no"}


class Question(Body):
    """A question, and how the reply is to be grounded."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"examples": [{"question": "Who taught you to trim the lamp?"}]},
    )

    question: str = Field(min_length=1, max_length=100_000)
    method: str | None = Field(None, max_length=100, description="None: as it is configured.")
    strategy: Strategy | None = Field(None, description="How memories are recalled.")
    as_of: str | None = Field(
        None, max_length=2_000, description="The point in the story at which it is asked."
    )
    session: str | None = Field(
        None,
        min_length=1,
        max_length=200,
        description="The conversation that it belongs to; none: nothing is kept.",
    )
    user: str | None = Field(
        None, min_length=1, max_length=200, description="A person for whom the caller asks."
    )
    preset: Preset | None = Field(None, description="`faithful` repeats the papers' settings.")
    greeting: int | None = Field(
        None,
        ge=1,
        le=10**9,
        description="Which greeting of its card a conversation began with that is new; none: none.",
    )


def router() -> APIRouter:
    """The routes."""
    made = APIRouter(prefix="/api/characters/{character}", tags=["talking"])
    asked = failing(404, 409, 413, 415, 502)
    made.post("/recall", response_model=Recalled, responses=asked)(recall)
    made.post("/ask", response_model=Replied, responses=asked)(ask)
    stream = streamed(
        "`piece` events with a `text`, then `reply` with the whole, or `error`",
        ("piece", "reply", "error"),
    )
    made.post("/chat", response_class=StreamingResponse, responses={**asked, **stream})(chat)
    one = failing(404)
    made.get("/greetings", response_model=list[str], responses=one)(greetings)
    made.get("/sessions", response_model=list[ConversationListed], responses=one)(sessions)
    log: Responses = {
        200: {
            "content": {_JSON_LINES: {"schema": {"type": "string"}}},
            "description": "what was said; with `format=jsonl` the chat log",
        }
    }
    # A conversation's name may hold slashes, as clients name them: nothing can stand behind it.
    named = "/sessions/{session:path}"
    made.get(named, response_model=list[TurnListed], responses={**one, **log})(turns)
    made.delete(named, response_model=ConversationListed, responses=one)(forget_session)
    return made


async def recall(
    body: Question, character: Seen, book: Book, caller: CurrentPrincipal, request: Request
) -> Any:
    """What a reply would rest on; none is generated, and nothing is kept."""

    async def recalled() -> dict[str, Any]:
        async with _conversation(body, character, book, caller) as talk:
            found, usage = await talk.recall(body.question)
        return found.as_json(usage)

    return await _unless_left(request, recalled())


async def ask(
    body: Question, character: Seen, book: Book, caller: CurrentPrincipal, request: Request
) -> Any:
    """One reply; with a session it belongs to a conversation. A client that leaves cancels it."""

    async def replied() -> dict[str, Any]:
        async with _conversation(body, character, book, caller) as talk:
            reply = await talk.ask(body.question)
        return reply.as_json()

    return await _unless_left(request, replied())


async def chat(
    body: Question, character: Seen, book: Book, caller: CurrentPrincipal
) -> StreamingResponse:
    """One reply, streamed as server-sent events; a client that leaves cancels it."""
    command = _command(body, book)
    # Here and not in the stream: what is wrong with the request has a status of its own.
    await require_index(command, character)
    talk = await _open(body, command, character, caller)
    pieces = _events(body.question, command, talk)
    return StreamingResponse(pieces, media_type="text/event-stream", headers=STREAM_HEADERS)


async def greetings(
    character: Seen, book: Book, caller: CurrentPrincipal, user: User = None
) -> list[str]:
    """The first messages of the character's card, as it says them to the caller; perhaps none."""
    talk = await conversation_of(book, character, caller.speaker(user))
    return list(talk.greetings)


async def sessions(
    character: Seen, book: Book, caller: CurrentPrincipal, user: User = None
) -> list[dict[str, Any]]:
    """The caller's conversations with a character, by name."""
    mine = caller.speaker(user)
    found = await book.store.read(
        lambda conn: conversations.list_all(conn, character.id, principal=mine)
    )
    return [_listed(each) for each in found]


async def turns(
    session: SessionName,
    character: Seen,
    book: Book,
    caller: CurrentPrincipal,
    user: User = None,
    kind: Annotated[
        SessionFormat, Query(alias="format", description="`jsonl`: a chat log of SillyTavern.")
    ] = "json",
) -> Any:
    """What was said in a conversation, oldest first, and what the replies rested on.

    As a chat log it is with swipes, and as `memories` takes it.
    """
    found = await _require(session, character, book, caller, user)
    if kind == "jsonl":
        return Response(await chat_of(book, character, found.id, user), media_type=_JSON_LINES)
    history = await book.store.read(
        lambda conn: conversations.history(conn, character.id, found.id)
    )
    return [
        {
            "id": turn.id,
            "said": turn.said,
            "answered": turn.answered,
            "at": turn.at,
            "recall": turn.recall,
        }
        for turn in history
    ]


async def forget_session(
    session: SessionName, character: Seen, book: Book, caller: CurrentPrincipal, user: User = None
) -> dict[str, Any]:
    """Delete a conversation, and what it taught the character, from the whole database."""
    found = await _require(session, character, book, caller, user)
    await book.store.write(lambda conn: conversations.remove(conn, character.id, found.id))
    await book.store.purge()
    return _listed(found)


async def _require(
    session: str, character: Character, book: Offbook, caller: Caller, user: str | None
) -> conversations.Conversation:
    mine = caller.speaker(user)
    stored = stored_id(session, kept_under(mine))
    found: conversations.Conversation | None = await book.store.read(
        lambda conn: conversations.get(conn, character.id, stored)
    )
    if found is None or found.principal != mine:
        raise UnknownName(f"no conversation {session!r}", "GET .../sessions lists those there are")
    return found


def _listed(found: conversations.Conversation) -> dict[str, Any]:
    session, user = names_of(found.id)
    return {
        "session": session,
        "user": user,
        "created": found.created,
        "updated": found.updated,
    }


async def _unless_left(request: Request, work: Coroutine[Any, Any, dict[str, Any]]) -> Any:
    """The answer; where the client leaves, the work for it ends, and nobody reads what is said."""
    try:
        return await until_disconnected(request.receive, work)
    except ClientLeftError:
        return Response(status_code=LEFT)


def _command(body: Question, book: Offbook) -> Offbook:
    return command_of(
        book, method=body.method, preset=body.preset, emotional__strategy=body.strategy
    )


async def _open(
    body: Question, command: Offbook, character: Character, caller: Caller
) -> OwnedSession:
    speaker = caller.speaker(body.user)
    talk = await conversation_of(command, character, speaker, body.session, as_of=body.as_of)
    if body.greeting is not None and not talk.history:
        talk.greet(body.greeting)
    return talk


@asynccontextmanager
async def _conversation(
    body: Question, character: Character, book: Offbook, caller: Caller
) -> AsyncIterator[OwnedSession]:
    command = _command(body, book)
    async with priced(command, character):
        yield await _open(body, command, character, caller)


async def _events(question: str, command: Offbook, talk: OwnedSession) -> AsyncIterator[str]:
    try:
        async with priced(command, talk.character), aclosing(talk.say(question)) as replying:  # type: ignore[type-var]
            async for piece in replying:
                yield _event("piece", {"text": piece})
        reply = talk.last
        yield _event("reply", {} if reply is None else reply.as_json())
    except OffbookError as error:
        yield _event("error", native_error(error))


def _event(name: str, data: dict[str, Any]) -> str:
    return f"event: {name}\ndata: {on_one_line(json.dumps(data, ensure_ascii=False))}\n\n"
