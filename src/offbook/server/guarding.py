"""The layers between a connection and the routes, in their one order.

Takes: an application and its settings.  Gives: the application, guarded and observed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from offbook.errors import ConfigurationError
from offbook.server.observing import routes
from offbook.server.observing.metrics import Metrics
from offbook.server.observing.observed import Observed, Unforeseen
from offbook.server.observing.secrets import Masking, secrets_of
from offbook.server.request_ids import RequestIds
from offbook.server.security.admission import Admission, asks_for_keys
from offbook.server.security.bodies import BodyLimits
from offbook.server.security.hosts import FromWhere, plain_origin
from offbook.server.security.pace import Pace
from offbook.server.security.pages import PageHeaders
from offbook.server.stopping import BreaksOff, Stopping
from offbook.server.trailing_slashes import TrailingSlashes
from offbook.stores import api_keys

if TYPE_CHECKING:
    from fastapi import FastAPI

    from offbook.protocols import Store
    from offbook.settings import Settings


def guard(app: FastAPI, settings: Settings) -> None:
    """Add the layers, outermost first, and the routes that machines ask.

    Each layer wraps ``receive`` and ``send`` only: nothing holds a stream back.

    Raises:
        ConfigurationError: a setting that opens the server comes from a project's file, or is none.
    """
    check_names(settings)
    own = settings.values.server
    app.state.metrics = Metrics()
    app.state.pace = Pace()
    app.state.stopping = Stopping()
    app.include_router(routes.router())
    layers: list[tuple[Any, dict[str, Any]]] = [
        (RequestIds, {}),
        (Observed, {"metrics": app.state.metrics, "masks": Masking(secrets_of(settings))}),
        (PageHeaders, {}),
        (FromWhere, {"hosts": own.hosts, "origins": own.origins}),
        (Unforeseen, {}),
        (BreaksOff, {"stopping": app.state.stopping}),
        (Admission, {"rpm": own.rpm, "pace": app.state.pace}),
        (BodyLimits, {"most_bytes": own.max_body_bytes, "seconds": own.body_seconds}),
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
    for told in settings.values.server.origins:
        if not plain_origin(told):
            raise ConfigurationError(
                f"server.origins names {told!r}, which is no web origin",
                "write scheme and name, such as https://app.example.org",
            )


async def require_keys(settings: Settings, store: Store) -> None:
    """Refuse to serve others than this machine while there is no key.

    Raises:
        ConfigurationError: keys would be asked for, and there is none that could be presented.
    """
    own = settings.values.server
    if asks_for_keys(own) and not await store.read(api_keys.exist):
        where = ", ".join((own.host, *own.hosts))
        raise ConfigurationError(
            f"the server would ask for keys ({where}), and there is none",
            "make one first: offbook key add LABEL",
        )
