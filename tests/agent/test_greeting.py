"""Greetings: offered, told to the model, kept with the first turn, gone with the card."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from offbook.agent.session import Session
from offbook.app import Offbook
from offbook.errors import UsageError
from offbook.settings import load_settings
from offbook.stores import conversations
from offbook.types import Message
from tests.app.keeper import as_file, entry, keeper

FIRST = "You will be User, then. Mind the third step."


@pytest.fixture
async def book(tmp_path: Path) -> AsyncIterator[Offbook]:
    settings = load_settings(
        {"home": str(tmp_path / "home"), "method": "vanilla"}, {}, tmp_path, tmp_path / "none"
    )
    file = tmp_path / "k.json"
    file.write_text(as_file(keeper()), "utf-8")
    async with await Offbook.open(settings) as opened:
        await opened.cards.create(file)
        yield opened


async def said(talk: Session, words: str) -> str:
    return "".join([piece async for piece in talk.say(words)])


async def stored(book: Offbook, session: str) -> list[tuple[str, str]]:
    found = await book.store.read(lambda conn: conversations.history(conn, "tamsin-reeve", session))
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
    file = tmp_path / "wat.json"
    file.write_text(as_file(keeper(**fields)), "utf-8")
    await book.cards.create(file)
    monkeypatch.setattr("offbook.agent.session._ANTECEDENTS", 2)
    tight = {"home": str(tmp_path / "home"), "method": "vanilla", "context.history_tokens": 0}
    small = await Offbook.open(load_settings(tight, {}, tmp_path, tmp_path / "none"))
    async with small:
        await one_greeting_through(await small.session("wat-reeve", session="s"), number)


async def one_greeting_through(talk: Session, number: int) -> None:
    talk.greet(number)
    for turn in range(4):
        found, _ = await talk.recall("The oath?")
        told = [item.text for item in found.context if item.kind == "knowledge"]
        assert (turn, told) == (turn, [f"Greeting {number - 1}."])
        await said(talk, "Go on.")
    assert len(talk.history) == 9
