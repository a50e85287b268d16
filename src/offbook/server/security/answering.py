"""Refusals on the way in, and small ASGI shorthands of what stands there.

Takes: a scope and why it is refused.  Gives: a response, or a WebSocket closed before it opened.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from offbook.server.failures import failure_response, native_error

if TYPE_CHECKING:
    from starlette.types import Message, Receive, Scope, Send

    from offbook.errors import OffbookError

_POLICY_VIOLATION: Final = 1008
_LONGEST_REASON: Final = 120
_ANSWERS: Final = "websocket.http.response"
"""The extension of ASGI."""


async def refuse(scope: Scope, receive: Receive, send: Send, refused: OffbookError) -> None:
    """Answer a request, or refuse a WebSocket that was not accepted yet.

    Where the server can, a WebSocket is answered as a request: a browser that is challenged (401)
    opens it once more with the key that its person has given.
    """
    if scope["type"] == "websocket" and _ANSWERS not in (scope.get("extensions") or {}):
        told = native_error(refused)["error"]["message"]
        reason = told.encode()[:_LONGEST_REASON].decode(errors="ignore")
        await send({"type": "websocket.close", "code": _POLICY_VIOLATION, "reason": reason})
        return
    await failure_response(refused, scope["path"])(scope, receive, send)


def raw(headers: Iterable[tuple[str, str]]) -> list[tuple[bytes, bytes]]:
    """Headers as ASGI has them."""
    return [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers]


def header(scope: Scope, name: bytes) -> str | None:
    """The value of a header; None where there is none, or where it stands twice and differs."""
    values = {value for key, value in scope["headers"] if key == name}
    if len(values) != 1:
        return None
    value: bytes = values.pop()
    return value.decode("latin-1")


def has_header(scope: Scope, name: bytes) -> bool:
    """Whether a header stands there at all."""
    return any(key == name for key, _ in scope["headers"])


def with_headers(send: Send, headers: list[tuple[bytes, bytes]]) -> Send:
    """A ``send`` that adds headers to the response; one that the application set stays."""

    async def adding(message: Message) -> None:
        if message["type"] == "http.response.start":
            there = {name.lower() for name, _ in message.get("headers", ())}
            more = [(name, value) for name, value in headers if name not in there]
            message = {**message, "headers": [*message.get("headers", ()), *more]}
        await send(message)

    return adding
