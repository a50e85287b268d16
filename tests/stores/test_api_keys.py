from __future__ import annotations

from dataclasses import replace

import pytest

from offbook.protocols import Store
from offbook.stores import api_keys, principals
from offbook.stores.api_keys import ApiKey

KEY = ApiKey("k1", "Ann's laptop", "digest", "write", ("ada",), 30, "2030-01-01T00:00:00+00:00")


async def test_a_key_comes_back_as_it_was_and_its_principal_with_it(store: Store):
    await store.write(lambda c: api_keys.add(c, KEY))
    assert await store.read(lambda c: api_keys.get(c, "k1")) == KEY
    principal = await store.read(lambda c: principals.get(c, "k1"))
    assert principal is not None
    assert (principal.label, principal.characters) == ("Ann's laptop", ("ada",))


async def test_a_principal_without_a_key_is_no_key(store: Store):
    await store.write(lambda c: principals.add(c, principals.Principal("owner")))
    assert await store.read(lambda c: api_keys.get(c, "owner")) is None
    assert await store.read(api_keys.list_all) == []
    assert not await store.read(api_keys.exist)
    assert not await store.write(lambda c: api_keys.revoke(c, "owner"))


async def test_a_revoked_key_stays_in_the_list(store: Store):
    await store.write(lambda c: api_keys.add(c, KEY))
    assert await store.write(lambda c: api_keys.revoke(c, "k1"))
    assert not await store.write(lambda c: api_keys.revoke(c, "k1"))
    (found,) = await store.read(api_keys.list_all)
    assert found.ended("2030-06-01T00:00:00+00:00") == "revoked"
    assert await store.read(api_keys.exist)


@pytest.mark.parametrize(
    ("held", "wanted", "allowed"),
    [
        ("chat", "chat", True),
        ("chat", "write", False),
        ("write", "chat", True),
        ("write", "admin", False),
        ("admin", "write", True),
    ],
)
def test_a_right_holds_the_lesser_ones(held, wanted, allowed):
    assert replace(KEY, right=held).allows(wanted) is allowed


def test_a_key_ends_at_its_time_and_not_before():
    key = replace(KEY, expires="2030-06-01T00:00:00+00:00")
    assert key.ended("2030-05-31T23:59:59+00:00") is None
    assert key.ended("2030-06-01T00:00:00+00:00") == "expired"
