"""A conversation: kept when whole, gone on with, nobody else's."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from offbook.agent.history import principal_of, stored_id
from offbook.agent.session import kept_under, require_words
from offbook.app import Offbook
from offbook.documents.readers import ReadDocument
from offbook.errors import UsageError
from offbook.stores import conversations
from tests.agent.talks import said
from tests.app.homes import home_with, text
from tests.cli.texts import ADA


@pytest.fixture
async def book(tmp_path: Path) -> AsyncIterator[Offbook]:
    """An open home with Ada Byrne."""
    async with home_with(tmp_path, "Ada", text("ada.md", ADA), method="ensemble") as made:
        yield made


async def turns(book: Offbook, stored: str) -> list[str]:
    found = await book.store.read(conversations.history, "ada", stored)
    return [turn.said for turn in found]


async def test_a_turn_is_kept_when_its_reply_is_whole(book: Offbook):
    talk = await book.session("ada", session="evening")
    assert await turns(book, "evening") == []
    reply = await said(talk, "Who taught you?")
    assert talk.last is not None
    assert talk.last.text == reply.strip()
    assert talk.last.recall.context
    assert await turns(book, "evening") == ["Who taught you?"]


async def test_a_turn_that_is_broken_off_leaves_no_trace(book: Offbook):
    talk = await book.session("ada", session="evening")
    stream = talk.say("Who taught you?")
    async for _ in stream:
        break
    await stream.aclose()  # type: ignore[attr-defined]
    assert talk.history == ()
    assert talk.last is None
    listed = await book.store.read(conversations.list_all, "ada")
    assert listed == []


async def test_a_session_without_a_name_gets_one(book: Offbook):
    first, second = await book.session("ada"), await book.session("ada")
    assert first.id != second.id
    await first.ask("Who taught you?")
    assert (await book.session("ada", session=first.id)).history == first.history


async def test_a_conversation_that_is_stored_for_another_is_refused(book: Offbook):
    await book.store.write(conversations.begin, "ada", "evening", "somebody")
    with pytest.raises(UsageError, match="'evening' belongs to somebody else"):
        await book.session("ada", session="evening")


async def test_what_is_not_kept_is_remembered_while_it_lasts(book: Offbook):
    talk = await book.session("ada", keep=False)
    await talk.ask("What happened to Tom?")
    assert len(talk.history) == 2
    assert await book.store.read(conversations.list_all, "ada") == []


async def test_a_turn_sees_documents_that_came_meanwhile(book: Offbook):
    talk = await book.session("ada", session="evening")
    await talk.ask("What of the gulls?")
    gulls = ReadDocument("gulls.txt", "Ada feeds the gulls every morning.\n", "text/plain")
    await book.ingest_texts("ada", [gulls])
    reply = await talk.ask("What of the gulls?")
    assert "gulls.txt".replace(".", "-") in {
        source.document for item in reply.recall.context for source in item.sources
    }


async def test_a_turn_sees_what_was_said_meanwhile_from_elsewhere(book: Offbook):
    here, there = [await book.session("ada", session="evening") for _ in range(2)]
    await here.ask("Who taught you?")
    await there.ask("What happened to him?")
    await here.ask("What of the gulls?")
    stored = ["Who taught you?", "What happened to him?", "What of the gulls?"]
    assert await turns(book, "evening") == stored
    assert [message.content for message in here.history[::2]] == stored
    async for _ in there.again():
        pass
    assert [message.content for message in there.history[::2]] == stored


async def test_an_open_conversation_says_no_more_of_what_is_forgotten(book: Offbook):
    gulls = ReadDocument("gulls.txt", "Ada feeds the gulls every morning.\n", "text/plain")
    talk = await book.session("ada", session="evening")
    await talk.ask("What happened to Tom?")
    await book.ingest_texts("ada", [gulls])
    await book.forget("ada", "ada.md", with_memories=True)
    reply = await talk.ask("And who feeds the gulls?")
    assert reply.remembered is not None
    assert reply.remembered.memory is not None
    assert [message.content for message in talk.history[::2]] == ["And who feeds the gulls?"]
    assert await turns(book, "evening") == ["And who feeds the gulls?"]


async def test_a_reply_that_came_too_late_is_no_part_of_the_conversation(book: Offbook):
    gulls = ReadDocument("gulls.txt", "Ada feeds the gulls every morning.\n", "text/plain")
    await book.ingest_texts("ada", [gulls])
    talk = await book.session("ada", session="evening")
    stream = talk.say("What happened to Tom?")
    async for _ in stream:
        await book.forget("ada", "ada.md")
        break
    assert len([piece async for piece in stream]) > 0
    assert talk.last is not None
    assert talk.last.remembered is not None
    assert talk.last.remembered.memory is None
    assert talk.history == ()
    assert await turns(book, "evening") == []


async def test_another_reply_that_came_too_late_leaves_the_last_one(book: Offbook):
    gulls = ReadDocument("gulls.txt", "Ada feeds the gulls every morning.\n", "text/plain")
    await book.ingest_texts("ada", [gulls])
    talk = await book.session("ada", session="evening")
    await talk.ask("What happened to Tom?")
    before = talk.history
    stream = talk.again()
    async for _ in stream:
        await book.forget("ada", "ada.md")
        break
    assert len([piece async for piece in stream]) > 0
    assert await turns(book, "evening") == ["What happened to Tom?"]
    assert talk.history == before


@pytest.mark.parametrize("words", ["", " ", "\n\t"])
async def test_saying_nothing_is_refused(book: Offbook, words: str):
    with pytest.raises(UsageError):
        require_words(words)
    talk = await book.session("ada", keep=False)
    with pytest.raises(UsageError):
        await talk.ask(words)


NAMES = st.text(st.sampled_from("ab/%2F. "), min_size=1, max_size=6)
PEOPLE = st.tuples(NAMES, st.none() | NAMES)


@given(PEOPLE, PEOPLE)
def test_no_two_conversations_have_one_id(one, other):
    assert (stored_id(*one) == stored_id(*other)) is (one == other)


@pytest.mark.parametrize("user", [None, "Bo", "owner"])
def test_conversations_of_a_person_are_kept_under_their_name(user):
    assert kept_under(principal_of(user)) == user
