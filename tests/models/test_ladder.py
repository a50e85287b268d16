"""The rung that worked at an endpoint is looked up once and stored once."""

from __future__ import annotations

import asyncio
from typing import Any

from offbook.models.ladder import RungsInStore


class Counted:
    """A store that counts."""

    def __init__(self, store) -> None:
        self._store, self.reads, self.writes = store, 0, 0

    async def read(self, operation):
        self.reads += 1
        return await self._store.read(operation)

    async def write(self, operation):
        self.writes += 1
        return await self._store.write(operation)


async def test_many_calls_at_once_ask_and_tell_the_database_once(sqlite_store):
    store: Any = Counted(sqlite_store)
    rungs = RungsInStore(store)
    found = await asyncio.gather(*(rungs.get("http://one", "m") for _ in range(12)))
    assert found == [None] * 12
    await asyncio.gather(*(rungs.put("http://one", "m", "json_object") for _ in range(12)))
    assert await rungs.get("http://one", "m") == "json_object"
    assert (store.reads, store.writes) == (1, 1)


async def test_another_process_finds_it_and_a_lower_rung_takes_its_place(sqlite_store):
    await RungsInStore(sqlite_store).put("http://one", "m", "json_schema")
    later = RungsInStore(sqlite_store)
    assert await later.get("http://one", "m") == "json_schema"
    assert await later.get("http://two", "m") is None
    await later.put("http://one", "m", "text")
    assert await RungsInStore(sqlite_store).get("http://one", "m") == "text"
