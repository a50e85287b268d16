"""A source leads to its passage, cut from the stored document, with one sentence marked."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from offbook.app import Offbook
from offbook.app.conversations import _passage, read_passage
from offbook.documents.readers import ReadDocument
from offbook.errors import UnknownName, UsageError
from offbook.types import Character, Document, Source
from tests.app.homes import home_with, text
from tests.cli.texts import ADA


@pytest.fixture
async def book(tmp_path: Path) -> AsyncIterator[Offbook]:
    """An open home with Ada."""
    async with home_with(tmp_path, "Ada", text("ada.md", ADA)) as made:
        yield made


async def passage_source(book: Offbook, words: str) -> tuple[Character, Source]:
    rows = await book.show("ada", "chunks")
    row = next(row for row in rows if words in row["text"])
    place = Source(row["document"], row["id"], row["start"], row["end"])
    return await book.find("ada"), place


async def test_the_sentence_that_has_most_of_the_words_is_marked(book: Offbook):
    character, source = await passage_source(book, "Tom drowned")
    found = await read_passage(book, character, source, "When did Tom drown in the gale?")
    assert found.marked.strip() == "Tom drowned in the gale of 1880."
    assert found.document == "ada.md"
    assert found.headings[-1] == "How she came to the rock"
    assert "lighthouse" in found.before


async def test_without_words_the_whole_source_is_marked(book: Offbook):
    character, source = await passage_source(book, "Tom drowned")
    found = await read_passage(book, character, source)
    assert found.marked == ADA[source.start : source.end]


async def test_a_source_names_its_page_and_its_offset_in_the_file_where_that_is_another(tmp_path):
    pages = ReadDocument("b.pdf", ADA, "application/pdf", ((0, "page 1"), (900, "page 2")))
    shifted = ReadDocument("c.txt", "Tom drowned in the bay.", "text/plain", ((0, 7),))
    async with home_with(tmp_path, "Ada", pages, shifted) as book:
        recall = await book.recall("ada", "Where did Tom drown?")
        places = await book.places(recall)
        for source in (source for item in recall.context for source in item.sources):
            page = "page 1" if source.start < 900 else "page 2"
            at = f"at {source.start + 7} in the file"
            assert places[source] == (page if source.document == "b-pdf" else at)
            passage = await read_passage(book, await book.find("ada"), source)
            assert passage.place == places[source]
        assert {source.document for source in places} == {"b-pdf", "c-txt"}


async def test_a_source_that_is_there_no_more_says_so(book: Offbook):
    character, source = await passage_source(book, "Tom drowned")
    with pytest.raises(UsageError, match="no place"):
        await read_passage(book, character, Source(source.document, source.chunk, 5, 10**6))
    with pytest.raises(UnknownName, match="there no more"):
        await read_passage(book, character, Source("gone", source.chunk, 0, 5))


@pytest.mark.parametrize(
    "edited", [f"A word before all.\n\n{ADA}", ADA.replace("Tom drowned", "Tom was saved")]
)
async def test_a_source_whose_text_stands_elsewhere_now_or_is_changed_says_so(book, edited):
    character, source = await passage_source(book, "Tom drowned")
    await book.ingest_texts("ada", [ReadDocument("ada.md", edited, "text/markdown")])
    with pytest.raises(UsageError, match="no place"):
        await read_passage(book, character, source)


@given(st.text(min_size=1, max_size=300), st.data(), st.text(max_size=40))
def test_the_pieces_put_together_are_the_document(text: str, data: st.DataObject, about: str):
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    document = Document("d", "d.md", text, "")
    found = _passage(document, (), start, end, about)
    whole = found.before + found.opening + found.marked + found.closing + found.after
    assert text[found.start : found.start + len(whole)] == whole
    assert found.opening + found.marked + found.closing == text[start:end]
    assert not found.cut
