"""Work behind requests, followed: its states as server-sent events, until it has ended.

Takes: a look at it.  Gives: events.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Collection
from typing import Any, Final

from fastapi.responses import StreamingResponse

from offbook.errors import UnknownName
from offbook.server.native.asking import STREAM_HEADERS

_POLL_SECONDS: Final = 0.25
_PING_SECONDS: Final = 10.0


def followed(
    look: Callable[[], Awaitable[dict[str, Any]]], ended: Collection[str]
) -> StreamingResponse:
    """A response of ``progress`` events, one a change, and ``end`` with the last state.

    Args:
        look: Its state now, with a ``status``; ``UnknownName`` where it is gone.
        ended: Statuses after which nothing more comes.
    """
    return StreamingResponse(
        _events(look, ended), media_type="text/event-stream", headers=STREAM_HEADERS
    )


async def _events(
    look: Callable[[], Awaitable[dict[str, Any]]], ended: Collection[str]
) -> AsyncIterator[str]:
    shown: dict[str, Any] | None = None
    quiet = 0.0
    while True:
        try:
            now = await look()
        except UnknownName:
            return  # what it belonged to is gone, and it with that
        if now != shown:
            name = "end" if now["status"] in ended else "progress"
            yield f"event: {name}\ndata: {json.dumps(now, ensure_ascii=False)}\n\n"
            if name == "end":
                return
            shown, quiet = now, 0.0
        elif quiet >= _PING_SECONDS:
            yield ": ping\n\n"
            quiet = 0.0
        await asyncio.sleep(_POLL_SECONDS)
        quiet += _POLL_SECONDS
