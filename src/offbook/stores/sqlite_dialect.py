"""How SQLAlchemy speaks to SQLite here; known to it as ``offbook_sqlite``.

Takes: statements.  Gives: what they compile to, once for all homes that a process opens, and for
readers and writers alike: SQLAlchemy would compile each again for each engine, 30 ms an ingestion.
"""

from __future__ import annotations

from typing import Any, Final

from sqlalchemy.dialects import registry
from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite
from sqlalchemy.util import LRUCache

NAME: Final = "offbook_sqlite"
COMPILED: Final[LRUCache[Any, Any]] = LRUCache(1_000)
"""Compiled statements, by dialect and statement."""


class Dialect(SQLiteDialect_pysqlite):
    """SQLite as the standard library drives it; all of these are equal, and so compile alike."""

    supports_statement_cache = True

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other)

    def __hash__(self) -> int:
        return hash(type(self))


registry.register(NAME, __name__, Dialect.__name__)
