"""Terms of chunks: made for those that have none, and for those of an older analyzer."""

from __future__ import annotations

from offbook.ingestion.term_indexing import index_terms
from offbook.retrieval.encoded_terms import ANALYZER, encode_terms
from offbook.stores import characters, chunks
from tests.ingestion.stage import read, sections, stored


async def terms(store) -> dict[str, tuple[str | None, bytes]]:
    found = await store.read(lambda conn: chunks.list_terms(conn, "keeper", "markdown"))
    return {row.chunk: (row.analyzer, row.terms) for row in found}


async def expected(store) -> dict[str, tuple[str, bytes]]:
    found = await store.read(lambda conn: chunks.list_chunks(conn, "keeper", chunking="markdown"))
    return {chunk.id: (ANALYZER, encode_terms(chunk.text_with_headings)) for chunk in found}


async def test_each_chunk_has_terms_afterwards_under_every_chunking(kept):
    await stored(kept, read("a.md", sections(4)), chunkings=("markdown", "acts"))
    assert await terms(kept) == {}
    await index_terms(kept, "keeper")
    assert await terms(kept) == await expected(kept)
    assert await kept.read(lambda c: chunks.without_terms(c, "keeper", ANALYZER, 9)) == []


async def test_more_chunks_than_are_read_at_once_have_terms_too(kept, monkeypatch):
    monkeypatch.setattr("offbook.ingestion.term_indexing._AT_ONCE", 2)
    await stored(kept, read("a.md", sections(7)))
    await index_terms(kept, "keeper")
    assert await terms(kept) == await expected(kept)


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
