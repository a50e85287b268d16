"""Work behind requests, followed: its states as server-sent events, until it has ended.

Takes: a look at it.  Gives: events. A server that stops says so, and keeps nobody waiting: the work
goes on in the next one.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Collection
from typing import Any, Final

from fastapi.responses import StreamingResponse

from offbook.errors import UnknownName
from offbook.server.failures import RequestRefused, native_error
from offbook.server.native.asking import STREAM_HEADERS
from offbook.server.one_line import on_one_line
from offbook.server.stopping import Stopping

_POLL_SECONDS: Final = 0.25
_PING_SECONDS: Final = 10.0


EVENTS: Final = ("progress", "end", "error")
"""The events that there are."""
TOLD: Final = (
    ", then `end` with its last state; `error` where the server stops: listen again when it is back"
)
_GOES_ON: Final = RequestRefused(
    "the server stops",
    "the work goes on when a server runs again: listen again then",
    status=503,
    code="stopping",
)


def followed(
    look: Callable[[], Awaitable[dict[str, Any]]], ended: Collection[str], stopping: Stopping
) -> StreamingResponse:
    """A response of ``progress`` events, one a change, and ``end`` with the last state.

    Args:
        look: Its state now, with a ``status``; ``UnknownName`` where it is gone.
        ended: Statuses after which nothing more comes.
        stopping: Whether the server stops.
    """
    return StreamingResponse(
        _events(look, ended, stopping), media_type="text/event-stream", headers=STREAM_HEADERS
    )


async def _events(
    look: Callable[[], Awaitable[dict[str, Any]]], ended: Collection[str], stopping: Stopping
) -> AsyncIterator[str]:
    shown: dict[str, Any] | None = None
    quiet = 0.0
    while True:
        try:
            now = await look()
        except UnknownName:
            return  # what it belonged to is gone, and it with that
        if now != shown:
            has_ended = now["status"] in ended
            yield _event("end" if has_ended else "progress", now)
            if has_ended:
                return
            shown, quiet = now, 0.0
        elif quiet >= _PING_SECONDS:
            yield ": ping\n\n"
            quiet = 0.0
        if await stopping.begins(_POLL_SECONDS):
            yield _event("error", native_error(_GOES_ON))
            return
        quiet += _POLL_SECONDS


def _event(name: str, data: dict[str, Any]) -> str:
    return f"event: {name}\ndata: {on_one_line(json.dumps(data, ensure_ascii=False))}\n\n"
