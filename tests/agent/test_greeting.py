"""Greetings: offered, told to the model, kept with the first turn, gone with the card."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from offbook.agent.session import Session
from offbook.app import Offbook
from offbook.errors import UsageError
from offbook.stores import conversations
from offbook.types import Message
from tests.agent.talks import said, with_card
from tests.app.homes import opened
from tests.app.keeper import entry

FIRST = "You will be User, then. Mind the third step."


@pytest.fixture
async def book(tmp_path: Path) -> AsyncIterator[Offbook]:
    async with await opened(tmp_path, method="vanilla") as made:
        yield await with_card(made, tmp_path)


async def stored(book: Offbook, session: str) -> list[tuple[str, str]]:
    found = await book.store.read(conversations.history, "tamsin-reeve", session)
    return [(turn.said, turn.answered) for turn in found]


async def test_a_greeting_is_kept_with_the_first_turn(book: Offbook):
    talk = await book.session("tamsin-reeve", session="s")
    assert talk.greet() == FIRST
    assert await stored(book, "s") == []
    reply = await said(talk, "I am. What is the oath?")
    assert await stored(book, "s") == [("", FIRST), ("I am. What is the oath?", reply.strip())]
    again = await book.session("tamsin-reeve", session="s")
    assert again.history[0] == Message("assistant", FIRST)
    await said(again, "And who is Wat?")
    assert [words for words, _ in await stored(book, "s")] == [
        "",
        "I am. What is the oath?",
        "And who is Wat?",
    ]
    memories = await book.show("tamsin-reeve", "memories")
    assert all(memory["said"] for memory in memories)


async def test_a_conversation_that_has_begun_is_not_greeted(book: Offbook):
    talk = await book.session("tamsin-reeve")
    talk.greet()
    with pytest.raises(UsageError, match="begun already"):
        talk.greet()


@pytest.mark.parametrize("number", [0, 3, -1])
async def test_a_greeting_that_is_not_there_is_refused(book: Offbook, number: int):
    talk = await book.session("tamsin-reeve")
    with pytest.raises(UsageError, match="no greeting"):
        talk.greet(number)


async def test_another_reply_leaves_the_greeting_where_it_is(book: Offbook):
    talk = await book.session("tamsin-reeve", session="s")
    talk.greet(2)
    await said(talk, "Who are you?")
    async for _ in talk.again():
        pass
    kept = await stored(book, "s")
    assert [words for words, _ in kept] == ["", "Who are you?"]
    (first, second) = await talk.exchanges()
    assert (len(first.swipes), first.turn.answered) == (1, "The lamp is lit. Sit, User.")
    assert second.turn.said == "Who are you?"


async def test_a_greeting_rests_on_the_card_and_goes_with_it(book: Offbook, tmp_path: Path):
    talk = await book.session("tamsin-reeve", session="s")
    talk.greet()
    await said(talk, "Thank you kindly.")
    await book.forget("tamsin-reeve", "card", with_memories=True)
    assert FIRST not in [answered for _, answered in await stored(book, "s")]
    written = b"".join(p.read_bytes() for p in (tmp_path / "home").rglob("*") if p.is_file())
    assert b"third step" not in written


@pytest.mark.parametrize("number", [1, 2])
async def test_what_belongs_to_one_greeting_stays_with_it_when_the_talk_outgrows_its_window(
    book: Offbook, tmp_path: Path, number: int, monkeypatch: pytest.MonkeyPatch
):
    entries = [entry(f"@@is_greeting {at}\nGreeting {at}.", "oath") for at in (0, 1)]
    fields = {
        "name": "Wat Reeve",
        "character_book": {"extensions": {}, "entries": entries},
        "alternate_greetings": ["The lamp is {{random:lit,out,broken,gone}}. Sit, {{user}}."],
    }
    await with_card(book, tmp_path, **fields)
    monkeypatch.setattr("offbook.agent.session._ANTECEDENTS", 2)
    async with await opened(tmp_path, method="vanilla", context__history_tokens=0) as small:
        await one_greeting_through(await small.session("wat-reeve", session="s"), number)


async def one_greeting_through(talk: Session, number: int) -> None:
    talk.greet(number)
    for turn in range(4):
        found = await talk.recall("The oath?")
        told = [item.text for item in found.context if item.kind == "knowledge"]
        assert (turn, told) == (turn, [f"Greeting {number - 1}."])
        await said(talk, "Go on.")
    assert len(talk.history) == 9
