"""Logs, numbers and traces of requests, and ``/healthz`` and ``/metrics`` for machines."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from functools import partial
from typing import IO, TYPE_CHECKING, Any, Final, Literal

from fastapi import APIRouter, Request, Response
from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    generate_latest,
)
from prometheus_client.gc_collector import GCCollector
from prometheus_client.process_collector import ProcessCollector
from pydantic import BaseModel

from offbook import __version__
from offbook.server.dependencies import LEFT, Book, CurrentPrincipal
from offbook.server.failures import forbidden
from offbook.server.masking import Masking, masking
from offbook.server.middleware import Answer, new_request_id, with_page_headers
from offbook.stores.connection import ping

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send


request_number: ContextVar[str | None] = ContextVar("request_number", default=None)
"""The number of the request that is being served."""

LOGGER: Final = "offbook"
_OF_THE_PAGE: Final = "nicegui"
_VALUES: Final = "values"


class JsonLines(logging.Formatter):
    """A record as one line of JSON."""

    def __init__(self, masking: Masking) -> None:
        super().__init__()
        self._masking = masking

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        written = datetime.fromtimestamp(record.created, UTC)
        line: dict[str, Any] = {
            "at": written.isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        number = getattr(record, "request", None) or request_number.get()
        if number is not None:
            line["request"] = number
        line.update(getattr(record, _VALUES, {}))
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        return self._masking(json.dumps(line, ensure_ascii=False, default=str))


def start_logging(
    masking: Masking, stream: IO[str] | None = None, level: int = logging.INFO
) -> logging.Handler:
    """Write the logs of offbook and of what it runs on as JSON lines; replaces their handlers.

    Of libraries, warnings are written: by themselves they would stand there as plain text, and
    with the secrets that are in them.
    """
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonLines(masking))
    for name in (LOGGER, "uvicorn", "uvicorn.error"):
        logger = logging.getLogger(name)
        logger.handlers = [handler] if name != "uvicorn.error" else []
        logger.propagate = name == "uvicorn.error"
        logger.setLevel(level)
    # Requests are logged here, with more in a line and less of what is private.
    access = logging.getLogger("uvicorn.access")
    access.handlers, access.propagate = [], False
    # It warns of addresses that are none, with all that a client has put into them.
    logging.getLogger(_OF_THE_PAGE).setLevel(logging.ERROR)
    root = logging.getLogger()
    for former in [each for each in root.handlers if isinstance(each.formatter, JsonLines)]:
        root.removeHandler(former)
    root.addHandler(handler)
    root.setLevel(max(level, logging.WARNING))
    logging.captureWarnings(True)
    return handler


_SECONDS: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120)
_KNOWN_METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


class Metrics:
    """The numbers of one application."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)
        GCCollector(registry=self.registry)
        counter = partial(Counter, registry=self.registry)
        histogram = partial(Histogram, registry=self.registry, buckets=_SECONDS)
        which = ("method", "route")
        self._requests = counter(
            "offbook_requests", "Requests that were answered.", (*which, "status")
        )
        self._seconds = histogram(
            "offbook_request_seconds",
            "Seconds until a request was answered whole.",
            which,
        )
        self._first_byte = histogram(
            "offbook_first_byte_seconds",
            "Seconds until the first byte of an answer's body.",
            which,
        )
        self.open_requests = Gauge(
            "offbook_open_requests", "Requests that are being answered.", registry=self.registry
        )
        self.models = ModelMetrics(self.registry)

    def answered(
        self, method: str, route: str, status: int, seconds: float, first_byte: float | None
    ) -> None:
        """Count a request."""
        known = method if method in _KNOWN_METHODS else "other"
        self._requests.labels(known, route, str(status)).inc()
        self._seconds.labels(known, route).observe(seconds)
        if first_byte is not None:
            self._first_byte.labels(known, route).observe(first_byte)

    def text(self) -> tuple[bytes, str]:
        """What ``/metrics`` answers, and its media type."""
        return generate_latest(self.registry), CONTENT_TYPE_LATEST


class ModelMetrics:
    """What is asked of models, counted while it is asked: whoever asks, and however it ends."""

    def __init__(self, registry: CollectorRegistry) -> None:
        counter = partial(Counter, registry=registry)
        self._calls = counter("offbook_model_calls", "Calls that reached a model.", ("prompt",))
        self._tokens = counter("offbook_model_tokens", "Tokens of these calls.", ("prompt", "kind"))
        self._seconds = counter(
            "offbook_model_seconds",
            "Seconds until these calls had ended, those in the queue included.",
            ("prompt",),
        )
        self._embeddings = counter("offbook_embedding_calls", "Requests for embeddings.")
        self._embedded = counter("offbook_embedding_tokens", "Tokens of these requests.")

    def requested(self, task: str, requests: int) -> None:
        """Requests went out to an endpoint, answered or not."""
        self._calls.labels(task).inc(requests)

    def answered(self, task: str, prompt_tokens: int, completion_tokens: int) -> None:
        """An answer has come, or what there was of it."""
        self._tokens.labels(task, "prompt").inc(prompt_tokens)
        self._tokens.labels(task, "completion").inc(completion_tokens)

    def waited(self, task: str, seconds: float) -> None:
        """A call has ended, answered or not."""
        self._seconds.labels(task).inc(max(0.0, seconds))

    def embedded(self, prompt_tokens: int) -> None:
        """A request for embeddings was answered."""
        self._embeddings.inc()
        self._embedded.inc(prompt_tokens)


@contextmanager
def traced(method: str, number: str) -> Iterator[Callable[[str, int], None]]:
    """Trace a request where OpenTelemetry is installed; call what it gives with how it ended."""
    try:
        from opentelemetry import trace
    except ImportError:
        yield lambda route, status: None
        return
    attributes = {"http.request.method": method, "offbook.request": number}
    tracer: Any = trace.get_tracer("offbook")
    with tracer.start_as_current_span(
        method, kind=trace.SpanKind.SERVER, attributes=attributes
    ) as span:

        def finish(route: str, status: int) -> None:
            span.update_name(f"{method} {route}")
            span.set_attribute("http.route", route)
            span.set_attribute("http.response.status_code", status)
            if status >= _FAILED:
                span.set_status(trace.Status(trace.StatusCode.ERROR))

        yield finish


_LOG: Final = logging.getLogger("offbook.access")
_QUIET: Final = frozenset({"/healthz", "/health", "/metrics"})
"""What machines ask every few seconds; it is counted, and logged only where it fails."""
_FAILED: Final = 500


class Observed:
    """Numbers, counts, times, traces and logs requests; pages get their headers."""

    def __init__(self, app: ASGIApp, metrics: Metrics, masks: Masking) -> None:
        self._app, self._metrics, self._masks = app, metrics, masks

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        number = scope.setdefault("state", {})["request_id"] = new_request_id()
        reset = request_number.set(number)
        masking.set(self._masks)  # the same in every request of this application
        answer = Answer(with_page_headers(send, number))
        self._metrics.open_requests.inc()
        try:
            with traced(scope["method"], number) as finish:
                await self._app(scope, receive, answer.send)
                finish(route_of(scope), answer.status or LEFT)
        finally:
            self._metrics.open_requests.dec()
            self._note(scope, answer, answer.status or LEFT)
            request_number.reset(reset)

    def _note(self, scope: Scope, answer: Answer, status: int) -> None:
        route, method = route_of(scope), scope["method"]
        seconds = time.perf_counter() - answer.began
        self._metrics.answered(method, route, status, seconds, answer.first_byte)
        if scope["path"] in _QUIET and status < _FAILED:
            return
        caller = scope["state"].get("caller")
        values = {
            "method": method,
            "route": route,
            "status": status,
            "seconds": round(seconds, 4),
            "principal": None if caller is None else caller.principal,
        }
        _LOG.info("%s %s", method, route, extra={_VALUES: values})


def route_of(scope: Scope) -> str:
    """The route's template, which names nobody; paths that are no route are all one."""
    path: str = getattr(scope.get("route"), "path", "") or ""
    return path or "(none)"


_DATABASE_SECONDS: Final = 5.0

Responses = dict[int | str, dict[str, Any]]


class Health(BaseModel):
    """Whether the server can do its work."""

    status: Literal["ok", "failing"]
    database: Literal["ok", "failing"]
    version: str


routes: Final = APIRouter(tags=["server"])
_FAILING: Final[Responses] = {503: {"model": Health, "description": "the database does not answer"}}


@routes.head("/healthz", include_in_schema=False)  # some only look at the status
@routes.head("/health", include_in_schema=False)
@routes.get("/health", include_in_schema=False)
@routes.get("/healthz", responses=_FAILING)
async def health(book: Book, response: Response) -> Health:
    """Whether the server can do its work; what a load balancer asks. Needs no key."""
    try:
        async with asyncio.timeout(_DATABASE_SECONDS):
            await book.store.read(ping)
    except Exception:
        logging.getLogger("offbook.server").exception("the database does not answer")
        response.status_code = 503
        return Health(status="failing", database="failing", version=__version__)
    return Health(status="ok", database="ok", version=__version__)


@routes.get("/metrics", response_class=Response, responses={200: {"content": {"text/plain": {}}}})
async def metrics(request: Request, caller: CurrentPrincipal) -> Response:
    """Numbers for Prometheus; a key needs the right `admin`."""
    if not caller.allows("admin"):
        raise forbidden("the key may not read the server's numbers", "it needs the right `admin`")
    numbers: Metrics = request.app.state.metrics
    body, media = numbers.text()
    return Response(body, media_type=media)
