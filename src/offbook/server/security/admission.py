"""Who may come in: whether keys are asked for, whose key it is, and how often they may come.

Takes: a request's head.  Gives: a ``Caller`` in the request's state before its body is read, or
401, 403 or 429.

Keys are asked for wherever others than this machine's owner could call (an address or a listed
name that is no loopback one), where ``server.keys`` says so, and from the first key on: a server
whose last key was revoked does not fall open.
"""

from __future__ import annotations

import base64
import binascii
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from starlette.requests import HTTPConnection

from offbook.app.keys import recognize
from offbook.errors import OffbookError
from offbook.server.failures import RequestRefused, asked_by_owner
from offbook.server.principal import OWNER, Caller
from offbook.server.security.answering import refuse
from offbook.server.security.hosts import PAGE_PREFIX, SAFE_METHODS, is_loopback
from offbook.server.security.pace import Pace
from offbook.stores import api_keys
from offbook.stores.statements import timestamp

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

    from offbook.app import Offbook
    from offbook.protocols import Store
    from offbook.settings.server import ServerSettings

OPEN_PATHS: Final = frozenset({"/healthz", "/health", "/v1/healthz", "/v1/health"})
"""What a load balancer asks; nothing of anybody's is in the answer."""

_RECHECK_SECONDS: Final = 1.0
_CHALLENGE: Final = 'Basic realm="offbook", charset="UTF-8"'
"""Browsers ask a person for it; of several challenges in one line Chromium understands none."""


def asks_for_keys(settings: ServerSettings) -> bool:
    """Whether the settings alone make the server ask for keys."""
    names = (settings.host, *settings.hosts)
    return settings.keys or not all(is_loopback(name) for name in names)


class KeyAuthentication:
    """Recognizes callers by their keys; without any key, everybody is the owner.

    Args:
        settings: Of the server.
        clock: Seconds, for tests.
    """

    def __init__(
        self, settings: ServerSettings, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._settings = settings
        self._clock = clock
        self._required = asks_for_keys(settings)
        self._checked: float | None = None

    async def __call__(self, request: HTTPConnection) -> Caller:
        """Who asks.

        Raises:
            RequestRefused: keys are asked for, and there is none, or it opens nothing.
        """
        book: Offbook = request.app.state.book
        if not await self._asks(book.store):
            return OWNER
        presented = presented_key(request)
        if presented is None:
            raise _unknown("no key was presented")
        key = await recognize(book.store, presented)
        if key is None:
            raise _unknown("the key is not known")
        if (ended := key.ended(timestamp())) is not None:
            raise _unknown(f"the key {key.id!r} is {ended}")
        return Caller(key.id, key.right, key.characters, key.rpm)

    async def _asks(self, store: Store) -> bool:
        if self._required:
            return True
        now = self._clock()
        if self._checked is None or now - self._checked >= _RECHECK_SECONDS:
            self._required = await store.read(api_keys.exist)
            self._checked = now
        return self._required


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
            told = base64.b64decode(value, validate=True).decode()
        except (binascii.Error, ValueError):
            return None
        return told.partition(":")[2] or None
    return request.headers.get("x-api-key") or None


class Admission:
    """Recognizes the caller before anything else of the request is read, and keeps their pace.

    Args:
        app: What comes after.
        rpm: Requests a minute of a caller without a limit of their own; None: any number.
        pace: Counts.
    """

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
    """Count a request of a caller.

    Raises:
        RequestRefused: there were too many within a minute.
    """
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
