"""The running summary of a conversation: it tells of what stands there, and of nothing else."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

from offbook.agent.history import SpokenTurn, uncovered
from offbook.agent.learning import summarize
from offbook.documents.readers import ReadDocument
from offbook.rules import OfflineModel
from offbook.stores import conversations
from offbook.stores.conversations import ConversationState
from offbook.types import ChatRequest, ChatResponse
from tests.app.homes import opened


class Held(OfflineModel):
    """The offline model; it answers when it may."""

    def __init__(self) -> None:
        self.asked, self.go = asyncio.Event(), asyncio.Event()

    async def complete(self, request: ChatRequest) -> ChatResponse:
        self.asked.set()
        await self.go.wait()
        return await super().complete(request)


async def test_a_summary_that_comes_too_late_brings_no_words_back(tmp_path: Path):
    text = "# Ada\n\nAda lost lantern number 7 to the sea.\n"
    async with await opened(tmp_path) as book:
        ada = await book.create("Ada")
        await book.ingest_texts("ada", [ReadDocument("life.md", text, "text/markdown")])

        def talk(conn):
            conversations.begin(conn, "ada", "evening")
            told = {"document": "life-md", "chunk": "c", "start": 0, "end": 3}
            recall = {"context": [{"kind": "knowledge", "sources": [told]}]}
            said = ("And the lantern?", "Number 7 went to the sea."), ("Good.", "So it is.")
            return [
                SpokenTurn(conversations.add_turn(conn, "ada", "evening", *words, recall=r), *words)
                for words, r in zip(said, (recall, None), strict=True)
            ]

        turns = await book.store.write(talk)
        model = Held()
        runtime = replace(book.runtime(), extractor=model)
        state = ConversationState()
        summing = asyncio.create_task(summarize(runtime, ada, "evening", state, turns))
        await model.asked.wait()
        await book.forget("ada", "life.md", with_memories=True)
        model.go.set()
        await summing
        kept = await book.store.read(conversations.get_state, "ada", "evening")
        assert kept.summary is None


def test_what_the_summary_covers_is_not_told_again():
    turns = [SpokenTurn(f"t{n}", f"Question {n}", f"Answer {n}") for n in range(4)]
    assert uncovered(turns, ConversationState(summary="So far.", summarized="t1")) == turns[2:]
    assert uncovered(turns, ConversationState(summary="So far.", summarized="t3")) == []
    assert uncovered(turns, ConversationState()) == turns
