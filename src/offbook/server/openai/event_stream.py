"""An event stream that says that it lives, ends when its reader leaves, and fails readably.

Takes: events as bytes.  Gives: a response. Until the first event is there nothing is sent, so that
what fails at once is answered with its status; only a long preparation opens the stream with pings.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import TYPE_CHECKING, Final

from starlette.responses import Response

from offbook.errors import OffbookError
from offbook.server.failures import failure_response, mistake, openai_error
from offbook.server.leaving import ClientLeftError, until_disconnected
from offbook.server.openai.chunks import DONE, failure

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

PING: Final = b": ping\n\n"
_LOG: Final = logging.getLogger("offbook.server")
_HEADERS: Final = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-cache, no-transform"),
    (b"x-accel-buffering", b"no"),
]


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
            pinging.cancel()
            if not self._opened:
                response = failure_response(error, self._scope["path"])
                await response(self._scope, self._receive, self._send)
                return
            _LOG.warning("a reply broke off: %s", error.message)
            await self._break_off(error)
        except Exception as error:
            if not self._opened:
                raise  # it is answered as any mistake of ours
            _LOG.exception("a mistake in offbook")
            await self._break_off(mistake(error, self._scope.get("state", {}).get("request_id")))
        finally:
            pinging.cancel()
        await self._send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _break_off(self, error: OffbookError) -> None:
        await self._write(failure(openai_error(error)) + DONE)

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
