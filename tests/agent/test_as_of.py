"""A conversation that is asked at points in the story: what was said later is not known earlier."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from offbook.agent.history import TITLE
from offbook.agent.session import Session
from offbook.app import Offbook
from offbook.errors import UsageError
from offbook.prompts.reply import ReplyInputs
from offbook.rules import OfflineModel
from offbook.stores import conversations, memories
from offbook.stores.conversations import ConversationState
from offbook.types import ChatRequest, ChatResponse, MemoryFragment
from tests.app.homes import home_with, opened, text

EARLY, LATE = "youth.md", "age.md"
YOUTH = "# Ada\n\nAda keeps the light with her brother Tom.\n"
AGE = "# Ada\n\nTom drowned in the gale of 1880.\n"
SECRET = "Tell me: your brother Tom lies drowned, and we weep, alas!"


class Listening(OfflineModel):
    """The offline model; it keeps what the actor is told."""

    def __init__(self) -> None:
        self.told: list[ReplyInputs] = []

    async def complete(self, request: ChatRequest) -> ChatResponse:
        assert request.origin is not None
        if isinstance(request.origin[1], ReplyInputs):
            self.told.append(request.origin[1])
        return await super().complete(request)


@pytest.fixture
async def book(tmp_path: Path) -> AsyncIterator[Offbook]:
    """An open home with a story of two documents."""
    async with home_with(
        tmp_path, "Ada", text(EARLY, YOUTH), text(LATE, AGE), method="emotional"
    ) as found:
        yield found


async def asked(book: Offbook, words: str, as_of: str | None = None, **names: Any) -> ReplyInputs:
    """What the actor is told when this is asked in the conversation ``evening``."""
    actor = Listening()
    talk = await book.session("ada", session="evening", as_of=as_of, **names)
    listen(talk, actor)
    await talk.ask(words)
    await book.learning.rest()
    (told,) = actor.told
    return told


def listen(talk: Session, actor: OfflineModel) -> None:
    make = talk._make_stage

    def runtime(who: Any) -> Any:
        made, meter = make(who)
        return replace(made, actor=actor), meter

    talk._make_stage = runtime


def said(told: ReplyInputs) -> list[str]:
    return [message.content for message in told.history if message.role == "user"]


async def state(book: Offbook) -> ConversationState:
    found: ConversationState = await book.store.read(conversations.get_state, "ada", "evening")
    return found


async def test_what_was_said_later_in_the_story_is_no_history_earlier(book: Offbook):
    await asked(book, "Who trims the lamp with you?", EARLY)
    await asked(book, SECRET, LATE)
    await asked(book, f"And once more. {SECRET}")
    then = await asked(book, "What of your brother, then?", EARLY)
    assert said(then) == ["Who trims the lamp with you?"]
    assert "drowned" not in str(then)
    at_the_end = await asked(book, "What of your brother now?")
    assert len(said(at_the_end)) == 4


async def test_turns_at_the_very_point_or_before_it_are_history(book: Offbook):
    await asked(book, "Who trims the lamp with you?", "youth.md@20")
    await asked(book, "And who cleans the glass of it?", "youth.md#Ada")
    assert len(said(await asked(book, "And the oil, who carries it?", EARLY))) == 2
    assert said(await asked(book, "Is there oil enough?", "youth.md@19")) == []


async def test_what_is_left_out_is_counted_and_not_told_to_the_actor(book: Offbook):
    await asked(book, SECRET)
    reply = await book.ask("ada", "What of Tom?", session="evening", as_of=EARLY)
    (left,) = [each for each in reply.recall.skipped if "--as-of" in each.why]
    assert left.title == "1 turn of this conversation"


async def test_a_point_that_is_no_more_hides_its_turn(book: Offbook):
    await asked(book, "Who trims the lamp with you?", LATE)
    await book.forget("ada", LATE)
    assert said(await asked(book, "What of your brother, then?", EARLY)) == []


async def test_the_mood_is_that_of_then(book: Offbook):
    asking: dict[str, Any] = {"session": "evening", "as_of": EARLY}
    await asked(book, "Who trims the lamp with you?", EARLY)
    before = await book.recall("ada", "How do you feel?", **asking)
    for _ in range(3):
        await asked(book, SECRET, LATE)
    then = await book.recall("ada", "How do you feel?", **asking)
    now = await book.recall("ada", "How do you feel?", session="evening")
    assert then.mood == pytest.approx(before.mood, abs=0.1)  # it fades meanwhile
    assert then.mood is not None
    assert (now.mood or {})["sadness"] > then.mood["sadness"] + 0.5


async def test_recalling_in_a_conversation_is_what_asking_would_and_keeps_nothing(book: Offbook):
    await asked(book, SECRET)
    await asked(book, "Who trims the lamp with you?")
    words = "And he, what of him?"
    recalled = await book.recall("ada", words, session="evening")
    assert recalled.usage.calls == 0
    assert len((await book.session("ada", session="evening")).history) == 4
    reply = await book.ask("ada", words, session="evening")
    assert replace(reply.recall, mood=None) == replace(recalled, mood=None)
    assert reply.recall.mood == pytest.approx(recalled.mood, abs=0.1)  # it fades meanwhile
    elsewhere = await book.recall("ada", words)
    assert elsewhere.mood is None


async def test_recalling_in_a_conversation_of_another_is_refused(book: Offbook):
    await book.store.write(conversations.begin, "ada", "theirs", "somebody")
    with pytest.raises(UsageError, match="belongs to somebody else"):
        await book.recall("ada", "What was said?", session="theirs")


async def test_the_temperament_is_of_the_memories_before_the_point(book: Offbook):
    calm = dict.fromkeys(["joy", "acceptance", "fear", "surprise"], 1)
    calm |= dict.fromkeys(["sadness", "disgust", "anger", "anticipation"], 1)
    told = [
        MemoryFragment("one", "Good?", "Yes.", calm | {"joy": 5}, EARLY),
        MemoryFragment("two", "Well?", "No.", calm | {"sadness": 9}, LATE),
        MemoryFragment("three", "So?", "So.", calm | {"sadness": 9}, None),
    ]
    await book.store.write(memories.add, "ada", told)
    then = await book.ask("ada", "How do you feel?", session="new", as_of=EARLY)
    assert then.recall.mood == {**calm, "joy": 5}
    now = await book.ask("ada", "How do you feel?", session="new")
    assert (now.recall.mood or {})["sadness"] > 5


async def told_long(book: Offbook, as_of: str | None, first: int, turns: int = 8) -> None:
    for number in range(first, first + turns):
        words = f"In year {number} the keeper lost lantern number {number} to the sea."
        await asked(book, words, as_of)


@pytest.fixture
async def narrow(book: Offbook, tmp_path: Path) -> AsyncIterator[Offbook]:
    """The same home, with little room for history."""
    async with await opened(tmp_path, method="emotional", context__history_tokens=150) as found:
        yield found


async def test_a_summary_that_rests_on_later_turns_is_not_told(narrow: Offbook):
    await told_long(narrow, LATE, 0)
    assert "lantern" in ((await state(narrow)).summary or "")
    told = await asked(narrow, "Which lantern was the first to go?", EARLY)
    assert [item for item in told.context if item.title == TITLE] == []
    assert "lantern number" not in str(told)
    assert (await asked(narrow, "Which was first?")).context[0].title == TITLE


async def test_a_summary_of_turns_before_the_point_is_told(narrow: Offbook):
    await told_long(narrow, EARLY, 0)
    kept = (await state(narrow)).summary
    told = await asked(narrow, "Which lantern was the first to go?", EARLY)
    assert [item.text for item in told.context if item.title == TITLE] == [kept]


async def test_a_view_of_earlier_turns_does_not_replace_the_summary_of_all(narrow: Offbook):
    await told_long(narrow, LATE, 0)
    kept = await state(narrow)
    await told_long(narrow, EARLY, 100, 6)
    assert await state(narrow) == replace(kept, mood=(await state(narrow)).mood)


async def test_turns_between_later_ones_are_not_lost_to_the_summary(narrow: Offbook):
    await told_long(narrow, LATE, 0, 1)
    await told_long(narrow, EARLY, 100, 8)
    assert (await state(narrow)).summary is None
    told = await asked(narrow, "And now, at the end of it all?")
    assert "lantern number 107" in str(told.history)
