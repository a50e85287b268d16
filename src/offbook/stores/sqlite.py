"""The embedded store: an SQLite file that one thread writes and a few read."""

from __future__ import annotations

import asyncio
import os
import secrets
import sqlite3
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from typing import Any, Concatenate, Final, ParamSpec, TypeVar, cast

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.pool import QueuePool

from offbook.errors import StoreFailed
from offbook.stores import migration
from offbook.stores.failures import reported
from offbook.stores.statements import mark_unpurged, to_json, unmark

T = TypeVar("T")
P = ParamSpec("P")

READERS: Final = 4
BUSY_TIMEOUT_SECONDS: Final = 15.0

REST_SECONDS: Final = 1.0
"""After so long without a write the journal's content goes into the file: longer than the pauses
between the writes of one turn, shorter than anybody takes to copy the file after it."""
_CHECKPOINT_TRIES: Final = 10
"""Another process's checkpoint at rest holds the journal for a moment."""
_CHECKPOINT_PAUSE_SECONDS: Final = 0.05
_BACKUP_PAGES: Final = 4_096
"""Pages (16 MB) that are copied before a backup looks whether it is still wanted."""


class SqliteStore:
    """A store in one file, with its journal beside it.

    A finished write survives a killed process at once; after a power cut the last writes may be
    missing, but none is there in part (WAL with ``synchronous = NORMAL``).

    Args:
        path: The database file; its folder is made when it is missing.
        busy_timeout_seconds: How long to wait for another process that writes.
    """

    def __init__(self, path: Path, busy_timeout_seconds: float = BUSY_TIMEOUT_SECONDS) -> None:
        self.path = path
        self._timeout = busy_timeout_seconds
        self._writing = ThreadPoolExecutor(1, thread_name_prefix="offbook-write")
        self._reading = ThreadPoolExecutor(READERS, thread_name_prefix="offbook-read")
        self._writer = self._engine("BEGIN IMMEDIATE", pool_size=1)
        self._readers = self._engine("BEGIN", pool_size=READERS)
        self._connection: Connection | None = None
        self._resting: asyncio.TimerHandle | None = None
        self._closed = False

    async def open(self) -> SqliteStore:
        """Make the file where it is missing, and bring its schema up to date.

        Raises:
            StoreFailed: it cannot be opened or written.
            ConfigurationError: a newer version of offbook has written it.
        """
        try:
            await self._in(self._writing, self._open)
        except BaseException:
            await self.close()
            raise
        return self

    async def read(
        self, operation: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Run ``operation`` on a consistent snapshot; it cannot write."""
        return await self._in(self._reading, self._read, operation, *args, **kwargs)

    async def write(
        self, operation: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Run ``operation`` in one transaction; all of it is stored when this returns.

        A waiter that is cancelled before its turn withdraws its operation; one that runs already
        is finished, so that nothing is half done.

        Raises:
            StoreFailed: the disk is full, the home is read-only, the database is locked for long.
        """
        try:
            return await self._in(self._writing, self._write, operation, *args, **kwargs)
        finally:
            self._wait_for_rest()

    async def purge(self) -> None:
        """Remove the remains of what was deleted from the file and its journal.

        One that did not come about, or was interrupted, is made up for at the next opening.

        Raises:
            StoreFailed: another process still reads what was deleted, or the disk is full.
        """
        await self._in(self._writing, self._purge)

    async def backup(self, file: Path) -> None:
        """Copy the database into ``file`` as it is at one moment; writers go on meanwhile.

        The copy is checked before it takes its name. It holds what was deleted no more than this
        database does, and only its owner can read it.

        Raises:
            StoreFailed: the file cannot be written, or the copy is damaged.
        """
        unwanted = threading.Event()
        try:
            await self._in(self._reading, self._backup, file, unwanted)
        finally:
            unwanted.set()

    async def close(self) -> None:
        """Finish what is queued, then close."""
        self._closed = True
        if self._resting is not None:
            self._resting.cancel()
        await asyncio.to_thread(self._close)

    async def _in(
        self, pool: ThreadPoolExecutor, work: Callable[..., T], *args: Any, **kwargs: Any
    ) -> T:
        if self._closed:
            raise StoreFailed(f"The database at {str(self.path)!r} is closed.", "open it again")
        run = partial(work, *args, **kwargs)
        return await asyncio.get_running_loop().run_in_executor(pool, run)

    def _engine(self, begin: str, *, pool_size: int) -> Engine:
        engine = create_engine(
            "sqlite://",
            creator=lambda: self._connect(read_only=begin == "BEGIN"),
            poolclass=QueuePool,
            pool_size=pool_size,
            max_overflow=0,
            json_serializer=to_json,
        )

        @event.listens_for(engine, "begin")
        def start(connection: Connection) -> None:
            connection.exec_driver_sql(begin)

        return engine

    def _connect(self, *, read_only: bool) -> sqlite3.Connection:
        """A connection in driver-level autocommit: transactions begin where we say so."""
        made = sqlite3.connect(
            self.path, timeout=self._timeout, isolation_level=None, check_same_thread=False
        )
        # Closed at once: SQLite refuses to define a function, as SQLAlchemy does next, while a
        # statement whose answer was not read is about, as long as anything holds its cursor.
        with closing(made.cursor()) as cursor:
            cursor.execute("PRAGMA foreign_keys = ON")
            cursor.execute("PRAGMA secure_delete = ON")
            cursor.execute("PRAGMA synchronous = NORMAL")
            if read_only:
                cursor.execute("PRAGMA query_only = ON")
        return made

    def _open(self) -> None:
        with reported(str(self.path)):
            _make_private(self.path)
            self._connection = self._writer.connect()
            self._use_journal()
            with self._readers.connect() as reader:
                # Only a look: a question need not wait for another process that writes.
                current = migration.stored_revision(reader) == migration.HEAD
            if not current:
                migration.bring_up_to_date(self._connection, str(self.path))
            (state,) = self._raw().execute("PRAGMA user_version").fetchone()
        if state > 0:
            self._make_up_for_a_purge()

    def _make_up_for_a_purge(self) -> None:
        """Purge without waiting for others; where they are in the way, a later opening will do."""
        raw = self._raw()
        raw.execute("PRAGMA busy_timeout = 0")
        with suppress(StoreFailed):
            self._purge()
        raw.execute(f"PRAGMA busy_timeout = {round(self._timeout * 1000)}")

    def _use_journal(self) -> None:
        """Switch to WAL; SQLite does not wait by itself where another process does the same."""
        deadline = time.monotonic() + self._timeout
        raw = self._raw()
        while True:
            try:
                (mode,) = raw.execute("PRAGMA journal_mode = WAL").fetchone()
            except sqlite3.OperationalError as error:
                busy = error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY
                if not busy or time.monotonic() > deadline:
                    raise
                time.sleep(0.02)
            else:
                break
        if mode != "wal":
            raise StoreFailed(
                f"The database at {str(self.path)!r} cannot keep a journal (mode {mode!r}).",
                "set OFFBOOK_HOME to a folder on a local disk",
            )

    def _read(self, operation: Callable[..., T], *args: Any, **kwargs: Any) -> T:
        with reported(str(self.path)), self._readers.connect() as connection, connection.begin():
            return operation(connection, *args, **kwargs)

    def _write(self, operation: Callable[..., T], *args: Any, **kwargs: Any) -> T:
        with reported(str(self.path)):
            if self._connection is None or self._connection.invalidated:
                self._connection = self._writer.connect()
            with self._connection.begin():
                return operation(self._connection, *args, **kwargs)

    def _backup(self, file: Path, unwanted: threading.Event) -> None:
        part = file.with_name(f".{file.name[:100]}.{secrets.token_hex(6)}.part")

        def go_on(*_: int) -> None:
            if unwanted.is_set():
                raise StoreFailed(f"The backup {str(file)!r} was given up.", "nothing was written")

        try:
            with reported(str(file)):
                _make_private(part)
                with (
                    closing(self._connect(read_only=True)) as source,
                    closing(sqlite3.connect(part, isolation_level=None)) as copy,
                ):
                    # One snapshot throughout: without it each write begins the copy anew.
                    source.execute("BEGIN")
                    source.execute("SELECT count(*) FROM sqlite_master").fetchone()
                    source.backup(copy, pages=_BACKUP_PAGES, progress=go_on)
                    copy.execute("PRAGMA journal_mode = DELETE")  # all of it is in this one file
                    copy.set_progress_handler(unwanted.is_set, 100_000)
                    (verdict,) = copy.execute("PRAGMA integrity_check(1)").fetchone()
            if verdict != "ok":
                raise StoreFailed(
                    f"The database at {str(self.path)!r} is damaged: {verdict}",
                    "keep earlier backups, and export the characters one by one",
                )
            part.replace(file)
        except OSError as error:
            raise StoreFailed(
                f"{str(file)!r} cannot be written: {error.strerror}",
                "name a file in a folder that you may write to and that has room",
            ) from error
        finally:
            part.unlink(missing_ok=True)

    def _wait_for_rest(self) -> None:
        """Let a checkpoint follow the last write: a copy of the file alone then holds all."""
        if self._resting is not None:
            self._resting.cancel()
        if not self._closed:
            loop = asyncio.get_running_loop()
            self._resting = loop.call_later(REST_SECONDS, self._reading.submit, self._checkpoint)

    def _checkpoint(self) -> None:
        """Bring the journal's content into the file; nobody who reads or writes has to wait."""
        with suppress(sqlite3.Error), closing(self._connect(read_only=True)) as connection:
            connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()

    def _purge(self) -> None:
        mark = self._write(mark_unpurged)
        with reported(str(self.path)):
            raw = self._raw()
            # secure_delete overwrites what is deleted, but not the copies that splitting and
            # merging pages leave in their unused middle: only a rewritten file is free of them.
            raw.execute("VACUUM")
            for _ in range(_CHECKPOINT_TRIES):
                (busy, _, _) = raw.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
                if not busy:
                    break
                time.sleep(_CHECKPOINT_PAUSE_SECONDS)
        if busy:
            raise StoreFailed(
                f"The journal of {str(self.path)!r} still holds what was deleted: another"
                " process is reading it.",
                "end the other offbook processes; the last one to close empties the journal",
            )
        self._write(lambda conn: unmark(conn, mark))

    def _raw(self) -> sqlite3.Connection:
        """The writer's connection as the driver knows it."""
        if self._connection is None:
            self._connection = self._writer.connect()
        raw: Any = self._connection.connection.driver_connection
        return cast("sqlite3.Connection", raw)

    def _close(self) -> None:
        self._writing.shutdown(wait=True)
        self._reading.shutdown(wait=True)
        if self._connection is not None:
            self._checkpoint()  # the last to close does so by itself, but others may be there
            self._connection.close()
            self._connection = None
        self._readers.dispose()
        self._writer.dispose()


def _make_private(path: Path) -> None:
    """Make folder and file, readable by their owner only; the journal inherits the file's mode."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not path.exists():
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
