"""Summaries: kept with what they rest on, gone with the first of it, the same after a journey."""

from __future__ import annotations

from functools import partial

from offbook.protocols import Store
from offbook.stores import characters, chunks, documents, jobs, summaries, vectors
from offbook.stores.summaries import Summary
from offbook.types import Chunk
from tests.stores import data


async def build(store: Store) -> tuple[list[Chunk], list[Summary]]:
    """Two documents; one summary a document, and one of both."""
    await store.write(characters.create, "Ada")
    add = partial(data.add_document, character="ada", extract=True)
    one = await store.write(add, name="a", text="one\ntwo")
    two = await store.write(add, name="b", text="three\nfour")
    made = []
    for name, found in (("s1", one), ("s2", two)):
        ids = tuple(chunk.id for chunk in found)
        made.append(Summary(name, 1, f"{found[0].text} and so on – 音楽", ids, ids))
    every = tuple(sorted(chunk.id for chunk in [*one, *two]))
    made.append(Summary("top", 2, "all of it", ("s1", "s2"), every))

    def write(conn):
        summaries.put(conn, "ada", made)
        active = vectors.use_set(conn, "ada", "hash", 4)
        vectors.put_vectors(conn, "ada", active.id, "summary", ["s1", "s2", "top"], data.matrix(3))
        relation = f"{one[0].id}:r"
        vectors.put_vectors(conn, "ada", active.id, "relation", [relation], data.matrix(1))
        summaries.note_built(conn, "ada", "these")

    await store.write(write)
    return [*one, *two], made


async def listed(store: Store) -> list[str]:
    return [s.id for s in await store.read(summaries.list_all, "ada")]


async def with_vectors(store: Store, kind: vectors.Kind) -> list[str]:
    ids, _ = await store.read(vectors.load_matrix, "ada", kind)
    return ids


async def test_summaries_come_back_with_all_that_they_rest_on(store: Store):
    _, made = await build(store)
    found = await store.read(summaries.list_all, "ada")
    assert [(s.id, s.level, s.text, s.members) for s in found] == [
        (s.id, s.level, s.text, s.members) for s in made
    ]
    assert [set(s.chunks) for s in found] == [set(s.chunks) for s in made]
    assert await store.read(summaries.built, "ada") == "these"


async def test_with_a_document_goes_every_summary_that_rests_on_it(store: Store):
    found, _ = await build(store)
    await store.write(documents.remove, "ada", "b")
    assert await listed(store) == ["s1"]
    assert await with_vectors(store, "summary") == ["s1"]
    assert await with_vectors(store, "relation") == [f"{found[0].id}:r"]
    await store.write(documents.remove, "ada", "a")
    assert await listed(store) == []
    assert await with_vectors(store, "relation") == []


async def test_with_a_chunk_goes_every_summary_above_it_and_why_one_was_not_made(store: Store):
    found, _ = await build(store)

    def aside(conn):
        jobs.enqueue(conn, "ada", jobs.SUMMARIZE, ["x"], document="b")
        jobs.quarantine(conn, "ada", jobs.SUMMARIZE, ["x"], "the answer was 'one two'")

    await store.write(aside)
    await store.write(chunks.remove, "ada", [found[0].id])
    assert await listed(store) == ["s2"]
    assert await store.read(jobs.list_jobs, "ada", kind=jobs.SUMMARIZE) == []


async def test_a_change_is_noticed_and_nothing_is_none(store: Store):
    _, made = await build(store)
    before = await store.read(lambda c: characters.require(c, "ada").revision)
    await store.write(summaries.put, "ada", [])
    await store.write(summaries.remove, "ada", [])
    await store.write(summaries.forget_chunks, "ada", [])
    assert await store.read(lambda c: characters.require(c, "ada").revision) == before
    await store.write(summaries.remove, "ada", [made[0].id])
    assert await store.read(lambda c: characters.require(c, "ada").revision) > before


async def test_what_a_tree_was_built_from_is_told_by_chunks_and_shape():
    shape = {"size": 2}
    assert summaries.built_from(["b", "a"], shape) == summaries.built_from(["a", "b"], shape)
    others = [(["a"], shape), (["a", "b"], {"size": 3}), (["ab"], shape)]
    named = {summaries.built_from(*other) for other in others}
    assert len(named | {summaries.built_from(["a", "b"], shape)}) == 4
