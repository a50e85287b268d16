"""The paths of the OpenAI-compatible API, with and without ``/v1``.

Takes: nothing.  Gives: their router.
"""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from offbook.server.failures import RequestRefused
from offbook.server.openai.chat import add_chat_routes
from offbook.server.openai.models import add_model_routes


def router() -> APIRouter:
    """The router of all paths."""
    whole = APIRouter(tags=["openai"])
    for prefix in ("/v1", ""):
        part = APIRouter(prefix=prefix)
        add_model_routes(part)
        add_chat_routes(part)
        whole.include_router(part, include_in_schema=bool(prefix))
    # Some clients look whether anybody is there.
    whole.add_api_route("/", _here, methods=["HEAD"], include_in_schema=False)
    for method in ("GET", "POST"):
        whole.add_api_route("/v1/{rest:path}", _mistaken, methods=[method], include_in_schema=False)
        whole.add_api_route(
            "/chat/{rest:path}", _mistaken, methods=[method], include_in_schema=False
        )
    return whole


async def _here() -> Response:
    return Response()


async def _mistaken(rest: str, request: Request) -> None:
    """What a wrong base URL leads to, with the right one."""
    path = request.url.path
    hint = "there are GET /v1/models and POST /v1/chat/completions; see /docs"
    if "completions/" in path or path.count("/v1") > 1:
        right = request.url.replace(path="/v1", query="", fragment="")
        hint = f"give your client the address up to and without /chat/completions: {right}"
    raise RequestRefused(
        f"there is nothing at this path, which ends in {rest!r}", hint, status=404, code="not_found"
    )
