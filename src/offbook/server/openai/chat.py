"""``POST /v1/chat/completions``: a character answers, in pieces or whole.

Takes: a request of any client of OpenAI's API.  Gives: the response that it reads.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing, suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Final, ParamSpec, TypeVar

from fastapi import APIRouter, Request
from starlette.responses import JSONResponse, Response

from offbook.app.replaying import replayed
from offbook.models.beside import worked_out
from offbook.server.book import Book
from offbook.server.leaving import LEFT, ClientLeftError, until_disconnected
from offbook.server.openai.answers import Answers, InCharacter, counted, of_the_model
from offbook.server.openai.body import ChatBody, name_of, read_body
from offbook.server.openai.chunks import DONE, Shape
from offbook.server.openai.event_stream import EventStream
from offbook.server.openai.models import Asked, require_asked
from offbook.server.openai.persona import policy_of, wishes_of
from offbook.server.openai.schemas import CHAT
from offbook.server.openai.transcript import read_messages, require_short
from offbook.server.openai.utility import kind_of
from offbook.server.principal import Caller, CurrentPrincipal

if TYPE_CHECKING:
    from offbook.app.book import Offbook

P = ParamSpec("P")
T = TypeVar("T")

_OWN_SESSION: Final = "x-session-id"
_CHAT_OF_CLIENT: Final = "x-openwebui-chat-id"
_USER_OF_CLIENT: Final = "x-openwebui-user-id"
_FLEETING: Final = ("temporary:", "local:")
"""How the ids of chats begin that Open WebUI itself keeps nothing of, now and formerly."""
_LARGE: Final = 250_000
"""Bytes of a request that are read in a few milliseconds."""


def add_chat_routes(router: APIRouter) -> None:
    """Add the route to a router."""
    router.post("/chat/completions", openapi_extra=CHAT, response_model=None)(complete_chat)


async def complete_chat(request: Request, book: Book, caller: CurrentPrincipal) -> Response:
    """Reply to the last message, as the character that ``model`` names."""
    settings = book.settings.values.server
    content = await request.body()
    body = await _of_size(len(content), read_body, content, settings.replies)
    asked = await require_asked(book, caller, body.model)
    shape = Shape(asked.character.id)
    if body.stream:
        events = _events(request, book, caller, asked, body, shape)
        return EventStream(events, settings.ping_seconds)
    try:
        return await until_disconnected(
            request.receive, _whole(request, book, caller, asked, body, shape)
        )
    except ClientLeftError:
        return Response(status_code=LEFT)


async def _events(
    request: Request, book: Offbook, caller: Caller, asked: Asked, body: ChatBody, shape: Shape
) -> AsyncGenerator[bytes, None]:
    """The events of a stream."""
    answers = await _answers(request, book, caller, asked, body)
    texts = [""] * body.n
    opened = set()
    async with aclosing(answers.stream()) as coming:
        async for piece in coming:
            if piece.index not in opened:
                opened.add(piece.index)
                yield shape.opening(piece.index)
            texts[piece.index] += piece.text
            yield shape.piece(piece.index, piece.text)
    last = len(answers.endings) - 1
    for index, reason in enumerate(answers.endings):
        if index not in opened:
            yield shape.opening(index)
        yield shape.closing(index, reason, answers.extras() if index == last else None)
    if body.include_usage:
        yield shape.usage(counted(answers.usage(), body, texts))
    yield DONE


async def _whole(
    request: Request, book: Offbook, caller: Caller, asked: Asked, body: ChatBody, shape: Shape
) -> Response:
    answers = await _answers(request, book, caller, asked, body)
    choices = await answers.whole()
    usage = counted(answers.usage(), body, [choice.text for choice in choices])
    return JSONResponse(shape.whole(choices, usage, answers.extras()))


async def _answers(
    request: Request, book: Offbook, caller: Caller, asked: Asked, body: ChatBody
) -> Answers:
    """Who answers, ready to be asked."""
    read = await _of_size(body.size, read_messages, body.messages)
    character = asked.character
    kind = None if asked.raw else await _of_size(body.size, kind_of, body, read)
    if asked.raw or kind is not None:
        # What a client asks for itself is asked once, however many replies it shows.
        asks = body if kind is None else replace(body, n=1)
        return of_the_model(book, character, asks, kind)
    require_short(read.transcript)
    values = book.settings.values
    own = _named_in(request, _OWN_SESSION) or body.session
    user = name_of(asked.user, "model") or _named_in(request, _USER_OF_CLIENT) or body.user
    chat = _named_in(request, _CHAT_OF_CLIENT)
    talk = await replayed(
        book,
        character,
        read.transcript,
        caller.speaker(user),
        session=own or chat,
        # A client with a header of ours may leave the history to us; others send all of it.
        resends=own is None,
        fleeting=own is None and chat is not None and chat.startswith(_FLEETING),
    )
    policy = policy_of(character, values.server)
    room = values.context.history_tokens
    wishes, warnings = await _of_size(body.size, wishes_of, read, body.parameters, policy, room)
    said = (*body.warnings, *read.warnings, *warnings)
    return InCharacter(talk, wishes, body.n, said, user)


async def _of_size(size: int, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """The result of work on a request of this size; where it is large, others go on meanwhile."""
    if size < _LARGE:
        return function(*args, **kwargs)
    return await worked_out(function, *args, **kwargs)


def _named_in(request: Request, header: str) -> str | None:
    """The name in a header; in UTF-8, where it is that, as in bodies."""
    told = request.headers.get(header)
    if told is not None and not told.isascii():
        with suppress(UnicodeDecodeError):
            told = told.encode("latin-1").decode()
    return name_of(told, header)
