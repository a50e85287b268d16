"""The paths of the OpenAI-compatible API, with and without ``/v1``."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final, ParamSpec, TypeVar

from fastapi import APIRouter, Request, Response
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from offbook.app.conversations import replayed
from offbook.models.beside import worked_out
from offbook.prompts.reply import Company
from offbook.server.dependencies import (
    Book,
    Caller,
    CurrentPrincipal,
    unless_left,
)
from offbook.server.failures import RequestRefused
from offbook.server.openai.answers import Answers, InCharacter, counted, of_the_model
from offbook.server.openai.body import CHAT, ChatBody, name_of, read_body
from offbook.server.openai.client_tasks import kind_of
from offbook.server.openai.events import DONE, EventStream, Shape
from offbook.server.openai.groups import Group, group_of, own_names
from offbook.server.openai.messages import policy_of, read_messages, require_short, wishes_of
from offbook.stores import characters
from offbook.stores.connection import Connection
from offbook.text.words import fold
from offbook.types import Character

if TYPE_CHECKING:
    from offbook.app.book import Offbook


RAW: Final = ":raw"
"""Ends the id of a model that is the language model itself, without the character."""

USER: Final = "@"
"""Stands between the id of a model and the name of who speaks."""


async def list_models(book: Book, caller: CurrentPrincipal) -> dict[str, Any]:
    """Every character that the caller may see, as a model."""
    stored = await book.store.read(characters.list_all)
    return {"object": "list", "data": [_entry(each) for each in stored if caller.sees(each)]}


async def get_model(model: str, book: Book, caller: CurrentPrincipal) -> dict[str, Any]:
    """One character, as a model."""
    return _entry((await require_target(book, caller, model)).character)


@dataclass(frozen=True, slots=True)
class Target:
    """What the name of a model means: a character, and perhaps who speaks; or the model itself."""

    character: Character
    user: str | None = None
    raw: bool = False


async def require_target(book: Book, caller: Caller, model: str) -> Target:
    """What a model's name means: ``ID``, ``ID@USER``, ``ID:raw``."""
    base = model.removesuffix(RAW)
    name, _, user = base.partition(USER)

    def find(conn: Connection) -> tuple[Character | None, bool]:
        # An id holds neither of the marks; a name may, and is then meant as a whole.
        whole = characters.find(conn, model) if user or base != model else None
        if whole is not None and whole.name == model:
            return whole, True
        return caller.find(conn, name), False  # accents and case may be left out, as elsewhere

    character, whole = await book.store.read(find)
    if character is None or not caller.sees(character):
        raise RequestRefused(
            f"The model {model!r} does not exist or you do not have access to it",
            "GET /v1/models lists the characters that there are",
            status=404,
            code="model_not_found",
            param="model",
        )
    return Target(character) if whole else Target(character, user.strip() or None, base != model)


def _entry(character: Character) -> dict[str, Any]:
    created = datetime.fromisoformat(character.created)
    return {
        "id": character.id,
        "object": "model",
        "created": int(created.replace(tzinfo=created.tzinfo or UTC).timestamp()),
        "owned_by": "offbook",
        # Not OpenAI's: clients that know it show it in the place of the id.
        "name": character.name,
    }


P = ParamSpec("P")
T = TypeVar("T")

_OWN_SESSION: Final = "x-session-id"
_CHAT_OF_CLIENT: Final = "x-openwebui-chat-id"
_USER_OF_CLIENT: Final = "x-openwebui-user-id"
_FLEETING: Final = ("temporary:", "local:")
"""How the ids of chats begin that Open WebUI itself keeps nothing of, now and formerly."""
_LARGE: Final = 250_000
"""Bytes of a request that are read in a few milliseconds."""


async def complete_chat(request: Request, book: Book, caller: CurrentPrincipal) -> Response:
    """Reply to the last message, as the character that ``model`` names."""
    settings = book.settings.values.server
    content = await request.body()
    body = await _of_size(len(content), read_body, content, settings.replies)
    target = await require_target(book, caller, body.model)
    shape = Shape(target.character.id)
    if body.stream:
        events = _events(request, book, caller, target, body, shape)
        return EventStream(events, settings.ping_seconds)
    return await unless_left(request.receive, _whole(request, book, caller, target, body, shape))


async def _events(
    request: Request, book: Offbook, caller: Caller, target: Target, body: ChatBody, shape: Shape
) -> AsyncGenerator[bytes, None]:
    """The events of a stream."""
    answers = await _answers(request, book, caller, target, body)
    texts = [""] * body.replies
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
    request: Request, book: Offbook, caller: Caller, target: Target, body: ChatBody, shape: Shape
) -> Response:
    answers = await _answers(request, book, caller, target, body)
    choices = await answers.whole()
    usage = counted(answers.usage(), body, [choice.text for choice in choices])
    return JSONResponse(shape.whole(choices, usage, answers.extras()))


async def _answers(
    request: Request, book: Offbook, caller: Caller, target: Target, body: ChatBody
) -> Answers:
    """Who answers, ready to be target."""
    group = None if target.raw else await _of_size(body.size, group_of, body.texts)
    character = await _speaking(book, caller, target, group)
    names = () if group is None else own_names(character, group)
    read = await _of_size(body.size, read_messages, body.texts, group, names)
    kind = (
        None if target.raw else await _of_size(body.size, kind_of, read, stream=bool(body.stream))
    )
    if target.raw or kind is not None:
        return of_the_model(book, character, body, kind)
    require_short(read.transcript)
    values = book.settings.values
    session = _named_in(request, _OWN_SESSION) or body.session
    user = name_of(target.user, "model") or _named_in(request, _USER_OF_CLIENT) or body.speaker
    chat = _named_in(request, _CHAT_OF_CLIENT)
    temporary = session is None and chat is not None and chat.startswith(_FLEETING)
    talk = await replayed(
        book,
        character,
        read.transcript,
        caller.speaker(user),
        session=session or chat,
        # A client with a header of ours may leave the history to us; others send all of it.
        resends=session is None,
        fleeting=temporary or body.store is False,
        company=None if group is None else Company(group.others(names)),
    )
    policy = policy_of(character, values.server)
    room = values.context.history_tokens
    wishes, warnings = await _of_size(body.size, wishes_of, read, body.parameters, policy, room)
    all_warnings = (*body.warnings, *read.warnings, *warnings)
    return InCharacter(talk, wishes, body.replies, all_warnings, user)


async def _speaking(
    book: Offbook, caller: Caller, target: Target, group: Group | None
) -> Character:
    """Whose turn it is: in a group the character of that name, if the caller may see one.

    All members of a group ask one model: without this all would speak from what one knows.
    """
    if group is None or not group.speaking:
        return target.character
    names = (target.character.name, target.character.id)
    if fold(group.speaking) in map(fold, names):
        return target.character
    named: Character | None = await book.store.read(caller.find, group.speaking)
    return named or target.character


async def _of_size(size: int, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """The result of work on a request of this size; where it is large, others go on meanwhile."""
    if size < _LARGE:
        return function(*args, **kwargs)
    return await worked_out(function, *args, **kwargs)


def _named_in(request: Request, header: str) -> str | None:
    """The name in a header; in UTF-8, where it is that, as in bodies."""
    value = request.headers.get(header)
    if value is not None and not value.isascii():
        with suppress(UnicodeDecodeError):
            value = value.encode("latin-1").decode()
    return name_of(value, header)


_CHAT: Final = "/chat/completions"
_MODELS: Final = "/models"


@cache
def router() -> APIRouter:
    """The router of all paths; it holds nothing of an application."""
    whole = APIRouter(tags=["openai"])
    for prefix in ("/v1", ""):
        part = APIRouter(prefix=prefix)
        part.get("/models")(list_models)
        part.get("/models/{model:path}")(get_model)
        part.post("/chat/completions", openapi_extra=CHAT, response_model=None)(complete_chat)
        whole.include_router(part, include_in_schema=bool(prefix))
    # Some clients look whether anybody is there.
    whole.add_api_route("/", _here, methods=["HEAD"], include_in_schema=False)
    for path in ("/v1", "/v1/{rest:path}", "/chat/{rest:path}"):
        for method in ("GET", "POST", "PUT", "PATCH", "DELETE"):
            whole.add_api_route(path, _mistaken, methods=[method], include_in_schema=False)
    return whole


async def _here() -> Response:
    return Response()


async def _mistaken(request: Request) -> None:
    """What a wrong base URL leads to, with the right one."""
    path = request.url.path
    known = path.removeprefix("/v1")
    if known in (_CHAT, _MODELS) or known.startswith(f"{_MODELS}/"):
        headers = {"allow": "POST" if known == _CHAT else "GET"}
        raise HTTPException(HTTPStatus.METHOD_NOT_ALLOWED, headers=headers)
    hint = "there are GET /v1/models and POST /v1/chat/completions; see /docs"
    if "completions/" in path or path.count("/v1") > 1:
        right = request.url.replace(path="/v1", query="", fragment="")
        hint = f"give your client the address up to and without /chat/completions: {right}"
    raise RequestRefused(f"there is nothing at {path!r}", hint, status=404, code="not_found")
