"""From a database's URL to an open store.

Takes: ``sqlite:///PATH`` or ``postgresql://...``.  Gives: the store, its schema up to date.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from offbook.errors import ConfigurationError

if TYPE_CHECKING:
    from offbook.protocols import Store

_SQLITE: Final = "sqlite:///"
_POSTGRES: Final = ("postgresql://", "postgres://", "postgresql+asyncpg://")


async def open_store(url: str) -> Store:
    """Open the database at ``url``; an empty one gets its schema, an older one is migrated.

    The store belongs to the event loop that opened it.

    Raises:
        ConfigurationError: the URL is of no known kind, an extra is missing, or the database was
            written by a newer version.
        StoreFailed: the database cannot be opened.
    """
    if url.startswith(_SQLITE):
        path = url.removeprefix(_SQLITE)
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
    """The URL of the embedded database in the file ``path``."""
    return f"{_SQLITE}{path.absolute()}"
