from __future__ import annotations

from functools import partial

import pytest
from sqlalchemy import Connection

from offbook.errors import UnknownName
from offbook.protocols import Store
from offbook.stores import (
    call_cache,
    characters,
    chunks,
    documents,
    graph,
    jobs,
    memories,
    vectors,
)
from tests.stores import data

cached = partial(call_cache.put, prompt="p", prompt_tokens=1, completion_tokens=1, text="t")


async def ada(store: Store) -> str:
    return (await store.write(characters.create, "Ada")).id


async def test_a_text_comes_back_exactly(store: Store):
    character = await ada(store)
    text = "a\r\n\tü 音楽 \U0001f600\u2028\ufeff end "
    await store.write(documents.put, character, data.document("d", text))
    found = await store.read(documents.get, character, "d")
    assert found is not None
    assert found.text == text
    (info,) = await store.read(documents.list_all, character)
    assert (info.chars, info.chunks, info.ordinal) == (len(text), 0, 0)


async def test_documents_are_numbered_as_they_come_and_a_new_version_keeps_its_place(store: Store):
    character = await ada(store)
    for name in "zya":
        await store.write(
            lambda c, n=name: documents.put(c, character, data.document(n, n))  # type: ignore[misc]
        )
    await store.write(documents.put, character, data.document("y", "other"))
    found = await store.read(documents.list_all, character)
    assert [(info.id, info.ordinal) for info in found] == [("z", 0), ("y", 1), ("a", 2)]
    await store.write(documents.set_order, character, ["a", "z"])
    found = await store.read(documents.list_all, character)
    assert [info.id for info in found] == ["a", "z", "y"]
    with pytest.raises(UnknownName):
        await store.write(documents.set_order, character, ["nope"])


async def test_a_new_version_forgets_the_calls_that_saw_the_old_one(store: Store):
    character = await ada(store)
    put = partial(documents.put, character=character)
    await store.write(put, document=data.document("d", "old"))
    name = frozenset({f"{character}/d"})
    await store.write(cached, "k", documents=name)
    await store.write(put, document=data.document("d", "old"))
    assert await store.read(call_cache.get, "k")
    await store.write(put, document=data.document("d", "new"))
    assert await store.read(call_cache.get, "k") is None


async def test_forgetting_takes_along_what_only_the_document_supports(store: Store):
    character = await store.write(data.build_character)
    await store.write(cached, "k", documents=frozenset({f"{character}/life.md"}))
    await store.write(jobs.enqueue, character, jobs.PROFILE, [character])
    # A question about two names that stayed open is noted with the text of the first alone.
    await store.write(jobs.enqueue, character, jobs.GRAPH, ["q"], document="works.md")
    removal = await store.write(documents.remove, character, "life.md")
    assert removal == documents.Removal(cached_calls=1, turns=0, memories=0)

    def left(conn: Connection) -> dict[str, object]:
        return {
            "chunks": [chunk.text for chunk in chunks.list_chunks(conn, character)],
            "vectors": len(vectors.load_matrix(conn, character, "chunk")[0]),
            "entity vectors": len(vectors.load_matrix(conn, character, "entity")[0]),
            "raw": graph.list_raw_entities(conn, character),
            "groups": graph.list_groups(conn, character),
            "relations": graph.list_relations(conn, character),
            "decisions": [decision.id for decision in graph.list_decisions(conn, character)],
            "jobs": {(job.kind, job.document) for job in jobs.list_jobs(conn, character)},
            "memories": len(memories.list_memories(conn, character)),
            "profile": characters.require(conn, character).profile,
            "voice": characters.require(conn, character).voice,
        }

    assert await store.read(left) == {
        "chunks": ["Note G. – 音楽", "Letters."],
        "vectors": 2,
        "entity vectors": 0,
        "raw": [],
        "groups": [],
        "relations": [],
        "decisions": ["d2"],
        "jobs": {("extract", "works.md")},
        "memories": 1,
        "profile": None,
        "voice": (),
    }


async def test_a_profile_of_other_documents_stays(store: Store):
    character = await store.write(data.build_character)
    await store.write(documents.remove, character, "works.md")
    assert (await store.read(characters.require, character)).profile


@pytest.mark.parametrize(
    ("value", "is_one"),
    [
        ([], True),
        ([[0, 0], [12, 14]], True),
        ([[0, "p. 1"]], True),
        ([[0]], False),
        ([["0", 0]], False),
        ([[-1, 0]], False),
        ([[0, None]], False),
        ({"0": 0}, False),
    ],
)
def test_a_map_back_to_a_file_is_told_from_what_is_none(value: object, is_one: bool):
    assert documents.are_places(value) is is_one
