"""A budget is that of one command: of its conversations and of what goes on behind them, too."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from offbook.agent.replay import Transcript
from offbook.app import Offbook
from offbook.app.commands import command_of, conversation_of, serving
from offbook.app.conversations import replayed
from offbook.errors import BudgetReached
from offbook.settings import load_settings
from offbook.stores import principals
from offbook.types import Character
from tests.loopback.server import LoopbackServer
from tests.models.fakes import request
from tests.waiting import PATIENCE_SECONDS

SAID = "Who taught you?"


@pytest.fixture
def endpoint() -> Iterator[LoopbackServer]:
    with LoopbackServer() as server:
        yield server


@pytest.fixture
async def book(tmp_path: Path, endpoint: LoopbackServer) -> AsyncIterator[Offbook]:
    """A home with Ada, in which one call may be made for a command."""
    named = {
        "home": str(tmp_path / "home"),
        "method": "vanilla",
        "chat.model": "m",
        "chat.base_url": endpoint.base_url,
        "limits.budget_calls": "1",
        "memory.grace_seconds": "0",
    }
    async with await Offbook.open(load_settings(named, {}, tmp_path, tmp_path / "none")) as opened:
        await opened.create("Ada")
        yield opened


class Told:
    """Counts the calls that it is told of."""

    def __init__(self) -> None:
        self.calls = 0

    def requested(self, task: str, requests: int) -> None:
        self.calls += requests

    def answered(self, task: str, prompt_tokens: int, completion_tokens: int) -> None:
        pass

    def waited(self, task: str, seconds: float) -> None:
        pass

    def embedded(self, prompt_tokens: int) -> None:
        pass


async def ada(book: Offbook) -> Character:
    return await book.find("ada")


async def test_a_budget_is_that_of_the_whole_command(book: Offbook, endpoint: LoopbackServer):
    talk = await book.session("ada", keep=False)
    assert (await talk.ask(SAID)).usage.calls == 1
    with pytest.raises(BudgetReached):
        await talk.ask("And then?")
    other = await conversation_of(book, await ada(book), principals.OWNER)
    with pytest.raises(BudgetReached):
        await other.ask(SAID)
    sent = await replayed(book, await ada(book), Transcript((), SAID), principals.OWNER)
    with pytest.raises(BudgetReached):
        await sent.whole()
    assert (book.meter.usage().calls, endpoint.count()) == (1, 1)


async def test_of_a_conversation_that_goes_on_each_question_is_a_command(book: Offbook):
    talk = await conversation_of(book, await ada(book), principals.OWNER, "evening", goes_on=True)
    for number in range(3):
        assert (await talk.ask(f"What was number {number}?")).usage.calls == 1
    assert book.meter.usage().calls == 0


async def test_what_a_server_spends_is_told_whatever_it_is_spent_on(book: Offbook):
    told, character = Told(), await ada(book)
    async with serving(book, told) as made:
        command = command_of(made, method="vanilla")
        talk = await conversation_of(command, character, principals.OWNER)
        await talk.ask(SAID)
        assert told.calls == 1
        talk = await conversation_of(made, character, principals.OWNER, goes_on=True)
        await talk.ask(SAID)
        assert told.calls == 2
        for number in range(3, 6):  # behind conversations, as long as the server lives
            runtime = made.learning.make_runtime(character)
            await runtime.extractor.complete(request(f"Number {number}"))
            assert told.calls == number
            with pytest.raises(BudgetReached):
                await runtime.extractor.complete(request("One too many"))
        assert made.meter.usage().calls == 0


async def test_an_open_offbook_stays_its_owners_while_it_is_served_and_after(book: Offbook):
    told, character = Told(), await ada(book)
    async with serving(book, told) as made:
        runtime = book.learning.make_runtime(character)
        await runtime.extractor.complete(request("Who is Ada?"))
        assert command_of(made).learning is made.learning is not book.learning
    assert (told.calls, book.meter.usage().calls) == (0, 1)
    with pytest.raises(BudgetReached):
        await book.learning.make_runtime(character).extractor.complete(request("One too many"))


async def test_what_goes_on_behind_a_server_ends_with_it(book: Offbook):
    begun = asyncio.Event()

    async def for_long() -> None:
        begun.set()
        await asyncio.Event().wait()

    async with serving(book) as made:
        made.learning.do(for_long)
        await begun.wait()
    assert made.learning.is_idle


async def test_the_end_of_a_server_does_not_wait_as_long_as_a_command_may(book: Offbook):
    settings = book.settings.overlaid({"memory.grace_seconds": 600})
    patient = Offbook(replace(book.wiring, settings=settings))
    broken_off = asyncio.Event()

    async def endless() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            broken_off.set()

    async with asyncio.timeout(PATIENCE_SECONDS):
        async with serving(patient) as served:
            served.learning.do(endless)
            await asyncio.sleep(0)
    assert broken_off.is_set()
