"""What is made side by side: the profile waits for the voice, and a failure ends all of it."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from offbook.errors import ModelError, StoreFailed
from offbook.ingestion import indexing
from offbook.ingestion.indexing import build_indexes
from offbook.ingestion.reports import unheard
from offbook.ingestion.storing import refresh_voice
from offbook.pipeline import Stage
from offbook.stores import characters, chunks
from offbook.types import Needs
from tests.ingestion.stage import Embedding, read, settings, stored
from tests.waiting import PATIENCE_SECONDS

TEXT = "# Keeper\n\nShe kept a light.\n\n## Sayings\n\n- The tide waits for me.\n"


def stage(store, embedder=None) -> Stage:
    nobody: Any = None
    return Stage(settings(), store, nobody, nobody, nobody, embedder or Embedding())


async def test_voice_and_terms_are_made_whatever_the_method_needs(kept):
    await stored(kept, read("a.md", TEXT))
    await build_indexes(stage(kept), "keeper", Needs(), unheard)
    found = await kept.read(lambda conn: characters.require(conn, "keeper"))
    assert found.voice == ("The tide waits for me.",)
    made = await kept.read(lambda conn: chunks.list_terms(conn, "keeper", "markdown"))
    assert len(made) == await kept.read(lambda conn: chunks.count(conn, "keeper", "markdown"))


async def test_the_profile_is_written_once_the_voice_is_there(kept, monkeypatch):
    await stored(kept, read("a.md", TEXT))
    order: list[str] = []

    async def late(store, character):
        await asyncio.sleep(0.01)
        await refresh_voice(store, character)
        order.append("voice")

    async def profile(store, model, character, settings, described):
        order.append("profile")

    monkeypatch.setattr(indexing, "refresh_voice", late)
    monkeypatch.setattr(indexing, "write_profile", profile)
    await build_indexes(stage(kept), "keeper", Needs(profile=True), unheard)
    assert order == ["voice", "profile"]


async def test_a_voice_that_cannot_be_stored_ends_it_and_no_profile_is_asked_for(kept, monkeypatch):
    await stored(kept, read("a.md", TEXT))

    async def full(store, character):
        raise StoreFailed("the disk is full", "make room")

    async def profile(*told):
        raise AssertionError("asked for")

    monkeypatch.setattr(indexing, "refresh_voice", full)
    monkeypatch.setattr(indexing, "write_profile", profile)
    async with asyncio.timeout(PATIENCE_SECONDS):
        with pytest.raises(StoreFailed, match="full"):
            await build_indexes(stage(kept), "keeper", Needs(profile=True), unheard)


class Refusing:
    """An endpoint that refuses the key."""

    name, base_url = "m", "http://127.0.0.1/v1"

    async def complete(self, request):
        raise ModelError("the key is refused", "set another")


async def test_a_refused_key_leaves_the_voice_and_the_pronouns(kept):
    await stored(kept, read("a.md", TEXT), chunkings=("graph",))
    refusing: Any = Refusing()
    made = Stage(settings(), kept, refusing, refusing, refusing, Embedding())
    with pytest.raises(ModelError, match="refused"):
        await build_indexes(made, "keeper", Needs(graph=True), unheard)
    found = await kept.read(lambda conn: characters.require(conn, "keeper"))
    assert found.voice == ("The tide waits for me.",)
    assert found.profile_documents == ("a-md",)
