"""The application: one open offbook for the process, its routes, and how failures are told.

Takes: settings, or an offbook that is open.  Gives: a FastAPI application.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from typing import Final

from fastapi import FastAPI

from offbook import __version__
from offbook.app.book import Offbook
from offbook.app.commands import serving
from offbook.models.beside import working_beside
from offbook.server import native
from offbook.server.background import BackgroundWorker
from offbook.server.description import describe
from offbook.server.evaluations.queue import EvaluationQueue
from offbook.server.failures import add_failure_handlers
from offbook.server.guarding import guard, require_keys
from offbook.server.ingestions.queue import IngestionQueue
from offbook.server.openai import routes
from offbook.server.principal import Authenticate
from offbook.server.security.admission import KeyAuthentication
from offbook.server.warming import warm, warm_routes
from offbook.settings import Settings, load_settings

_TITLE: Final = "offbook"


def create_app(
    source: Settings | Offbook | None = None, *, authenticate: Authenticate | None = None
) -> FastAPI:
    """The application.

    Args:
        source: Settings: offbook is opened when the server starts, and closed when it stops. An
            open offbook: it stays its owner's. None: the settings of the environment.
        authenticate: Recognizes callers; default: by their keys.

    Raises:
        ConfigurationError: settings that open the server cannot be trusted, or are none.
    """
    settings = source.settings if isinstance(source, Offbook) else source or load_settings()
    app = FastAPI(
        title=_TITLE,
        version=__version__,
        lifespan=_lifespan(source if isinstance(source, Offbook) else settings),
        redirect_slashes=False,  # a redirected POST loses its body with many clients
        docs_url=None,  # its page loads scripts from elsewhere; ours is in `description`
        redoc_url=None,
    )
    app.state.authenticate = authenticate or KeyAuthentication(settings.values.server)
    add_failure_handlers(app)
    for router in (*native.routers(), routes.router()):
        # As they are: those that are included are made once more, for each application.
        app.router.routes.extend(router.routes)
    guard(app, settings)
    describe(app)
    return app


def _lifespan(source: Settings | Offbook) -> Callable[[FastAPI], AbstractAsyncContextManager[None]]:
    @asynccontextmanager
    async def alive(app: FastAPI) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            if isinstance(source, Offbook):
                book = source
            else:
                book = await stack.enter_async_context(await Offbook.open(source))
            await require_keys(book.settings, book.store)
            stack.enter_context(working_beside())
            await warm(book)
            warm_routes(app)
            spending = app.state.metrics.models
            app.state.book = await stack.enter_async_context(serving(book, spending))
            queues = (IngestionQueue(), EvaluationQueue())
            app.state.background = BackgroundWorker(book.settings, queues, spending)
            app.state.background.start()
            app.state.stopping.tell(app.state.background.leave_queues)
            stack.push_async_callback(app.state.background.stop)
            yield

    return alive
