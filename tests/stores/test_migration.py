from __future__ import annotations

import asyncio
import re
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.operations import Operations
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, create_engine, event, text
from sqlalchemy.dialects import postgresql
from sqlalchemy.dialects.postgresql.base import ischema_names

from offbook.errors import ConfigurationError
from offbook.protocols import Store
from offbook.stores import characters, ingestions, migration, migrations
from offbook.stores.leases import Owner
from offbook.stores.opening import open_store, sqlite_url
from offbook.stores.schema import metadata
from offbook.stores.vector_type import Vector


def scripts() -> ScriptDirectory:
    config = Config()
    config.set_main_option("script_location", str(Path(migrations.__file__).parent))
    return ScriptDirectory.from_config(config)


async def begins(store: Store) -> list[str]:
    """The names of its characters once there is one."""
    await store.write(lambda c: characters.create(c, "Ada"))
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
    assert tuple(reversed(walked)) == migrations.REVISIONS


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


def test_what_is_queued_outlives_the_way_back_and_forth(tmp_path: Path):
    migrated(tmp_path / "x.db")
    engine = create_engine(f"sqlite:///{tmp_path / 'x.db'}")
    asked = {"documents": [{"name": "a", "text": "b"}]}
    with engine.begin() as conn:
        characters.create(conn, "Ada")
        ingestions.add(conn, "ada", "i1", asked)
        operations = Operations(MigrationContext.configure(conn))
        revision = scripts().get_revision("0010").module
        with Operations.context(operations.migration_context):
            revision.downgrade()
            revision.upgrade()
        assert differences(conn) == []
        taken = ingestions.take(conn, Owner("one"))
    engine.dispose()
    assert taken is not None
    assert (taken.request, taken.known, taken.usage) == (asked, {}, {})


async def test_a_migrated_database_opens_and_works(tmp_path: Path):
    migrated(tmp_path / "x.db")
    store = await open_store(sqlite_url(tmp_path / "x.db"))
    assert await begins(store) == ["Ada"]
    await store.close()


async def test_migrations_lead_to_the_schema_on_postgres(postgres_url: str):
    from sqlalchemy.ext.asyncio import create_async_engine

    engine = create_async_engine(postgres_url.replace("postgresql", "postgresql+asyncpg", 1))
    async with engine.begin() as conn:
        await conn.execute(text("CREATE EXTENSION vector"))
        await conn.run_sync(migration.upgrade)
    async with engine.connect() as conn:
        assert await conn.run_sync(differences) == []
    async with engine.connect() as conn:
        assert await conn.run_sync(migration.stored_revision) == migrations.HEAD
    await engine.dispose()
    store = await open_store(postgres_url)
    assert await begins(store) == ["Ada"]
    await store.close()


async def test_what_opening_creates_is_the_schema_on_postgres(postgres_url: str):
    from sqlalchemy.ext.asyncio import create_async_engine

    await (await open_store(postgres_url)).close()
    engine = create_async_engine(postgres_url.replace("postgresql", "postgresql+asyncpg", 1))
    async with engine.connect() as conn:
        assert await conn.run_sync(differences) == []
    await engine.dispose()


async def test_an_older_database_is_migrated_when_it_is_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    store = await open_store(sqlite_url(tmp_path / "x.db"))
    assert await begins(store) == ["Ada"]
    await store.close()
    with sqlite3.connect(tmp_path / "x.db") as conn:
        conn.execute("UPDATE alembic_version SET version_num = '0000'")
    conn.close()
    called: list[str] = []
    monkeypatch.setattr(migration, "REVISIONS", ("0000", *migrations.REVISIONS))
    monkeypatch.setattr(migration, "upgrade", lambda conn: called.append("upgrade"))
    store = await open_store(sqlite_url(tmp_path / "x.db"))
    await store.close()
    assert called == ["upgrade"]


async def test_a_newer_database_is_refused(database_url: str):
    store = await open_store(database_url)
    await store.write(lambda c: c.execute(text("UPDATE alembic_version SET version_num='9999'")))
    await store.close()
    with pytest.raises(ConfigurationError, match="9999") as raised:
        await open_store(database_url)
    assert "upgrade" in raised.value.hint


OPEN = """
import asyncio, sys
from offbook.stores.opening import open_store
from offbook.stores import characters
async def main():
    store = await open_store(sys.argv[1])
    await store.write(lambda c: characters.create(c, "Ada"))
    await store.close()
    assert "alembic" not in sys.modules
asyncio.run(main())
"""


async def test_two_processes_may_open_an_empty_database_at_once(database_url: str):
    both = [
        await asyncio.create_subprocess_exec(
            sys.executable, "-c", OPEN, database_url, stderr=subprocess.PIPE
        )
        for _ in range(2)
    ]
    for process in both:
        _, errors = await process.communicate()
        assert process.returncode == 0, errors.decode()
    store = await open_store(database_url)
    found = await store.read(characters.list_all)
    await store.close()
    assert [character.id for character in found] == ["ada", "ada-2"]


def test_an_up_to_date_database_costs_one_query():
    engine = create_engine("sqlite://")
    seen: list[str] = []
    with engine.connect() as conn:
        migration.bring_up_to_date(conn, "x")

        @event.listens_for(engine, "before_cursor_execute")
        def note(*args: str) -> None:
            seen.append(args[2])

        migration.bring_up_to_date(conn, "x")
    engine.dispose()
    assert len(seen) <= 2
