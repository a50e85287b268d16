"""``/healthz``, ``/health`` and ``/metrics``.

Takes: requests of machines.  Gives: whether the database answers, and numbers for Prometheus.
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Any, Final, Literal

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel
from sqlalchemy import text

from offbook import __version__
from offbook.server.book import Book
from offbook.server.failures import RequestRefused
from offbook.server.principal import CurrentPrincipal

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from offbook.server.observing.metrics import Metrics

_DATABASE_SECONDS: Final = 5.0

Responses = dict[int | str, dict[str, Any]]


class Health(BaseModel):
    """Whether the server can do its work."""

    status: Literal["ok", "failing"]
    database: Literal["ok", "failing"]
    version: str


def router() -> APIRouter:
    """The routes."""
    made = APIRouter(tags=["server"])
    failing: Responses = {503: {"model": Health, "description": "the database does not answer"}}
    plain: Responses = {200: {"content": {"text/plain": {}}}}
    made.get("/healthz", responses=failing)(health)
    made.get("/health", responses=failing, include_in_schema=False)(health)
    for path in ("/healthz", "/health"):  # some only look at the status
        made.head(path, include_in_schema=False)(health)
    made.get("/metrics", response_class=Response, responses=plain)(metrics)
    return made


async def health(book: Book, response: Response) -> Health:
    """Whether the server can do its work; what a load balancer asks. Needs no key."""
    try:
        async with asyncio.timeout(_DATABASE_SECONDS):
            await book.store.read(_ask)
    except Exception:
        logging.getLogger("offbook.server").exception("the database does not answer")
        response.status_code = 503
        return Health(status="failing", database="failing", version=__version__)
    return Health(status="ok", database="ok", version=__version__)


async def metrics(request: Request, caller: CurrentPrincipal) -> Response:
    """Numbers for Prometheus; a key needs the right `admin`."""
    if not caller.allows("admin"):
        raise RequestRefused(
            "the key may not read the server's numbers",
            "it needs the right `admin`",
            status=403,
            code="forbidden",
        )
    numbers: Metrics = request.app.state.metrics
    body, media = numbers.text()
    return Response(body, media_type=media)


def _ask(conn: Connection) -> None:
    conn.execute(text("SELECT 1"))
