from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import Connection

from offbook.errors import StoreFailed, UnknownName, UsageError
from offbook.protocols import Store
from offbook.stores import (
    archive,
    call_cache,
    characters,
    chunks,
    conversations,
    documents,
    graph,
    graph_answers,
    jobs,
    memories,
    portable,
    vectors,
)
from offbook.stores.archive import parse, to_line
from offbook.types import Character, MemoryFragment, RawRelation
from tests.stores import data


async def export(store: Store, character: str, file: Path, *, talk: bool = False) -> bytes:
    await store.read(
        lambda c: portable.export_character(c, character, file, with_conversations=talk)
    )
    return file.read_bytes()


async def load(store: Store, file: Path, *, replace: bool = False) -> Character:
    return await store.write(lambda c: portable.import_character(c, file, replace=replace))


@pytest.mark.parametrize("talk", [False, True])
async def test_a_round_trip_over_both_engines_gives_the_same_bytes(
    sqlite_store: Store, postgres_store: Store, tmp_path: Path, talk: bool
):
    character = await sqlite_store.write(data.build_character)
    await sqlite_store.write(lambda c: data.talk(c, character))
    first = await export(sqlite_store, character, tmp_path / "1", talk=talk)
    await load(postgres_store, tmp_path / "1")
    second = await export(postgres_store, character, tmp_path / "2", talk=talk)
    await load(sqlite_store, tmp_path / "2", replace=True)
    third = await export(sqlite_store, character, tmp_path / "3", talk=talk)
    assert first == second == third


async def test_everything_that_was_there_is_there_again(
    store: Store, sqlite_store: Store, tmp_path: Path
):
    character = await store.write(data.build_character)
    looks: list[Callable[[Connection], object]] = [
        lambda c: documents.require(c, character, "works.md"),
        lambda c: documents.list_all(c, character),
        lambda c: chunks.list_chunks(c, character),
        lambda c: chunks.list_terms(c, character, "acts"),
        lambda c: chunks.get_parameters(c, character, "acts"),
        lambda c: graph.list_raw_entities(c, character),
        lambda c: graph.list_groups(c, character),
        lambda c: graph.list_decisions(c, character),
        lambda c: graph.list_relations(c, character),
        lambda c: graph_answers.list_all(c, character),
        lambda c: memories.list_memories(c, character),
        lambda c: jobs.list_jobs(c, character, statuses=["done", "pending", "quarantined"]),
        lambda c: vectors.list_sets(c, character),
        lambda c: characters.require(c, character).voice,
    ]
    before = [await store.read(look) for look in looks]
    matrices = [
        await store.read(partial(vectors.load_matrix, character=character, kind=kind))
        for kind in vectors.KINDS
    ]
    await export(store, character, tmp_path / "x")
    await store.write(lambda c: characters.remove(c, character))
    loaded = await load(store, tmp_path / "x")
    assert loaded.settings == {"method": "naive"}
    assert [await store.read(look) for look in looks] == before
    for kind, (ids, matrix) in zip(vectors.KINDS, matrices, strict=True):
        found_ids, found = await store.read(
            partial(vectors.load_matrix, character=character, kind=kind)
        )
        assert found_ids == ids
        np.testing.assert_array_equal(found, matrix)


async def test_secrets_stay_at_home(sqlite_store: Store, tmp_path: Path):
    character = await sqlite_store.write(data.build_character)
    await export(sqlite_store, character, tmp_path / "x")
    with zipfile.ZipFile(tmp_path / "x") as file:
        assert all(b"sk-1" not in file.read(name) for name in file.namelist())


async def test_conversations_and_what_they_taught_travel_only_when_asked(
    sqlite_store: Store, tmp_path: Path
):
    character = await sqlite_store.write(data.build_character)
    await sqlite_store.write(lambda c: data.talk(c, character))
    await export(sqlite_store, character, tmp_path / "without")
    await export(sqlite_store, character, tmp_path / "with", talk=True)
    await sqlite_store.write(lambda c: characters.remove(c, character))
    await load(sqlite_store, tmp_path / "without")
    assert await sqlite_store.read(lambda c: conversations.list_all(c, character)) == []
    assert len(await sqlite_store.read(lambda c: memories.list_memories(c, character))) == 1
    await load(sqlite_store, tmp_path / "with", replace=True)
    history = await sqlite_store.read(lambda c: conversations.history(c, character, "s1"))
    assert [turn.answered for turn in history] == ["Long ago."]
    assert len(await sqlite_store.read(lambda c: memories.list_memories(c, character))) == 2


async def test_replacing_without_conversations_keeps_those_that_were_held(
    store: Store, tmp_path: Path
):
    character = await store.write(data.build_character)
    await export(store, character, tmp_path / "x")
    await store.write(lambda c: data.talk(c, character))
    await store.write(lambda c: data.add_document(c, character, "new.md", "Later."))
    before = await store.read(lambda c: characters.revision(c, character))
    await load(store, tmp_path / "x", replace=True)
    assert await store.read(lambda c: characters.revision(c, character)) > before
    assert len(await store.read(lambda c: conversations.history(c, character, "s1"))) == 1
    names = [info.name for info in await store.read(lambda c: documents.list_all(c, character))]
    assert names == ["life.md", "works.md"]


async def test_an_existing_character_is_not_replaced_unasked(store: Store, tmp_path: Path):
    character = await store.write(data.build_character)
    await export(store, character, tmp_path / "x")
    with pytest.raises(UsageError, match="already") as raised:
        await load(store, tmp_path / "x")
    assert "--replace" in raised.value.hint


async def test_replacing_forgets_cached_calls(store: Store, tmp_path: Path):
    character = await store.write(data.build_character)
    await export(store, character, tmp_path / "x")
    name = frozenset({f"{character}/life.md"})
    put = partial(call_cache.put, prompt="p", text="t", prompt_tokens=1, completion_tokens=1)
    await store.write(lambda c: put(c, "k", documents=name))
    await load(store, tmp_path / "x", replace=True)
    assert await store.read(lambda c: call_cache.get(c, "k")) is None


async def test_an_unknown_character_cannot_be_exported(store: Store, tmp_path: Path):
    with pytest.raises(UnknownName):
        await export(store, "nobody", tmp_path / "x")


async def test_a_file_that_cannot_be_written_is_named(sqlite_store: Store, tmp_path: Path):
    character = await sqlite_store.write(data.build_character)
    with pytest.raises(StoreFailed, match="gone") as raised:
        await export(sqlite_store, character, tmp_path / "gone" / "x")
    assert raised.value.hint


def rewritten(source: Path, target: Path, change: Callable[[dict[str, bytes]], None]) -> Path:
    """A copy of an export with other members, and a manifest that fits them."""
    with zipfile.ZipFile(source) as file:
        members = {name: file.read(name) for name in file.namelist()}
    about = parse(members.pop("manifest.json"))
    change(members)
    with archive.writing(target) as made:
        for name, content in members.items():
            made.add(name, [content])
        made.finish({key: about[key] for key in ("id", "with_conversations")})
    return target


def set_value(table: str, column: str, value: object) -> Callable[[dict[str, bytes]], None]:
    def change(members: dict[str, bytes]) -> None:
        name = f"{table}.jsonl"
        lines = [parse(line) for line in members[name].splitlines()]
        lines[0][column] = value
        members[name] = b"".join(to_line(line) for line in lines)

    return change


def without_column(members: dict[str, bytes]) -> None:
    lines = [parse(line) for line in members["documents.jsonl"].splitlines()]
    del lines[0]["status"]
    members["documents.jsonl"] = b"".join(to_line(line) for line in lines)


def no_object(members: dict[str, bytes]) -> None:
    members["chunks.jsonl"] = b"[1]\n"


def nan(members: dict[str, bytes]) -> None:
    members["chunks.jsonl"] = b'{"a":NaN}\n'


def fewer_vectors(members: dict[str, bytes]) -> None:
    members["chunk_vectors.npy"] = members["chunk_vectors.npy"][:-4]


def other_array(members: dict[str, bytes]) -> None:
    members["chunk_vectors.npy"] = b"not an array"


def npy(matrix: np.ndarray) -> bytes:
    made = io.BytesIO()
    np.save(made, matrix)
    return made.getvalue()


def not_a_number(members: dict[str, bytes]) -> None:
    members["chunk_vectors.npy"] = npy(np.full((4, 4), np.nan, dtype="<f4"))


def another_shape(members: dict[str, bytes]) -> None:
    members["chunk_vectors.npy"] = npy(np.zeros((4, 5), dtype="<f4"))


def no_character(members: dict[str, bytes]) -> None:
    members["character.jsonl"] = b""


@pytest.mark.parametrize(
    "change",
    [
        set_value("documents", "text", "other text"),
        set_value("documents", "ordinal", "first"),
        set_value("documents", "ordinal", 2**40),
        set_value("documents", "ordinal", True),
        set_value("documents", "name", None),
        set_value("documents", "name", "a\0b"),
        set_value("chunks", "start", 1),
        set_value("chunks", "terms", "***"),
        set_value("chunks", "document_id", "nowhere"),
        set_value("raw_entities", "chunk_id", "nowhere"),
        set_value("vector_sets", "active", 1),
        set_value("relations", "strength", "strong"),
        set_value("character", "settings", ["a"]),
        set_value("character", "voice", [1]),
        set_value("chunks", "headings", {"a": 1}),
        set_value("chunk_vectors", "id", 7),
        set_value("chunk_vectors", "id", "nowhere"),
        not_a_number,
        another_shape,
        without_column,
        no_object,
        nan,
        fewer_vectors,
        other_array,
        no_character,
    ],
)
async def test_a_file_that_contradicts_itself_changes_nothing(
    store: Store, tmp_path: Path, change: Callable[[dict[str, bytes]], None]
):
    character = await store.write(data.build_character)
    whole = await export(store, character, tmp_path / "x")
    bad = rewritten(tmp_path / "x", tmp_path / "bad", change)
    with pytest.raises(UsageError) as raised:
        await load(store, bad, replace=True)
    assert raised.value.hint
    assert await export(store, character, tmp_path / "again") == whole


async def test_a_file_cut_short_anywhere_is_refused(sqlite_store: Store, tmp_path: Path):
    character = await sqlite_store.write(data.build_character)
    whole = await export(sqlite_store, character, tmp_path / "x")
    for size in range(0, len(whole), 97):
        (tmp_path / "cut").write_bytes(whole[:size])
        with pytest.raises(UsageError):
            await load(sqlite_store, tmp_path / "cut", replace=True)


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(where=st.floats(0, 1, exclude_max=True), flip=st.integers(1, 255))
async def test_a_flipped_byte_is_refused_or_harmless(
    sqlite_store: Store, tmp_path: Path, where: float, flip: int
):
    if not (tmp_path / "x").exists():
        made = await sqlite_store.write(data.build_character)
        await export(sqlite_store, made, tmp_path / "x")
    whole = bytearray((tmp_path / "x").read_bytes())
    whole[int(where * len(whole))] ^= flip
    (tmp_path / "bad").write_bytes(whole)
    before = await export(sqlite_store, "ada-lovelace", tmp_path / "before")
    try:
        await load(sqlite_store, tmp_path / "bad", replace=True)
    except UsageError as error:
        assert error.hint  # noqa: PT017 - either outcome is fine, if it is clean
    assert await export(sqlite_store, "ada-lovelace", tmp_path / "after") == before


async def test_a_newer_format_is_refused_with_what_to_do(
    sqlite_store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    character = await sqlite_store.write(data.build_character)
    monkeypatch.setattr(archive, "VERSION", 2)
    await export(sqlite_store, character, tmp_path / "x")
    monkeypatch.undo()
    with pytest.raises(UsageError, match="version 2") as raised:
        await load(sqlite_store, tmp_path / "x", replace=True)
    assert "upgrade" in raised.value.hint


async def test_a_bomb_is_refused_before_it_is_unpacked(
    sqlite_store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(archive, "FREE_BYTES", 1024 * 1024)
    with zipfile.ZipFile(tmp_path / "bomb", "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("manifest.json", "{}")
        with file.open("documents.jsonl", "w", force_zip64=True) as member:
            for _ in range(20):
                member.write(bytes(1024 * 1024))
    with pytest.raises(UsageError, match="claims"):
        await load(sqlite_store, tmp_path / "bomb")


@pytest.mark.parametrize("content", [b"", b"not a zip", b"PK\x05\x06" + bytes(18)])
async def test_something_else_is_refused(sqlite_store: Store, tmp_path: Path, content: bytes):
    (tmp_path / "x").write_bytes(content)
    with pytest.raises(UsageError, match="export"):
        await load(sqlite_store, tmp_path / "x")


@pytest.mark.parametrize("change", [{"id": "Ada/.."}, {"id": 7}, {"members": []}])
async def test_a_manifest_that_lies_is_refused(
    sqlite_store: Store, tmp_path: Path, change: dict[str, object]
):
    character = await sqlite_store.write(data.build_character)
    await export(sqlite_store, character, tmp_path / "x")
    with zipfile.ZipFile(tmp_path / "x") as file:
        members = {name: file.read(name) for name in file.namelist()}
    members["manifest.json"] = to_line({**parse(members["manifest.json"]), **change})
    with zipfile.ZipFile(tmp_path / "bad", "w") as file:
        for name, content in members.items():
            file.writestr(name, content)
    with pytest.raises(UsageError):
        await load(sqlite_store, tmp_path / "bad", replace=True)


async def test_a_missing_file_is_refused(sqlite_store: Store, tmp_path: Path):
    with pytest.raises(UsageError, match="cannot be read"):
        await load(sqlite_store, tmp_path / "nowhere")


@pytest.mark.parametrize(
    "manifest",
    [{}, {"format": "other", "version": 1}, {"format": archive.FORMAT, "version": "1"}],
)
async def test_a_foreign_manifest_is_refused(
    sqlite_store: Store, tmp_path: Path, manifest: dict[str, object]
):
    with zipfile.ZipFile(tmp_path / "x", "w") as file:
        file.writestr("manifest.json", json.dumps(manifest))
    with pytest.raises(UsageError):
        await load(sqlite_store, tmp_path / "x")


words = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=30)


@settings(
    max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    texts=st.lists(words, max_size=3, unique=True),
    said=st.lists(st.tuples(words, words), max_size=3),
    numbers=st.lists(st.floats(width=32, allow_nan=False, allow_infinity=False), max_size=4),
    strength=st.floats(-1e300, 1e300, allow_nan=False),
)
async def test_whatever_a_character_holds_survives_the_journey(
    sqlite_store: Store,
    postgres_store: Store,
    tmp_path: Path,
    texts: list[str],
    said: list[tuple[str, str]],
    numbers: list[float],
    strength: float,
):
    def build(conn: Connection) -> str:
        for old in characters.list_all(conn):
            characters.remove(conn, old.id)
        character = characters.create(conn, "X", settings={"numbers": numbers}).id
        for number, text in enumerate(texts):
            doc = data.document(f"{number}.md", text)
            documents.put(conn, character, doc)
            made = [chunk for chunk in data.split(doc) if chunk.text]
            unique = list({chunk.id: chunk for chunk in made}.values())
            chunks.replace_chunks(conn, character, doc.id, "acts", {"n": numbers}, unique)
            for chunk in unique:
                relation = RawRelation(f"{chunk.id}r", chunk.id, 0, text, text, text, strength)
                graph.put_relations(conn, character, [relation])
        pad = (numbers + [0.0] * 4)[:4]
        ids = [memories.memory_id(a, b) for a, b in said]
        memories.add(
            conn, character,
            [MemoryFragment(i, *pair) for i, pair in zip(ids, said, strict=True)],
        )  # fmt: skip
        if ids:
            active = vectors.use_set(conn, character, "e", 4)
            row = np.array([pad], dtype=np.float32)
            vectors.put_vectors(conn, character, active.id, "memory", ids[:1], row)
        return character

    character = await sqlite_store.write(build)
    first = await export(sqlite_store, character, tmp_path / "1")
    await load(postgres_store, tmp_path / "1", replace=True)
    assert await export(postgres_store, character, tmp_path / "2") == first
