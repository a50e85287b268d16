"""Slashes too many in a path mean nothing; no client is redirected.

Takes: requests.  Gives: them on.  An address that was typed with a slash at its end makes clients
ask for ``/v1//chat/completions``, and a redirected POST loses its body with many of them.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from offbook.server.failures import is_openai_path

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

_SEVERAL: Final = re.compile("/{2,}")


class TrailingSlashes:
    """Takes slashes at the end off the paths of the two APIs, and doubled ones off OpenAI's.

    In the native API a name may hold them, such as that of a document; pages keep theirs.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] == "http":
            path = scope["path"]
            short = plain_path(path)
            if short != path and (is_openai_path(short) or short.startswith("/api")):
                scope = {**scope, "path": short}
        await self._app(scope, receive, send)


def plain_path(path: str) -> str:
    """The path without slashes that mean nothing."""
    whole = _SEVERAL.sub("/", path)
    return (whole if is_openai_path(whole) else path).rstrip("/")
