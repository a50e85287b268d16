"""Who may come in: whether keys are asked for, whose key it is, and how often they may come.

Takes: a request's head.  Gives: a ``Caller`` in the request's state before its body is read, or
401, 403 or 429.

Keys are asked for wherever others than this machine's owner could call (an address or a listed
name that is no loopback one), where ``server.keys`` says so, and from the first key on: a server
whose last key was revoked does not fall open. Requests are counted exactly, over the last sixty
seconds, in this process: several servers behind one address count each for themselves.
"""

from __future__ import annotations

import base64
import binascii
import math
import time
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from starlette.requests import HTTPConnection

from offbook.app.api_keys import recognize
from offbook.errors import OffbookError
from offbook.server.dependencies import OWNER, Caller
from offbook.server.failures import RequestRefused, asked_by_owner
from offbook.server.hosts import PAGE_PREFIX, SAFE_METHODS, is_loopback
from offbook.server.middleware import refuse
from offbook.stores import principals
from offbook.stores.statements import timestamp

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

    from offbook.app import Offbook
    from offbook.settings.model import ServerSettings


_MINUTE = 60.0


class Pace:
    """Requests of the last minute, by principal."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._seen: dict[str, deque[float]] = {}

    def wait_seconds(self, principal: str, rpm: int | None) -> int | None:
        """Count a request; or how many whole seconds to wait where there were too many."""
        if rpm is None:
            return None
        now = self._clock()
        times = self._seen.setdefault(principal, deque())
        while times and times[0] <= now - _MINUTE:
            times.popleft()
        if len(times) >= rpm:
            # The limit may have been lowered since: wait until enough of them are gone.
            return max(1, math.ceil(times[len(times) - rpm] + _MINUTE - now))
        times.append(now)
        return None


OPEN_PATHS: Final = frozenset({"/healthz", "/health", "/v1/healthz", "/v1/health"})
"""What a load balancer asks; nothing of anybody's is in the answer."""

_CHALLENGE: Final = 'Basic realm="offbook", charset="UTF-8"'
"""Browsers ask a person for it; of several challenges in one line Chromium understands none."""


def asks_for_keys(settings: ServerSettings) -> bool:
    """Whether the settings alone make the server ask for keys."""
    names = (settings.host, *settings.hosts)
    return settings.keys or not all(is_loopback(name) for name in names)


class KeyAuthentication:
    """Recognizes callers by their keys; without any key, everybody is the owner."""

    def __init__(self, settings: ServerSettings) -> None:
        self._required = asks_for_keys(settings)

    async def __call__(self, request: HTTPConnection) -> Caller:
        """Who asks."""
        book: Offbook = request.app.state.book
        # From the first key on, also when the last one was revoked.
        self._required = self._required or await book.store.read(principals.has_keys)
        if not self._required:
            return OWNER
        presented = presented_key(request)
        if presented is None:
            raise _unknown("no key was presented")
        key = await recognize(book.store, presented)
        if key is None:
            raise _unknown("the key is not known")
        if (ended := key.ended(timestamp())) is not None:
            raise _unknown(f"the key {key.id!r} is {ended}")
        return Caller(
            principal=key.id,
            right=key.right,
            characters=key.characters,
            rpm=key.rpm,
            remember=key.remember,
            tools=key.tools,
        )


def presented_key(request: HTTPConnection) -> str | None:
    """The key of a request: ``Authorization: Bearer``, ``X-Api-Key``, or a password of Basic.

    Basic is what browsers ask a person for, so that pages and ``/docs`` can be opened; the name
    that goes with the password is ignored.
    """
    scheme, _, value = request.headers.get("authorization", "").partition(" ")
    value = value.strip()
    if scheme.lower() == "bearer" and value:
        return value
    if scheme.lower() == "basic":
        try:
            credentials = base64.b64decode(value, validate=True).decode()
        except (binascii.Error, ValueError):
            return None
        return credentials.partition(":")[2] or None
    return request.headers.get("x-api-key") or None


class Admission:
    """Recognizes the caller before anything else of the request is read, and keeps their pace."""

    def __init__(self, app: ASGIApp, rpm: int | None, pace: Pace | None = None) -> None:
        self._app = app
        self._rpm = rpm
        self._pace = pace or Pace()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on with the caller, or refuse."""
        if scope["type"] not in ("http", "websocket") or _is_open(scope):
            await self._app(scope, receive, send)
            return
        request = HTTPConnection(scope)
        asked_by_owner.set(False)  # nobody is the owner before they are recognized
        try:
            caller: Caller = await request.app.state.authenticate(request)
            if not _belongs_to_a_page(scope):
                keep_pace(self._pace, caller, self._rpm)
        except OffbookError as refused:  # the database, too, may fail to say whose key it is
            await refuse(scope, receive, send, refused)
            return
        scope.setdefault("state", {})["caller"] = caller
        asked_by_owner.set(caller.principal == OWNER.principal)
        await self._app(scope, receive, send)


def keep_pace(pace: Pace, caller: Caller, default_rpm: int | None) -> None:
    """Count a request of a caller."""
    rpm = caller.rpm or default_rpm
    wait = pace.wait_seconds(caller.principal, rpm)
    if wait is not None:
        raise RequestRefused(
            f"more than {rpm} requests a minute",
            f"wait {wait} seconds",
            status=429,
            code="rate_limit_exceeded",
            headers={"retry-after": str(wait)},
        )


def _belongs_to_a_page(scope: Scope) -> bool:
    """Whether it is a file of a page or its connection, of which a page that opens asks for dozens.

    They are recognized as all are, and not counted: the page counts what a person does on it.
    """
    if scope["path"].startswith((f"{PAGE_PREFIX}_ws/", "/_page/")):
        return True
    reads = scope["type"] == "http" and scope["method"] in SAFE_METHODS
    return reads and scope["path"].startswith(f"{PAGE_PREFIX}/")


def _is_open(scope: Scope) -> bool:
    return scope["path"].rstrip("/") in OPEN_PATHS and scope["type"] == "http"


def _unknown(why: str) -> RequestRefused:
    return RequestRefused(
        why,
        "present a key as `Authorization: Bearer KEY`; `offbook key add` makes one",
        status=401,
        code="invalid_api_key",
        headers={"www-authenticate": _CHALLENGE},
    )
