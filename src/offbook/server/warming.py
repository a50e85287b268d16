"""What the first reply would have to load is loaded before the first request is taken.

Takes: an open offbook.  Gives: nothing.  Imports of the SDK, the wording and the connection's
certificates take a second or two, in which a server that has begun would answer nobody.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Final

from offbook.errors import OffbookError
from offbook.prompts.prompt import wording
from offbook.prompts.reply import REPLY
from offbook.settings.endpoints import chat_endpoint, embed_endpoint, role_endpoint

if TYPE_CHECKING:
    from starlette.applications import Starlette

    from offbook.app.book import Offbook

_MODULES: Final = (
    "offbook.ingestion.remembering",
    "offbook.memory.gate",
    "offbook.retrieval.follow_up",
    "offbook.retrieval.lorebook",
)
_NOWHERE: Final = {"type": "http", "method": "GET", "path": "/\N{NULL}", "headers": []}
"""A request for nothing that there is, so that every route is asked whether it is meant."""


async def warm(book: Offbook) -> None:
    """Load what a reply needs; a mistake in the settings is told by the reply that meets it."""
    for name in _MODULES:
        import_module(name)
    wording(REPLY)
    try:
        stage = book.stage()
        needed = stage.method.needs(stage.settings)
        if needed.vectors and embed_endpoint(book.settings).base_url is None:
            await stage.embedder.embed(["a word"], "query")
        for endpoint in (chat_endpoint(book.settings), role_endpoint(book.settings, "extract")):
            if endpoint.base_url is not None:
                from offbook.models.clients import client_for

                client_for(endpoint.base_url.rstrip("/"), endpoint.api_key)
    except OffbookError:
        return


def warm_routes(app: Starlette) -> None:
    """Have the routes made that are made when they are first asked for: that takes half a second.

    Args:
        app: An application with all of its routes.
    """
    for route in app.routes:
        route.matches({**_NOWHERE, "app": app, "root_path": "", "query_string": b""})
