"""The passages of a character: current, complete, and kept between questions."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection

from offbook.app import Offbook
from offbook.errors import IndexMissing
from offbook.retrieval import passages
from offbook.retrieval.passages import search_passages
from offbook.retrieval.search import RetrievalMode, Searcher
from offbook.stores import chunks
from offbook.stores.schema import chunks as chunk_rows
from offbook.types import Character, Passage
from tests.app.homes import home_with, opened, text
from tests.cli.texts import ADA, GULLS


@pytest.fixture
async def book(tmp_path: Path) -> AsyncIterator[Offbook]:
    async with home_with(tmp_path, "Ada", text("ada.md", ADA)) as found:
        yield found


async def search(
    book: Offbook, question: str, mode: RetrievalMode = "hybrid", k: int = 3, chunking: str = "acts"
) -> list[Passage]:
    runtime = book.runtime()
    return await search_passages(
        runtime.store,
        runtime.embedder,
        await book.find("ada"),
        question,
        chunking=chunking,
        mode=mode,
        k=k,
    )


@pytest.mark.parametrize("mode", ["dense", "lexical", "hybrid"])
async def test_each_mode_finds_the_passage_and_says_what_ranked_it(
    book: Offbook, mode: RetrievalMode
):
    (best, *rest) = await search(book, "Who taught you to trim the lamp?", mode)
    assert "Tom" in best.chunk.text
    assert (best.similarity is not None) is (mode != "lexical")
    assert (best.match is not None) is (mode != "dense")
    assert all(best.score >= other.score for other in rest)


@pytest.mark.parametrize("mode", ["dense", "hybrid"])
async def test_a_question_that_names_nothing_gets_the_beginning(book: Offbook, mode: RetrievalMode):
    await book.ingest_texts("ada", [text("aardvark.md", GULLS)])
    found = await search(book, "Who are you?", mode)
    assert [p.chunk.document for p in found] == ["ada-md"] * 3
    assert [p.chunk.ordinal for p in found] == [0, 1, 2]
    assert {p.score for p in found} == {0.0}
    assert await search(book, "Who are you?", "lexical") == []


async def test_what_came_and_what_went_is_known_at_the_next_question(book: Offbook):
    assert all(p.chunk.document == "ada-md" for p in await search(book, "What of the gulls?"))
    await book.ingest_texts("ada", [text("gulls.md", GULLS)])
    (best, *_) = await search(book, "What of the gulls?")
    assert best.chunk.document == "gulls-md"
    await book.forget("ada", "gulls.md")
    assert all(p.chunk.document == "ada-md" for p in await search(book, "What of the gulls?"))


async def test_an_index_is_loaded_once(book: Offbook, monkeypatch):
    loaded: list[str] = []
    load = passages._load

    def counted(conn: Connection, character: Character, chunking: str, *others: Any) -> Searcher:
        loaded.append(chunking)
        return load(conn, character, chunking, *others)

    monkeypatch.setattr(passages, "_load", counted)
    for _ in range(3):
        await search(book, "Who taught you?")
    assert loaded == ["acts"]
    await search(book, "Who taught you?", "lexical")
    await search(book, "Who taught you?")
    assert loaded == ["acts", "acts"]


async def test_a_document_that_lacks_the_chunking_is_named(book: Offbook):
    with pytest.raises(IndexMissing, match=r"the index 'fixed' of 'Ada' lacks 'ada\.md'"):
        await search(book, "Who?", chunking="fixed")
    async with await opened(Path(book.settings.values.home).parent, method="vanilla") as other:
        await other.ingest_texts("ada", [text(f"{n}.md", f"Text {n}.\n") for n in range(4)])
    with pytest.raises(IndexMissing, match=r"lacks '0\.md', '1\.md', '2\.md', \.\.\."):
        await search(book, "Who?")


async def test_without_documents_there_is_no_index(book: Offbook):
    await book.forget("ada", "ada.md")
    with pytest.raises(IndexMissing, match="'Ada' has no documents yet"):
        await search(book, "Who?")


async def test_documents_without_a_passage_are_no_failure(book: Offbook):
    await book.forget("ada", "ada.md")
    await book.ingest_texts("ada", [text("bare.md", "#\n")])
    for mode in ("dense", "lexical", "hybrid"):
        assert await search(book, "Who?", mode) == []


async def test_terms_of_an_older_analyzer_are_made_anew(book: Offbook):
    before = await search(book, "Who taught you to trim the lamp?")
    await book.store.write(lambda conn: conn.execute(chunk_rows.update().values(analyzer="old")))
    passages._kept.clear()
    assert await search(book, "Who taught you to trim the lamp?") == before


async def test_chunks_without_vectors_are_told_with_the_command(book: Offbook):
    from offbook.stores import vectors

    ids = [chunk.id for chunk in await book.store.read(chunks.list_chunks, "ada")]
    await book.store.write(vectors.remove_vectors, "ada", "chunk", ids[:1])
    passages._kept.clear()
    with pytest.raises(IndexMissing, match="1 of 4 chunks of 'Ada' have no vector") as error:
        await search(book, "Who?")
    assert "offbook ingest ada" in error.value.hint
    assert await search(book, "Who taught you to trim the lamp?", "lexical")
