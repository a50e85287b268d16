"""A statement is compiled once a process, whichever home and whichever connection asks it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sqlalchemy import Connection, select
from sqlalchemy.engine import default
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.util import LRUCache

from offbook.protocols import Store
from offbook.stores import sqlite_dialect
from offbook.stores.opening import open_store, sqlite_url
from offbook.stores.schema import characters
from offbook.stores.sqlite_dialect import Dialect


async def compiled_by(store: Store, monkeypatch) -> int:
    """How many statements are compiled when the characters are read, and read by the writer."""
    count = 0
    made: Any = SQLCompiler.__init__

    def counted(self: SQLCompiler, *told: Any, **named: Any) -> None:
        nonlocal count
        count += 1
        made(self, *told, **named)

    def ask(conn: Connection) -> list[str]:
        where = characters.c.name.startswith("Ada") & ~characters.c.id.startswith("x")
        return list(conn.scalars(select(characters.c.id).where(where)))

    with monkeypatch.context() as patched:
        patched.setattr(SQLCompiler, "__init__", counted)
        assert await store.read(ask) == []
        assert await store.write(ask) == []
    return count


async def test_what_one_home_asked_is_compiled_for_the_next(tmp_path: Path, monkeypatch):
    monkeypatch.setattr(sqlite_dialect, "COMPILED", LRUCache(100))
    counts = []
    for home in ("first", "second"):
        store = await open_store(sqlite_url(tmp_path / home / "offbook.db"))
        try:
            counts.append(await compiled_by(store, monkeypatch))
        finally:
            await store.close()
    assert counts == [1, 0]


def test_dialects_of_ours_are_equal_and_no_others():
    assert Dialect() == Dialect()
    assert hash(Dialect()) == hash(Dialect())
    assert Dialect() != default.DefaultDialect()
