"""Headers of every answer, and the policy of pages.

Takes: nothing.  Gives: a middleware. Texts of documents, cards and models are data: no answer is
ever run as a page but those that say they are one, and those load nothing from elsewhere and run
no script that stands in the text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from offbook.server.security.answering import raw

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

PAGE_POLICY: Final = (
    "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self'; object-src 'none'; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
"""For HTML that sets none of its own: no script but from files of this server."""

DATA_POLICY: Final = "default-src 'none'; frame-ancestors 'none'"
"""For all that is no page."""

_HEADERS: Final = (
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
    ("referrer-policy", "no-referrer"),
    ("cross-origin-opener-policy", "same-origin"),
    ("permissions-policy", "camera=(), geolocation=(), payment=(), usb=()"),
)


class PageHeaders:
    """Adds the headers to every answer; a policy that a page sets for itself stays.

    Args:
        app: What comes after.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def adding(message: Message) -> None:
            if message["type"] == "http.response.start":
                there = {name.lower(): value for name, value in message.get("headers", ())}
                page = there.get(b"content-type", b"").startswith(b"text/html")
                policy = PAGE_POLICY if page else DATA_POLICY
                wanted = raw([*_HEADERS, ("content-security-policy", policy)])
                more = [(name, value) for name, value in wanted if name not in there]
                message = {**message, "headers": [*message.get("headers", ()), *more]}
            await send(message)

        await self._app(scope, receive, adding)
