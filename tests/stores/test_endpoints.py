from __future__ import annotations

from offbook.protocols import Store
from offbook.stores import endpoints


async def test_the_rung_that_worked_last_is_remembered_for_endpoint_and_model(store: Store):
    await store.write(lambda c: endpoints.put_rung(c, "http://x", "m", "json_schema"))
    await store.write(lambda c: endpoints.put_rung(c, "http://x", "m", "text"))
    assert await store.read(lambda c: endpoints.get_rung(c, "http://x", "m")) == "text"
    assert await store.read(lambda c: endpoints.get_rung(c, "http://x", "other")) is None
