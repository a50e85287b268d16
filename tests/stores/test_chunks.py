from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import Connection

from offbook.protocols import Store
from offbook.stores import characters, chunks, documents, graph, jobs, vectors
from offbook.stores.chunks import ChunkJudgement, StoredAttribute
from offbook.types import Chunk
from tests.sizes import examples
from tests.stores import data


async def ada(store: Store) -> str:
    return (await store.write(characters.create, "Ada")).id


def put(conn: Connection, character: str, text: str) -> chunks.ChunkChanges:
    doc = data.document("d", text)
    documents.put(conn, character, doc)
    return chunks.replace_chunks(conn, character, "d", "acts", {"n": 1}, data.split(doc))


async def test_chunks_come_back_in_reading_order(store: Store):
    character = await ada(store)
    for name in ("z.md", "a.md"):
        await store.write(data.add_document, character=character, name=name, text="one\ntwo\nthree")
    found = await store.read(chunks.list_chunks, character, chunking="acts")
    assert [(chunk.document, chunk.text) for chunk in found] == [
        (name, text) for name in ("z.md", "a.md") for text in ("one", "two", "three")
    ]
    assert found[0].headings == ("Life",)
    some = [found[4].id, "gone", found[0].id, found[4].id]
    got = await store.read(chunks.get_chunks, character, some)
    assert got == [found[4], found[0], found[4]]
    only = await store.read(chunks.list_chunks, character, document="a.md")
    assert only == found[3:]
    assert await store.read(chunks.list_chunks, character, chunking="other") == []
    assert await store.read(chunks.count, character, "acts") == 6
    assert await store.read(chunks.list_chunkings, character) == {"acts": ("a.md", "z.md")}
    assert await store.read(chunks.get_parameters, character, "acts") == {
        "a.md": {"l_max": 40},
        "z.md": {"l_max": 40},
    }


async def test_an_edit_touches_only_what_it_changes(store: Store):
    character = await ada(store)
    made = await store.write(
        data.add_document, character=character, name="d", text="one\ntwo\nthree", extract=True
    )
    await store.write(chunks.set_terms, character, "a", {chunk.id: b"t" for chunk in made})
    changes = await store.write(put, character, "a new line\none\nthree")
    one, two, three = (chunk.id for chunk in made)
    assert changes.kept == (one, three)
    assert changes.removed == (two,)
    assert len(changes.added) == 1
    ids, _ = await store.read(vectors.load_matrix, character, "chunk")
    assert set(ids) == {one, three}
    entities = await store.read(graph.list_raw_entities, character)
    assert {entity.chunk for entity in entities} == {one, three}
    terms = await store.read(chunks.list_terms, character, "acts")
    assert [(row.chunk, row.analyzer, row.terms) for row in terms] == [
        (one, "a", b"t"),
        (three, "a", b"t"),
    ]
    done = await store.read(jobs.list_jobs, character, statuses=["done"])
    assert {job.subject for job in done} == {one, three}
    text = "a new line\none\nthree"
    found = await store.read(chunks.list_chunks, character)
    assert [text[chunk.start : chunk.end] for chunk in found] == text.split("\n")


async def test_a_chunk_under_other_headings_is_another_chunk(store: Store):
    character = await ada(store)
    doc = data.document("d", "one\ntwo")
    await store.write(put, character, doc.text)
    moved = data.split(doc, headings=["Death"])
    changes = await store.write(chunks.replace_chunks, character, "d", "acts", {}, moved)
    assert changes.kept == ()
    found = await store.read(chunks.list_chunks, character)
    assert {chunk.headings for chunk in found} == {("Death",)}


async def test_nothing_new_changes_nothing(store: Store):
    character = await ada(store)
    await store.write(put, character, "one\ntwo")
    before = await store.read(lambda c: characters.require(c, character).revision)
    made = data.split(data.document("d", "one\ntwo"))
    changes = await store.write(chunks.replace_chunks, character, "d", "acts", {"n": 1}, made)
    assert (changes.added, changes.removed) == ((), ())
    assert await store.read(lambda c: characters.require(c, character).revision) == before


async def test_chunkings_of_one_document_live_side_by_side(store: Store):
    character = await ada(store)
    doc = data.document("d", "one\ntwo")
    await store.write(put, character, doc.text)
    graph_chunks = data.split(doc, "graph")
    await store.write(chunks.replace_chunks, character, "d", "graph", {}, graph_chunks)
    await store.write(chunks.replace_chunks, character, "d", "acts", {}, [])
    assert await store.read(chunks.list_chunks, character) == graph_chunks


async def test_two_chunks_of_one_id_are_refused(store: Store):
    character = await ada(store)
    made = data.split(data.document("d", "one"))
    await store.write(put, character, "x")
    with pytest.raises(ValueError, match="one id"):
        await store.write(chunks.replace_chunks, character, "d", "acts", {}, made * 2)


lines = st.lists(st.sampled_from([f"line {n}" for n in range(12)]), unique=True, max_size=10)


@settings(
    max_examples=examples(40),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(versions=st.lists(lines, min_size=2, max_size=5))
async def test_any_sequence_of_versions_ends_as_the_last_one_alone_would(
    sqlite_store: Store, versions: list[list[str]]
):
    character = (await sqlite_store.write(characters.create, "Ada")).id
    for version in versions:
        await sqlite_store.write(put, character=character, text="\n".join(version))
    found = await sqlite_store.read(chunks.list_chunks, character)
    assert found == data.split(data.document("d", "\n".join(versions[-1])))


PATIENT = StoredAttribute("psychological_trait", "Ada waits for years.")
FAIR = StoredAttribute("belief_and_value", "Ada holds that a debt is a debt: 债。")


async def build(store: Store) -> list[Chunk]:
    await store.write(characters.create, "Ada")
    made = await store.write(data.add_document, character="ada", name="a", text="one\ntwo\nthree")
    judged = [
        ChunkJudgement(made[0].id, reveals=True, attributes=(PATIENT, FAIR)),
        ChunkJudgement(made[1].id, reveals=False),
    ]
    await store.write(chunks.put_judgements, "ada", judged)
    return list(made)


async def listed(store: Store) -> list[ChunkJudgement]:
    found = await store.read(chunks.list_judgements, "ada", "acts")
    return sorted(found, key=lambda one: one.reveals)


async def test_judgements_come_back_and_what_is_not_judged_is_told(store: Store):
    one, two, three = await build(store)
    assert await listed(store) == [
        ChunkJudgement(two.id, reveals=False),
        ChunkJudgement(one.id, reveals=True, attributes=(PATIENT, FAIR)),
    ]
    found = await store.read(chunks.get_judgements, "ada", [three.id, one.id, "gone"])
    assert list(found) == [one.id]
    assert await store.read(chunks.list_judgements, "ada", "graph") == []
    assert await store.read(chunks.unjudged, "ada", "acts") == [three.id]
    assert await store.read(chunks.unjudged, "ada", "graph") == []


async def test_a_judgement_goes_with_its_chunk(store: Store):
    await build(store)
    await store.write(documents.remove, "ada", "a")
    assert await listed(store) == []
