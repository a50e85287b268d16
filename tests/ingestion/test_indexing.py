"""What is made side by side: the profile waits for the voice, and a failure ends all of it."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from offbook.errors import ModelError
from offbook.ingestion import indexing
from offbook.ingestion.documents import refresh_voice
from offbook.ingestion.extraction import index_terms
from offbook.ingestion.indexing import build_indexes
from offbook.ingestion.reports import unheard
from offbook.retrieval.search import ANALYZER, encode_terms
from offbook.runtime import Runtime
from offbook.stores import characters, chunks
from offbook.types import IndexRequirements
from tests.ingestion.runtime import Embedding, read, sections, settings, stored

TEXT = "# Keeper\n\nShe kept a light.\n\n## Sayings\n\n- The tide waits for me.\n"


def runtime(store, embedder=None) -> Runtime:
    nobody: Any = None
    return Runtime(settings(), store, nobody, nobody, nobody, embedder or Embedding())


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
    await build_indexes(runtime(kept), "keeper", IndexRequirements(profile=True), unheard)
    assert order == ["voice", "profile"]


class Refusing:
    """An endpoint that refuses the key."""

    name, base_url = "m", "http://127.0.0.1/v1"

    async def complete(self, request):
        raise ModelError("the key is refused", "set another")


async def test_a_refused_key_leaves_the_voice_and_the_pronouns(kept):
    await stored(kept, read("a.md", TEXT), chunkings=("graph",))
    refusing: Any = Refusing()
    made = Runtime(settings(), kept, refusing, refusing, refusing, Embedding())
    with pytest.raises(ModelError, match="refused"):
        await build_indexes(made, "keeper", IndexRequirements(graph=True), unheard)
    found = await kept.read(lambda conn: characters.require(conn, "keeper"))
    assert found.voice == ("The tide waits for me.",)
    assert found.profile_documents == ("a-md",)


async def terms(store) -> dict[str, tuple[str | None, bytes]]:
    found = await store.read(lambda conn: chunks.list_terms(conn, "keeper", "markdown"))
    return {row.chunk: (row.analyzer, row.terms) for row in found}


async def expected(store) -> dict[str, tuple[str, bytes]]:
    found = await store.read(lambda conn: chunks.list_chunks(conn, "keeper", chunking="markdown"))
    return {chunk.id: (ANALYZER, encode_terms(chunk.text_with_headings)) for chunk in found}


async def test_each_chunk_has_terms_afterwards_under_every_chunking(kept, monkeypatch):
    monkeypatch.setattr("offbook.ingestion.extraction._AT_ONCE", 2)
    await stored(kept, read("a.md", sections(4)), chunkings=("markdown", "acts"))
    assert await terms(kept) == {}
    await build_indexes(runtime(kept), "keeper", IndexRequirements(), unheard)
    assert await terms(kept) == await expected(kept), "whatever the method needs"
    assert await kept.read(lambda c: chunks.without_terms(c, "keeper", ANALYZER, 9)) == []


async def test_only_what_is_new_or_of_an_older_analyzer_is_made(kept):
    await stored(kept, read("a.md", sections(3)))
    await index_terms(kept, "keeper")
    before = await kept.read(lambda conn: characters.require(conn, "keeper"))
    await index_terms(kept, "keeper")
    assert await kept.read(lambda conn: characters.require(conn, "keeper")) == before
    first, *_ = await terms(kept)
    await kept.write(lambda conn: chunks.set_terms(conn, "keeper", "older", {first: b"old"}))
    (lacking,) = await kept.read(lambda c: chunks.without_terms(c, "keeper", ANALYZER, 9))
    assert lacking.id == first
    await index_terms(kept, "keeper")
    assert await terms(kept) == await expected(kept)
