"""The few statements that the engines spell differently, and checks before a write.

Takes: a connection and a table.  Gives: statements that SQLAlchemy's cache compiles once.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from functools import cache
from typing import TYPE_CHECKING, Any, Final, TypeVar

from sqlalchemy import Connection, Insert, Table

from offbook.stores.failures import unstorable

if TYPE_CHECKING:
    from sqlalchemy.dialects.postgresql import Insert as PostgresInsert
    from sqlalchemy.dialects.sqlite import Insert as SqliteInsert

T = TypeVar("T")

BATCH: Final = 500
"""Ids in one ``IN`` list: below the smallest limit on parameters of any engine."""

UNPURGED: Final = 1
"""``PRAGMA user_version`` of an SQLite file that may hold remains of what was deleted."""


def upsert(conn: Connection, table: Table) -> Insert:
    """Insert into ``table``; a row with the same primary key takes the new values."""
    return _upsert(conn.dialect.name, table)


def insert_missing(conn: Connection, table: Table) -> Insert:
    """Insert into ``table``; a row that is there already stays as it is."""
    return _insert_missing(conn.dialect.name, table)


# Built once: building such a statement takes ten times as long as running it.
@cache
def _upsert(dialect: str, table: Table) -> Insert:
    statement = _insert(dialect, table)
    keys = [column.name for column in table.primary_key]
    changed = {
        column.name: statement.excluded[column.name]
        for column in table.columns
        if column.name not in keys
    }
    if not changed:
        return statement.on_conflict_do_nothing()
    return statement.on_conflict_do_update(index_elements=keys, set_=changed)


@cache
def _insert_missing(dialect: str, table: Table) -> Insert:
    return _insert(dialect, table).on_conflict_do_nothing()


def _insert(dialect: str, table: Table) -> PostgresInsert | SqliteInsert:
    """The engine's own insert, which knows ``ON CONFLICT``."""
    if dialect == "postgresql":
        from sqlalchemy.dialects import postgresql

        return postgresql.insert(table)
    from sqlalchemy.dialects import sqlite

    return sqlite.insert(table)


def upsert_plain(conn: Connection, table: Table, rows: Sequence[tuple[Any, ...]]) -> None:
    """Upsert many rows whose values the engine's driver takes as they are (text and numbers).

    Past SQLAlchemy's handling of each value, which takes longer than the database does.

    Args:
        conn: Connection of a write.
        table: None of its columns is JSON; a vector only on SQLite, and packed.
        rows: Values in the order of the table's columns.
    """
    key = conn.dialect.name, table
    if key not in _plain:
        compiled = upsert(conn, table).compile(dialect=conn.dialect)
        places = {column.name: place for place, column in enumerate(table.columns)}
        order = tuple(places[name] for name in compiled.positiontup or ())
        _plain[key] = str(compiled), order
    statement, order = _plain[key]
    conn.exec_driver_sql(statement, [tuple(row[place] for place in order) for row in rows])


_plain: Final[dict[tuple[str, Table], tuple[str, tuple[int, ...]]]] = {}
"""Engine and table -> the upsert as the driver takes it, and which column each parameter is."""


def mark_unpurged(conn: Connection) -> None:
    """Note, with the deletion itself, that ``Store.purge`` is to follow.

    Where the process ends in between, the next one that opens the file makes up for it.
    """
    if conn.dialect.name == "sqlite":
        conn.exec_driver_sql(f"PRAGMA user_version = {UNPURGED}")


def batches(values: Sequence[T], size: int = BATCH) -> Iterator[Sequence[T]]:
    """``values`` in pieces of at most ``size``."""
    for start in range(0, len(values), size):
        yield values[start : start + size]


def storable(*texts: str | None) -> None:
    """Refuse what not every engine can keep, on every engine alike.

    Raises:
        UsageError: a text holds a null character or half a surrogate pair.
    """
    for value in texts:
        if value is None:
            continue
        if "\0" in value:
            raise unstorable("\0")
        if not value.isascii():
            try:
                value.encode()
            except UnicodeEncodeError as error:
                raise unstorable(value[error.start : error.end]) from error


def to_json(value: Any) -> str:
    """The one spelling of a JSON column; NaN and infinity are refused."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def timestamp() -> str:
    """Now, as an ISO 8601 UTC time in whole seconds."""
    return datetime.now(UTC).replace(microsecond=0).isoformat()
