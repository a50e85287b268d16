"""Whether a request was meant for this server, and comes from a page that may call it.

Takes: the names and origins that the settings list.  Gives: a middleware.

Loopback is no boundary for browsers: any page can send requests to 127.0.0.1, and a name that
resolves to it (DNS rebinding) makes their answers readable. So ``Host`` has to be a loopback name
or a listed one, bodies have to be ``application/json`` (which no page can send elsewhere without
asking first), and the ``Origin`` of whatever changes state, and of WebSockets, has to be this
server or a listed one. Programs that are no browsers send no ``Origin`` and are let through.
"""

from __future__ import annotations

from collections.abc import Collection
from ipaddress import ip_address
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from starlette.datastructures import MutableHeaders
from starlette.responses import Response

from offbook.server.failures import RequestRefused, forbidden
from offbook.server.middleware import has_header, header, refuse

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

SAFE_METHODS: Final = frozenset({"GET", "HEAD", "OPTIONS"})
PAGE_PREFIX: Final = "/_nicegui"
"""Where the page's own framework talks to its server: uploads are forms there, and only a page
that this server has sent may call it."""

_METHODS: Final = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"
_EXPOSED: Final = "x-request-id, retry-after, x-should-retry, location"
_USUAL_PORTS: Final = {"http": 80, "https": 443, "ws": 80, "wss": 443}


def is_loopback(name: str) -> bool:
    """Whether a host's name or address can only be this machine."""
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        return ip_address(name.strip("[]")).is_loopback
    except ValueError:
        return False


def host_name(host: str) -> str:
    """The name in a ``Host`` header, in small letters, without port or brackets."""
    if any(sign in host for sign in "@/?#\\ "):
        return ""
    try:
        return (urlsplit(f"//{host}").hostname or "").rstrip(".")
    except ValueError:
        return ""


class FromWhere:
    """Lets through what is for this server, as a page of its own or a listed one may send it."""

    def __init__(self, app: ASGIApp, hosts: Collection[str], origins: Collection[str]) -> None:
        self._app = app
        self._hosts = frozenset(host.lower().rstrip(".") for host in hosts)
        self._origins = frozenset(plain_origin(origin) for origin in origins)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, refuse or pass on."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        refusal = self._wrong_host(scope) or self._wrong_origin(scope) or _wrong_body(scope)
        if refusal is not None:
            await refuse(scope, receive, send, refusal)
            return
        origin = header(scope, b"origin")
        if scope["type"] == "http" and origin and plain_origin(origin) in self._origins:
            send = _readable_by(origin, send)
            if _is_preflight(scope):
                await _preflight_answer(scope)(scope, receive, send)
                return
        await self._app(scope, receive, send)

    def _wrong_host(self, scope: Scope) -> RequestRefused | None:
        name = host_name(header(scope, b"host") or "")
        if name and (is_loopback(name) or name in self._hosts):
            return None
        hint = "call it by a loopback name, or list the name in server.hosts"
        return forbidden(f"the host {name!r} is no name of this server", hint, "host_refused")

    def _wrong_origin(self, scope: Scope) -> RequestRefused | None:
        """Refuse what a page of somebody else's would change, or listen to."""
        preflight = scope["type"] == "http" and _is_preflight(scope)
        if scope["type"] == "http" and scope["method"] in SAFE_METHODS and not preflight:
            return None
        if not has_header(scope, b"origin"):
            if _is_from_a_page(scope):
                return _refused_origin("")
            return None
        origin = plain_origin(header(scope, b"origin") or "")
        host = header(scope, b"host")
        own_origins = plain_origin(f"http://{host}"), plain_origin(f"https://{host}")
        if origin and (origin in own_origins or origin in self._origins):
            return None
        return _refused_origin(origin)


def _refused_origin(origin: str) -> RequestRefused:
    message = f"pages of the origin {origin!r} may not call this server"
    return forbidden(message, "list it in server.origins, if it is yours", "origin_refused")


def _is_from_a_page(scope: Scope) -> bool:
    """A browser's request, or one that only a browser has a reason to send."""
    site = header(scope, b"sec-fetch-site")
    return site in ("cross-site", "same-site") or scope["path"].startswith(PAGE_PREFIX)


def plain_origin(origin: str) -> str:
    """An origin in one spelling: small letters, no usual port; empty where it is none."""
    try:
        parts = urlsplit(origin.strip().rstrip("/").lower())
        if not parts.scheme or not parts.hostname or parts.path or parts.query:
            return ""
        port = "" if parts.port in (None, _USUAL_PORTS.get(parts.scheme)) else f":{parts.port}"
    except ValueError:
        return ""
    name = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    return f"{parts.scheme}://{name}{port}"


def _wrong_body(scope: Scope) -> RequestRefused | None:
    """Refuse a body that a form of any page could send."""
    if scope["type"] != "http" or scope["path"].startswith(PAGE_PREFIX):
        return None
    length = header(scope, b"content-length")
    if not has_header(scope, b"transfer-encoding") and (length is None or length.strip() == "0"):
        return None
    media = (header(scope, b"content-type") or "").partition(";")[0].strip().lower()
    if media == "application/json":
        return None
    return RequestRefused(
        f"the body is of type {media!r}",
        "send application/json; files travel as text or base64 in it",
        status=415,
        code="not_json",
    )


def _is_preflight(scope: Scope) -> bool:
    return scope["method"] == "OPTIONS" and has_header(scope, b"access-control-request-method")


def _readable_by(origin: str, send: Send) -> Send:
    async def adding(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            headers["access-control-allow-origin"] = origin
            headers["access-control-expose-headers"] = _EXPOSED
            headers.add_vary_header("Origin")
        await send(message)

    return adding


def _preflight_answer(scope: Scope) -> Response:
    """The answer to what a browser asks before it sends a listed page's request."""
    names = header(scope, b"access-control-request-headers") or "authorization, content-type"
    headers = {
        "access-control-allow-methods": _METHODS,
        "access-control-allow-headers": names,
        "access-control-allow-private-network": "true",
        "access-control-max-age": "600",
    }
    return Response(status_code=204, headers=headers)
