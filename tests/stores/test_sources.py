"""Two characters on one source: what concerns the book reaches both, all else is each one's own."""

from __future__ import annotations

import zipfile
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection

from offbook.errors import UsageError
from offbook.names.cast import Cast, CastMember, CastMention
from offbook.protocols import Store
from offbook.stores import (
    call_cache,
    casts,
    characters,
    chunks,
    conversations,
    documents,
    export,
    graph,
    jobs,
    leases,
    memories,
    queue,
    schema,
    vectors,
)
from offbook.stores.chunks import ChunkJudgement, StoredAttribute
from offbook.stores.export import to_values
from offbook.stores.leases import Owner
from offbook.types import MemoryFragment
from tests.stores import data

ADA, BEA = "ada-lovelace", "bea"
SECRET = "She was born."


def fill(conn: Connection, character: str) -> None:
    """Give a character what only it has, made from the source."""
    data.talk(conn, character)
    characters.set_profile(conn, character, SECRET, voice=[SECRET], documents=["life.md"])
    born = next(each for each in chunks.list_chunks(conn, character) if each.text == SECRET)
    trait = StoredAttribute("psychological_trait", SECRET)
    judged = ChunkJudgement(born.id, reveals=True, attributes=(trait,))
    chunks.put_judgements(conn, character, [judged])
    jobs.enqueue(conn, character, jobs.TRAITS, [born.id])
    jobs.quarantine(conn, character, jobs.TRAITS, [born.id], f"unusable: {SECRET}")
    names = frozenset({f"{character}/life.md"})
    cached: dict[str, Any] = {"prompt": "p", "prompt_tokens": 1, "completion_tokens": 1}
    call_cache.put(conn, character, text=SECRET, documents=names, **cached)


def build(conn: Connection) -> None:
    assert data.build_character(conn) == ADA
    assert characters.create(conn, "Bea", on_source_of=ADA).id == BEA
    memory = memories.memory_id("Hello", "Good day.")
    memories.add(conn, BEA, [MemoryFragment(memory, "Hello", "Good day.")])
    vectors.put_vectors(conn, BEA, "1", "memory", [memory], data.matrix(1))
    for character in (ADA, BEA):
        fill(conn, character)


@pytest.fixture
async def both(store: Store) -> Store:
    await store.write(build)
    return store


def of_source(conn: Connection, character: str) -> list[Any]:
    """What a character sees of its source."""
    sets = vectors.list_sets(conn, character)
    return [
        documents.list_all(conn, character),
        chunks.list_chunks(conn, character),
        graph.list_groups(conn, character),
        graph.list_decisions(conn, character),
        graph.list_relations(conn, character),
        [vectors.load_matrix(conn, character, "chunk")[0], sets],
    ]


async def test_both_see_all_of_it_and_each_its_own(both: Store):
    seen = [await both.read(of_source, character) for character in (ADA, BEA)]
    assert seen[0] == seen[1]
    assert all(seen[0])
    assert await both.read(characters.sharing, BEA) == [ADA, BEA]
    ada, bea = [await both.read(memories.list_memories, name) for name in (ADA, BEA)]
    assert [len(ada), len(bea)] == [2, 2]
    await both.write(memories.remove, BEA, [bea[0].id])
    assert await both.read(memories.list_memories, ADA) == ada
    judged = await both.read(chunks.list_judgements, ADA, "acts")
    await both.write(chunks.put_judgements, BEA, [ChunkJudgement(seen[0][1][0].id, reveals=False)])
    assert await both.read(chunks.list_judgements, ADA, "acts") == judged
    assert (await both.read(characters.require, BEA)).embedder == "hash"


async def test_a_change_of_the_source_is_one_for_both(both: Store):
    before = [await both.read(characters.require, name) for name in (ADA, BEA)]
    await both.write(data.add_document, BEA, "new.md", "Later.")
    for old in before:
        assert (await both.read(characters.require, old.id)).revision > old.revision
    assert len(await both.read(documents.list_all, ADA)) == 3


async def test_one_works_on_it_at_a_time(both: Store):
    assert await both.write(leases.acquire, ADA, Owner("1", "here"))
    assert not await both.write(leases.acquire, BEA, Owner("2", "there"))
    for number, character in enumerate((ADA, BEA)):
        await both.write(queue.add, f"{number}", "ingestion", {}, character=character)
    assert await both.write(queue.claim, queue.INGESTIONS, Owner("1", "here")) is not None
    assert await both.write(queue.claim, queue.INGESTIONS, Owner("2", "there")) is None
    # Whoever holds it gives it back, though its character was deleted meanwhile.
    await both.write(characters.remove, ADA)
    assert await both.write(leases.heartbeat, Owner("1", "here"))
    await both.write(leases.release, Owner("1", "here"))
    assert await both.write(leases.acquire, BEA, Owner("2", "there"))


async def test_a_new_version_leaves_no_profile_of_the_old_one(both: Store):
    await both.write(documents.put, ADA, data.document("life.md", "Other words."))
    for character in (ADA, BEA):
        found = await both.read(characters.require, character)
        assert (found.profile, found.voice, found.profile_documents) == (None, (), ())


@pytest.mark.parametrize(("gone", "left"), [(ADA, BEA), (BEA, ADA)])
async def test_one_that_is_deleted_leaves_the_source_and_the_last_takes_it_along(
    both: Store, gone: str, left: str
):
    before = await both.read(of_source, left)
    assert await both.write(characters.remove, gone)
    assert await both.read(of_source, left) == before
    assert await both.read(call_cache.get, gone) is None
    assert await both.read(call_cache.get, left) is not None
    # The id is free again, and its next owner sees nothing of what was there.
    again = await both.write(characters.create, gone)
    assert again.id == gone
    assert await both.read(documents.list_all, gone) == []
    await both.write(characters.remove, gone)
    assert await both.write(characters.remove, left)
    assert await both.read(data.count_rows) == {"principals": 1}


async def test_a_document_is_forgotten_for_all_or_not_at_all(both: Store):
    before = await both.read(of_source, ADA)
    with pytest.raises(UsageError, match=BEA):
        await both.write(documents.remove, ADA, "life.md")
    assert await both.read(of_source, ADA) == before
    removal = await both.write(documents.remove, ADA, "life.md", for_all=True)
    assert (removal.cached_calls, removal.turns, removal.memories) == (2, 2, 2)
    for character in (ADA, BEA):
        found = await both.read(characters.require, character)
        assert (found.profile, found.voice) == (None, ())
        (turn,) = await both.read(conversations.history, character, "s1")
        assert SECRET not in str(turn.recall)
        assert await both.read(chunks.list_judgements, character, "acts") == []
        assert await both.read(jobs.list_jobs, character, kind=jobs.TRAITS) == []
        assert await both.read(call_cache.get, character) is None


async def test_a_cast_is_of_the_source_and_goes_with_any_of_its_texts(both: Store):
    cast = Cast((CastMember("Ada", ("Ada", "The Countess")),), (CastMention(0, 1, 4, 0),))
    said = {"window": [1, None]}
    await both.write(casts.put, ADA, "then", cast, said)
    await both.write(characters.set_setting, BEA, characters.NAMES, ["Bea", "The Countess"])
    assert await both.read(casts.get, BEA, "then") == cast
    assert await both.read(casts.get, BEA, "now") is None
    assert await both.read(casts.speakers, BEA) == said
    await both.write(data.add_document, BEA, "new.md", "Later.")
    assert await both.read(casts.get, ADA, "then") == cast, "whoever reads it sees the change"
    await both.write(documents.put, ADA, data.document("new.md", "Other words."))
    assert await both.read(casts.get, ADA, "then") is None
    await both.write(casts.put, ADA, "then", cast, said)
    await both.write(documents.remove, ADA, "life.md", for_all=True)
    assert await both.read(casts.get, ADA, "then") is None
    assert await both.read(casts.speakers, ADA) == {}
    settings = (await both.read(characters.require, BEA)).settings
    assert settings[characters.NAMES] == ["Bea"]


async def test_a_source_is_found_by_all_its_texts_and_no_others(both: Store):
    digests = [info.digest for info in await both.read(documents.list_all, ADA)]
    assert await both.read(casts.holding, digests[::-1]) == ADA
    assert await both.read(casts.holding, digests[:1]) is None
    assert await both.read(casts.holding, [*digests, "other"]) is None
    assert await both.read(casts.holding, []) is None


async def test_a_forgotten_text_of_both_is_nowhere_in_the_home(sqlite_store, sqlite_home: Path):
    await sqlite_store.write(build)
    await sqlite_store.write(documents.remove, BEA, "life.md", for_all=True, with_memories=True)
    await sqlite_store.purge()
    assert all(SECRET.encode() not in file.read_bytes() for file in sqlite_home.iterdir())


async def test_an_export_holds_the_whole_source_and_no_other_character(both: Store, tmp_path: Path):
    files = {character: tmp_path / character for character in (ADA, BEA)}
    for character, file in files.items():
        await both.read(partial(export.export_character, character=character, file=file))
    with zipfile.ZipFile(files[ADA]) as ada, zipfile.ZipFile(files[BEA]) as bea:
        for table in ("documents", "chunks", "entity_groups", "decisions", "chunk_vectors"):
            assert ada.read(f"{table}.jsonl") == bea.read(f"{table}.jsonl") != b""
        assert all(ADA.encode() not in bea.read(name) for name in bea.namelist())
    # It comes back on a source of its own: what it does there concerns nobody else.
    loaded = await both.write(export.import_character, files[BEA], replace=True)
    assert await both.read(characters.sharing, BEA) == [loaded.id]
    assert await both.read(of_source, BEA) == await both.read(of_source, ADA)
    await both.write(documents.remove, BEA, "life.md")
    assert len(await both.read(documents.list_all, ADA)) == 2


async def test_re_embedding_switches_for_both_and_memories_of_others_follow(both: Store):
    new = await both.write(vectors.begin_set, ADA, "better", 6)

    def embed(conn: Connection) -> None:
        for kind in vectors.KINDS:
            ids = vectors.missing_ids(conn, ADA, new.id, kind)
            vectors.put_vectors(conn, ADA, new.id, kind, ids, data.matrix(len(ids), 6))
        vectors.activate_set(conn, ADA, new.id)

    await both.write(embed)
    for character in (ADA, BEA):
        _, matrix = await both.read(vectors.load_matrix, character, "chunk")
        assert matrix.shape == (4, 6)
        assert (await both.read(characters.require, character)).embedder == "better"
    assert len((await both.read(vectors.load_matrix, ADA, "memory"))[0]) == 2
    assert len(await both.read(memories.lacking, BEA, new.id)) == 2
    assert len(await both.read(memories.list_memories, BEA)) == 2


async def test_a_key_limited_to_one_of_them_may_not_change_the_source(both: Store):
    assert not await both.read(characters.may_change_source, ADA, [ADA])
    assert await both.read(characters.may_change_source, ADA, [ADA, BEA])
    assert await both.read(characters.may_change_source, ADA, None)
    await both.write(characters.remove, BEA)
    assert await both.read(characters.may_change_source, ADA, [ADA])


@pytest.mark.parametrize("names", [["Ada", 1], "Ada", {"a": "Ada"}])
def test_names_of_a_cast_that_are_none_are_not_imported(names: object):
    with pytest.raises(ValueError, match="settings"):
        to_values(schema.characters, ["settings"], {"settings": {characters.NAMES: names}})
