"""A server that is told to stop: who is still being answered is told so, not merely cut off.

Takes: requests, and the word that the server stops.  Gives: them on; what cannot be finished in
time ends as a failure does: an error in the stream, or a 503.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, Final

from offbook.server.failures import (
    RequestRefused,
    failure_response,
    is_openai_path,
    native_error,
    openai_error,
)
from offbook.server.openai.chunks import DONE, failure

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

FAREWELL_SECONDS: Final = 1.0
"""How long the last word to a client may take; one that reads nothing does not hear it."""

_LOG: Final = logging.getLogger("offbook.server")
_EVENTS: Final = b"text/event-stream"


def stops() -> RequestRefused:
    """What is said to whoever is still there."""
    return RequestRefused(
        "the server stops",
        "ask again in a moment",
        status=503,
        code="stopping",
        headers={"retry-after": "1"},
    )


class Stopping:
    """Whether the server stops, and the requests that it is answering."""

    def __init__(self) -> None:
        self._begun = asyncio.Event()
        self._over = False
        self._told: list[Callable[[], None]] = []
        self._answering: set[asyncio.Task[Any]] = set()

    @property
    def is_over(self) -> bool:
        """Whether nothing more is finished."""
        return self._over

    def tell(self, action: Callable[[], None]) -> None:
        """Have this called, once, when the server is told to stop."""
        self._told.append(action)

    def begin(self) -> None:
        """The server was told to stop: what only waits ends, what is under way goes on."""
        self._begun.set()
        while self._told:
            self._told.pop()()

    async def begins(self, seconds: float) -> bool:
        """Wait for at most so long; whether the server was told to stop."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._begun.wait(), seconds)
        return self._begun.is_set()

    def break_off(self) -> None:
        """Have what is still under way end now; who is being told so already is let alone."""
        self.begin()
        if self._over:
            return
        self._over = True
        for task in self._answering:
            task.cancel()

    async def ended(self) -> None:
        """Wait until everybody was told, for as long as that may take at most."""
        if self._answering:
            await asyncio.wait(self._answering, timeout=FAREWELL_SECONDS)

    @contextmanager
    def answering(self, task: asyncio.Task[Any]) -> Iterator[None]:
        """The task answers a request until the block ends."""
        self._answering.add(task)
        try:
            yield
        finally:
            self._answering.discard(task)


class BreaksOff:
    """Ends what is under way, in words that its client reads, when the server has no more time.

    Args:
        app: What comes after.
        stopping: Tells when.
    """

    def __init__(self, app: ASGIApp, stopping: Stopping) -> None:
        self._app, self._stopping = app, stopping

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        task = asyncio.current_task()
        if scope["type"] != "http" or task is None:
            await self._app(scope, receive, send)
            return
        answer = _Answer(send)
        with self._stopping.answering(task):
            try:
                if not self._stopping.is_over:
                    await self._app(scope, receive, answer.send)
                    return
            except asyncio.CancelledError:
                # What the work for it held is let go by now: nothing of the turn is kept.
                if not self._stopping.is_over:
                    raise
                task.uncancel()
            with suppress(TimeoutError):
                async with asyncio.timeout(FAREWELL_SECONDS):
                    await _say_farewell(answer, scope, receive)


class _Answer:
    """How far an answer is."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self.has_begun = self.is_whole = self.is_stream = False

    async def send(self, message: Message) -> None:
        """Pass it on, and take note once it is out."""
        await self._send(message)
        if message["type"] == "http.response.start":
            self.has_begun = True
            types = (value for name, value in message.get("headers", ()) if name == b"content-type")
            self.is_stream = any(value.startswith(_EVENTS) for value in types)
        elif message["type"] == "http.response.body":
            self.is_whole = not message.get("more_body", False)


async def _say_farewell(answer: _Answer, scope: Scope, receive: Receive) -> None:
    path = scope["path"]
    if answer.is_whole:
        return
    if not answer.has_begun:
        await failure_response(stops(), path)(scope, receive, answer.send)
    elif answer.is_stream:
        _LOG.warning("an answer was broken off: the server stops")
        last = {"type": "http.response.body", "body": _broken_off(path), "more_body": False}
        await answer.send(last)
    # Else the connection breaks: half a file must not pass for the whole.


def _broken_off(path: str) -> bytes:
    """The last events of a stream."""
    if is_openai_path(path):
        return failure(openai_error(stops())) + DONE
    return f"event: error\ndata: {json.dumps(native_error(stops()))}\n\n".encode()
