from __future__ import annotations

from dataclasses import replace
from functools import partial

import pytest
from sqlalchemy import Connection

from offbook.protocols import Store
from offbook.stores import characters, chunks, graph, vectors
from offbook.stores.graph import EntityGroup, GraphAnswer
from offbook.types import Chunk, Decision
from tests.stores import data


async def build(store: Store) -> list[Chunk]:
    await store.write(characters.create, "Ada")
    add = partial(data.add_document, character="ada", extract=True)
    return [
        *await store.write(add, name="z", text="one\ntwo"),
        *await store.write(add, name="a", text="three"),
    ]


def ids_of(conn: Connection) -> list[str]:
    return [entity.id for entity in graph.list_raw_entities(conn, "ada")]


async def test_entities_and_relations_come_in_reading_order(store: Store):
    made = await build(store)
    wanted = [entity for chunk in made for entity in data.entities_of(chunk)]
    assert await store.read(graph.list_raw_entities, "ada") == wanted
    found = await store.read(graph.list_relations, "ada")
    assert [relation.chunk for relation in found] == [chunk.id for chunk in made]
    assert found[0].strength == 7.5


async def test_a_mention_is_in_one_group_at_a_time(store: Store):
    await build(store)
    a, b, c_, *_ = await store.read(ids_of)
    await store.write(graph.put_groups, "ada", [EntityGroup("g1", "G", "object", "", (a, b))])
    await store.write(graph.put_groups, "ada", [EntityGroup("g2", "H", "object", "d", (b, c_))])
    found = await store.read(graph.list_groups, "ada")
    assert {group.id: set(group.members) for group in found} == {"g1": {a}, "g2": {b, c_}}
    await store.write(graph.put_groups, "ada", [EntityGroup("g2", "H", "object", "d", (c_,))])
    found = await store.read(graph.list_groups, "ada")
    assert {group.id: set(group.members) for group in found} == {"g1": {a}, "g2": {c_}}
    await store.write(graph.remove_groups, "ada", ["g2"])
    assert [group.id for group in await store.read(graph.list_groups, "ada")] == ["g1"]
    assert len(await store.read(ids_of)) == 6


async def test_a_group_shrinks_with_its_chunks_and_forgets_what_they_gave_it(store: Store):
    made = await build(store)
    mentions = await store.read(ids_of)
    group = EntityGroup("g", "Only the first says so", "object", "of both", (*mentions[:3],))

    def put(conn: Connection) -> None:
        graph.put_groups(conn, "ada", [group])
        vectors.put_vectors(conn, "ada", "1", "entity", ["g"], data.matrix(1))

    await store.write(put)
    await store.write(chunks.remove, "ada", [made[0].id])
    (left,) = await store.read(graph.list_groups, "ada")
    assert left == EntityGroup("g", "Name 0", "character", "", (mentions[2],))
    assert await store.read(vectors.missing_ids, "ada", "1", "entity") == ["g"]
    await store.write(chunks.remove, "ada", [made[1].id])
    assert await store.read(graph.list_groups, "ada") == []


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
    await store.write(graph.put_decisions, "ada", decisions)
    assert await store.read(graph.list_decisions, "ada") == decisions
    await store.write(chunks.remove, "ada", [made[0].id])
    left = await store.read(graph.list_decisions, "ada")
    assert [decision.id for decision in left] == ["3", "4"]
    assert left[1] == replace(decisions[3], evidence=(made[2].id,))
    assert await store.write(graph.remove_decisions, "ada", ["3", "9"]) == 1


MERGE = GraphAnswer("merge", "m", {"name": "Ana", "description": "A baker."}, ("c1", "c2"))
SPLIT = GraphAnswer(
    "split", "s", {"names": ["Ana", "Bo"], "parts": [[0], [1]], "reason": "two"}, ("c3",)
)


async def test_answers_come_back_and_one_to_the_same_question_is_replaced(store):
    await store.write(characters.create, "Ada")
    await store.write(graph.put_answers, "ada", [SPLIT, MERGE])
    assert await store.read(graph.list_answers, "ada") == [MERGE, SPLIT]
    other = GraphAnswer("merge", "m", {"name": "Bo", "description": "-"}, ("c1",))
    await store.write(graph.put_answers, "ada", [other])
    assert await store.read(graph.list_answers, "ada") == [other, SPLIT]


async def test_an_answer_goes_with_the_first_of_its_chunks(store):
    await store.write(characters.create, "Ada")
    await store.write(graph.put_answers, "ada", [SPLIT, MERGE])
    await store.write(graph.forget_chunks, "ada", ["c2", "c9"])
    assert await store.read(graph.list_answers, "ada") == [SPLIT]
    await store.write(graph.forget_chunks, "ada", [])
    assert await store.read(graph.list_answers, "ada") == [SPLIT]


SAME: dict[str, object] = {"reason": "so", "names": [1, 2], "sentences": [1]}
SEVERAL: dict[str, object] = {"reason": "so", "number": 1, "bearers": [[1], [2]]}


@pytest.mark.parametrize(
    ("kind", "answer", "good"),
    [
        ("merge", MERGE.answer, True),
        ("split", SPLIT.answer, True),
        ("merge", SPLIT.answer, False),
        ("split", MERGE.answer, False),
        ("other", MERGE.answer, False),
        ("merge", {"name": "Ana", "description": 7}, False),
        ("merge", {"name": "Ana"}, False),
        ("split", {"names": "AB", "parts": [[0], [1]], "reason": ""}, False),
        ("split", {"names": ["A", 1], "parts": [[0], [1]], "reason": ""}, False),
        ("split", {"names": ["A", "B"], "parts": [[0], [2]], "reason": ""}, False),
        ("split", {"names": ["A", "B"], "parts": [[0, 1], []], "reason": ""}, False),
        ("split", {"names": ["A", "B"], "parts": [[0], [True]], "reason": ""}, False),
        ("split", {"names": ["A", "B"], "parts": "01", "reason": ""}, False),
        ("split", {"names": ["A", "B"], "parts": [0, 1], "reason": ""}, False),
        ("split", {"names": ["A", "B"], "parts": [["0"], [1]], "reason": ""}, False),
        ("who_is_who", {"same": [SAME], "several": [SEVERAL]}, True),
        ("who_is_who", {"same": [], "several": []}, True),
        ("who_is_who", {"same": [SAME]}, False),
        ("who_is_who", {"same": SAME, "several": []}, False),
        ("who_is_who", {"same": [], "several": [SEVERAL | {"bearers": [1]}]}, False),
        ("who_is_who", {"same": [], "several": [SEVERAL | {"number": "1"}]}, False),
        ("who_is_who", {"same": [SAME | {"names": [True]}], "several": []}, False),
        ("who_is_who", {"same": [SAME | {"reason": 1}], "several": []}, False),
        ("who_is_who", {"same": [SAME | {"more": 1}], "several": []}, False),
    ],
)
def test_the_shape_of_an_answer_is_known(kind, answer, good):
    assert graph.is_answer(kind, answer) is good
