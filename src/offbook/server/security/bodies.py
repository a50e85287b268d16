"""How large the body of a request may be, and how long it may take to come.

Takes: bytes and seconds.  Gives: a middleware; what is too large or too slow ends with 413 or 408,
and whatever is read of it is dropped.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from starlette.requests import ClientDisconnect

from offbook.server.failures import RequestRefused
from offbook.server.security.answering import has_header, header, refuse

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send


class _BodyRefused(RequestRefused):
    """On its way out of the application that wanted to read."""


class BodyLimits:
    """Refuses bodies that are too large or too slow.

    Args:
        app: What comes after.
        most_bytes: The largest body.
        seconds: The longest that a body may take, from the first byte of the request on.
    """

    def __init__(self, app: ASGIApp, most_bytes: int, seconds: float) -> None:
        self._app = app
        self.most_bytes = most_bytes
        self.seconds = seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on, counting."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        length = header(scope, b"content-length") or "0"
        if not length.isdigit() or int(length) > self.most_bytes:
            await refuse(scope, receive, send, self.too_large())
            return
        if length == "0" and not has_header(scope, b"transfer-encoding"):
            await self._app(scope, receive, send)
            return
        counted = _Counted(receive, send, self)
        try:
            await self._app(scope, counted.receive, counted.send)
        except _BodyRefused:
            pass
        except ClientDisconnect:
            if not counted.left:
                raise
        finally:
            # Whatever the application made of it: the framework takes it for a body it cannot read.
            if counted.refused is not None and not counted.answered:
                await refuse(scope, receive, send, counted.refused)

    def too_slow(self) -> _BodyRefused:
        """What to raise for a body that does not come."""
        return _BodyRefused(
            f"the body did not come within {self.seconds:g} seconds",
            "send it at once; server.body_seconds allows more",
            status=408,
            code="too_slow",
            headers={"connection": "close"},
        )

    def too_large(self) -> _BodyRefused:
        """What to raise for a body that is too large."""
        return _BodyRefused(
            f"the body is larger than {self.most_bytes} bytes",
            "send less at once; server.max_body_bytes allows more",
            status=413,
            code="too_large",
            headers={"connection": "close"},
        )


class _Counted:
    """The body of one request."""

    def __init__(self, receive: Receive, send: Send, limits: BodyLimits) -> None:
        self._receive = receive
        self._send = send
        self._limits = limits
        self._count = 0
        self._complete = False
        self._ends = asyncio.get_running_loop().time() + limits.seconds
        self.answered = False
        self.left = False
        self.refused: _BodyRefused | None = None

    async def receive(self) -> Message:
        """The next piece; after the last one, whatever the server tells, whenever it does."""
        if self._complete:
            return await self._receive()
        try:
            async with asyncio.timeout_at(self._ends):
                message = await self._receive()
        except TimeoutError as error:
            self.refused = self._limits.too_slow()
            raise self.refused from error
        # Whoever leaves before all is there gets no answer, and none is noted.
        self.left = message["type"] == "http.disconnect"
        self._count += len(message.get("body", b""))
        self._complete = not message.get("more_body", False)
        if self._count > self._limits.most_bytes:
            self.refused = self._limits.too_large()
            raise self.refused
        return message

    async def send(self, message: Message) -> None:
        """Pass on, noting that there is an answer; nothing to who left, or after a refusal."""
        if not self.left and (self.refused is None or self.answered):
            self.answered = True
            await self._send(message)
