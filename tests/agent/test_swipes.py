"""Swipes: another reply to the same words takes the place of the last, and gives it back."""

from __future__ import annotations

from collections.abc import AsyncIterator
from itertools import count
from pathlib import Path

import pytest

from offbook.agent.session import Session
from offbook.app import Offbook
from offbook.errors import UnknownName, UsageError
from offbook.models.clients import WITHOUT_OWNER
from tests.agent.talks import said
from tests.app.homes import opened, text
from tests.cli.texts import ADA
from tests.loopback.server import LoopbackServer


@pytest.fixture
async def book(tmp_path: Path) -> AsyncIterator[Offbook]:
    """Ada Byrne, answered by a model whose replies all differ, with its requests in ``asked``."""
    numbers = count(1)
    with LoopbackServer(answer=lambda body: f"Reply {next(numbers)}.") as server:
        told = {
            "chat__model": "m",
            "chat__base_url": server.base_url,
            "chat__api_key": "k",
            "extract__model": "offline",
        }
        async with await opened(tmp_path, **told) as made:
            made.asked = server.requests  # type: ignore[attr-defined]
            await made.create("Ada")
            await made.ingest_texts("ada", [text("ada.md", ADA)])
            yield made
        await WITHOUT_OWNER.close()


async def again(talk: Session) -> str:
    return "".join([piece async for piece in talk.again()])


async def test_another_reply_takes_the_place_of_the_last_and_both_are_there(book: Offbook):
    talk = await book.session("ada", session="evening")
    first, second = await said(talk, "Who taught you?"), await again(talk)
    assert first != second
    assert talk.last is not None
    assert talk.last.text == second
    (exchange,) = await talk.exchanges()
    assert [swipe.answered for swipe in exchange.swipes] == [first, second]
    assert exchange.turn.answered == second
    assert exchange.place == 1
    assert [message.content for message in talk.history] == ["Who taught you?", second]


async def test_the_last_reply_is_not_told_to_the_model_that_replies_again(book: Offbook):
    talk = await book.session("ada", session="evening")
    await said(talk, "Good evening.")
    taught = await said(talk, "Who taught you?")
    await again(talk)
    told = str(book.asked[-1].body)  # type: ignore[attr-defined]
    assert taught not in told
    assert "Good evening." in told


async def test_a_conversation_goes_on_from_the_swipe_that_was_chosen(book: Offbook):
    talk = await book.session("ada", session="evening")
    first = await said(talk, "Who taught you?")
    await again(talk)
    (exchange,) = await talk.exchanges()
    await talk.choose(exchange.swipes[0].id)
    third = await said(talk, "And then?")
    other = await book.session("ada", session="evening")
    assert [turn.turn.answered for turn in await other.exchanges()] == [first, third]
    assert [message.content for message in other.history][1] == first


async def test_a_reply_that_is_broken_off_leaves_the_last_one(book: Offbook):
    talk = await book.session("ada", session="evening")
    first = await said(talk, "Who taught you?")
    stream = talk.again()
    async for _ in stream:
        break
    await stream.aclose()  # type: ignore[attr-defined]
    (exchange,) = await talk.exchanges()
    assert [swipe.answered for swipe in exchange.swipes] == [first]
    assert [message.content for message in talk.history] == ["Who taught you?", first]
    await said(talk, "And then?")
    assert first in str(book.asked[-1].body)  # type: ignore[attr-defined]


async def test_nothing_was_said_that_could_be_answered_anew(book: Offbook):
    talk = await book.session("ada", session="evening")
    with pytest.raises(UsageError, match="nothing was said"):
        await again(talk)


async def test_a_reply_of_elsewhere_cannot_be_chosen(book: Offbook):
    talk = await book.session("ada", session="evening")
    await said(talk, "Who taught you?")
    with pytest.raises(UnknownName):
        await talk.choose("none")


async def test_the_mood_of_a_conversation_is_told(book: Offbook):
    talk = await book.session("ada", session="evening")
    mood = await talk.mood()
    assert mood is not None
    assert set(mood.values()) == {1}
    assert await (await book.session("ada", keep=False)).mood() is None
