"""One ingestion of a character at a time, over all processes that share the database."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Final

from offbook.errors import StoreFailed
from offbook.stores import leases
from offbook.stores.connection import to_the_end

if TYPE_CHECKING:
    from offbook.protocols import Store

HEARTBEAT_SECONDS: Final = 5.0
_POLL_SECONDS: Final = 0.2


@asynccontextmanager
async def ingestion_lease(
    store: Store, character: str, waiting: Callable[[], None]
) -> AsyncIterator[None]:
    """Hold the lease of a character; wait for it while another process has it.

    A process that was killed loses its lease at once on the same host, and after
    ``leases.STALE_SECONDS`` elsewhere.

    Args:
        store: Where the lease is kept.
        character: Id of the character.
        waiting: Called once when another process holds the lease.
    """
    owner = leases.Owner(uuid.uuid4().hex)

    async def give_back() -> None:
        await store.write(leases.release, owner)

    async def beat() -> None:
        while True:
            await asyncio.sleep(HEARTBEAT_SECONDS)
            with suppress(StoreFailed):  # the next one may come through, and is early enough
                await store.write(leases.heartbeat, owner)

    try:
        await _take(store, character, owner, waiting)
    except asyncio.CancelledError:
        # The write that takes it goes on to its end all the same. What cannot be given back now is
        # stale in a minute.
        with suppress(StoreFailed):
            await to_the_end(give_back())
        raise
    beating = asyncio.create_task(beat())

    async def end() -> None:
        beating.cancel()
        await asyncio.gather(beating, return_exceptions=True)
        await give_back()

    try:
        yield
    finally:
        await to_the_end(end())


async def _take(
    store: Store, character: str, owner: leases.Owner, waiting: Callable[[], None]
) -> None:
    """Take the lease, as soon as nobody else has it."""
    has_waited = False
    while not await store.write(lambda conn: leases.acquire(conn, character, owner)):
        if not has_waited:
            waiting()
            has_waited = True
        await asyncio.sleep(_POLL_SECONDS)
