"""Every request is counted, timed, traced and logged; a mistake of ours is answered as one.

Takes: requests.  Gives: them on, unchanged: ``send`` is wrapped, so that streams stay streams.
"""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING, Final

from offbook.server.failures import failure_response, mistake
from offbook.server.observing.logs import request_number, told
from offbook.server.observing.secrets import Masking, masking
from offbook.server.observing.tracing import Tracer, tracer

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from offbook.server.observing.metrics import Metrics

_LOG: Final = logging.getLogger("offbook.access")
_QUIET: Final = frozenset({"/healthz", "/health", "/metrics"})
"""What machines ask every few seconds; it is counted, and logged only where it fails."""
_CLIENT_LEFT: Final = 499
_FAILED: Final = 500


class Observed:
    """Counts, times, traces and logs.

    Args:
        app: What comes after.
        metrics: Counts.
        masks: Puts stars in the place of secrets, in whatever failures tell.
        traces: Default: OpenTelemetry, where it is installed.
    """

    def __init__(
        self, app: ASGIApp, metrics: Metrics, masks: Masking, traces: Tracer | None = None
    ) -> None:
        self._app = app
        self._masks = masks
        self._metrics = metrics
        self._traces = traces or tracer()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        number = scope.get("state", {}).get("request_id", "")
        reset = request_number.set(number)
        masking.set(self._masks)  # the same in every request of this application
        answer = _Answer(send)
        self._metrics.open_requests.inc()
        try:
            with self._traces(scope["method"], number) as finish:
                await self._app(scope, receive, answer.send)
                finish(route_of(scope), answer.status)
        finally:
            self._metrics.open_requests.dec()
            self._note(scope, answer)
            request_number.reset(reset)

    def _note(self, scope: Scope, answer: _Answer) -> None:
        route, method = route_of(scope), scope["method"]
        seconds = time.perf_counter() - answer.began
        self._metrics.answered(method, route, answer.status, seconds, answer.first_byte)
        if scope["path"] in _QUIET and answer.status < _FAILED:
            return
        caller = scope.get("state", {}).get("caller")
        _LOG.info(
            "%s %s",
            method,
            route,
            extra=told(
                method=method,
                route=route,
                status=answer.status,
                seconds=round(seconds, 4),
                principal=None if caller is None else caller.principal,
            ),
        )


class _Answer:
    """What is sent of one answer."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self.began = time.perf_counter()
        self.status = _CLIENT_LEFT
        self.first_byte: float | None = None

    async def send(self, message: Message) -> None:
        """Note the status and the first byte."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
        elif self.first_byte is None and message.get("body"):
            self.first_byte = time.perf_counter() - self.began
        await self._send(message)


def route_of(scope: Scope) -> str:
    """The route's template, which names nobody; paths that are no route are all one."""
    path: str = getattr(scope.get("route"), "path", "") or ""
    return path or "(none)"


class Unforeseen:
    """Answers mistakes of ours before the outer layers see them: their headers stand here, too.

    Args:
        app: What comes after.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        answer = _Answer(send)
        try:
            await self._app(scope, receive, answer.send)
        except Exception as error:
            number = scope.get("state", {}).get("request_id", "")
            logging.getLogger("offbook.server").exception("a mistake in offbook")
            if answer.status != _CLIENT_LEFT:
                raise  # it has begun: the connection has to break, or half would pass for whole
            await failure_response(mistake(error, number), scope["path"])(scope, receive, send)
