"""Small layers around every request: refusals, numbers, plain paths, headers of pages."""

from __future__ import annotations

import re
import time
import uuid
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote

from starlette.datastructures import MutableHeaders

from offbook.server.failures import failure_response, is_openai_path, native_error

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

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
        message = native_error(refused)["error"]["message"]
        reason = message.encode()[:_LONGEST_REASON].decode(errors="ignore")
        await send({"type": "websocket.close", "code": _POLICY_VIOLATION, "reason": reason})
        return
    await failure_response(refused, scope["path"])(scope, receive, send)


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


def new_request_id() -> str:
    """A number for a request: the log and the client have it."""
    return f"req_{uuid.uuid4().hex}"


class Answer:
    """How far an answer is: what of it was sent."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self.began = time.perf_counter()
        self.status: int | None = None
        self.first_byte: float | None = None
        self.is_whole = self.is_stream = False

    async def send(self, message: Message) -> None:
        """Pass it on, and take note once it is out."""
        await self._send(message)
        if message["type"] == "http.response.start":
            self.status = message["status"]
            types = (value for name, value in message.get("headers", ()) if name == b"content-type")
            self.is_stream = any(value.startswith(b"text/event-stream") for value in types)
        elif message["type"] == "http.response.body":
            self.is_whole = not message.get("more_body", False)
            if self.first_byte is None and message.get("body"):
                self.first_byte = time.perf_counter() - self.began


_SEVERAL: Final = re.compile("/{2,}")


_NAMED: Final = re.compile(rb"(/api/characters/|(?:/v1)?/models/)([^/?]*)")
_HELD_SLASH: Final = "\ue02f"
"""Stands for a slash in the name of a character until that is looked for; nobody writes it."""


def name_in_path(part: str) -> str:
    """The name of a character, as it was before it was made a part of a path."""
    return part.replace(_HELD_SLASH, "/")


def _with_name(scope: Scope) -> str:
    """The path; a slash that was written ``%2F`` in a character's name divides nothing."""
    path: str = scope["path"]
    raw: bytes = scope.get("raw_path") or b""
    match = _NAMED.match(raw)
    if match is None or b"%2f" not in match[2].lower():
        return path
    head, name, rest = (unquote(raw[a:b].decode("ascii", "replace")) for a, b in _around(match))
    return head + name.replace("/", _HELD_SLASH) + rest


def _around(match: re.Match[bytes]) -> tuple[tuple[int, int | None], ...]:
    end = match.string.find(b"?", match.end())
    return (0, match.start(2)), match.span(2), (match.end(), None if end < 0 else end)


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
            short = plain_path(_with_name(scope))
            if short != path and (is_openai_path(short) or short.startswith("/api")):
                scope = {**scope, "path": short}
        await self._app(scope, receive, send)


def plain_path(path: str) -> str:
    """The path without slashes that mean nothing."""
    whole = _SEVERAL.sub("/", path)
    return (whole if is_openai_path(whole) else path).rstrip("/")


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


def with_page_headers(send: Send, number: str) -> Send:
    """A ``send`` that adds them and the request's number; a policy that a page has stays."""

    async def adding(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            is_page = headers.get("content-type", "").startswith("text/html")
            for name, value in _HEADERS:
                headers.setdefault(name, value)
            headers.setdefault("content-security-policy", PAGE_POLICY if is_page else DATA_POLICY)
            headers["x-request-id"] = number
        await send(message)

    return adding
