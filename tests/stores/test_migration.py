from __future__ import annotations

import asyncio
import re
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, create_engine, text
from sqlalchemy.dialects import postgresql
from sqlalchemy.dialects.postgresql.base import ischema_names

from offbook.errors import ConfigurationError, StoreFailed
from offbook.protocols import Store
from offbook.stores import characters, migration
from offbook.stores.columns import Vector
from offbook.stores.connection import open_store, sqlite_url
from offbook.stores.schema import metadata


def scripts() -> ScriptDirectory:
    config = Config()
    config.set_main_option("script_location", str(migration.SCRIPTS))
    return ScriptDirectory.from_config(config)


async def begins(store: Store) -> list[str]:
    """The names of its characters once there is one."""
    await store.write(characters.create, "Ada")
    return [each.name for each in await store.read(characters.list_all)]


def differences(conn: Connection) -> list[object]:
    options = {"compare_type": True, "compare_server_default": True}
    found: list[object] = compare_metadata(MigrationContext.configure(conn, opts=options), metadata)
    return found


@pytest.fixture(autouse=True)
def reflected_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let SQLAlchemy know the type when it reads a schema back."""
    kind = Vector().load_dialect_impl(postgresql.dialect())
    monkeypatch.setitem(ischema_names, "vector", type(kind))


def test_the_list_of_revisions_is_that_of_the_files():
    walked = [script.revision for script in scripts().walk_revisions()]
    assert tuple(reversed(walked)) == migration.REVISIONS


def migrated(path: Path) -> None:
    """A database that only Alembic has made."""
    engine = create_engine(f"sqlite:///{path}")
    with engine.begin() as conn:
        migration.upgrade(conn)
        assert differences(conn) == []
    engine.dispose()


def definitions(path: Path) -> set[tuple[str, ...]]:
    """What SQLite has of each table and index: its lines in any order, without quotes."""
    with sqlite3.connect(path) as conn:
        found = conn.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL").fetchall()
    conn.close()
    lines = (re.split(r",?\s*\n", sql.replace('"', "")) for (sql,) in found)
    return {tuple(sorted(line.strip() for line in table)) for table in lines}


async def test_migrations_lead_to_the_schema_on_sqlite(tmp_path: Path):
    migrated(tmp_path / "migrated.db")
    store = await open_store(sqlite_url(tmp_path / "created.db"))
    await store.close()
    assert definitions(tmp_path / "migrated.db") == definitions(tmp_path / "created.db")


@pytest.mark.parametrize("how", ["migrated", "opened"])
async def test_migrations_and_opening_lead_to_the_schema_on_postgres(postgres_url: str, how: str):
    from sqlalchemy.ext.asyncio import create_async_engine

    engine = create_async_engine(postgres_url.replace("postgresql", "postgresql+asyncpg", 1))
    if how == "migrated":
        async with engine.begin() as conn:
            await conn.execute(text("CREATE EXTENSION vector"))
            await conn.run_sync(migration.upgrade)
    store = await open_store(postgres_url)
    assert await begins(store) == ["Ada"]
    await store.close()
    async with engine.connect() as conn:
        assert await conn.run_sync(differences) == []
    await engine.dispose()


LATER = """
import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

def upgrade():
    # A second run would fail: there is such a table then.
    op.create_table("runs", sa.Column("was", sa.Text))
    op.execute("INSERT INTO runs (was) SELECT name FROM characters")
"""

OPEN_LATER = """
import asyncio, sys
from pathlib import Path
from sqlalchemy import text
from offbook.stores import migration
from offbook.stores.connection import open_store
migration.SCRIPTS, migration.REVISIONS, migration.HEAD = Path(sys.argv[2]), ("0001", "0002"), "0002"
async def main():
    store = await open_store(sys.argv[1])
    rows = await store.read(lambda c: c.execute(text("SELECT was FROM runs")).scalars().all())
    print(*rows)
    await store.close()
asyncio.run(main())
"""


@pytest.mark.long
async def test_an_older_database_is_migrated_once_by_whoever_opens_it(
    database_url: str, tmp_path: Path
):
    store = await open_store(database_url)
    assert await begins(store) == ["Ada"]
    await store.close()
    later = Path(shutil.copytree(migration.SCRIPTS, tmp_path / "later"))
    (later / "versions" / "0002_runs.py").write_text(LATER)
    for output in await run_twice_at_once(OPEN_LATER, database_url, str(later)):
        assert output.split() == ["Ada"]
    with pytest.raises(ConfigurationError, match="0002"):
        await open_store(database_url)  # by the version that knows only the first


async def test_a_database_of_another_version_under_the_same_number_says_so(database_url: str):
    store = await open_store(database_url)
    await store.write(lambda conn: conn.execute(text("DROP TABLE casts")))
    for query in map(text, ("SELECT * FROM casts", "SELECT absent FROM documents")):
        with pytest.raises(StoreFailed, match="another version of offbook made it") as error:
            await store.read(Connection.execute, query)
        assert "export the characters with that version" in error.value.hint
    await store.close()


async def test_a_newer_database_is_refused(database_url: str):
    store = await open_store(database_url)
    await store.write(lambda c: c.execute(text("UPDATE alembic_version SET version_num='9999'")))
    await store.close()
    with pytest.raises(ConfigurationError, match="9999") as raised:
        await open_store(database_url)
    assert "newer offbook" in raised.value.hint


OPEN = """
import asyncio, sys
from offbook.stores.connection import open_store
from offbook.stores import characters
async def main():
    store = await open_store(sys.argv[1])
    await store.write(lambda c: characters.create(c, "Ada"))
    await store.close()
    assert "alembic" not in sys.modules
asyncio.run(main())
"""


async def run_twice_at_once(code: str, *arguments: str) -> list[str]:
    """What two processes that run the same code at once print; none may fail."""
    both = [
        await asyncio.create_subprocess_exec(
            sys.executable, "-c", code, *arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        for _ in range(2)
    ]
    printed = []
    for process in both:
        output, errors = await process.communicate()
        assert process.returncode == 0, errors.decode()
        printed.append(output.decode())
    return printed


@pytest.mark.long
async def test_two_processes_may_open_an_empty_database_at_once(database_url: str):
    await run_twice_at_once(OPEN, database_url)
    store = await open_store(database_url)
    found = await store.read(characters.list_all)
    await store.close()
    assert [character.id for character in found] == ["ada", "ada-2"]
