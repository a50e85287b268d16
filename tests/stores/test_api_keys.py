from __future__ import annotations

from sqlalchemy import select

from offbook.protocols import Store
from offbook.stores import principals
from offbook.stores.principals import ApiKey
from offbook.stores.schema import principals as table

KEY = ApiKey("k1", "Ann's laptop", "digest", "write", ("ada",), 30, "2030-01-01T00:00:00+00:00")


async def test_a_key_comes_back_as_it_was_and_stays_in_the_list_when_it_is_revoked(store: Store):
    await store.write(principals.add_key, KEY)
    assert await store.read(principals.get_key, "k1") == KEY
    row = await store.read(lambda c: c.execute(select(table)).one())
    assert (row.label, row.characters) == ("Ann's laptop", ["ada"])
    assert await store.write(principals.revoke, "k1")
    assert not await store.write(principals.revoke, "k1")
    (found,) = await store.read(principals.list_keys)
    assert found.ended("2030-06-01T00:00:00+00:00") == "revoked"
    assert await store.read(principals.has_keys)
