from __future__ import annotations

import sys
from types import SimpleNamespace

import pytest
from sqlalchemy import Connection, text

from offbook.errors import ConfigurationError, StoreFailed
from offbook.extras import install_command
from offbook.stores import postgres
from offbook.stores.connection import open_store


@pytest.mark.parametrize("package", ["asyncpg", "greenlet"])
async def test_a_missing_extra_is_named(package: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ConfigurationError) as raised:
        await open_store("postgresql://user@127.0.0.1/x")
    assert raised.value.hint == install_command("postgres")


@pytest.mark.parametrize(
    "url",
    ["postgresql://user:hunter2@127.0.0.1:1/x", "postgresql://user@127.0.0.1:1/x?password=hunter2"],
)
async def test_a_server_that_does_not_answer_is_reported_without_the_password(url: str):
    with pytest.raises(StoreFailed) as raised:
        await open_store(url)
    assert "127.0.0.1:1" in raised.value.message
    assert "hunter2" not in raised.value.message + raised.value.hint
    assert raised.value.hint


async def test_a_database_that_does_not_exist_is_a_matter_of_configuration(postgres_server: str):
    with pytest.raises(ConfigurationError, match="nowhere") as raised:
        await open_store(postgres_server.format(database="nowhere"))
    assert "OFFBOOK_DATABASE_URL" in raised.value.hint


async def test_a_url_that_cannot_be_read_is_refused():
    with pytest.raises(ConfigurationError):
        await open_store("postgresql://user@host:port/x")


async def test_other_spellings_of_the_url_are_understood(postgres_url: str):
    for scheme in ("postgres", "postgresql+asyncpg"):
        store = await open_store(postgres_url.replace("postgresql", scheme, 1))
        assert isinstance(store, postgres.PostgresStore)
        await store.close()


async def test_writers_that_collide_for_ever_are_reported(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch
):
    store = await open_store(postgres_url)
    passed = iter([0.0, 1.0, postgres.COLLISION_SECONDS - 1, postgres.COLLISION_SECONDS + 1])
    monkeypatch.setattr(postgres, "time", SimpleNamespace(monotonic=lambda: next(passed)))
    refuse = text("DO $$ BEGIN RAISE EXCEPTION 'collision' USING ERRCODE = '40001'; END $$")
    tried: list[int] = []

    def collide(conn: Connection) -> None:
        tried.append(1)
        conn.execute(refuse)

    with pytest.raises(StoreFailed, match="collision"):
        await store.write(collide)
    assert len(tried) == 3
    await store.close()


async def test_a_full_disk_on_the_server_is_reported(postgres_url: str):
    store = await open_store(postgres_url)
    full = text("DO $$ BEGIN RAISE EXCEPTION 'full' USING ERRCODE = '53100'; END $$")
    with pytest.raises(StoreFailed, match="disk is full"):
        await store.write(lambda c: c.execute(full))
    await store.close()
