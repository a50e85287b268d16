from __future__ import annotations

from functools import partial

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import Connection

from offbook.protocols import Store
from offbook.stores import characters, chunks, documents, graph, jobs, vectors
from tests.stores import data


async def ada(store: Store) -> str:
    return (await store.write(lambda c: characters.create(c, "Ada"))).id


def put(conn: Connection, character: str, text: str) -> chunks.ChunkChanges:
    doc = data.document("d", text)
    documents.put(conn, character, doc)
    return chunks.replace_chunks(conn, character, "d", "acts", {"n": 1}, data.split(doc))


async def test_chunks_come_back_in_reading_order(store: Store):
    character = await ada(store)
    for name in ("z.md", "a.md"):
        await store.write(
            partial(data.add_document, character=character, name=name, text="one\ntwo\nthree")
        )
    found = await store.read(lambda c: chunks.list_chunks(c, character, chunking="acts"))
    assert [(chunk.document, chunk.text) for chunk in found] == [
        (name, text) for name in ("z.md", "a.md") for text in ("one", "two", "three")
    ]
    assert found[0].headings == ("Life",)
    some = [found[4].id, "gone", found[0].id, found[4].id]
    got = await store.read(lambda c: chunks.get_chunks(c, character, some))
    assert got == [found[4], found[0], found[4]]
    only = await store.read(lambda c: chunks.list_chunks(c, character, document="a.md"))
    assert only == found[3:]
    assert await store.read(lambda c: chunks.list_chunks(c, character, chunking="other")) == []
    assert await store.read(lambda c: chunks.count(c, character, "acts")) == 6
    assert await store.read(lambda c: chunks.list_chunkings(c, character)) == {
        "acts": ("a.md", "z.md")
    }
    assert await store.read(lambda c: chunks.get_parameters(c, character, "acts")) == {
        "a.md": {"l_max": 40},
        "z.md": {"l_max": 40},
    }


async def test_an_edit_touches_only_what_it_changes(store: Store):
    character = await ada(store)
    made = await store.write(
        partial(
            data.add_document, character=character, name="d", text="one\ntwo\nthree", extract=True
        )
    )
    await store.write(
        lambda c: chunks.set_terms(c, character, "a", {chunk.id: b"t" for chunk in made})
    )
    changes = await store.write(lambda c: put(c, character, "a new line\none\nthree"))
    one, two, three = (chunk.id for chunk in made)
    assert changes.kept == (one, three)
    assert changes.removed == (two,)
    assert len(changes.added) == 1
    ids, _ = await store.read(lambda c: vectors.load_matrix(c, character, "chunk"))
    assert set(ids) == {one, three}
    entities = await store.read(lambda c: graph.list_raw_entities(c, character))
    assert {entity.chunk for entity in entities} == {one, three}
    terms = await store.read(lambda c: chunks.list_terms(c, character, "acts"))
    assert [(row.chunk, row.analyzer, row.terms) for row in terms] == [
        (one, "a", b"t"),
        (three, "a", b"t"),
    ]
    done = await store.read(lambda c: jobs.list_jobs(c, character, statuses=["done"]))
    assert {job.subject for job in done} == {one, three}
    text = "a new line\none\nthree"
    found = await store.read(lambda c: chunks.list_chunks(c, character))
    assert [text[chunk.start : chunk.end] for chunk in found] == text.split("\n")


async def test_a_chunk_under_other_headings_is_another_chunk(store: Store):
    character = await ada(store)
    doc = data.document("d", "one\ntwo")
    await store.write(lambda c: put(c, character, doc.text))
    moved = data.split(doc, headings=["Death"])
    changes = await store.write(
        lambda c: chunks.replace_chunks(c, character, "d", "acts", {}, moved)
    )
    assert changes.kept == ()
    found = await store.read(lambda c: chunks.list_chunks(c, character))
    assert {chunk.headings for chunk in found} == {("Death",)}


async def test_nothing_new_changes_nothing(store: Store):
    character = await ada(store)
    await store.write(lambda c: put(c, character, "one\ntwo"))
    before = await store.read(lambda c: characters.revision(c, character))
    made = data.split(data.document("d", "one\ntwo"))
    changes = await store.write(
        lambda c: chunks.replace_chunks(c, character, "d", "acts", {"n": 1}, made)
    )
    assert (changes.added, changes.removed) == ((), ())
    assert await store.read(lambda c: characters.revision(c, character)) == before


async def test_chunkings_of_one_document_live_side_by_side(store: Store):
    character = await ada(store)
    doc = data.document("d", "one\ntwo")
    await store.write(lambda c: put(c, character, doc.text))
    graph_chunks = data.split(doc, "graph")
    await store.write(lambda c: chunks.replace_chunks(c, character, "d", "graph", {}, graph_chunks))
    await store.write(lambda c: chunks.replace_chunks(c, character, "d", "acts", {}, []))
    assert await store.read(lambda c: chunks.list_chunks(c, character)) == graph_chunks


async def test_two_chunks_of_one_id_are_refused(store: Store):
    character = await ada(store)
    made = data.split(data.document("d", "one"))
    await store.write(lambda c: put(c, character, "x"))
    with pytest.raises(ValueError, match="one id"):
        await store.write(lambda c: chunks.replace_chunks(c, character, "d", "acts", {}, made * 2))


async def test_setting_no_terms_is_no_change(store: Store):
    character = await ada(store)
    before = await store.read(lambda c: characters.revision(c, character))
    await store.write(lambda c: chunks.set_terms(c, character, "a", {}))
    assert await store.read(lambda c: characters.revision(c, character)) == before


lines = st.lists(st.sampled_from([f"line {n}" for n in range(12)]), unique=True, max_size=10)


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(versions=st.lists(lines, min_size=2, max_size=5))
async def test_any_sequence_of_versions_ends_as_the_last_one_alone_would(
    sqlite_store: Store, versions: list[list[str]]
):
    character = (await sqlite_store.write(lambda c: characters.create(c, "Ada"))).id
    for version in versions:
        await sqlite_store.write(partial(put, character=character, text="\n".join(version)))
    found = await sqlite_store.read(lambda c: chunks.list_chunks(c, character))
    assert found == data.split(data.document("d", "\n".join(versions[-1])))
