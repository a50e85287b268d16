"""Living memory: turns are remembered behind the conversation, by whom they belong to, once."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import update

from offbook.agent import learning, mood
from offbook.agent.history import TITLE
from offbook.app import Offbook
from offbook.documents.readers import ReadDocument
from offbook.errors import ModelError
from offbook.rules import OfflineModel
from offbook.runtime import Runtime
from offbook.stores import conversations, jobs, memories
from offbook.stores.schema import characters
from offbook.types import ENDPOINT, Character, ChatRequest, ChatResponse, MemoryFragment
from tests.app import homes
from tests.waiting import PATIENCE_SECONDS, eventually

GRIEF = "My brother drowned and I wept all night."
ANGER = "I hate you, liar! You ruined us all, damned villain!"


async def opened(folder: Path, **flags: Any) -> Offbook:
    usual = {"method": "emotional", "memory__grace_seconds": 0.2}
    return await homes.opened(folder, **{**usual, **flags})


@pytest.fixture
async def book(tmp_path: Path) -> AsyncIterator[Offbook]:
    async with await opened(tmp_path) as found:
        await found.create("Ada")
        yield found


class Scorer(OfflineModel):
    """The offline model, except that scoring waits, fails or answers as a test says."""

    def __init__(
        self,
        gate: asyncio.Event | None = None,
        text: str = "",
        error: Exception | None = None,
    ) -> None:
        self.gate, self.text, self.error = gate, text, error
        self.scored = 0

    async def complete(self, request: ChatRequest) -> ChatResponse:
        assert request.origin is not None
        if request.origin[0].name == "score_emotions":
            self.scored += 1
            if self.gate is not None:
                await self.gate.wait()
            if self.error is not None:
                raise self.error
            if self.text:
                return ChatResponse(self.text)
        return await super().complete(request)


def scored_by(book: Offbook, scorer: Scorer) -> None:
    """Let ``scorer`` score what is learned; questions are scored as ever."""

    def runtime(character: Character) -> Runtime:
        return replace(book.runtime(character.dimension), extractor=scorer)

    book.learning.make_runtime = runtime


async def remembered(book: Offbook) -> list[MemoryFragment]:
    found: list[MemoryFragment] = await book.store.read(memories.list_memories, "ada")
    return found


async def open_jobs(book: Offbook) -> list[jobs.Job]:
    found: list[jobs.Job] = await book.store.read(jobs.list_jobs, "ada")
    return found


async def test_a_turn_is_scored_behind_the_conversation_and_survives(book: Offbook, tmp_path):
    talk = await book.session("ada", session="evening")
    reply = await talk.ask(GRIEF)
    assert reply.remembered is not None
    await book.learning.rest()
    (fragment,) = await remembered(book)
    assert fragment.id == reply.remembered.memory
    assert fragment.emotion is not None
    assert await open_jobs(book) == []
    async with await opened(tmp_path) as again:
        assert await remembered(again) == [fragment]
        found = await again.recall("ada", "Why did you weep over your brother?")
        assert [item.memory for item in found.context] == [fragment.id]
        assert "in a conversation" in found.context[0].title


async def test_nobody_waits_for_scoring_and_the_next_command_goes_on(tmp_path: Path):
    endless = Scorer(gate=asyncio.Event())
    # Whoever waited for it, in a turn or at the end, would wait for ever.
    async with asyncio.timeout(PATIENCE_SECONDS), await opened(tmp_path) as book:
        await book.create("Ada")
        scored_by(book, endless)
        talk = await book.session("ada", session="evening")
        for words in ("Who are you, stranger on my rock?", GRIEF, ANGER):
            await talk.ask(words)
        await eventually(lambda: endless.scored)
        assert not book.learning.is_idle
    async with await opened(tmp_path) as again:
        assert [fragment.emotion for fragment in await remembered(again)] == [None] * 3
        await (await again.session("ada", session="evening")).ask("And what now, old friend?")
        await again.learning.rest()
        assert all(fragment.emotion is not None for fragment in await remembered(again))
        assert await open_jobs(again) == []


async def test_a_turn_that_ends_while_the_background_looks_for_work_is_not_left_lying(
    book: Offbook, monkeypatch: pytest.MonkeyPatch
):
    looking, go_on = threading.Event(), threading.Event()
    moods_of = mood.moods_of

    def slow(*told: Any) -> Any:
        looking.set()
        assert go_on.wait(PATIENCE_SECONDS)
        return moods_of(*told)

    monkeypatch.setattr(learning, "moods_of", slow)
    book.learning.take_up(await book.find("ada"))
    await eventually(looking.is_set)
    await (await book.session("ada", session="evening")).ask(GRIEF)
    go_on.set()
    await book.learning.rest()
    (fragment,) = await remembered(book)
    assert fragment.emotion is not None


async def test_a_mood_moves_with_the_answers_and_stays_with_the_conversation(
    book: Offbook, tmp_path: Path
):
    text = '{"items": [{"item": 1, "joy": 1, "acceptance": 1, "fear": 1, "surprise": 1,'
    text += ' "sadness": 1, "disgust": 1, "anger": 10, "anticipation": 1}]}'
    scored_by(book, Scorer(text=text))
    talk = await book.session("ada", session="evening")
    first = await talk.ask(ANGER)
    assert first.recall.mood == dict.fromkeys(first.recall.mood or {}, 1.0)
    await book.learning.rest()
    second = await talk.ask("What do you say to that, then?")
    assert second.recall.mood is not None
    assert second.recall.mood["anger"] == pytest.approx(3.7, abs=0.1)
    await book.learning.rest()
    async with await opened(tmp_path) as again:
        third = await (await again.session("ada", session="evening")).ask("Are you angry still?")
        assert (third.recall.mood or {})["anger"] > second.recall.mood["anger"]
        other = await (await again.session("ada", session="morning")).ask("Are you angry still?")
        assert (other.recall.mood or {})["anger"] == 1


async def test_two_users_who_say_the_same_recall_only_their_own(book: Offbook):
    for user in ("kim", "lee", None):
        talk = await book.session("ada", session="evening", user=user)
        await talk.ask(GRIEF)
        await talk.ask(f"My name is {user or 'nobody'}-secret, and I fear the tide.")
    await book.learning.rest()
    found = await remembered(book)
    assert len(found) == 6
    assert len({fragment.id for fragment in found}) == 6
    for user in ("kim", "lee"):
        reply = await book.ask("ada", "Who fears the tide?", user=user)
        texts = " ".join(item.text for item in reply.recall.context)
        assert f"{user}-secret" in texts
        assert texts.count("-secret") == 1
    recall = await book.recall("ada", "Who fears the tide?", user="lee")
    assert {item.memory for item in recall.context} <= {
        fragment.id for fragment in found if fragment.principal == "owner/lee"
    }


async def test_what_could_not_be_scored_is_recalled_by_meaning_and_tried_again(book: Offbook):
    scored_by(book, Scorer(text='{"items": [{"item": 1, "joy": "very"}]}'))
    talk = await book.session("ada", session="evening")
    await talk.ask(GRIEF)
    await book.learning.rest()
    (fragment,) = await remembered(book)
    assert fragment.emotion is None
    (job,) = await open_jobs(book)
    assert job.status == "quarantined"
    assert "no emotion" in job.error
    found = await book.recall("ada", "Who drowned?")
    assert [item.memory for item in found.context] == [fragment.id]
    report = await book.memories.remember("ada")
    assert (report.scored, report.waiting) == (1, 0)
    assert await open_jobs(book) == []


async def test_an_endpoint_that_fails_breaks_no_conversation(book: Offbook):
    scored_by(book, Scorer(error=ModelError("the endpoint is gone")))
    talk = await book.session("ada", session="evening")
    for words in (GRIEF, ANGER):
        await talk.ask(words)
    await book.learning.rest()
    assert "the endpoint is gone" in book.learning.failures
    assert [fragment.emotion for fragment in await remembered(book)] == [None, None]
    assert len(await open_jobs(book)) == 2


async def test_nothing_is_spent_for_a_method_that_recalls_no_memories(tmp_path: Path):
    async with await opened(tmp_path, method="vanilla") as book:
        await book.create("Ada")
        paid = Scorer()
        paid.traits = ENDPOINT  # type: ignore[misc]
        scored_by(book, paid)
        await (await book.session("ada", session="evening")).ask(GRIEF)
        await book.learning.rest()
        assert paid.scored == 0
        assert len(await open_jobs(book)) == 1


async def test_what_the_prompt_holds_is_not_recalled_once_more(book: Offbook):
    talk = await book.session("ada", session="evening")
    await talk.ask(GRIEF)
    await book.learning.rest()
    reply = await talk.ask("Who drowned, and who wept?")
    assert [item for item in reply.recall.context if item.memory] == []
    elsewhere = await (await book.session("ada", session="morning")).ask("Who drowned and wept?")
    assert any(GRIEF in item.text for item in elsewhere.recall.context if item.memory)


async def test_two_processes_at_once_store_every_turn_once(tmp_path: Path):
    async with await opened(tmp_path) as one, await opened(tmp_path) as other:
        await one.create("Ada")
        talks = [await book.session("ada", session="evening") for book in (one, other)]

        async def hold(number: int) -> None:
            for turn in range(4):
                await talks[number].ask(f"Tell me of lamp {turn} of tower {number}, keeper.")

        await asyncio.gather(hold(0), hold(1))
        await asyncio.gather(one.learning.rest(), other.learning.rest())
        found = await remembered(one)
        assert len(found) == 8
        assert len({fragment.said for fragment in found}) == 8
        assert all(fragment.emotion is not None for fragment in found)


async def test_a_long_conversation_is_summarized_behind_it(tmp_path: Path):
    async with await opened(tmp_path, context__history_tokens=150) as book:
        await book.create("Ada")
        talk = await book.session("ada", session="evening")
        for number in range(8):
            await talk.ask(f"In year {number} the keeper lost lantern number {number} to the sea.")
            await book.learning.rest()
        state = await book.store.read(conversations.get_state, "ada", "evening")
        assert "lantern number" in (state.summary or "")
        reply = await talk.ask("Which lantern was the first to go?")
        first = reply.recall.context[0]
        assert (first.title, first.text) == (TITLE, state.summary)
        assert len(talk.history) == 18
    async with await opened(tmp_path, context__history_tokens=150) as again:
        reply = await (await again.session("ada", session="evening")).ask("And the last, then?")
        assert reply.recall.context[0].title == TITLE


class Noting(OfflineModel):
    """The offline model; it keeps whose text the prompts are said to hold."""

    def __init__(self) -> None:
        self.documents: dict[str, set[str]] = {}

    async def complete(self, request: ChatRequest) -> ChatResponse:
        assert request.origin is not None
        name = request.origin[0].name
        self.documents.setdefault(name, set()).update(request.documents)
        return await super().complete(request)


async def test_stored_calls_about_a_conversation_go_with_what_it_rests_on(tmp_path: Path):
    text = "# Ada\n\nAda lost lantern number 7 to the sea. Ada keeps the light on Skerry Rock.\n"
    flags = {"method": "rolerag", "context__history_tokens": 100}
    async with await opened(tmp_path, **flags) as book:
        await book.create("Ada")
        await book.ingest_texts("ada", [ReadDocument("life.md", text, "text/markdown")])
        model = Noting()
        talk = await book.session("ada", session="evening")
        make = talk._make_stage
        talk._make_stage = lambda who: (replace(make(who)[0], extractor=model), make(who)[1])
        book.learning.make_runtime = lambda who: replace(make(who)[0], extractor=model)
        # As if the summary had been made from another document.
        await book.store.write(
            lambda conn: conn.execute(update(characters).values(profile_documents=["other-md"]))
        )
        for number in range(5):
            await talk.ask(f"In year {number}, what of the lantern and of the light, keeper?")
            await book.learning.rest()
        assert model.documents["summarize_conversation"] == {"ada/life-md"}
        assert "ada/life-md" in model.documents["score_emotions"]
        assert model.documents["analyse_question"] == {"ada/life-md", "ada/other-md"}
