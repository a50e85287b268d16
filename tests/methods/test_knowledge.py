"""What a method sees of a character, and its recall within a budget."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from offbook.app import Offbook
from offbook.errors import EmbedderMismatch
from offbook.methods.knowledge import Knowledge
from offbook.types import ContextItem, Message
from tests.app.homes import home_with, opened, text
from tests.cli.texts import ADA, GULLS


@pytest.fixture
async def book(tmp_path: Path) -> AsyncIterator[Offbook]:
    async with home_with(tmp_path, "Ada", text("ada.md", ADA), text("gulls.md", GULLS)) as found:
        yield found


async def knowledge_of(book: Offbook, *history: Message, **flags: Any) -> Knowledge:
    settings = book.settings.values
    for name, value in flags.items():
        section, _, key = name.partition("__")
        changed = getattr(settings, section).model_copy(update={key: value})
        settings = settings.model_copy(update={section: changed})
    runtime = book.runtime()
    return Knowledge(
        await book.find("ada"), settings, runtime.store, runtime.embedder, tuple(history)
    )


def item(content: str, score: float = 0.5) -> ContextItem:
    return ContextItem("knowledge", content[:5], content, score)


async def test_a_passage_is_knowledge_with_its_place(book: Offbook):
    knowledge = await knowledge_of(book)
    (best, *_) = await knowledge.search("Who taught you to trim the lamp?", "acts", 3)
    made = knowledge.passage(best)
    assert made.kind == "knowledge"
    assert made.title == "Ada Byrne, How she came to the rock"
    (source,) = made.sources
    assert (source.document, source.chunk) == ("ada-md", best.chunk.id)
    assert ADA[source.start : source.end] == made.text
    assert made.score == best.score


async def test_a_follow_up_is_searched_with_the_question_before_it(book: Offbook):
    before = Message("user", "What of the gulls?")
    alone = await (await knowledge_of(book)).search("Which of them has a name?", "acts", 1)
    after = await (await knowledge_of(book, before)).search("Which of them has a name?", "acts", 1)
    off = await knowledge_of(book, before, retrieval__follow_up=False)
    assert after[0].chunk.document == "gulls-md"
    assert await off.search("Which of them has a name?", "acts", 1) == alone


async def test_what_scores_low_and_what_does_not_fit_is_skipped_with_the_reason(book: Offbook):
    knowledge = await knowledge_of(book, context__min_score=0.2, context__budget_tokens=100)
    long = "word " * 80
    recall = knowledge.recall("naive", "Who?", [item(long), item("low", 0.1), item(long + "!")])
    assert [found.text for found in recall.context] == [long]
    low, over = recall.skipped
    assert "below 0.20 (context.min_score)" in low.why
    assert "(context.budget_tokens)" in over.why
    assert (recall.character, recall.character_id) == ("Ada", "ada")
    assert (recall.method, recall.preset, recall.question) == ("naive", "default", "Who?")


async def test_a_profile_names_the_beginnings_that_it_was_made_from(tmp_path: Path):
    async with home_with(
        tmp_path, "Ada", text("ada.md", ADA), text("gulls.md", GULLS), method="profile"
    ) as book:
        written, sources = await (await knowledge_of(book)).profile()
        assert "Ada" in written
        assert [(s.document, s.start) for s in sources] == [("ada-md", 0), ("gulls-md", 0)]
        assert [s.end for s in sources] == [len(ADA), len(GULLS)]


async def test_vectors_of_another_embedder_are_not_compared(book: Offbook):
    from dataclasses import replace

    knowledge = await knowledge_of(book)
    other = replace(knowledge, character=replace(knowledge.character, embedder="another"))
    with pytest.raises(EmbedderMismatch, match="'another'") as error:
        await other.search("Who?", "acts", 1)
    assert "offbook reembed ada" in error.value.hint
    lexical = await knowledge_of(book, retrieval__mode="lexical")
    by_words = replace(lexical, character=replace(lexical.character, embedder="another"))
    assert await by_words.search("Who taught you to trim the lamp?", "acts", 1)


# -- the plainest methods ----------------------------------------------------------------------


@pytest.mark.parametrize("k", [1, 2, 50])
async def test_naive_recalls_k_chunks_best_first(tmp_path: Path, k: int):
    async with await opened(tmp_path, naive__k=k) as book:
        await book.create("Ada")
        report = await book.ingest_texts("ada", [text("ada.md", ADA)])
        found = await book.recall("ada", "Who taught you to trim the lamp?")
        assert len(found.context) + len(found.skipped) == min(k, report.documents[0].chunks)
        scores = [item.score for item in found.context]
        assert scores == sorted(scores, reverse=True)
        assert "Tom" in found.context[0].text


async def test_profile_recalls_the_same_paragraph_whatever_the_question(tmp_path: Path):
    async with home_with(tmp_path, "Ada", text("ada.md", ADA), method="profile") as book:
        one = await book.recall("ada", "Who taught you?")
        other = await book.recall("ada", "Have you seen Rome?")
        assert one.context == other.context
        (item,) = one.context
        assert (item.kind, item.title, item.score) == ("profile", "Ada", 1.0)
        assert item.text == (await book.find("ada")).profile


async def test_a_profile_is_written_anew_when_the_documents_change(tmp_path: Path):
    async with home_with(tmp_path, "Ada", text("ada.md", ADA), method="profile") as book:
        before = (await book.find("ada")).profile
        await book.ingest_texts("ada", [text("ada.md", ADA.replace("Tom", "Jem"))])
        after = (await book.find("ada")).profile
        assert before
        assert after
        assert "Jem" in after
        assert before != after


CHART = """# The Chart

## Chapter 1

“The kettle is cold,” said Nell Orme. Tom Reeve shrugged and went for wood.

“You are late, Nell Orme,” said Tom Reeve.

## Chapter 2

Ada Byrne met Hugh Pell at the quay, and nobody saw them there.

“There is a hole in the barrel,” said Ada Byrne. “Somebody has hidden a thing there.”

Hugh Pell broke the barrel with an axe. The thing inside was a chart. It showed the reef.

“I shall keep the chart,” said Hugh Pell, and he put the chart under his coat.

## Chapter 3

Nell Orme mended a net by the wall, when Ada Byrne came and sat down beside her.

“You are the one who sleeps in the loft,” said Nell Orme.

“The harbour master has your chart,” said Ada Byrne. “He broke the barrel, and he keeps it in
his coat. Your father hid it there before the storm, and he never told a soul.”

Nell Orme put down the net. She was quiet for so long that a gull came down on the wall.
"""


@pytest.mark.parametrize(
    ("question", "elsewhere"),
    [
        ("Who has the chart now?", False),
        ("What did Hugh Pell break with an axe?", True),
        ("Who said that there is a hole in the barrel?", True),
    ],
)
async def test_what_the_last_scene_speaks_of_did_not_happen_elsewhere(
    question: str, elsewhere: bool, tmp_path: Path
):
    async with await opened(tmp_path) as home:
        await home.create_from([text("book.md", CHART)], "Nell Orme")
        recall = await home.recall("nell-orme", question)
        assert any(item.kind == "unwitnessed" for item in recall.context) is elsewhere
