"""``/api/doctor``: whether the database and the model endpoints do what they should.

Takes: nothing but the server's own settings.  Gives: what ``offbook doctor`` prints.
"""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import Response

from offbook.server.book import Book
from offbook.server.leaving import LEFT, ClientLeftError, until_disconnected
from offbook.server.native.access import Administrator, failing
from offbook.server.native.shapes import Examined
from offbook.server.observing.secrets import masked


def router() -> APIRouter:
    """The route."""
    made = APIRouter(prefix="/api", tags=["the server"])
    made.post("/doctor", response_model=Examined, responses=failing())(examine)
    return made


async def examine(book: Book, caller: Administrator, request: Request) -> Any:
    """Ask what is configured to do what it will have to do; each probe is a call of a model."""
    del caller

    async def examined() -> dict[str, Any]:
        checks = await book.doctor()
        rows = [check.as_json() for check in checks]
        told = [
            {**row, "detail": masked(row["detail"]), "hint": masked(row["hint"])} for row in rows
        ]
        return {"offline": book.settings.values.chat.model == "offline", "checks": told}

    try:
        return await until_disconnected(request.receive, examined())
    except ClientLeftError:
        return Response(status_code=LEFT)
