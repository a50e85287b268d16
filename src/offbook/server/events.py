"""Server-sent events, and work behind requests followed by them until it has ended."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import asdict
from typing import Any, Final

from fastapi.responses import StreamingResponse

from offbook.errors import OffbookError, UnknownName
from offbook.server.failures import RequestRefused, native_error
from offbook.stores.queue import EvaluationJob, Ingestion

_ENDS: Final = {0x85: "\\u0085", 0x2028: "\\u2028", 0x2029: "\\u2029"}
"""Those below a blank are escaped in any JSON; these may only stand in texts."""


def on_one_line(written: str) -> str:
    """JSON without any ends of lines."""
    return written if written.isascii() else written.translate(_ENDS)


Followed = EvaluationJob | Ingestion

_POLL_SECONDS: Final = 0.25
_PING_SECONDS: Final = 10.0


STREAM_HEADERS: Final = {"cache-control": "no-cache", "x-accel-buffering": "no"}
EVENTS: Final = ("progress", "end", "error")
"""The events that there are."""
TOLD: Final = (
    ", then `end` with its last state; `error` where the server stops, or cannot look: listen again"
)
_GOES_ON: Final = RequestRefused(
    "the server stops",
    "the work goes on when a server runs again: listen again then",
    status=503,
    code="stopping",
)


def followed(
    look: Callable[[], Awaitable[Followed]], stops: Callable[[float], Awaitable[bool]]
) -> StreamingResponse:
    """Respond with ``progress`` events, one a change, and ``end`` with the last state."""
    return StreamingResponse(
        _events(look, stops), media_type="text/event-stream", headers=STREAM_HEADERS
    )


async def _events(
    look: Callable[[], Awaitable[Followed]], stops: Callable[[float], Awaitable[bool]]
) -> AsyncIterator[str]:
    shown: Followed | None = None
    quiet = 0.0
    while True:
        try:
            now = await look()
        except UnknownName:
            return  # what it belonged to is gone, and it with that
        except OffbookError as error:
            yield event("error", native_error(error))
            return
        if now != shown:
            yield event("end" if now.has_ended else "progress", asdict(now))
            if now.has_ended:
                return
            shown, quiet = now, 0.0
        elif quiet >= _PING_SECONDS:
            yield ": ping\n\n"
            quiet = 0.0
        if await stops(_POLL_SECONDS):
            yield event("error", native_error(_GOES_ON))
            return
        quiet += _POLL_SECONDS


def event(name: str, data: dict[str, Any]) -> str:
    """Write a server-sent event."""
    return f"event: {name}\ndata: {on_one_line(json.dumps(data, ensure_ascii=False))}\n\n"
