"""One person's data over all characters: seen, taken away, deleted."""

from __future__ import annotations

from pathlib import Path

import pytest

from offbook.app import Offbook
from offbook.app.scenes import scene_of
from offbook.errors import UnknownName
from offbook.prompts.extraction import EXTRACT
from offbook.prompts.question import UNDERSTAND_QUESTION
from offbook.stores import call_cache
from offbook.stores.connection import Connection

SECRET = "My dog is called Quincunx."


@pytest.fixture
async def book(tmp_path: Path):
    async with await Offbook.open(home=tmp_path, method="vanilla") as opened:
        for name in ("Ada Byrne", "Tom Byrne"):
            await opened.create(name)
            for user in ("lena", "paul"):
                talk = await opened.session(name, session="evening", user=user)
                await talk.ask(SECRET if user == "lena" else "Do you like the sea?")
        yield opened


async def test_all_of_one_person_is_listed_exported_and_deleted(book: Offbook, tmp_path: Path):
    before = {row.user: row for row in await book.users.list()}
    assert before.keys() == {"owner/lena", "owner/paul"}
    lena = before["owner/lena"]
    assert (lena.characters, lena.conversations, lena.turns) == (("ada-byrne", "tom-byrne"), 2, 2)
    data = await book.users.export("lena")
    assert data["user"] == "owner/lena"
    said = [
        turn["said"]
        for character in data["characters"]
        for talk in character["conversations"]
        for turn in talk["turns"]
    ]
    assert said == [SECRET, SECRET]
    assert await book.users.delete("lena") == lena
    assert await book.users.list() == [before["owner/paul"]]
    with pytest.raises(UnknownName, match="nothing is kept"):
        await book.users.export("lena")
    await book.close()
    stored = b"".join(file.read_bytes() for file in tmp_path.glob("offbook.db*"))
    assert b"Quincunx" not in stored
    assert b"lena" not in stored
    assert b"Do you like the sea?" in stored


async def test_a_part_of_a_name_is_enough_where_one_has_it(book: Offbook):
    with pytest.raises(UnknownName, match="nothing is kept"):
        await book.users.export("lena", exactly=True)
    with pytest.raises(UnknownName):
        await book.users.delete("nobody")
    assert len(await book.users.list()) == 2


async def test_what_another_said_in_a_scene_is_exported_as_theirs(book: Offbook):
    cast = [await book.find(name) for name in ("ada-byrne", "tom-byrne")]
    scene = await scene_of(book, cast, "owner/nora", "quay")
    async for _ in scene.say("Is the lamp lit?"):
        pass
    async for _ in scene.go_on():
        pass
    data = await book.users.export("nora")
    turns = [
        (turn["speaker"], turn["said"])
        for character in data["characters"]
        for talk in character["conversations"]
        for turn in talk["turns"]
    ]
    assert {said for speaker, said in turns if not speaker} == {"Is the lamp lit?"}
    assert {speaker for speaker, _ in turns} > {""}


async def test_what_models_made_of_questions_goes_as_well(book: Offbook):
    def put(conn: Connection, key: str, prompt: str) -> None:
        call_cache.put(
            conn,
            key,
            prompt=prompt,
            text="{}",
            prompt_tokens=1,
            completion_tokens=1,
            documents=frozenset(),
        )

    await book.store.write(put, "a", UNDERSTAND_QUESTION.label)
    await book.store.write(put, "b", EXTRACT.label)
    await book.users.delete("lena")
    assert await book.store.read(call_cache.get, "a") is None
    assert await book.store.read(call_cache.get, "b") is not None
