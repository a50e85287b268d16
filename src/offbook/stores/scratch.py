"""A store in memory with a copy of one character's knowledge, to try what would become of it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from sqlalchemy import ColumnElement, Connection, Table, select

from offbook.stores import characters, jobs, migration, schema
from offbook.stores.export import KNOWLEDGE
from offbook.stores.sqlite import SqliteStore
from offbook.stores.statements import of, source_of

if TYPE_CHECKING:
    from offbook.protocols import Store
    from offbook.types import Character

T = TypeVar("T")

_VECTORS = [table for kind, table in schema.vectors.items() if kind != "memory"]
_TABLES = (
    schema.characters,
    schema.sources,
    schema.character_sources,
    *KNOWLEDGE,
    schema.jobs,
    *_VECTORS,
)


class ScratchStore(SqliteStore):
    """An SQLite database in memory: one thread reads and writes it, and no file is made."""

    def __init__(self) -> None:
        super().__init__(Path(":memory:"))
        self._reading = self._writing

    async def purge(self) -> None:
        """Do nothing: all of it goes when the store is closed."""

    def _open(self) -> None:
        self._connection = self._writer.connect()
        migration.bring_up_to_date(self._connection, str(self.path))

    def _read(self, operation: Callable[..., T], *args: Any, **kwargs: Any) -> T:
        return self._write(operation, *args, **kwargs)


@asynccontextmanager
async def scratch_copy(store: Store, character: Character) -> AsyncIterator[tuple[Store, str]]:
    """Copy what a character knows, without conversations and memories.

    Args:
        store: Where it is; nothing in it changes.
        character: Who; one that is not stored yet is made in the copy.

    Yields:
        The copy, and the character's id in it.
    """
    scratch = await ScratchStore().open()
    try:
        rows = await store.read(lambda conn: _rows(conn, character.id))
        yield scratch, await scratch.write(lambda conn: _put(conn, character, rows))
    finally:
        await scratch.close()


def _rows(conn: Connection, character: str) -> list[list[dict[str, Any]]]:
    """Return the rows of each table."""
    return [
        [dict(row) for row in conn.execute(select(table).where(_of(table, character))).mappings()]
        for table in _TABLES
    ]


def _of(table: Table, character: str) -> ColumnElement[bool]:
    if table is schema.characters:
        return table.c.id == character
    if table is schema.sources:
        return table.c.id == source_of(character)
    return jobs.of(character) if table is schema.jobs else of(table, character)


def _put(conn: Connection, character: Character, rows: list[list[dict[str, Any]]]) -> str:
    if not rows[0]:
        return characters.create(conn, character.name).id
    for table, new in zip(_TABLES, rows, strict=True):
        if new:
            conn.execute(table.insert(), new)
    return character.id
