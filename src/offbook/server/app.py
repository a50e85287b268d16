"""The application: one open offbook, its routes, and the layers in front of them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from fastapi import FastAPI

from offbook import __version__
from offbook.app.book import Offbook
from offbook.app.commands import serving
from offbook.errors import ConfigurationError, OffbookError
from offbook.models.beside import working_beside
from offbook.prompts.prompt import wording
from offbook.prompts.reply import REPLY
from offbook.server import native, telemetry
from offbook.server.authentication import Admission, KeyAuthentication, Pace, asks_for_keys
from offbook.server.background import BackgroundWorker
from offbook.server.dependencies import Authenticate
from offbook.server.description import describe
from offbook.server.failures import add_failure_handlers
from offbook.server.hosts import FromWhere, plain_origin
from offbook.server.job_handlers import EvaluationQueue, IngestionQueue
from offbook.server.limits import BodyLimits
from offbook.server.masking import Masking, secrets_of
from offbook.server.middleware import TrailingSlashes
from offbook.server.openai.routes import router as openai_router
from offbook.server.stopping import LastWord, Stopping
from offbook.server.telemetry import Metrics, Observed
from offbook.settings import Settings, load_settings
from offbook.settings.endpoints import endpoint_of
from offbook.stores import principals

if TYPE_CHECKING:
    from starlette.applications import Starlette

    from offbook.protocols import Store


_MODULES: Final = (
    "offbook.ingestion.memories",
    "offbook.memory.gate",
    "offbook.retrieval.memory_evidence",
)
_NOWHERE: Final = {"type": "http", "method": "GET", "path": "/\N{NULL}", "headers": []}
"""A request for nothing that there is, so that every route is asked whether it is meant."""


async def warm(book: Offbook) -> None:
    """Load what a reply needs; a mistake in the settings is told by the reply that meets it."""
    for name in _MODULES:
        import_module(name)
    wording(REPLY)
    try:
        runtime = book.runtime()
        needed = runtime.needs
        if needed.vectors and endpoint_of(book.settings, "embed").base_url is None:
            await runtime.embedder.embed(["a word"], "query")
        for endpoint in (endpoint_of(book.settings, "chat"), endpoint_of(book.settings, "extract")):
            if endpoint.base_url is not None:
                book.clients.of(endpoint.base_url.rstrip("/"), endpoint.api_key)
    except OffbookError:
        return


def warm_routes(app: Starlette) -> None:
    """Have the routes made now, which takes half a second, and not when one is first asked for."""
    for route in app.routes:
        route.matches({**_NOWHERE, "app": app, "root_path": "", "query_string": b""})


def guard(app: FastAPI, settings: Settings) -> None:
    """Add the layers, outermost first, and the routes that machines ask.

    Each layer wraps ``receive`` and ``send`` only: nothing holds a stream back.

    Raises:
        ConfigurationError: a setting that opens the server comes from a project's file, or is none.
    """
    check_names(settings)
    options = settings.values.server
    app.state.metrics = Metrics()
    app.state.pace = Pace()
    app.state.stopping = Stopping()
    app.include_router(telemetry.routes)
    layers: list[tuple[Any, dict[str, Any]]] = [
        (Observed, {"metrics": app.state.metrics, "masks": Masking(secrets_of(settings))}),
        (FromWhere, {"hosts": options.hosts, "origins": options.origins}),
        (LastWord, {"stopping": app.state.stopping}),
        (Admission, {"rpm": options.rpm, "pace": app.state.pace}),
        (BodyLimits, {"most_bytes": options.max_body_bytes, "seconds": options.body_seconds}),
        (TrailingSlashes, {}),
    ]
    for layer, options in reversed(layers):
        app.add_middleware(layer, **options)


def check_names(settings: Settings) -> None:
    """Refuse settings that would open the server without this machine's owner knowing.

    Raises:
        ConfigurationError: a downloaded folder's settings name hosts or origins, or one is none.
    """
    for name in ("server.host", "server.hosts", "server.origins", "server.keys"):
        origin = settings.origin(name)
        if not origin.trusted:
            raise ConfigurationError(
                f"{name} is set by {origin.label}, which anybody may have written",
                "set it in your own config.toml, in the environment or with a flag",
            )
    for web_origin in settings.values.server.origins:
        if not plain_origin(web_origin):
            raise ConfigurationError(
                f"server.origins names {web_origin!r}, which is no web origin",
                "write scheme and name, such as https://app.example.org",
            )


async def require_keys(settings: Settings, store: Store) -> None:
    """Refuse to serve others than this machine while there is no key.

    Raises:
        ConfigurationError: keys would be asked for, and there is none that could be presented.
    """
    options = settings.values.server
    if asks_for_keys(options) and not await store.read(principals.has_keys):
        where = ", ".join((options.host, *options.hosts))
        raise ConfigurationError(
            f"the server would ask for keys ({where}), and there is none",
            "make one first: offbook key add LABEL",
        )


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
    for router in (*native.ROUTERS, openai_router()):
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
            await app.state.background.start()
            app.state.stopping.tell(app.state.background.drain)
            stack.push_async_callback(app.state.background.stop)
            yield

    return alive
