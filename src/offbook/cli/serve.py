"""``offbook serve``: characters over HTTP, until it is ended with Ctrl-C; twice, at once.

Takes: an address.  Gives: an OpenAI-compatible API at ``/v1`` and a native one at ``/api``.
"""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from typing import TYPE_CHECKING, Annotated, Final

import typer

from offbook.cli.globals import (
    BaseUrl,
    BudgetCalls,
    BudgetUsd,
    MethodName,
    Model,
    Preset,
    Strategy,
    settings_of_call,
)
from offbook.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from offbook.app import Offbook

_NEEDED = ("fastapi", "uvicorn", "prometheus_client")
_INTERRUPTED: Final = 130


def command(
    host: Annotated[
        str | None, typer.Option(help="Address to listen on; others than this machine need keys.")
    ] = None,
    port: Annotated[int | None, typer.Option(help="Port; 0 takes a free one.")] = None,
    method: MethodName = None,
    strategy: Strategy = None,
    model: Model = None,
    base_url: BaseUrl = None,
    preset: Preset = None,
    budget_calls: BudgetCalls = None,
    budget_usd: BudgetUsd = None,
) -> None:
    """Serve the characters over HTTP: each is a model of an OpenAI-compatible API."""
    from offbook.cli.running import say, with_offbook

    require_server()
    settings = settings_of_call(
        server__host=host,
        server__port=port,
        method=method,
        strategy=strategy,
        preset=preset,
        model=model,
        base_url=base_url,
        budget_calls=budget_calls,
        budget_usd=budget_usd,
    )

    async def body(book: Offbook) -> None:
        from offbook.server.serving import serve
        from offbook.ui.mounting import is_installed, mount_page

        pages = mount_page if is_installed() else None
        names = ", ".join(found.id for found in await book.characters())

        def listening(address: str) -> None:
            say(f"models: {names or 'none yet; make one with: offbook create NAME'}")
            if pages is not None:
                say(f"the page is at {address}")
            say(f"serving at {address}/v1, documentation at {address}/docs; Ctrl-C ends it")

        await _until_told(serve(book, listening, pages))

    from offbook.server.interpreter import new_event_loop
    from offbook.server.serving import for_serving

    with_offbook(for_serving(settings), body, new_event_loop())


async def _until_told(serving: Awaitable[None]) -> None:
    """Serve; told twice to stop, leave without waiting for what computes, or closes.

    The database takes no harm by that, as it takes none when the process is killed.
    """
    try:
        await serving
    except KeyboardInterrupt:
        sys.stderr.write("offbook: interrupted; what was done is kept\n")
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        os._exit(_INTERRUPTED)


def require_server() -> None:
    """Refuse, naming the extra, where the server was not installed.

    Raises:
        ConfigurationError: it was not.
    """
    missing = [name for name in _NEEDED if find_spec(name) is None]
    if missing:
        raise ConfigurationError(
            f"the server needs {' and '.join(missing)}, which the base install leaves out",
            "pip install 'offbook[server]'",
        )
