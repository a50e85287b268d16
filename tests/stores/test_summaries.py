"""Summaries: kept with what they rest on, gone with the first of it, the same after a journey."""

from __future__ import annotations

import hashlib
import json
import zipfile
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from offbook.errors import UsageError
from offbook.protocols import Store
from offbook.stores import characters, chunks, documents, jobs, portable, summaries, vectors
from offbook.stores.summaries import Summary
from offbook.types import Chunk
from tests.stores import data


async def build(store: Store) -> tuple[list[Chunk], list[Summary]]:
    """Two documents; one summary a document, and one of both."""
    await store.write(lambda c: characters.create(c, "Ada"))
    add = partial(data.add_document, character="ada", extract=True)
    one = await store.write(partial(add, name="a", text="one\ntwo"))
    two = await store.write(partial(add, name="b", text="three\nfour"))
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
    return [s.id for s in await store.read(lambda c: summaries.list_all(c, "ada"))]


async def with_vectors(store: Store, kind: vectors.Kind) -> list[str]:
    ids, _ = await store.read(lambda c: vectors.load_matrix(c, "ada", kind))
    return ids


async def test_summaries_come_back_with_all_that_they_rest_on(store: Store):
    _, made = await build(store)
    found = await store.read(lambda c: summaries.list_all(c, "ada"))
    assert [(s.id, s.level, s.text, s.members) for s in found] == [
        (s.id, s.level, s.text, s.members) for s in made
    ]
    assert [set(s.chunks) for s in found] == [set(s.chunks) for s in made]
    assert await store.read(lambda c: summaries.built(c, "ada")) == "these"


async def test_with_a_document_goes_every_summary_that_rests_on_it(store: Store):
    found, _ = await build(store)
    await store.write(lambda c: documents.remove(c, "ada", "b"))
    assert await listed(store) == ["s1"]
    assert await with_vectors(store, "summary") == ["s1"]
    assert await with_vectors(store, "relation") == [f"{found[0].id}:r"]
    await store.write(lambda c: documents.remove(c, "ada", "a"))
    assert await listed(store) == []
    assert await with_vectors(store, "relation") == []


async def test_with_a_chunk_goes_every_summary_above_it_and_why_one_was_not_made(store: Store):
    found, _ = await build(store)

    def aside(conn):
        jobs.enqueue(conn, "ada", jobs.SUMMARIZE, ["x"], document="b")
        jobs.quarantine(conn, "ada", jobs.SUMMARIZE, ["x"], "the answer was 'one two'")

    await store.write(aside)
    await store.write(lambda c: chunks.remove(c, "ada", [found[0].id]))
    assert await listed(store) == ["s2"]
    assert await store.read(lambda c: jobs.list_jobs(c, "ada", kind=jobs.SUMMARIZE)) == []


async def test_with_the_character_goes_everything(store: Store):
    await build(store)
    await store.write(lambda c: characters.remove(c, "ada"))
    await store.write(lambda c: characters.create(c, "Ada"))
    assert await listed(store) == []
    assert await store.read(lambda c: summaries.built(c, "ada")) is None


async def test_a_change_is_noticed_and_nothing_is_none(store: Store):
    _, made = await build(store)
    before = await store.read(lambda c: characters.revision(c, "ada"))
    await store.write(lambda c: summaries.put(c, "ada", []))
    await store.write(lambda c: summaries.remove(c, "ada", []))
    await store.write(lambda c: summaries.forget_chunks(c, "ada", []))
    assert await store.read(lambda c: characters.revision(c, "ada")) == before
    await store.write(lambda c: summaries.remove(c, "ada", [made[0].id]))
    assert await store.read(lambda c: characters.revision(c, "ada")) > before


async def test_what_a_tree_was_built_from_is_told_by_chunks_and_shape():
    shape = {"size": 2}
    assert summaries.built_from(["b", "a"], shape) == summaries.built_from(["a", "b"], shape)
    others = [(["a"], shape), (["a", "b"], {"size": 3}), (["ab"], shape)]
    named = {summaries.built_from(*other) for other in others}
    assert len(named | {summaries.built_from(["a", "b"], shape)}) == 4


# -- the file that a character travels in ----------------------------------------------------------


async def export(store: Store, file: Path) -> bytes:
    await store.read(lambda c: portable.export_character(c, "ada", file))
    return file.read_bytes()


async def test_a_round_trip_over_both_engines_gives_the_same_bytes(
    sqlite_store: Store, postgres_store: Store, tmp_path: Path
):
    await build(sqlite_store)
    first = await export(sqlite_store, tmp_path / "1")
    await postgres_store.write(lambda c: portable.import_character(c, tmp_path / "1"))
    assert await listed(postgres_store) == ["s1", "s2", "top"]
    assert await with_vectors(postgres_store, "relation")
    assert await postgres_store.read(lambda c: summaries.built(c, "ada")) == "these"
    second = await export(postgres_store, tmp_path / "2")
    await sqlite_store.write(lambda c: portable.import_character(c, tmp_path / "2", replace=True))
    assert await export(sqlite_store, tmp_path / "3") == first == second
    matrix = (await sqlite_store.read(lambda c: vectors.load_matrix(c, "ada", "summary")))[1]
    np.testing.assert_array_equal(matrix, data.matrix(3))


@pytest.mark.parametrize(("column", "value"), [("level", 0), ("members", []), ("members", [3])])
async def test_an_altered_summary_is_refused(sqlite_store: Store, tmp_path: Path, column, value):
    await build(sqlite_store)
    await export(sqlite_store, tmp_path / "x")
    with zipfile.ZipFile(tmp_path / "x") as file:
        members = {name: file.read(name) for name in file.namelist()}
    rows = [json.loads(line) for line in members["summaries.jsonl"].splitlines()]
    rows[0][column] = value
    members["summaries.jsonl"] = b"".join(json.dumps(row).encode() + b"\n" for row in rows)
    with zipfile.ZipFile(tmp_path / "y", "w") as file:
        about = json.loads(members.pop("manifest.json"))
        for name, content in members.items():
            digest = hashlib.sha256(content).hexdigest()
            about["members"][name] = {"sha256": digest, "bytes": len(content)}
            file.writestr(name, content)
        file.writestr("manifest.json", json.dumps(about))
    with pytest.raises(UsageError, match="summar"):
        await sqlite_store.write(
            lambda c: portable.import_character(c, tmp_path / "y", replace=True)
        )
