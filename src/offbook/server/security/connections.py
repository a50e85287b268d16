"""Connections that say nothing, say too much, or do not listen are closed: they hold a place.

Whoever comes when all places are taken is told so; whoever has one keeps it.

Takes: limits.  Gives: the protocol that uvicorn serves connections with.  Bodies have a limit of
their own (``bodies``), and connections between two requests uvicorn's.
"""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final

from offbook.server.failures import RequestRefused, openai_error
from offbook.server.request_ids import RequestIds
from offbook.server.security.answering import refuse

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

HEAD_BYTES: Final = 65_536
"""The largest head of a request: more than any client sends, cookies included. Neither may more
come at a stretch that is no body: chunks may carry words of their own, and trailers."""
_OF_A_LINE: Final = 4
"""Bytes of a header's line beside its name and value."""


@dataclass(frozen=True, slots=True)
class ConnectionLimits:
    """What connections may do.

    Args:
        head_seconds: The longest that the head of a request may take.
        stall_seconds: The longest that a client may take nothing of what is sent to it.
        most: Connections at once; None: any number. Further ones are turned away.
        head_bytes: The largest head of a request.
    """

    head_seconds: float = 10.0
    stall_seconds: float = 60.0
    most: int | None = None
    head_bytes: int = HEAD_BYTES


def limited(limits: ConnectionLimits, protocol: Any = None) -> type[asyncio.Protocol]:
    """A protocol of connections that are held to ``limits``.

    Args:
        limits: What they may do.
        protocol: One of uvicorn's; default: the quickest that is installed.
    """
    own = {"limits": limits, "turned_away": set()}
    return type("LimitedProtocol", (_Limited, protocol or _protocol()), own)


class _Limited:
    """Stands before a protocol of uvicorn's and closes connections that hold a place for ever."""

    limits: ConnectionLimits
    turned_away: set[Any]
    """Connections that have no place: they stay until they are told so, and no longer than others
    without a request."""
    loop: asyncio.AbstractEventLoop
    transport: asyncio.Transport
    connections: set[Any]
    app: Any
    cycle: Any
    url: bytes
    headers: list[tuple[bytes, bytes]]
    _head: asyncio.TimerHandle | None = None
    _stalled: asyncio.TimerHandle | None = None
    _in_head = False
    _is_too_large = False
    _read_bytes = 0
    _no_body_bytes: int | None = None
    """What has come since the last of a body, or of a request; None where the parser counts."""

    def connection_made(self, transport: asyncio.Transport) -> None:
        """Give it a place where there is one, and begin to wait for the first head."""
        super().connection_made(transport)  # type: ignore[misc]
        if self._is_crowded():
            self.turned_away.add(self)
            self.app = _crowded
            if len(self.turned_away) > (
                self.limits.most or 0
            ):  # nor do those without a place pile up
                self._turn_away()
        self._await_head()

    def data_received(self, data: bytes) -> None:
        """Pass on, and see whether a head is there now, or too much of one."""
        if not self._is_serving():
            self._await_head()
        self._read_bytes = len(data)
        if self._no_body_bytes is not None:
            self._no_body_bytes += len(data)
        super().data_received(data)  # type: ignore[misc]
        if (self._no_body_bytes or 0) > self.limits.head_bytes and not self.transport.is_closing():
            self._refuse_head()
        if self._is_serving():
            self._wait_no_longer()

    # The parser of httptools calls these; h11 counts by itself, and drops trailers.

    def on_message_begin(self) -> None:
        """The first byte of a head has come."""
        self._in_head, self._no_body_bytes = True, self._read_bytes
        super().on_message_begin()  # type: ignore[misc]

    def on_header(self, name: bytes, value: bytes) -> None:
        """A line of the head; behind a body it would be taken for one that was checked there."""
        if self._in_head:
            super().on_header(name, value)  # type: ignore[misc]

    def on_headers_complete(self) -> None:
        """A head is whole; it may have come at once.

        Raises:
            ValueError: it is too large; the parser has it refused then.
        """
        self._in_head = False
        lines = sum(len(name) + len(value) + _OF_A_LINE for name, value in self.headers)
        if len(self.url) + lines > self.limits.head_bytes:
            self._is_too_large = True
            raise ValueError("the head is too large")
        super().on_headers_complete()  # type: ignore[misc]

    def on_body(self, body: bytes) -> None:
        """Some of a body has come, whose size is somebody else's affair."""
        self._no_body_bytes = 0
        super().on_body(body)  # type: ignore[misc]

    def on_message_complete(self) -> None:
        """All of a request has come."""
        self._no_body_bytes = 0
        super().on_message_complete()  # type: ignore[misc]

    def send_400_response(self, msg: str) -> None:
        """Say that a request cannot be read; where its head is too large, that."""
        if self._is_too_large:
            self._refuse_head()
        else:
            super().send_400_response(msg)  # type: ignore[misc]

    def handle_websocket_upgrade(self, *event: Any) -> None:
        """No head comes any more: the connection is another protocol's from now on."""
        self._wait_no_longer()
        if self in self.turned_away:
            self._turn_away()
            return
        super().handle_websocket_upgrade(*event)  # type: ignore[misc]

    def pause_writing(self) -> None:
        """The client takes nothing at the moment: begin to wait until it does."""
        super().pause_writing()  # type: ignore[misc]
        if self._stalled is None:
            self._stalled = self.loop.call_later(self.limits.stall_seconds, self.transport.abort)

    def resume_writing(self) -> None:
        """It takes something again."""
        self._stall_no_longer()
        super().resume_writing()  # type: ignore[misc]

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait for nothing any more."""
        self.turned_away.discard(self)
        self._wait_no_longer()
        self._stall_no_longer()
        super().connection_lost(exc)  # type: ignore[misc]

    def _is_serving(self) -> bool:
        """Whether a request's head has come and its answer is not out yet."""
        return self.cycle is not None and not self.cycle.response_complete

    def _is_crowded(self) -> bool:
        """Whether this one, which has just come, is one too many; open WebSockets are counted."""
        most = self.limits.most
        return most is not None and len(self.connections) - len(self.turned_away) > most

    def _await_head(self) -> None:
        if self._head is None:
            self._head = self.loop.call_later(self.limits.head_seconds, self._give_up)

    def _wait_no_longer(self) -> None:
        if self._head is not None:
            self._head.cancel()
            self._head = None

    def _stall_no_longer(self) -> None:
        if self._stalled is not None:
            self._stalled.cancel()
            self._stalled = None

    def _give_up(self) -> None:
        self._head = None
        if not self._is_serving():
            self.transport.close()

    def _refuse_head(self) -> None:
        if not self._is_serving():  # behind an answer that is on its way nothing can be said
            self._answer(
                RequestRefused(
                    f"the head of the request is larger than {self.limits.head_bytes} bytes",
                    "send less in headers and address",
                    status=431,
                    code="too_large",
                )
            )
        self.transport.close()

    def _turn_away(self) -> None:
        self._answer(_too_many())
        self.transport.close()

    def _answer(self, refused: RequestRefused) -> None:
        """Write a refusal that no application has a part in."""
        body = json.dumps(openai_error(refused)).encode()
        status = HTTPStatus(refused.status)
        headers = {
            "content-type": "application/json",
            "content-length": str(len(body)),
            "connection": "close",
            **refused.headers,
        }
        lines = [f"HTTP/1.1 {status.value} {status.phrase}"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        self.transport.write("\r\n".join([*lines, "", ""]).encode() + body)


def _too_many() -> RequestRefused:
    """What is said to whoever comes when all places are taken."""
    return RequestRefused(
        "the server has as many connections as it takes",
        "try again in a moment; server.connections allows more",
        status=503,
        code="overloaded",
        headers={"retry-after": "1", "connection": "close"},
    )


async def _refuse_the_crowd(scope: Scope, receive: Receive, send: Send) -> None:
    await refuse(scope, receive, send, _too_many())


_crowded: Final = RequestIds(_refuse_the_crowd)


def _protocol() -> Any:
    """The quicker of uvicorn's protocols that is installed."""
    try:
        from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
    except ImportError:
        from uvicorn.protocols.http.h11_impl import H11Protocol

        return H11Protocol
    return HttpToolsProtocol
