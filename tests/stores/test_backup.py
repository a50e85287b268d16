"""A copy of the database while it is in use, and what the database file holds by itself."""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
import stat
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import Connection

from offbook.errors import StoreFailed, UsageError
from offbook.protocols import Store
from offbook.stores import characters, sqlite
from offbook.stores.connection import open_store, sqlite_url
from tests.waiting import eventually


def names_in(file: Path) -> list[str]:
    """The characters in a database file, of which no journal is looked at."""
    with closing(sqlite3.connect(f"file:{file}?mode=ro&immutable=1", uri=True)) as conn:
        if not conn.execute("SELECT 1 FROM sqlite_master WHERE name = 'characters'").fetchone():
            return []
        return [name for (name,) in conn.execute("SELECT name FROM characters ORDER BY id")]


async def test_a_copy_made_while_others_write_is_of_one_moment_and_opens(
    sqlite_store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(sqlite, "_BACKUP_PAGES", 1)  # many writes fall into each copy
    done = False

    async def write_pairs() -> int:
        count = 0
        while not done:

            def pair(conn: Connection, number: int = count) -> None:
                characters.create(conn, f"Left {number}")
                characters.create(conn, f"Right {number}")

            await sqlite_store.write(pair)
            count += 1
        return count

    writing = asyncio.create_task(write_pairs())
    files = [tmp_path / "copies" / f"{number}.db" for number in range(3)]
    files[0].parent.mkdir()
    for file in files:
        await sqlite_store.backup(file)
    done = True
    written = await writing
    assert sorted(path.name for path in files[0].parent.iterdir()) == ["0.db", "1.db", "2.db"]
    for file in files:
        left = {name.split()[1] for name in names_in(file) if name.startswith("Left")}
        right = {name.split()[1] for name in names_in(file) if name.startswith("Right")}
        assert left == right
        assert len(left) <= written
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
    copy = await open_store(sqlite_url(files[-1]))
    await copy.write(characters.create, "Ada")
    await copy.close()
    assert "Ada" in names_in(files[-1])


async def test_a_damaged_database_takes_no_backups_place(tmp_path: Path):
    path, file = tmp_path / "x.db", tmp_path / "copy.db"
    file.write_text("an earlier backup")
    store = await open_store(sqlite_url(path))

    def fill(conn: Connection) -> None:
        for number in range(400):
            characters.create(conn, f"Ada {number}")

    await store.write(fill)
    await store.close()
    with closing(sqlite3.connect(path)) as conn:
        query = "SELECT rootpage FROM sqlite_master WHERE tbl_name = 'characters'"
        (page,) = conn.execute(query).fetchone()
        (size,) = conn.execute("PRAGMA page_size").fetchone()
    with path.open("r+b") as database:
        database.seek((page - 1) * size)
        database.write(b"\xff" * size)
    store = await open_store(sqlite_url(path))
    with pytest.raises(StoreFailed, match="damaged"):
        await store.backup(file)
    await store.close()
    assert file.read_text() == "an earlier backup"
    assert not list(tmp_path.glob("*.part"))


async def test_a_folder_that_takes_no_file_is_told(sqlite_store: Store, tmp_path: Path):
    (tmp_path / "folder.db").mkdir()
    with pytest.raises(StoreFailed, match="cannot be written"):
        await sqlite_store.backup(tmp_path / "folder.db")
    assert not list(tmp_path.glob(".*.part"))


async def test_postgres_names_its_own_tool(postgres_url: str, tmp_path: Path):
    store = await open_store(postgres_url)
    with pytest.raises(UsageError) as caught:
        await store.backup(tmp_path / "copy.db")
    await store.close()
    assert "pg_dump" in caught.value.hint
    assert caught.value.exit_code == 2


async def test_one_that_closes_leaves_nothing_in_the_journal_that_others_keep(sqlite_home: Path):
    path = sqlite_home / "shared.db"
    one, other = [await open_store(sqlite_url(path)) for _ in range(2)]
    await other.read(characters.list_all)
    await one.write(characters.create, "Ada")
    await one.close()
    # The file alone, as tools for backups copy it.
    shutil.copy(path, path.with_name("alone.db"))
    assert names_in(path.with_name("alone.db")) == ["Ada"]
    await other.close()


async def test_when_writes_have_come_to_rest_the_file_holds_all_though_another_writes(
    sqlite_store: Store, sqlite_home: Path, monkeypatch: pytest.MonkeyPatch
):
    path = sqlite_home / "offbook.db"

    def alone() -> list[str]:
        shutil.copy(path, path.with_name("alone.db"))
        return names_in(path.with_name("alone.db"))

    monkeypatch.setattr(sqlite, "REST_SECONDS", 0.01)
    with closing(sqlite3.connect(path, isolation_level=None, timeout=0)) as writer:
        for name in ("Ada", "Bo"):
            await sqlite_store.write(characters.create, name)
            writer.execute("BEGIN IMMEDIATE")  # another process is in the midst of a write
            await eventually(lambda: name in alone(), "the checkpoint")  # noqa: B023
            writer.execute("COMMIT")
