"""The open connection that every store operation is a function of, and where it comes from.

SQLAlchemy stays inside ``offbook.stores``: others name the type from here.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import Connection, text

from offbook.errors import ConfigurationError

if TYPE_CHECKING:
    from offbook.protocols import Store

__all__ = ["Connection", "open_store", "ping", "sqlite_url", "to_the_end"]

SQLITE: Final = "sqlite:///"
_POSTGRES: Final = ("postgresql://", "postgres://", "postgresql+asyncpg://")


async def open_store(url: str) -> Store:
    """Open the database at ``url``; an empty one gets its schema, an older one is migrated.

    The store belongs to the event loop that opened it.

    Raises:
        ConfigurationError: the URL is of no known kind, an extra is missing, or the database was
            written by a newer version.
        StoreFailed: the database cannot be opened.
    """
    if url.startswith(SQLITE):
        path = url.removeprefix(SQLITE)
        if path in {"", ":memory:"}:
            raise ConfigurationError(
                f"The database URL {url!r} names no file.", "use sqlite:////path/to/offbook.db"
            )
        from offbook.stores.sqlite import SqliteStore

        return await SqliteStore(Path(path)).open()
    if url.startswith(_POSTGRES):
        from offbook.stores.postgres import PostgresStore

        return await PostgresStore(url).open()
    scheme = url.partition(":")[0]
    raise ConfigurationError(
        f"No store answers to a database URL that begins with {scheme!r}.",
        "use sqlite:////path/to/offbook.db or postgresql://user@host/database",
    )


def sqlite_url(path: Path) -> str:
    """Return the URL of the embedded database in the file ``path``."""
    return f"{SQLITE}{path.absolute()}"


def ping(conn: Connection) -> None:
    """Ask the database for an answer.

    Raises:
        StoreFailed: it gives none.
    """
    conn.execute(text("SELECT 1"))


async def to_the_end(work: Coroutine[Any, Any, None]) -> None:
    """Finish ``work`` even when cancelled meanwhile; the cancellation goes on afterwards."""
    task = asyncio.create_task(work)
    try:
        await asyncio.shield(task)
    except asyncio.CancelledError:
        await task
        raise
