"""The pages on the server's application: same process, same offbook, same callers.

Takes: an application of ``server.create_app``.  Gives: it with the pages at ``/``, ``/c/...``,
``/scene``, ``/settings`` and ``/reviews``; every other path is answered as before, unknown ones
included.

NiceGUI writes scripts into its page. They carry a nonce, new for every answer, which is put into
its template and so never into a text that stands in the page; what a document, a card or a model
smuggles in has none and does not run. What is left open: ``unsafe-eval``, because Vue compiles
templates in the browser, and inline styles.
"""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import cache, partial
from http import HTTPStatus
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final

from fastapi import FastAPI
from jinja2 import BaseLoader, Environment
from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import Response
from starlette.routing import Match, Mount

if TYPE_CHECKING:
    from starlette.types import Message, Receive, Scope, Send

    from offbook.server.dependencies import Caller


NONCE: Final = "page_nonce"
"""Its name in the state of a request."""

_POLICY: Final = (
    "default-src 'none'; script-src 'self' 'nonce-{nonce}' 'unsafe-eval'; "
    "style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; frame-src 'self'; object-src 'none'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'"
)
_OPENING: Final = "<script"
_WITH_NONCE: Final = f'<script nonce="{{{{ request.state.{NONCE} }}}}"'


def add_nonces() -> None:
    """Let the scripts of NiceGUI's page carry the nonce of their answer."""
    from nicegui.client import templates

    environment = templates.env
    if environment.loader is not None and not isinstance(environment.loader, _WithNonces):
        environment.loader = _WithNonces(environment.loader)


def with_policy(send: Send, nonce: str) -> Send:
    """A ``send`` that adds the policy to pages that have none of their own."""

    async def adding(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            if headers.get("content-type", "").startswith("text/html"):
                headers.setdefault("content-security-policy", _POLICY.format(nonce=nonce))
        await send(message)

    return adding


class _WithNonces(BaseLoader):
    """Templates with a nonce in every script tag; texts are filled in later and get none."""

    def __init__(self, inner: BaseLoader) -> None:
        self._inner = inner

    def get_source(
        self, environment: Environment, template: str
    ) -> tuple[str, str | None, Callable[[], bool] | None]:
        """The source of a template."""
        source, file, fresh = self._inner.get_source(environment, template)
        return source.replace(_OPENING, _WITH_NONCE), file, fresh


_PAGES: Final = ("/c/", "/reviews/", "/_page/", "/_nicegui/", "/_nicegui_ws/")
_EXACTLY: Final = ("/", "/scene", "/settings", "/reviews", "/favicon.ico")
_RECONNECT_SECONDS: Final = 20.0
"""How long a page that lost its connection is kept: a phone that looks at another app."""

_ICON: Final = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">'
    '<rect width="32" height="32" rx="7" fill="#7a3b2e"/>'
    '<path d="M8 10c3-2 6-2 8 0 2-2 5-2 8 0v13c-3-2-6-2-8 0-2-2-5-2-8 0z" fill="#fff4e6"/></svg>'
)


def is_installed() -> bool:
    """Whether the extra ``ui`` is there."""
    return find_spec("nicegui") is not None


def mount_page(app: FastAPI) -> None:
    """Put the pages on an application; one at a time may run in a process."""
    made = _pages()
    app.router.routes.append(_PageMount("/", made, name="page"))
    app.router.lifespan_context = _lifespan(app.router.lifespan_context, made)


@cache
def _pages() -> FastAPI:
    """The pages as an application of their own: what draws them exists once in a process."""
    from nicegui import app, core, ui

    from offbook.server.failures import on_http
    from offbook.ui import routes, visitor

    add_nonces()
    app.exception_handler(HTTPStatus.METHOD_NOT_ALLOWED)(on_http)
    visitor.register()
    routes.register()
    app.add_static_files("/_page", routes.ASSETS)
    # Who may connect is decided in one place, by the server's own check of hosts and origins.
    core.sio.eio.cors_allowed_origins = []
    made = FastAPI(openapi_url=None)
    ui.run_with(
        made,
        title="offbook",
        favicon=_ICON,
        dark=None,
        language="en-US",
        tailwind=False,
        binding_refresh_interval=None,
        reconnect_timeout=_RECONNECT_SECONDS,
        show_welcome_message=False,
    )
    return made


class _PageMount(Mount):
    """Serves the paths of the pages, and leaves all others to whoever answers them."""

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Whether a path is one of the pages'."""
        if scope["type"] not in ("http", "websocket") or not _is_page(scope["path"]):
            return Match.NONE, {}
        return super().matches(scope)

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve, with the offbook and the caller at hand and a policy for what is sent."""
        request = HTTPConnection(scope)
        state: dict[str, Any] = {**scope.get("state", {}), "book": request.app.state.book}
        state["background"] = request.app.state.background
        state["authenticate"] = partial(_recognize, request.app)
        state["pace"] = request.app.state.pace
        nonce = state[NONCE] = secrets.token_urlsafe(16)
        inner = {**scope, "state": state}
        if not _is_for_own_page(inner):
            await Response(status_code=404)(inner, receive, send)
            return
        await super().handle(inner, receive, with_policy(send, nonce))


async def _recognize(app: FastAPI, page: HTTPConnection) -> Caller:
    """Who a page was made for, as it is now: their key may have ended since."""
    # The page's own application stands in its scope, and knows of no keys.
    caller: Caller = await app.state.authenticate(HTTPConnection({**page.scope, "app": app}))
    return caller


def _is_for_own_page(scope: Scope) -> bool:
    from offbook.ui.visitor import is_for_own_page

    return is_for_own_page(scope)


def _is_page(path: str) -> bool:
    return path in _EXACTLY or path.startswith(_PAGES)


_Lifespan = Callable[[Any], AbstractAsyncContextManager[Mapping[str, Any] | None]]


def _lifespan(server_lifespan: _Lifespan, pages: FastAPI) -> Any:
    @asynccontextmanager
    async def alive(app: FastAPI) -> AsyncIterator[Mapping[str, Any] | None]:
        async with server_lifespan(app) as state, pages.router.lifespan_context(pages):
            yield state

    return alive
