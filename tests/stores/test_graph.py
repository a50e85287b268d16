from __future__ import annotations

from dataclasses import replace
from functools import partial

from sqlalchemy import Connection

from offbook.protocols import Store
from offbook.stores import characters, chunks, graph, vectors
from offbook.types import Chunk, Decision, EntityGroup, RawEntity
from tests.stores import data


async def build(store: Store) -> list[Chunk]:
    await store.write(lambda c: characters.create(c, "Ada"))
    add = partial(data.add_document, character="ada", extract=True)
    return [
        *await store.write(partial(add, name="z", text="one\ntwo")),
        *await store.write(partial(add, name="a", text="three")),
    ]


def ids_of(conn: Connection) -> list[str]:
    return [entity.id for entity in graph.list_raw_entities(conn, "ada")]


async def test_entities_and_relations_come_in_reading_order(store: Store):
    made = await build(store)
    wanted = [entity for chunk in made for entity in data.entities_of(chunk)]
    assert await store.read(lambda c: graph.list_raw_entities(c, "ada")) == wanted
    found = await store.read(lambda c: graph.list_relations(c, "ada"))
    assert [relation.chunk for relation in found] == [chunk.id for chunk in made]
    assert found[0].strength == 7.5
    one = made[1].id
    assert await store.read(lambda c: graph.list_raw_entities(c, "ada", chunk=one)) == wanted[2:4]
    assert len(await store.read(lambda c: graph.list_relations(c, "ada", chunk=one))) == 1


async def test_an_entity_with_the_same_id_is_replaced(store: Store):
    (chunk, *_) = await build(store)
    again = RawEntity(f"{chunk.id}:0", chunk.id, 0, "Other", "object", "new", 1, 2)
    await store.write(lambda c: graph.put_raw_entities(c, "ada", [again]))
    found = await store.read(lambda c: graph.list_raw_entities(c, "ada", chunk=chunk.id))
    assert found[0] == again
    assert len(found) == 2


async def test_putting_nothing_changes_nothing(store: Store):
    await build(store)
    before = await store.read(lambda c: characters.revision(c, "ada"))

    def nothing(conn: Connection) -> None:
        graph.put_raw_entities(conn, "ada", [])
        graph.put_relations(conn, "ada", [])
        graph.put_groups(conn, "ada", [])
        graph.put_decisions(conn, "ada", [])
        graph.forget_chunks(conn, "ada", [])
        assert graph.remove_decisions(conn, "ada", ["none"]) == 0

    await store.write(nothing)
    assert await store.read(lambda c: characters.revision(c, "ada")) == before


async def test_a_mention_is_in_one_group_at_a_time(store: Store):
    await build(store)
    a, b, c_, *_ = await store.read(ids_of)
    await store.write(
        lambda c: graph.put_groups(c, "ada", [EntityGroup("g1", "G", "object", "", (a, b))])
    )
    await store.write(
        lambda c: graph.put_groups(c, "ada", [EntityGroup("g2", "H", "object", "d", (b, c_))])
    )
    found = await store.read(lambda c: graph.list_groups(c, "ada"))
    assert {group.id: set(group.members) for group in found} == {"g1": {a}, "g2": {b, c_}}
    await store.write(
        lambda c: graph.put_groups(c, "ada", [EntityGroup("g2", "H", "object", "d", (c_,))])
    )
    found = await store.read(lambda c: graph.list_groups(c, "ada"))
    assert {group.id: set(group.members) for group in found} == {"g1": {a}, "g2": {c_}}
    await store.write(lambda c: graph.remove_groups(c, "ada", ["g2"]))
    assert [group.id for group in await store.read(lambda c: graph.list_groups(c, "ada"))] == ["g1"]
    assert len(await store.read(ids_of)) == 6


async def test_a_group_shrinks_with_its_chunks_and_forgets_what_they_gave_it(store: Store):
    made = await build(store)
    mentions = await store.read(ids_of)
    group = EntityGroup("g", "Only the first says so", "object", "of both", (*mentions[:3],))

    def put(conn: Connection) -> None:
        graph.put_groups(conn, "ada", [group])
        vectors.put_vectors(conn, "ada", "1", "entity", ["g"], data.matrix(1))

    await store.write(put)
    await store.write(lambda c: chunks.remove(c, "ada", [made[0].id]))
    (left,) = await store.read(lambda c: graph.list_groups(c, "ada"))
    assert left == EntityGroup("g", "Name 0", "character", "", (mentions[2],))
    assert await store.read(lambda c: vectors.missing_ids(c, "ada", "1", "entity")) == ["g"]
    await store.write(lambda c: chunks.remove(c, "ada", [made[1].id]))
    assert await store.read(lambda c: graph.list_groups(c, "ada")) == []


async def test_decisions_rest_on_their_evidence_but_a_person_has_the_last_word(store: Store):
    made = await build(store)
    a, b, *_, z = await store.read(ids_of)
    decisions = [
        Decision("1", a, z, True, "same.v1", "mention", (), "t"),
        Decision("2", b, z, False, "same.v1", "evidence", (made[0].id, made[2].id), "t"),
        Decision("3", "x", z, True, "same.v1", "neither", (made[2].id,), "t"),
        Decision("4", "A", "B", True, "person", "I know", (made[0].id, made[2].id), "t"),
        Decision("5", a, z, False, "person", "on mentions that go", (), "t"),
    ]
    await store.write(lambda c: graph.put_decisions(c, "ada", decisions))
    assert await store.read(lambda c: graph.list_decisions(c, "ada")) == decisions
    await store.write(lambda c: chunks.remove(c, "ada", [made[0].id]))
    left = await store.read(lambda c: graph.list_decisions(c, "ada"))
    assert [decision.id for decision in left] == ["3", "4"]
    assert left[1] == replace(decisions[3], evidence=(made[2].id,))
    assert await store.write(lambda c: graph.remove_decisions(c, "ada", ["3", "9"])) == 1
