"""OpenTelemetry, where it is installed and configured; otherwise nothing.

Takes: requests.  Gives: one span each. Only the API is used: without an SDK that the person has
configured its spans go nowhere, and nothing leaves the machine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Final

_SERVER_ERROR: Final = 500

Finish = Callable[[str, int], None]
"""Called with the route and the status when the request was answered."""
Tracer = Callable[[str, str], AbstractContextManager[Finish]]
"""Called with the method and the request's number."""


@contextmanager
def _untraced(method: str, number: str) -> Iterator[Finish]:
    del method, number
    yield lambda route, status: None


def tracer() -> Tracer:
    """What traces requests here."""
    try:
        from opentelemetry import trace
        from opentelemetry.trace import SpanKind, Status, StatusCode
    except ImportError:
        return _untraced
    spans: Any = trace.get_tracer("offbook")

    @contextmanager
    def traced(method: str, number: str) -> Iterator[Finish]:
        given = {"http.request.method": method, "offbook.request": number}
        with spans.start_as_current_span(method, kind=SpanKind.SERVER, attributes=given) as span:

            def finish(route: str, status: int) -> None:
                span.update_name(f"{method} {route}")
                span.set_attribute("http.route", route)
                span.set_attribute("http.response.status_code", status)
                if status >= _SERVER_ERROR:
                    span.set_status(Status(StatusCode.ERROR))

            yield finish

    return traced
