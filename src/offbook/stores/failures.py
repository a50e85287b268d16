"""What a database error means to a person: an error of ours whose hint says how to mend it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from sqlalchemy.exc import DBAPIError, IntegrityError, SQLAlchemyError

from offbook.errors import ConfigurationError, OffbookError, StoreFailed, UsageError

_LOCKED: Final = (
    "another process has kept it locked for too long",
    "wait for the other offbook process, or end it, and run the command again",
)
_SQLITE: Final = {
    sqlite3.SQLITE_FULL: (
        "the disk is full",
        "free some space and run the command again; what was stored before is kept",
    ),
    sqlite3.SQLITE_READONLY: (
        "it is read-only",
        "make the folder and the file writable, or set OFFBOOK_HOME to a folder that is",
    ),
    sqlite3.SQLITE_CANTOPEN: (
        "it cannot be opened",
        "see that the folder exists and is yours, or set OFFBOOK_HOME to another folder",
    ),
    sqlite3.SQLITE_BUSY: _LOCKED,
    sqlite3.SQLITE_LOCKED: _LOCKED,
    sqlite3.SQLITE_CORRUPT: (
        "it is damaged",
        "restore it from a backup, or import the characters anew from their exports",
    ),
    sqlite3.SQLITE_NOTADB: (
        "it is not an offbook database",
        "move that file away, or set OFFBOOK_HOME or OFFBOOK_DATABASE_URL to another place",
    ),
    sqlite3.SQLITE_IOERR: (
        "the disk failed to read or write",
        "see that the disk is healthy, has space and is still mounted",
    ),
}

_NO_SUCH: Final = ("no such column", "no such table", "has no column")
_OTHER_VERSION: Final = (
    "another version of offbook made it",
    "export the characters with that version and import them with this one, or make them anew in"
    " another home: set OFFBOOK_HOME to an empty folder",
)
_ELSEWHERE: Final = "see that the database answers, then run the command again"


@contextmanager
def reported(where: str) -> Iterator[None]:
    """Turn errors of the database at ``where`` into errors of ours; let all others through.

    Raises:
        StoreFailed: the database could not be read or written.
        UsageError: a text holds what no database can store.
        ConfigurationError: the server refuses the user, the password or the database's name.
    """
    try:
        yield
    except OffbookError:
        raise
    except UnicodeEncodeError as error:
        raise unstorable(str(error.object[error.start : error.end])) from error
    except (SQLAlchemyError, sqlite3.Error, OSError) as error:
        raise translated(error, where) from error


def translated(error: Exception, where: str) -> OffbookError:
    """The error of ours for ``error``."""
    if isinstance(error, IntegrityError):
        return StoreFailed(
            f"The database at {where!r} refused a change: {_reason(error)}",
            "the character or document may have been deleted meanwhile; run the command again",
        )
    cause = error.orig if isinstance(error, DBAPIError) else error
    if isinstance(cause, sqlite3.Error):
        return _of_sqlite(cause, where)
    if isinstance(cause, OSError):
        reason = cause.strerror or str(cause) or type(cause).__name__
        return StoreFailed(f"The database at {where!r} cannot be used: {reason}", _os_hint(cause))
    return _of_postgres(error, where)


def unstorable(piece: str) -> UsageError:
    """The error for a text with a character that no database can store."""
    return UsageError(
        f"A text holds {piece!r}, which cannot be stored.",
        "save the file as UTF-8 without null characters and run the command again",
    )


def _of_sqlite(error: sqlite3.Error, where: str) -> OffbookError:
    code = getattr(error, "sqlite_errorcode", None)
    known = _SQLITE.get(code & 0xFF) if code is not None else None
    if any(words in str(error) for words in _NO_SUCH):
        known = _OTHER_VERSION
    if known is None:
        return StoreFailed(f"The database at {where!r} failed: {error}", _ELSEWHERE)
    what, hint = known
    return StoreFailed(f"The database at {where!r} cannot be used: {what} ({error})", hint)


def _of_postgres(error: Exception, where: str) -> OffbookError:
    state = getattr(getattr(error, "orig", None), "sqlstate", None) or ""
    reason = _reason(error)
    if state in {"22021", "22P05"}:  # as itself, and as an escape in JSON
        return unstorable("\0")
    if isinstance(half := _first_cause(error), UnicodeEncodeError):
        return unstorable(half.object[half.start : half.end])
    if state[:2] in {"28", "3D"}:
        return ConfigurationError(
            f"The database at {where!r} refuses the connection: {reason}",
            "see that OFFBOOK_DATABASE_URL names an existing database, user and password",
        )
    if state == "53100":
        return StoreFailed(
            f"The database at {where!r} cannot be used: the disk is full",
            "free some space on the database's machine and run the command again",
        )
    if state in {"42703", "42P01"}:  # no such column, no such table
        what, hint = _OTHER_VERSION
        return StoreFailed(f"The database at {where!r} cannot be used: {what} ({reason})", hint)
    return StoreFailed(f"The database at {where!r} failed: {reason}", _ELSEWHERE)


def _first_cause(error: BaseException) -> BaseException:
    return error if error.__cause__ is None else _first_cause(error.__cause__)


def _os_hint(error: OSError) -> str:
    if isinstance(error, ConnectionError):
        return "start the database server, or correct OFFBOOK_DATABASE_URL"
    return "make the folder writable, or set OFFBOOK_HOME to a folder that is"


def _reason(error: Exception) -> str:
    """The driver's own first line, without SQLAlchemy's statement and parameters."""
    cause = error.orig if isinstance(error, DBAPIError) and error.orig is not None else error
    lines = str(cause).strip().splitlines()
    return lines[0] if lines else type(cause).__name__
