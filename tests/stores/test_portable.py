from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from offbook.errors import StoreFailed, UsageError
from offbook.protocols import Store
from offbook.stores import (
    call_cache,
    characters,
    conversations,
    documents,
    memories,
)
from offbook.stores import export as archive
from offbook.stores import export as portable
from offbook.stores.conversations import ConversationState
from offbook.stores.export import parse, to_line
from offbook.types import Character
from tests.stores import data

Change = Callable[[dict[str, bytes]], object]


async def export(store: Store, character: str, file: Path, *, talk: bool = False) -> bytes:
    await store.read(portable.export_character, character, file, with_conversations=talk)
    return file.read_bytes()


async def load(store: Store, file: Path, *, replace: bool = False) -> Character:
    return await store.write(portable.import_character, file, replace=replace)


@pytest.fixture
async def exported(sqlite_store: Store, tmp_path: Path) -> Path:
    """The export of a character that stays in ``sqlite_store``."""
    await export(sqlite_store, await sqlite_store.write(data.build_character), tmp_path / "x")
    return tmp_path / "x"


@pytest.mark.parametrize("talk", [False, True])
async def test_a_round_trip_over_both_engines_gives_the_same_bytes(
    sqlite_store: Store, postgres_store: Store, tmp_path: Path, talk: bool
):
    character = await sqlite_store.write(data.build_character)
    await sqlite_store.write(data.talk, character)
    first = await export(sqlite_store, character, tmp_path / "1", talk=talk)
    await load(postgres_store, tmp_path / "1")
    second = await export(postgres_store, character, tmp_path / "2", talk=talk)
    await load(sqlite_store, tmp_path / "2", replace=True)
    third = await export(sqlite_store, character, tmp_path / "3", talk=talk)
    assert first == second == third


async def test_secrets_stay_at_home(exported: Path):
    assert all(b"sk-1" not in content for content in members_of(exported).values())


async def test_conversations_and_what_they_taught_travel_only_when_asked(
    sqlite_store: Store, tmp_path: Path
):
    character = await sqlite_store.write(data.build_character)
    turn = await sqlite_store.write(data.talk, character)
    await sqlite_store.write(conversations.set_mood, character, "s1", {"joy": 2})
    await sqlite_store.write(conversations.set_summary, character, "s1", "They met.", turn)
    await export(sqlite_store, character, tmp_path / "without")
    await export(sqlite_store, character, tmp_path / "with", talk=True)
    await sqlite_store.write(characters.remove, character)
    await load(sqlite_store, tmp_path / "without")
    assert await sqlite_store.read(conversations.list_all, character) == []
    state = await sqlite_store.read(conversations.get_state, character, "s1")
    assert state == ConversationState()
    assert len(await sqlite_store.read(memories.list_memories, character)) == 1
    await load(sqlite_store, tmp_path / "with", replace=True)
    history = await sqlite_store.read(conversations.history, character, "s1")
    assert [turn.answered for turn in history] == ["Long ago."]
    state = await sqlite_store.read(conversations.get_state, character, "s1")
    assert state == ConversationState({"joy": 2}, "They met.", turn)
    assert len(await sqlite_store.read(memories.list_memories, character)) == 2


async def test_replacing_without_conversations_keeps_those_that_were_held(
    store: Store, tmp_path: Path
):
    character = await store.write(data.build_character)
    await export(store, character, tmp_path / "x")
    await store.write(data.talk, character)
    await store.write(data.add_document, character, "new.md", "Later.")
    before = await store.read(lambda c: characters.require(c, character).revision)
    await load(store, tmp_path / "x", replace=True)
    assert await store.read(lambda c: characters.require(c, character).revision) > before
    assert len(await store.read(conversations.history, character, "s1")) == 1
    names = [info.name for info in await store.read(documents.list_all, character)]
    assert names == ["life.md", "works.md"]


async def test_replacing_forgets_cached_calls(store: Store, tmp_path: Path):
    character = await store.write(data.build_character)
    await export(store, character, tmp_path / "x")
    name = frozenset({f"{character}/life.md"})
    put = partial(call_cache.put, prompt="p", text="t", prompt_tokens=1, completion_tokens=1)
    await store.write(put, "k", documents=name)
    await load(store, tmp_path / "x", replace=True)
    assert await store.read(call_cache.get, "k") is None


async def test_a_file_that_cannot_be_written_is_named(sqlite_store: Store, tmp_path: Path):
    character = await sqlite_store.write(data.build_character)
    with pytest.raises(StoreFailed, match="gone") as raised:
        await export(sqlite_store, character, tmp_path / "gone" / "x")
    assert raised.value.hint


def rewritten(source: Path, target: Path, change: Change) -> Path:
    """A copy of an export with other members, and a manifest that fits them."""
    members = members_of(source)
    about = parse(members.pop("manifest.json"))
    change(members)
    with archive.writing(target) as made:
        for name, content in members.items():
            made.add(name, [content])
        made.finish({key: about[key] for key in ("id", "with_conversations")})
    return target


def members_of(file: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(file) as opened:
        return {name: opened.read(name) for name in opened.namelist()}


def set_value(table: str, column: str, value: object) -> Change:
    def change(members: dict[str, bytes]) -> None:
        name = f"{table}.jsonl"
        lines = [parse(line) for line in members[name].splitlines()]
        lines[0][column] = value
        members[name] = b"".join(to_line(line) for line in lines)

    return change


def set_member(name: str, content: bytes) -> Change:
    return lambda members: members.update({name: content})


def without(name: str) -> Change:
    return lambda members: members.pop(name)


def npy(matrix: np.ndarray) -> bytes:
    made = io.BytesIO()
    np.save(made, matrix)
    return made.getvalue()


NO_ATTRIBUTES = [
    "none",
    [["belief_and_value", "x"]],
    [{"kind": "belief_and_value"}],
    [{"kind": "mood", "text": "x"}],
    [{"kind": "belief_and_value", "text": 3}],
]


@pytest.mark.parametrize(
    "change",
    [
        without("summary_trees.jsonl"),
        set_member("character.jsonl", b""),
        set_member("chunks.jsonl", b"[1]\n"),
        set_member("chunks.jsonl", b'{"a":NaN}\n'),
        set_member("documents.jsonl", b'{"name":"life.md"}\n'),
        set_member("chunk_vectors.npy", b"not an array"),
        set_member("chunk_vectors.npy", npy(np.zeros((4, 4), dtype="<f4"))[:-4]),
        set_member("chunk_vectors.npy", npy(np.full((4, 4), np.nan, dtype="<f4"))),
        set_member("chunk_vectors.npy", npy(np.zeros((4, 5), dtype="<f4"))),
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
        set_value("summaries", "level", 0),
        set_value("summaries", "members", []),
        set_value("summaries", "members", [3]),
        *(set_value("chunk_attributes", "attributes", value) for value in NO_ATTRIBUTES),
        set_value("character", "settings", ["a"]),
        set_value("character", "voice", [1]),
        set_value("chunks", "headings", {"a": 1}),
        set_value("chunk_vectors", "id", 7),
        set_value("chunk_vectors", "id", "nowhere"),
    ],
)
async def test_a_file_that_contradicts_itself_changes_nothing(
    store: Store, tmp_path: Path, change: Change
):
    character = await store.write(data.build_character)
    whole = await export(store, character, tmp_path / "x")
    bad = rewritten(tmp_path / "x", tmp_path / "bad", change)
    with pytest.raises(UsageError) as raised:
        await load(store, bad, replace=True)
    assert raised.value.hint
    assert await export(store, character, tmp_path / "again") == whole


async def test_a_file_cut_short_anywhere_is_refused(sqlite_store: Store, exported: Path):
    whole = exported.read_bytes()
    for size in range(0, len(whole), 97):
        exported.write_bytes(whole[:size])
        with pytest.raises(UsageError):
            await load(sqlite_store, exported, replace=True)


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(where=st.floats(0, 1, exclude_max=True), flip=st.integers(1, 255))
async def test_a_flipped_byte_is_refused_or_harmless(
    sqlite_store: Store, exported: Path, where: float, flip: int
):
    whole, bad = bytearray(exported.read_bytes()), exported.with_name("bad")
    whole[int(where * len(whole))] ^= flip
    bad.write_bytes(whole)
    try:
        await load(sqlite_store, bad, replace=True)
    except UsageError as error:
        assert error.hint  # noqa: PT017 - either outcome is fine, if it is clean
    again = await export(sqlite_store, "ada-lovelace", exported.with_name("again"))
    assert again == exported.read_bytes()


async def test_a_newer_format_is_refused_with_what_to_do(
    sqlite_store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    character = await sqlite_store.write(data.build_character)
    monkeypatch.setattr(archive, "VERSION", 2)
    await export(sqlite_store, character, tmp_path / "x")
    monkeypatch.undo()
    with pytest.raises(UsageError, match="version 2") as raised:
        await load(sqlite_store, tmp_path / "x", replace=True)
    assert "newer offbook" in raised.value.hint


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
    with pytest.raises(UsageError, match="cannot be read"):
        await load(sqlite_store, tmp_path / "nowhere")


LIES = [
    {"id": "Ada/.."},
    {"id": 7},
    {"members": []},
    {"format": "other"},
    {"version": "1"},
]


@pytest.mark.parametrize("change", LIES)
async def test_a_manifest_that_lies_is_refused(
    sqlite_store: Store, exported: Path, change: dict[str, object]
):
    members = members_of(exported)
    members["manifest.json"] = to_line({**parse(members["manifest.json"]), **change})
    with zipfile.ZipFile(exported, "w") as file:
        for name, content in members.items():
            file.writestr(name, content)
    with pytest.raises(UsageError):
        await load(sqlite_store, exported, replace=True)
