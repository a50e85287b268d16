"""The application: one open offbook for the process, its routes, and how failures are told.

Takes: settings, or an offbook that is open.  Gives: a FastAPI application.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Final

from fastapi import FastAPI

from offbook import __version__
from offbook.app.book import Offbook
from offbook.server import native
from offbook.server.failures import add_failure_handlers
from offbook.server.openai import routes
from offbook.server.principal import Authenticate, anybody_is_owner
from offbook.server.request_ids import RequestIds
from offbook.server.trailing_slashes import TrailingSlashes
from offbook.settings import Settings

_TITLE: Final = "offbook"


def create_app(
    source: Settings | Offbook | None = None, *, authenticate: Authenticate = anybody_is_owner
) -> FastAPI:
    """The application.

    Args:
        source: Settings: offbook is opened when the server starts, and closed when it stops. An
            open offbook: it stays its owner's. None: the settings of the environment.
        authenticate: Recognizes callers.
    """
    app = FastAPI(
        title=_TITLE,
        version=__version__,
        lifespan=_lifespan(source),
        redirect_slashes=False,  # a redirected POST loses its body with many clients
        redoc_url=None,
    )
    app.state.authenticate = authenticate
    add_failure_handlers(app)
    for router in (*native.routers(), routes.router()):
        app.include_router(router)
    app.add_middleware(TrailingSlashes)
    app.add_middleware(RequestIds)
    return app


def _lifespan(
    source: Settings | Offbook | None,
) -> Callable[[FastAPI], AbstractAsyncContextManager[None]]:
    @asynccontextmanager
    async def alive(app: FastAPI) -> AsyncIterator[None]:
        if isinstance(source, Offbook):
            app.state.book = source
            yield
            return
        async with await Offbook.open(source) as book:
            app.state.book = book
            yield

    return alive
