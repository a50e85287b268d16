"""``recall``, ``ask``, ``chat`` and the caller's conversations."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, aclosing
from dataclasses import dataclass
from typing import Annotated, Any, Final, Literal

from fastapi import APIRouter, Depends, Path, Query, Request
from fastapi.responses import JSONResponse, Response, StreamingResponse
from pydantic import Field

from offbook.agent.history import names_of, stored_id
from offbook.agent.session import Session, kept_under
from offbook.app.book import Offbook
from offbook.app.commands import command_of, conversation_of
from offbook.app.conversations import chat_of
from offbook.app.documents import require_index
from offbook.app.home import priced
from offbook.errors import OffbookError, UnknownName
from offbook.server.dependencies import Book, CurrentPrincipal, remembers, unless_left
from offbook.server.events import STREAM_HEADERS, event
from offbook.server.failures import native_error
from offbook.server.native.access import Body, ReadableCharacter, User, answer, streamed
from offbook.stores import conversations, forgetting
from offbook.types import Character, Recall, Usage

Preset = Literal["default", "faithful"]
Strategy = Literal["ordinary", "C-A", "C-M", "S-S", "S-E"]
SessionFormat = Literal["json", "jsonl"]
SessionName = Annotated[str, Path(min_length=1, max_length=500)]

_JSON_LINES = "application/jsonl"
_TURN: Final = ("id", "said", "speaker", "answered", "at", "recall")


class Question(
    Body, json_schema_extra={"examples": [{"question": "Who taught you to trim the lamp?"}]}
):
    """A question, and how the reply is to be grounded."""

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


routes: Final = APIRouter(prefix="/api/characters/{character}", tags=["talking"])
_NAMED: Final = "/sessions/{session:path}"
"""A conversation's name may hold slashes, as clients name them: nothing can stand behind it."""


@dataclass(frozen=True, kw_only=True)
class Recalled(Recall):
    """What a reply would rest on."""

    usage: Usage


@dataclass(frozen=True, kw_only=True)
class Replied(Recalled):
    """A reply, and what it rests on."""

    reply: str


@dataclass(frozen=True, slots=True)
class _Asking:
    """A question by a caller to a character, ready to be answered."""

    body: Question
    character: Character
    speaker: str
    command: Offbook
    fleeting: bool

    def priced(self) -> AbstractAsyncContextManager[None]:
        """Let what happens inside say how to build an index that it misses."""
        return priced(self.command, self.character, with_cost=False)

    async def session(self) -> Session:
        """The conversation that the question belongs to."""
        talk = await conversation_of(
            self.command,
            self.character,
            self.speaker,
            self.body.session,
            as_of=self.body.as_of,
            fleeting=self.fleeting,
        )
        if self.body.greeting is not None and not talk.history:
            talk.greet(self.body.greeting)
        return talk


async def _asking(
    body: Question,
    character: ReadableCharacter,
    book: Book,
    caller: CurrentPrincipal,
    request: Request,
) -> _Asking:
    command = command_of(
        book, method=body.method, preset=body.preset, emotional__strategy=body.strategy
    )
    # Where nothing is to be kept, there is no conversation: each question stands alone.
    fleeting = not remembers(request, caller)
    return _Asking(body, character, caller.speaker(body.user), command, fleeting)


Asking = Annotated[_Asking, Depends(_asking)]


@routes.post("/recall", response_model=Recalled)
async def recall(asking: Asking, request: Request) -> Response:
    """What a reply would rest on; none is generated, and nothing is kept."""

    async def recalled() -> Response:
        async with asking.priced():
            talk = await asking.session()
            rests_on = await talk.recall(asking.body.question)
        return JSONResponse(rests_on.as_json())

    return await unless_left(request.receive, recalled())


@routes.post("/ask", response_model=Replied)
async def ask(asking: Asking, request: Request) -> Response:
    """One reply; with a session it belongs to a conversation. A client that leaves cancels it."""

    async def replied() -> Response:
        async with asking.priced():
            talk = await asking.session()
            reply = await talk.ask(asking.body.question)
        return answer(reply)

    return await unless_left(request.receive, replied())


@routes.post(
    "/chat",
    response_class=StreamingResponse,
    responses=streamed(
        "`piece` events with a `text`, then `reply` with the whole, or `error`",
        ("piece", "reply", "error"),
    ),
)
async def chat(asking: Asking) -> StreamingResponse:
    """One reply, streamed as server-sent events; a client that leaves cancels it."""
    # Here and not in the stream: what is wrong with the request has a status of its own.
    await require_index(asking.command, asking.character, with_cost=False)
    pieces = _events(asking, await asking.session())
    return StreamingResponse(pieces, media_type="text/event-stream", headers=STREAM_HEADERS)


async def _events(asking: _Asking, talk: Session) -> AsyncIterator[str]:
    try:
        pieces = aclosing(talk.say(asking.body.question))  # type: ignore[type-var]
        async with asking.priced(), pieces as replying:
            async for piece in replying:
                yield event("piece", {"text": piece})
        reply = talk.last
        yield event("reply", {} if reply is None else reply.as_json())
    except OffbookError as error:
        yield event("error", native_error(error))


@routes.get("/greetings")
async def greetings(
    character: ReadableCharacter, book: Book, caller: CurrentPrincipal, user: User = None
) -> list[str]:
    """The first messages of the character's card, as it says them to the caller; perhaps none."""
    talk = await conversation_of(book, character, caller.speaker(user))
    return list(talk.greetings)


@routes.get("/sessions")
async def sessions(
    character: ReadableCharacter, book: Book, caller: CurrentPrincipal, user: User = None
) -> list[dict[str, Any]]:
    """The caller's conversations with a character, by name."""
    mine = caller.speaker(user)
    rows = await book.store.read(conversations.list_all, character.id, principal=mine)
    return [_listed(each) for each in rows]


async def _owned(
    session: SessionName,
    character: ReadableCharacter,
    book: Book,
    caller: CurrentPrincipal,
    user: User = None,
) -> conversations.Conversation:
    mine = caller.speaker(user)
    stored = stored_id(session, kept_under(mine))
    conversation: conversations.Conversation | None = await book.store.read(
        conversations.get, character.id, stored
    )
    if conversation is None or conversation.principal != mine:
        raise UnknownName(f"no conversation {session!r}", "GET .../sessions lists those there are")
    return conversation


OwnedConversation = Annotated[conversations.Conversation, Depends(_owned)]


@routes.get(
    _NAMED,
    response_model=list[dict[str, Any]],
    responses={200: {"content": {_JSON_LINES: {"schema": {"type": "string"}}}}},
)
async def turns(
    conversation: OwnedConversation,
    character: ReadableCharacter,
    book: Book,
    user: User = None,
    kind: Annotated[
        SessionFormat, Query(alias="format", description="`jsonl`: a chat log of SillyTavern.")
    ] = "json",
) -> Any:
    """What was said in a conversation, oldest first, and what the replies rested on.

    As a chat log it is with swipes, and as `memories` takes it.
    """
    if kind == "jsonl":
        log = await chat_of(book, character, conversation.id, user)
        return Response(log, media_type=_JSON_LINES)
    history = await book.store.read(conversations.history, character.id, conversation.id)
    return [{name: getattr(turn, name) for name in _TURN} for turn in history]


@routes.delete(_NAMED)
async def forget_session(
    conversation: OwnedConversation, character: ReadableCharacter, book: Book
) -> dict[str, Any]:
    """Delete a conversation, and what it taught the character, from the whole database."""
    await book.store.write(forgetting.remove_conversation, character.id, conversation.id)
    await book.store.purge()
    return _listed(conversation)


def _listed(talk: conversations.Conversation) -> dict[str, Any]:
    session, user = names_of(talk.id)
    return {"session": session, "user": user, "created": talk.created, "updated": talk.updated}
