"""An event stream that says that it lives, ends when its reader leaves, and fails readably.

Takes: events as bytes.  Gives: a response. Until the first event is there nothing is sent, so that
what fails at once is answered with its status; only a long preparation opens the stream with pings.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine
from contextlib import aclosing
from typing import TYPE_CHECKING, Any, Final, TypeVar

from starlette.responses import Response

from offbook.errors import OffbookError
from offbook.server.failures import failure_response, openai_error
from offbook.server.openai.chunks import DONE, failure

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

T = TypeVar("T")

PING: Final = b": ping\n\n"
_LOG: Final = logging.getLogger("offbook.server")
_HEADERS: Final = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-cache, no-transform"),
    (b"x-accel-buffering", b"no"),
]


class ClientLeftError(Exception):
    """The client closed the connection before its answer was there."""


class EventStream(Response):
    """A response whose events are sent as they come.

    Args:
        events: Bytes of events, each whole; closing the iterator ends the work behind them.
        ping_seconds: The longest silence while the first event is prepared, and after it.
    """

    def __init__(self, events: AsyncGenerator[bytes, None], ping_seconds: float) -> None:
        super().__init__()
        self._events = events
        self._ping_seconds = ping_seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the events; the client's leaving ends it, quietly."""
        sending = _Sending(scope, receive, send, self._ping_seconds)
        try:
            await until_disconnected(receive, sending.run(self._events))
        except ClientLeftError:
            _LOG.debug("the client left in the middle of a reply")


class _Sending:
    """One stream as it is sent."""

    def __init__(self, scope: Scope, receive: Receive, send: Send, ping_seconds: float) -> None:
        self._scope, self._receive, self._send = scope, receive, send
        self._ping_seconds = ping_seconds
        self._opened = False
        self._spoke = False

    async def run(self, events: AsyncGenerator[bytes, None]) -> None:
        pinging = asyncio.create_task(self._ping())
        try:
            async with aclosing(events) as coming:
                async for event in coming:
                    await self._write(event)
        except OffbookError as error:
            if not self._opened:
                response = failure_response(error, self._scope["path"])
                await response(self._scope, self._receive, self._send)
                return
            _LOG.warning("a reply broke off: %s", error.message)
            await self._write(failure(openai_error(error)) + DONE)
        finally:
            pinging.cancel()
        await self._send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _ping(self) -> None:
        while True:
            self._spoke = False
            await asyncio.sleep(self._ping_seconds)
            if not self._spoke:
                await self._write(PING)

    async def _write(self, data: bytes) -> None:
        self._spoke = True
        if not self._opened:
            self._opened = True
            start = {"type": "http.response.start", "status": 200, "headers": list(_HEADERS)}
            await self._send(start)
        await self._send({"type": "http.response.body", "body": data, "more_body": True})


async def until_disconnected(
    receive: Callable[[], Awaitable[Any]], work: Coroutine[Any, Any, T]
) -> T:
    """The result of ``work``, which is cancelled when the client leaves.

    Raises:
        ClientLeftError: it left.
    """
    working = asyncio.create_task(work)
    watching = asyncio.create_task(_disconnected(receive))
    try:
        await asyncio.wait((working, watching), return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            raise ClientLeftError
        return working.result()
    finally:
        for task in (working, watching):
            task.cancel()
        # What is cancelled closes its connections to the model: nothing is left behind.
        await asyncio.gather(working, watching, return_exceptions=True)


async def _disconnected(receive: Callable[[], Awaitable[Any]]) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
