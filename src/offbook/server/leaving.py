"""Clients that leave: what was begun for them ends, and its calls of models with it.

Takes: a request's ``receive``, and the work for it.  Gives: its result, or `ClientLeftError`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, Final, TypeVar

T = TypeVar("T")

LEFT: Final = 499
"""Nobody reads it: a status for the log, as other servers write it."""


class ClientLeftError(Exception):
    """The client closed the connection before its answer was there."""


async def until_disconnected(
    receive: Callable[[], Awaitable[Any]], work: Coroutine[Any, Any, T]
) -> T:
    """The result of ``work``, which is cancelled when the client leaves.

    Raises:
        ClientLeftError: it left.
    """
    working = asyncio.create_task(work)
    watching = asyncio.create_task(_disconnected(receive))
    try:
        await asyncio.wait((working, watching), return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            raise ClientLeftError
        return working.result()
    finally:
        for task in (working, watching):
            task.cancel()
        # What is cancelled closes its connections to the model: nothing is left behind.
        await asyncio.gather(working, watching, return_exceptions=True)


async def _disconnected(receive: Callable[[], Awaitable[Any]]) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
