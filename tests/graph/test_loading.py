"""How large a graph is, without its texts."""

from __future__ import annotations

from offbook.graph.loading import graph_size
from tests.graph.world import GraphWorld

TOLD = """Ana Bell met Bo. Ana greeted Cora.

Bo is Sparrow. Sparrow fears Cora. Bo met Ana Bell.
"""


async def test_the_size_is_that_of_the_graph_names_that_persons_gave_included(sqlite_store):
    world = await GraphWorld(sqlite_store).create()
    await world.put("a.md", TOLD)
    await world.say("Ana Bell", "the Captain", same=True)
    found = await world.graph()
    assert found.relations
    assert any("the Captain" in entity.aliases for entity in found.entities)
    aliases = sum(len(entity.aliases) for entity in found.entities)
    size = await sqlite_store.read(lambda conn: graph_size(conn, world.character))
    assert size == (len(found.entities), len(found.relations), aliases)


async def test_where_nothing_is_indexed_there_is_nothing(sqlite_store):
    world = await GraphWorld(sqlite_store).create()
    size = await sqlite_store.read(lambda conn: graph_size(conn, world.character))
    assert size == (0, 0, 0)
