"""An application without a socket: requests go straight into it.

Takes: an open offbook.  Gives: a client, as of a program on this machine.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx

from offbook.app import Offbook
from offbook.app.keys import Keys
from offbook.server.app import create_app
from tests.server.served import settings_in


@asynccontextmanager
async def opened(folder: Path, **flags: object) -> AsyncIterator[Offbook]:
    """Offbook with a home in ``folder``, and nothing else of this machine."""
    async with await Offbook.open(settings_in(folder, **flags)) as book:
        yield book


@asynccontextmanager
async def client_of(book: Offbook, **headers: str) -> AsyncIterator[httpx.AsyncClient]:
    """A client of the application of ``book``."""
    app = create_app(book)
    async with app.router.lifespan_context(app):
        transport = httpx.ASGITransport(app, raise_app_exceptions=False)
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        async with httpx.AsyncClient(
            transport=transport, base_url="http://localhost", headers=named, timeout=30
        ) as made:
            yield made


async def bearer(book: Offbook, **limits: object) -> dict[str, str]:
    """The header of a new key."""
    made = await Keys(book).add("a test", **limits)  # type: ignore[arg-type]
    return {"authorization": f"Bearer {made.secret}"}
