"""The paths of the OpenAI-compatible API, with and without ``/v1``.

Takes: nothing.  Gives: their router.
"""

from __future__ import annotations

from functools import cache
from http import HTTPStatus
from typing import Final

from fastapi import APIRouter, Request, Response
from starlette.exceptions import HTTPException

from offbook.server.failures import RequestRefused
from offbook.server.openai.chat import add_chat_routes
from offbook.server.openai.models import add_model_routes

_CHAT: Final = "/chat/completions"
_MODELS: Final = "/models"


@cache
def router() -> APIRouter:
    """The router of all paths; it holds nothing of an application."""
    whole = APIRouter(tags=["openai"])
    for prefix in ("/v1", ""):
        part = APIRouter(prefix=prefix)
        add_model_routes(part)
        add_chat_routes(part)
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
