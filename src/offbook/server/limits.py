"""How much and how long: bodies in bytes and values, heads and answers in time, connections."""

from __future__ import annotations

import asyncio
import json
import re
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from starlette.requests import ClientDisconnect
from uvicorn.protocols.http.h11_impl import H11Protocol

from offbook.server.failures import RequestRefused, openai_error
from offbook.server.hosts import PAGE_PREFIX
from offbook.server.middleware import has_header, header, new_request_id, refuse

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send


MOST_VALUES: Final = 200_000
"""Values that one body may hold: twice as many as the longest list that any request has. 30 MB of
empty objects took 4 seconds and 800 MB to read, in which every reply would stand still."""
_SIGNS: Final = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"?|[,\[{]', re.DOTALL)
"""A text of JSON, or what a value stands behind."""


class BodyLimits:
    """Refuses bodies that are too large or too slow."""

    def __init__(self, app: ASGIApp, most_bytes: int, seconds: float) -> None:
        self._app = app
        self._most_bytes = most_bytes
        self._seconds = seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Read the body, and pass it on or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        length = header(scope, b"content-length") or "0"
        if not length.isdigit() or int(length) > self._most_bytes:
            await refuse(scope, receive, send, self._too_large())
            return
        if length == "0" and not has_header(scope, b"transfer-encoding"):
            await self._app(scope, receive, send)
            return
        try:
            # The page's uploads are forms; all other bodies are JSON, which `hosts` sees to.
            is_form = scope["path"].startswith(PAGE_PREFIX)
            body = [await self._read(receive, is_form=is_form)]
        except RequestRefused as refused:
            await refuse(scope, receive, send, refused)
            return
        except ClientDisconnect:  # the application is told so, and nobody of its answer
            with suppress(ClientDisconnect):
                await self._app(scope, _disconnected, _unheard)
            return

        async def replayed() -> Message:
            if body:
                return {"type": "http.request", "body": body.pop(), "more_body": False}
            return await receive()

        await self._app(scope, replayed, send)

    async def _read(self, receive: Receive, *, is_form: bool) -> bytes:
        """Read a body."""
        body = bytearray()
        try:
            async with asyncio.timeout(self._seconds):
                while True:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        raise ClientDisconnect
                    body += message.get("body", b"")
                    if len(body) > self._most_bytes:
                        raise self._too_large()
                    if not message.get("more_body", False):
                        break
        except TimeoutError:
            raise _refusal(
                f"the body did not come within {self._seconds:g} seconds",
                "send it at once; server.body_seconds allows more",
                status=408,
            ) from None
        if not is_form and count_values(body) > MOST_VALUES:
            message_text = f"the body holds more than {MOST_VALUES} values"
            raise _refusal(message_text, "send fewer at once", status=413)
        return bytes(body)

    def _too_large(self) -> RequestRefused:
        return _refusal(
            f"the body is larger than {self._most_bytes} bytes",
            "send less at once; server.max_body_bytes allows more",
            status=413,
        )


def count_values(body: bytes | bytearray) -> int:
    """Count the values of JSON without reading them, to no more than is needed to refuse it.

    Signs in texts are none. Of UTF-16, whose texts are not looked for, all signs are counted.
    """
    most = 1 + sum(map(body.count, (b",", b"[", b"{")))
    if most <= MOST_VALUES or b"\0" in body:
        return most
    # A value has at most two texts, its name and itself: so many signs are of too many values.
    signs = islice(_SIGNS.finditer(body), 3 * MOST_VALUES)
    return 1 + sum(not sign[0].startswith(b'"') for sign in signs)


async def _disconnected() -> Message:
    return {"type": "http.disconnect"}


async def _unheard(message: Message) -> None:
    del message


def _refusal(message: str, hint: str, *, status: int) -> RequestRefused:
    code = "too_large" if status == 413 else "too_slow"
    headers = {"connection": "close"}
    return RequestRefused(message, hint, status=status, code=code, headers=headers)


HEAD_BYTES: Final = 65_536
"""The largest head of a request: more than any client sends, cookies included."""


@dataclass(frozen=True, slots=True)
class ConnectionLimits:
    """What connections may do.

    Args:
        head_seconds: The longest that the head of a request may take.
        stall_seconds: The longest that a client may take nothing of what is sent to it.
        most: Connections at once; None: any number. Further ones are turned away.
    """

    head_seconds: float = 10.0
    stall_seconds: float = 60.0
    most: int | None = None


def limited(limits: ConnectionLimits) -> type[LimitedProtocol]:
    """Make a protocol of connections that are held to ``limits``."""
    return type("_Limited", (LimitedProtocol,), {"limits": limits, "turned_away": set()})


class LimitedProtocol(H11Protocol):
    """Closes connections that hold a place for ever."""

    limits: ConnectionLimits
    turned_away: set[Any]
    """Connections that have no place: they stay until they are told so, and no longer than others
    without a request."""
    _head: asyncio.TimerHandle | None = None
    _stalled: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Give it a place where there is one, and begin to wait for the first head."""
        super().connection_made(transport)
        most = self.limits.most
        if most is not None and len(self.connections) - len(self.turned_away) > most:
            self.turned_away.add(self)
            self.app = _crowded
            if len(self.turned_away) > most:  # nor do those without a place pile up
                self._turn_away()
        self._await_head()

    def data_received(self, data: bytes) -> None:
        """Pass on, and see whether a head is there now."""
        if not self._is_serving():
            self._await_head()
        super().data_received(data)
        if self._is_serving():
            self._stop_waiting()

    def handle_websocket_upgrade(self, event: Any) -> None:
        """Wait for no head any more: the connection is another protocol's from now on."""
        self._stop_waiting()
        if self in self.turned_away:
            self._turn_away()
            return
        super().handle_websocket_upgrade(event)

    def pause_writing(self) -> None:
        """Begin to wait until the client takes something again."""
        super().pause_writing()
        if self._stalled is None:
            self._stalled = self.loop.call_later(self.limits.stall_seconds, self.transport.abort)

    def resume_writing(self) -> None:
        """Wait no longer: it takes something again."""
        self._stop_stalling()
        super().resume_writing()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait for nothing any more."""
        self.turned_away.discard(self)
        self._stop_waiting()
        self._stop_stalling()
        super().connection_lost(exc)

    def _is_serving(self) -> bool:
        """Whether a request's head has come and its answer is not out yet."""
        return self.cycle is not None and not self.cycle.response_complete

    def _await_head(self) -> None:
        if self._head is None:
            self._head = self.loop.call_later(self.limits.head_seconds, self._give_up)

    def _stop_waiting(self) -> None:
        if self._head is not None:
            self._head.cancel()
            self._head = None

    def _stop_stalling(self) -> None:
        if self._stalled is not None:
            self._stalled.cancel()
            self._stalled = None

    def _give_up(self) -> None:
        self._head = None
        if not self._is_serving():
            self.transport.close()

    def _turn_away(self) -> None:
        """Write a refusal that no application has a part in."""
        body = json.dumps(openai_error(_too_many()))
        self.transport.write(
            "HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/json\r\n"
            f"content-length: {len(body)}\r\nretry-after: 1\r\nconnection: close\r\n\r\n"
            f"{body}".encode()
        )
        self.transport.close()


def _too_many() -> RequestRefused:
    """What is said to whoever comes when all places are taken."""
    return RequestRefused(
        "the server has as many connections as it takes",
        "try again in a moment; server.connections allows more",
        status=503,
        code="overloaded",
        headers={"retry-after": "1", "connection": "close", "x-request-id": new_request_id()},
    )


async def _crowded(scope: Scope, receive: Receive, send: Send) -> None:
    await refuse(scope, receive, send, _too_many())
