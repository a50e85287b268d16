"""Scenes over HTTP: each speaks from what it knows, and a key brings together whom it opens."""

from __future__ import annotations

from pathlib import Path

import pytest

from offbook.app import Offbook
from offbook.documents.readers import ReadDocument
from tests.cli.texts import ADA
from tests.server.inside import assert_refused, bearer, client_of, done, opened

BOB = "Bob Carey mends nets in Hull. Bob owns a boat called the Gannet.\n"
BOTH = {"characters": ["ada-byrne", "Bob Carey"]}
PATH = "/api/scenes"


@pytest.fixture
async def book(tmp_path: Path):
    async with opened(tmp_path) as home:
        for name, words in (("Ada Byrne", ADA), ("Bob Carey", BOB)):
            made = await home.create(name)
            await home.ingest_texts(made.id, [ReadDocument("t.md", words, "text/markdown")])
        yield home


async def test_a_scene_is_begun_gone_on_with_and_deleted_for_all(book: Offbook):
    async with client_of(book) as client:
        said = {**BOTH, "said": "Bob, what is your boat called?", "about": "a storm"}
        first = await done(client, "POST", PATH, json=said)
        assert [line["name"] for line in first["lines"]] == ["", "Bob Carey"]
        assert "Gannet" in first["replies"][0]["reply"]
        again = await done(client, "POST", PATH, json={**BOTH, "session": first["scene"]})
        assert [line["name"] for line in again["lines"]] == ["", "Bob Carey", "Ada Byrne"]
        assert [reply["character_id"] for reply in again["replies"]] == ["ada-byrne"]
        name = f"scene:{first['scene']}"
        turns = await done(client, "GET", f"/api/characters/ada-byrne/sessions/{name}")
        assert [turn["speaker"] for turn in turns] == ["", "Bob Carey"]
        await done(client, "DELETE", f"/api/characters/ada-byrne/sessions/{name}")
        assert await done(client, "GET", "/api/characters/bob-carey/sessions") == []


async def test_a_key_brings_together_whom_it_opens_and_has_its_own_scenes(book: Offbook):
    async with client_of(book) as client:
        said = {**BOTH, "said": "Bob, what is your boat called?", "session": "evening"}
        await done(client, "POST", PATH, json=said)
    async with client_of(book, **await bearer(book, characters=["ada-byrne"])) as client:
        await assert_refused(client, [("POST", PATH, {**BOTH, "said": "Hi"}, 404, "unknown_name")])
    async with client_of(book, **await bearer(book)) as client:
        own = await done(client, "POST", PATH, json={**said, "said": "Hello Bob!"})
        assert own["lines"][0]["text"] == "Hello Bob!"


async def test_bad_scenes_are_refused(book: Offbook):
    async with client_of(book) as client:
        await assert_refused(
            client,
            [
                ("POST", PATH, {"characters": ["ada-byrne"]}, 400, "usage"),
                ("POST", PATH, {"characters": ["ada-byrne"] * 2, "said": "Hi"}, 400, "usage"),
                ("POST", PATH, {**BOTH, "said": ""}, 400, "usage"),
                ("POST", PATH, {**BOTH, "said": "Hi", "as_of": "Sooner"}, 400, "usage"),
                ("POST", PATH, {**BOTH, "said": "Hi", "by": "Zed"}, 404, "unknown_name"),
            ],
        )
