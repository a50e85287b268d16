"""How large the body of a request may be, in bytes and values, and how long it may take to come.

Takes: bytes and seconds.  Gives: a middleware; what is too large or too slow ends with 413 or 408,
and whatever is read of it is dropped.

JSON of a size that is fine for a document may hold millions of values: reading them would take
gigabytes, and every reply that is under way would stand still for seconds.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

from starlette.requests import ClientDisconnect

from offbook.server.failures import RequestRefused
from offbook.server.security.answering import has_header, header, refuse
from offbook.server.security.hosts import PAGE_PREFIX

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

MOST_VALUES: Final = 200_000
"""Values that one body may hold: twice as many as the longest list that any request has."""


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
        # The page's uploads are forms; everybody else's bodies are JSON, which `hosts` sees to.
        values = None if scope["path"].startswith(PAGE_PREFIX) else ValueCount()
        counted = _Counted(receive, send, self, values)
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

    def too_many_values(self) -> _BodyRefused:
        """What to raise for a body of more values than any request has."""
        return _BodyRefused(
            f"the body holds more than {MOST_VALUES} values",
            "send fewer at once",
            status=413,
            code="too_large",
            headers={"connection": "close"},
        )


class ValueCount:
    """Counts the values of JSON while it comes, without reading them."""

    def __init__(self) -> None:
        self.values = 1
        self._in_text = 0
        self._open_escape = b""

    def __call__(self, piece: bytes) -> int:
        """How many there are with this piece, or more where the JSON is none or not in UTF-8."""
        if b"\0" in piece:  # UTF-16: where its texts begin is not to be seen here
            self.values += _begun(piece)
            return self.values
        piece = self._open_escape + piece
        backslashes = len(piece) - len(piece.rstrip(b"\\"))
        self._open_escape = b"\\" * (backslashes % 2)
        piece = piece[: len(piece) - backslashes % 2]
        parts = piece.replace(b"\\\\", b"").replace(b'\\"', b"").split(b'"')
        self.values += _begun(b"".join(parts[self._in_text :: 2]))
        self._in_text = (self._in_text + len(parts) - 1) % 2
        return self.values


def _begun(piece: bytes) -> int:
    """How many values begin there: each stands behind one of these signs, save the first."""
    return sum(map(piece.count, (b",", b"[", b"{")))


class _Counted:
    """The body of one request."""

    def __init__(
        self, receive: Receive, send: Send, limits: BodyLimits, values: ValueCount | None
    ) -> None:
        self._receive = receive
        self._send = send
        self._limits = limits
        self._values = values
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
        piece = message.get("body", b"")
        self._count += len(piece)
        self._complete = not message.get("more_body", False)
        if self._count > self._limits.most_bytes:
            self.refused = self._limits.too_large()
        elif self._values is not None and self._values(piece) > MOST_VALUES:
            self.refused = self._limits.too_many_values()
        if self.refused is not None:
            raise self.refused
        return message

    async def send(self, message: Message) -> None:
        """Pass on, noting that there is an answer; nothing to who left, or after a refusal."""
        if not self.left and (self.refused is None or self.answered):
            self.answered = True
            await self._send(message)
