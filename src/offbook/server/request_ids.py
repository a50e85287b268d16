"""A number for every request, in the response and for the log.

Takes: requests.  Gives: them on, with ``state.request_id``; and the header ``x-request-id``.
It wraps ``send`` only: middleware that holds bodies back would break streams and hide disconnects.
"""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING

from starlette.datastructures import MutableHeaders

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send


class RequestIds:
    """Numbers requests."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        number = f"req_{uuid.uuid4().hex}"
        scope.setdefault("state", {})["request_id"] = number

        async def numbered(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message)["x-request-id"] = number
            await send(message)

        await self._app(scope, receive, numbered)
