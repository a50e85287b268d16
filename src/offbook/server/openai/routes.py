"""The paths of the OpenAI-compatible API, with and without ``/v1``."""

from __future__ import annotations

from functools import cache
from http import HTTPStatus
from typing import Final

from fastapi import APIRouter, Request, Response
from starlette.exceptions import HTTPException

from offbook.server.dependencies import Book, CurrentPrincipal
from offbook.server.failures import RequestRefused
from offbook.server.openai import kept_responses
from offbook.server.openai.body import CHAT, TEXT, read_body, read_text_body
from offbook.server.openai.dialogues import messages_of_prompt
from offbook.server.openai.events import ChatShape, TextShape
from offbook.server.openai.exchange import Exchange, of_size, user_of
from offbook.server.openai.response_shape import ResponseShape
from offbook.server.openai.responses_body import RESPONSES, read_as_chat, read_responses_body
from offbook.server.openai.targets import get_model, list_models, require_target


async def complete_chat(request: Request, book: Book, caller: CurrentPrincipal) -> Response:
    """Reply to the last message, as the character that ``model`` names."""
    content = await request.body()
    most = book.settings.values.server.replies
    body = await of_size(len(content), read_body, content, most)
    target = await require_target(book, caller, body.model)
    shape = ChatShape(target.character.id, body.include_usage)
    return await Exchange(request, book, caller, target, body, shape).respond()


async def complete_text(request: Request, book: Book, caller: CurrentPrincipal) -> Response:
    """Reply to a text, or to a dialogue that is written out as one."""
    content = await request.body()
    most = book.settings.values.server.replies
    text = await of_size(len(content), read_text_body, content, most)
    target = await require_target(book, caller, text.model)
    names = (target.character.name, target.character.id)
    messages = await of_size(len(content), messages_of_prompt, text.text, text.stop, names)
    body = text.as_chat(messages)
    body.note(len(content), ())
    shape = TextShape(target.character.id, body.include_usage)
    return await Exchange(request, book, caller, target, body, shape).respond()


async def respond(request: Request, book: Book, caller: CurrentPrincipal) -> Response:
    """Reply to the last of the items; `previous_response_id` goes on from a kept response."""
    content = await request.body()
    sent = await of_size(len(content), read_responses_body, content)
    body = await of_size(len(content), read_as_chat, content, sent)
    target = await require_target(book, caller, body.model)
    behind = None
    if sent.previous_response_id is not None:
        user = user_of(request, target, body)
        behind = await kept_responses.behind(
            book, caller, sent.previous_response_id, target.character, user
        )
    shape = ResponseShape(target.character.id, sent)
    return await Exchange(request, book, caller, target, body, shape, behind).respond()


_CHAT: Final = "/chat/completions"
_TEXT: Final = "/completions"
_RESPONSES: Final = "/responses"
_MODELS: Final = "/models"


@cache
def router() -> APIRouter:
    """The router of all paths; it holds nothing of an application."""
    whole = APIRouter(tags=["openai"])
    for prefix in ("/v1", ""):
        part = APIRouter(prefix=prefix)
        part.get("/models")(list_models)
        part.get("/models/{model:path}")(get_model)
        part.post(_CHAT, openapi_extra=CHAT, response_model=None)(complete_chat)
        part.post(_TEXT, openapi_extra=TEXT, response_model=None)(complete_text)
        part.post(_RESPONSES, openapi_extra=RESPONSES, response_model=None)(respond)
        part.get(f"{_RESPONSES}/{{response}}")(kept_responses.show)
        part.delete(f"{_RESPONSES}/{{response}}")(kept_responses.delete)
        whole.include_router(part, include_in_schema=bool(prefix))
    # Some clients look whether anybody is there.
    whole.add_api_route("/", _here, methods=["HEAD"], include_in_schema=False)
    for path in ("/v1", "/v1/{rest:path}", "/chat/{rest:path}", "/responses/{rest:path}"):
        for method in ("GET", "POST", "PUT", "PATCH", "DELETE"):
            whole.add_api_route(path, _mistaken, methods=[method], include_in_schema=False)
    return whole


async def _here() -> Response:
    return Response()


async def _mistaken(request: Request) -> None:
    """What a wrong base URL leads to, with the right one."""
    path = request.url.path
    known = path.removeprefix("/v1")
    posted = known in (_CHAT, _TEXT, _RESPONSES)
    if posted or known == _MODELS or known.startswith(f"{_MODELS}/"):
        headers = {"allow": "POST" if posted else "GET"}
        raise HTTPException(HTTPStatus.METHOD_NOT_ALLOWED, headers=headers)
    hint = (
        "there are GET /v1/models, POST /v1/chat/completions, /v1/responses and /v1/completions; "
        "see /docs"
    )
    if "completions/" in path or path.count("/v1") > 1:
        right = request.url.replace(path="/v1", query="", fragment="")
        hint = f"give your client the address up to and without /chat/completions: {right}"
    raise RequestRefused(f"there is nothing at {path!r}", hint, status=404, code="not_found")
