from __future__ import annotations

from dataclasses import replace

from offbook.protocols import Store
from offbook.stores import principals
from offbook.stores.principals import Principal


async def test_a_principal_is_stored_once_and_comes_back_as_it_was(store: Store):
    given = Principal("k1", "Ann's key", "hash", ("ada",))
    assert await store.write(lambda c: principals.add(c, given))
    assert not await store.write(lambda c: principals.add(c, Principal("k1", "other")))
    found = await store.read(lambda c: principals.get(c, "k1"))
    assert found is not None
    assert found.created
    assert found == replace(given, created=found.created)


async def test_principals_are_listed_and_removed(store: Store):
    for name in "ba":
        await store.write(lambda c, n=name: principals.add(c, Principal(n)))  # type: ignore[misc]
    found = await store.read(principals.list_all)
    assert [(one.id, one.characters) for one in found] == [("a", None), ("b", None)]
    assert await store.write(lambda c: principals.remove(c, "a"))
    assert not await store.write(lambda c: principals.remove(c, "a"))
    assert await store.read(lambda c: principals.get(c, "a")) is None


async def test_the_people_of_a_key_go_with_it(store: Store):
    names = ("k1", "k1/ann", "k1/a%/b", "k10", "k10/ann", "kX1/ann")
    for name in names:
        await store.write(lambda c, n=name: principals.add(c, Principal(n)))  # type: ignore[misc]
    assert await store.write(lambda c: principals.remove(c, "k1/a%")) is False
    assert await store.write(lambda c: principals.remove(c, "k1"))
    left = await store.read(principals.list_all)
    assert [one.id for one in left] == ["k10", "k10/ann", "kX1/ann"]
