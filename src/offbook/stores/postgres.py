"""The server store: PostgreSQL with pgvector, shared by any number of processes.

Writes are serializable and are run again where two collide, so that operations may read and then
write as if they were alone.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Concatenate, Final, ParamSpec, TypeVar

from sqlalchemy import Connection, event
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError

from offbook.errors import ConfigurationError, StoreFailed, UsageError
from offbook.extras import install_command
from offbook.stores import migration
from offbook.stores.failures import reported
from offbook.stores.statements import to_json

T = TypeVar("T")
P = ParamSpec("P")

POOL_SIZE: Final = 8
COLLISION_SECONDS: Final = 15.0
_COLLISIONS: Final = frozenset({"40001", "40P01"})
_SCHEMA_OF_VECTOR: Final = (
    "SELECT n.nspname FROM pg_type t JOIN pg_namespace n ON n.oid = t.typnamespace"
    " WHERE t.typname = 'vector'"
)


class PostgresStore:
    """A store in a PostgreSQL database whose ``vector`` extension may be created by the user.

    Deleted rows are out of reach at once; ``purge`` gives their space back. Write-ahead logs,
    replicas and backups are in the hands of whoever runs the server.

    Args:
        url: ``postgresql://user:password@host/database``.
    """

    def __init__(self, url: str) -> None:
        self._url = _driver_url(url)
        # Without the query: a password may stand there, too.
        self._where = self._url.set(query={}).render_as_string(hide_password=True)
        try:
            import asyncpg  # noqa: F401 - SQLAlchemy would not say what to install
            import greenlet  # noqa: F401
            from sqlalchemy.ext.asyncio import create_async_engine
        except ImportError as error:
            raise ConfigurationError(
                "PostgreSQL needs a driver that is not installed.", install_command("postgres")
            ) from error
        self._engine = create_async_engine(
            self._url,
            pool_size=POOL_SIZE,
            max_overflow=0,
            pool_pre_ping=True,
            json_serializer=to_json,
        )
        self._closed = False
        self._in_use = 0
        self._idle = asyncio.Event()
        self._idle.set()

    async def open(self) -> PostgresStore:
        """Bring the schema up to date.

        Raises:
            StoreFailed: the server does not answer.
            ConfigurationError: it refuses the user, or a newer version of offbook has written it.
        """
        try:
            with reported(self._where):
                async with self._engine.connect() as connection:
                    await connection.run_sync(migration.bring_up_to_date, self._where)
                await self._engine.dispose()
                event.listen(self._engine.sync_engine, "connect", _prepare)
        except BaseException:
            await self.close()
            raise
        return self

    async def read(
        self, operation: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Run ``operation`` on a consistent snapshot; it cannot write."""
        return await self._run(
            lambda conn: operation(conn, *args, **kwargs), "REPEATABLE READ", read_only=True
        )

    async def write(
        self, operation: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Run ``operation`` in one serializable transaction; it may be run more than once.

        Raises:
            StoreFailed: the server failed, or other writers collided with this one for long.
        """
        deadline = time.monotonic() + COLLISION_SECONDS
        pause_seconds = 0.002
        while True:
            try:
                return await self._run(
                    lambda conn: operation(conn, *args, **kwargs), "SERIALIZABLE", read_only=False
                )
            except StoreFailed as error:
                state = getattr(getattr(error.__cause__, "orig", None), "sqlstate", None)
                if state not in _COLLISIONS or time.monotonic() > deadline:
                    raise
            await asyncio.sleep(pause_seconds * random.uniform(0.5, 1.5))  # noqa: S311
            pause_seconds = min(pause_seconds * 2, 0.25)

    async def purge(self) -> None:
        """Give the space of deleted rows back, so that it is overwritten."""
        self._check_open()
        with reported(self._where):
            async with self._engine.connect() as connection:
                plain = await connection.execution_options(isolation_level="AUTOCOMMIT")
                await plain.exec_driver_sql("VACUUM")

    async def backup(self, file: Path) -> None:
        """Refuse: PostgreSQL's own tools do it, also while it is running."""
        raise UsageError(
            f"the database is PostgreSQL, which offbook does not copy into {str(file)!r}",
            "use pg_dump with the address of the database, and pg_restore to get it back",
        )

    async def close(self) -> None:
        """Finish what runs, then close."""
        self._closed = True
        await self._idle.wait()
        await self._engine.dispose()

    async def _run(self, operation: Callable[[Connection], T], level: str, *, read_only: bool) -> T:
        self._check_open()
        self._in_use += 1
        self._idle.clear()
        try:
            with reported(self._where):
                async with self._engine.connect() as connection:
                    await connection.execution_options(
                        isolation_level=level, postgresql_readonly=read_only
                    )
                    async with connection.begin():
                        return await connection.run_sync(operation)
        finally:
            self._in_use -= 1
            if not self._in_use:
                self._idle.set()

    def _check_open(self) -> None:
        if self._closed:
            raise StoreFailed(f"The database at {self._where!r} is closed.", "open it again")


def _prepare(connection: Any, _: Any) -> None:
    """Let vectors pass in their binary form: text would be five times as slow to read."""
    connection.run_async(_use_binary_vectors)


async def _use_binary_vectors(driver: Any) -> None:
    schema = await driver.fetchval(_SCHEMA_OF_VECTOR)
    await driver.set_type_codec(
        "vector", schema=schema, encoder=bytes, decoder=bytes, format="binary"
    )


def _driver_url(url: str) -> URL:
    try:
        return make_url(url).set(drivername="postgresql+asyncpg")
    except (ArgumentError, ValueError) as error:
        raise ConfigurationError(
            "The database URL cannot be read.", "use postgresql://user:password@host/database"
        ) from error
