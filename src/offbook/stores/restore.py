"""Puts a backup in the place of the embedded database, whole and checked, or not at all.

Takes: a file that ``backup`` wrote, the database's own file.  Gives: the number of characters in
it. The database that was there may be damaged; it goes.
"""

from __future__ import annotations

import secrets
import sqlite3
from contextlib import closing, suppress
from pathlib import Path
from typing import Final

from offbook.errors import StoreFailed, UsageError
from offbook.stores.failures import reported
from offbook.stores.migration import REVISIONS

_BUSY_SECONDS: Final = 2.0
"""A command that ends just now is waited for; a server is not."""


def restore(file: Path, database: Path) -> int:
    """Replace the database by a backup.

    Args:
        file: The backup; it stays as it is.
        database: The database's file. Its folder is made where it is missing.

    Raises:
        UsageError: the file is missing or no backup of offbook's, or the database is in use.
        StoreFailed: the backup is damaged or by a newer version, or the disk is full.
    """
    if not file.is_file():
        raise UsageError(f"there is no file {str(file)!r}", "check the path")
    if database.exists() and database.samefile(file):
        raise UsageError(f"{str(file)!r} is the database itself", "name a backup of it")
    part = database.with_name(f".{database.name}.{secrets.token_hex(6)}.part")
    try:
        with reported(str(database)):
            database.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            part.touch(mode=0o600)
            characters = _copy(file, part)
            _require_unused(database)
            for end in ("-wal", "-shm"):
                # Its writes belong to the database that goes: they would be played into this one.
                database.with_name(f"{database.name}{end}").unlink(missing_ok=True)
            part.replace(database)
    finally:
        part.unlink(missing_ok=True)
    return characters


def _copy(file: Path, part: Path) -> int:
    """Copy a backup, and check the copy."""
    broken = UsageError(
        f"{str(file)!r} is no backup of offbook's", "name a file that `offbook backup` wrote"
    )
    with (
        closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)) as source,
        closing(sqlite3.connect(part)) as copy,
    ):
        try:
            (revision,) = source.execute("SELECT version_num FROM alembic_version").fetchone()
            (characters,) = source.execute("SELECT count(*) FROM characters").fetchone()
        except (sqlite3.DatabaseError, TypeError) as error:
            raise broken from error
        if revision not in REVISIONS:
            raise StoreFailed(
                f"{str(file)!r} has schema {revision!r}, which this offbook does not know",
                "install the version of offbook that wrote it",
            )
        source.backup(copy)
        (verdict,) = copy.execute("PRAGMA integrity_check(1)").fetchone()
    if verdict != "ok":
        raise StoreFailed(f"{str(file)!r} is damaged: {verdict}", "restore an earlier backup")
    return int(characters)


def _require_unused(database: Path) -> None:
    """Refuse where another process has the database open; what is damaged nobody can use.

    In exclusive mode SQLite opens a database with a journal (WAL) only where nobody else has it.
    """
    if not database.exists():
        return
    with closing(sqlite3.connect(database, timeout=_BUSY_SECONDS)) as alone:
        try:
            alone.execute("PRAGMA locking_mode = EXCLUSIVE")
            alone.execute("BEGIN EXCLUSIVE")
            alone.execute("ROLLBACK")
        except sqlite3.OperationalError as error:
            if "locked" not in str(error):
                return
            raise UsageError(
                f"{str(database)!r} is in use",
                "stop the server and the other commands that use this home, then restore again",
            ) from error
        except sqlite3.DatabaseError:
            return
        with suppress(sqlite3.Error):
            alone.execute("PRAGMA wal_checkpoint(TRUNCATE)")
