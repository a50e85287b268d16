"""A server that is told to stop: who is still being answered is told so, not merely cut off."""

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
    mistake,
    native_error,
    openai_error,
)
from offbook.server.middleware import Answer
from offbook.server.openai.events import DONE, failure

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

FAREWELL_SECONDS: Final = 1.0
"""How long the last word to a client may take; one that reads nothing does not hear it."""

_LOG: Final = logging.getLogger("offbook.server")


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

    def abort(self) -> None:
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


class LastWord:
    """Ends what cannot be finished in words that its client reads: the server stops, or erred."""

    def __init__(self, app: ASGIApp, stopping: Stopping) -> None:
        self._app, self._stopping = app, stopping

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        task = asyncio.current_task()
        if scope["type"] != "http" or task is None:
            await self._app(scope, receive, send)
            return
        answer = Answer(send)
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
            except Exception as error:
                _LOG.exception("a mistake in offbook")
                if answer.status is not None:
                    raise  # the connection has to break, or half would pass for whole
                number = scope.get("state", {}).get("request_id", "")
                await failure_response(mistake(error, number), scope["path"])(scope, receive, send)
                return
            with suppress(TimeoutError):
                async with asyncio.timeout(FAREWELL_SECONDS):
                    await _say_farewell(answer, scope, receive)


async def _say_farewell(answer: Answer, scope: Scope, receive: Receive) -> None:
    path = scope["path"]
    if answer.is_whole:
        return
    if answer.status is None:
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
