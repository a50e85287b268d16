"""Paths that end in a slash are those without it; no client is redirected.

Takes: requests.  Gives: them on.  A redirected POST loses its body with many clients.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from offbook.server.failures import is_openai_path

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send


class TrailingSlashes:
    """Takes trailing slashes off the paths of the two APIs; pages keep theirs."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] == "http":
            path = scope["path"]
            short = path.rstrip("/")
            if short != path and (is_openai_path(short) or short.startswith("/api")):
                scope = {**scope, "path": short}
        await self._app(scope, receive, send)
