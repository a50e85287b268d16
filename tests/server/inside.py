"""An application without a socket: requests go straight into it.

Takes: an open offbook.  Gives: a client, as of a program on this machine.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx

from offbook.app import Offbook
from offbook.app.api_keys import Keys
from offbook.server.app import create_app
from tests.cli.shapes import ERROR, misfit
from tests.server.served import settings_in
from tests.waiting import PATIENCE_SECONDS


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


async def done(client: httpx.AsyncClient, method: str, path: str, **options: Any) -> Any:
    """What a request that succeeds is answered with."""
    answer = await client.request(method, path, **options)
    assert answer.status_code < 300, answer.text
    return answer.json()


async def assert_refused(client: httpx.AsyncClient, refusals: Iterable[Sequence[Any]]) -> None:
    """Each request (method, path, body) is answered with its status and kind, and what to do."""
    for method, path, body, status, kind in refusals:
        answer = await client.request(method, path, json=body)
        assert misfit(answer.json(), ERROR) is None, (path, body, answer.text)
        told = answer.json()["error"]
        assert (answer.status_code, told["kind"]) == (status, kind), (path, body, answer.text)
        assert told["hint"], (path, body)


async def ended(client: httpx.AsyncClient, location: str, **options: Any) -> dict[str, Any]:
    """Work behind requests, as its last event has it."""
    stream = await client.get(f"{location}/events", timeout=PATIENCE_SECONDS, **options)
    last = stream.text.strip().split("\n\n")[-1]
    assert last.startswith("event: end\ndata: "), stream.text
    found: dict[str, Any] = json.loads(last.split("data: ", 1)[1])
    return found
