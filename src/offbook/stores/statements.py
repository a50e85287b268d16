"""Statements on the rows of one character, those that the engines spell differently, and checks."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from datetime import UTC, datetime
from functools import cache
from typing import TYPE_CHECKING, Any, Final, TypeVar

from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    Insert,
    ScalarSelect,
    Select,
    Table,
    and_,
    func,
    select,
)
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import FunctionElement

from offbook.errors import UnknownName
from offbook.stores.failures import unstorable
from offbook.stores.schema import character_sources

if TYPE_CHECKING:
    from sqlalchemy.dialects.postgresql import Insert as PostgresInsert
    from sqlalchemy.dialects.sqlite import Insert as SqliteInsert

T = TypeVar("T")

BATCH: Final = 500
"""Composite keys in one ``IN`` list: below the smallest limit on parameters of any engine."""


def source_of(character: str) -> ScalarSelect[Any]:
    """Choose the source that a character looks at."""
    c = character_sources.c
    chosen = select(c.source_id).where(c.character_id == character, c.ordinal == 0)
    return chosen.scalar_subquery()


def of(table: Table, character: str, **values: Any) -> ColumnElement[bool]:
    """Choose the rows of ``table`` that belong to a character or its source, with these values."""
    owned = []
    if "character_id" in table.c:
        owned.append(table.c.character_id == character)
    if "source_id" in table.c:
        owned.append(table.c.source_id == source_of(character))
    return and_(*owned, *(table.c[name] == value for name, value in values.items()))


def owner_of(conn: Connection, table: Table, character: str) -> dict[str, str]:
    """Return the first half of the keys of the rows in ``table`` of a character or its source.

    Raises:
        UnknownName: the character has been deleted meanwhile.
    """
    owner = {"character_id": character} if "character_id" in table.c else {}
    if "source_id" in table.c:
        source = conn.scalar(select(source_of(character)))
        if source is None:
            raise deleted(character)
        owner["source_id"] = source
    return owner


def deleted(character: str) -> UnknownName:
    """Return the error where a character has been deleted while something was written for it."""
    return UnknownName(f"There is no character {character!r}.", "it has been deleted meanwhile")


class _Texts(FunctionElement[str]):
    """The texts of a JSON list as rows: one parameter, however many there are."""

    name = "texts"
    inherit_cache = True


@compiles(_Texts)
def _texts_of_sqlite(element: _Texts, compiler: Any, **options: Any) -> str:
    texts = compiler.process(element.clauses, **options)
    return f"(SELECT value FROM json_each({texts}))"  # noqa: S608


@compiles(_Texts, "postgresql")
def _texts_of_postgres(element: _Texts, compiler: Any, **options: Any) -> str:
    texts = compiler.process(element.clauses, **options)
    return f"(SELECT json_array_elements_text(CAST({texts} AS JSON)))"


def among(column: ColumnElement[Any], texts: Collection[str]) -> ColumnElement[bool]:
    """Choose the rows whose ``column`` holds one of any number of texts."""
    return column.bool_op("IN")(_Texts(to_json(list(texts))))


def row_of(value: Any, **renamed: str) -> dict[str, Any]:
    """Turn a dataclass into a row; ``renamed`` are the columns that are called otherwise."""
    row = {renamed.get(each.name, each.name): getattr(value, each.name) for each in fields(value)}
    return {name: _plain(part) for name, part in row.items()}


def _plain(value: Any) -> Any:
    """Turn a tuple or mapping into what JSON knows."""
    if isinstance(value, tuple):
        return list(value)
    return dict(value) if isinstance(value, Mapping) else value


def columns_of(kind: type[Any], table: Table, **renamed: str) -> list[Column[Any]]:
    """Return the columns of a dataclass's fields, ``renamed`` where they are called otherwise."""
    return [table.c[renamed.get(each.name, each.name)] for each in fields(kind)]


def read_as(conn: Connection, kind: Callable[..., T], chosen: Select[Any]) -> list[T]:
    """Make a dataclass of each row: the inverse of :func:`row_of`; its lists become tuples."""
    return [
        kind(*(tuple(value) if isinstance(value, list) else value for value in row))
        for row in conn.execute(chosen)
    ]


def next_ordinal(conn: Connection, table: Table, character: str) -> int:
    """Return the number that the next row of a character or its source gets."""
    following = func.coalesce(func.max(table.c.ordinal) + 1, 0)
    return conn.scalar(select(following).where(of(table, character))) or 0


def put_rows(
    conn: Connection, table: Table, character: str, rows: Iterable[Mapping[str, Any]]
) -> None:
    """Store rows of a character; one with the same key takes the new values.

    Raises:
        UsageError: a text holds what no database can store.
    """
    new = [dict(row) for row in rows]
    if new:
        storable(new)
        owner = owner_of(conn, table, character)
        conn.execute(upsert(conn, table), [{**owner, **row} for row in new])


def upsert(conn: Connection, table: Table) -> Insert:
    """Insert into ``table``; a row with the same primary key takes the new values."""
    return _upsert(conn.dialect.name, table)


@cache  # building such a statement takes ten times as long as running it
def _upsert(dialect: str, table: Table) -> Insert:
    statement = _insert(dialect, table)
    keys = [column.name for column in table.primary_key]
    changed = {c.name: statement.excluded[c.name] for c in table.columns if c.name not in keys}
    if not changed:
        return statement.on_conflict_do_nothing()
    return statement.on_conflict_do_update(index_elements=keys, set_=changed)


def add_missing(conn: Connection, table: Table, rows: Sequence[Mapping[str, Any]]) -> None:
    """Insert rows, if any; one that is there already stays as it is."""
    if rows:
        conn.execute(_insert(conn.dialect.name, table).on_conflict_do_nothing(), rows)


def _insert(dialect: str, table: Table) -> PostgresInsert | SqliteInsert:
    """Return the engine's own insert, which knows ``ON CONFLICT``."""
    if dialect == "postgresql":
        from sqlalchemy.dialects import postgresql

        return postgresql.insert(table)
    from sqlalchemy.dialects import sqlite

    return sqlite.insert(table)


def mark_unpurged(conn: Connection) -> int:
    """Note, with the deletion itself, that ``Store.purge`` is to follow.

    Where the process ends in between, the next one that opens the file makes up for it: the file's
    ``user_version`` is positive then. Each deletion counts it on.

    Returns:
        The mark, for :func:`unmark`.
    """
    if conn.dialect.name != "sqlite":
        return 0
    mark: int = abs(conn.exec_driver_sql("PRAGMA user_version").scalar_one()) + 1
    conn.exec_driver_sql(f"PRAGMA user_version = {mark}")
    return mark


def unmark(conn: Connection, mark: int) -> None:
    """Note that a file is purged, unless something was deleted after it got ``mark``."""
    if conn.exec_driver_sql("PRAGMA user_version").scalar_one() == mark:
        conn.exec_driver_sql(f"PRAGMA user_version = {-mark}")


def batches(values: Sequence[T], size: int = BATCH) -> Iterator[Sequence[T]]:
    """Cut ``values`` into pieces of at most ``size``."""
    for start in range(0, len(values), size):
        yield values[start : start + size]


def storable(*values: Any) -> None:
    """Refuse texts that not every engine can keep, on every engine alike, at any depth.

    Raises:
        UsageError: a text holds a null character or half a surrogate pair.
    """
    for value in values:
        if isinstance(value, Mapping):
            storable(*value.values())
        elif isinstance(value, list | tuple):
            storable(*value)
        elif isinstance(value, str):
            if "\0" in value:
                raise unstorable("\0")
            try:
                value.encode()
            except UnicodeEncodeError as error:
                raise unstorable(value[error.start : error.end]) from error


def to_json(value: Any) -> str:
    """Spell a JSON column in the one way; NaN and infinity are refused."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def timestamp() -> str:
    """Return now, as an ISO 8601 UTC time in whole seconds."""
    return datetime.now(UTC).replace(microsecond=0).isoformat()
