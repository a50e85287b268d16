"""A history that comes along: chance and beginnings hold when it is replayed or gone on with."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from offbook.agent.replay import PrefixStripper, Transcript
from offbook.app import Offbook
from offbook.app.conversations import replayed
from offbook.context.assembly import assemble
from offbook.prompts.reply import ReplyInputs
from offbook.stores import principals
from offbook.types import Turn
from tests.agent.talks import with_card
from tests.app.homes import opened
from tests.stores.colliding import Colliding

SAID = "And what came of it in the end, do you know? ({})"


class Client:
    """A client that keeps the history, and sends its last ``most`` turns along."""

    def __init__(self, book: Offbook, most: int | None = None) -> None:
        self.book, self.most = book, most
        self.turns: list[Turn] = []

    async def say(self, said: str, n: int = 1) -> None:
        character = await self.book.find("tamsin-reeve")
        turns = tuple(self.turns if self.most is None else self.turns[-self.most :])
        sent = Transcript(turns, said)
        talk = await replayed(self.book, character, sent, principals.OWNER)
        found = await talk.whole(n=n)
        self.turns.append(Turn(said, found[0]))


@pytest.fixture
def reminders(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What replies were told behind the conversation: chance has made it."""
    told: list[str] = []

    def noted(*given: Any) -> ReplyInputs:
        made = assemble(*given)
        told.append(made.reminder)
        return made

    monkeypatch.setattr("offbook.pipeline.assemble", noted)
    return told


@pytest.fixture
async def book(tmp_path: Path) -> AsyncIterator[Offbook]:
    async with await opened(tmp_path, method="vanilla", context__history_tokens=30) as made:
        yield await with_card(made, tmp_path, post_history_instructions="{{roll:99999}}")


@pytest.mark.parametrize("most", [None, 2], ids=["all of it", "its end"])
async def test_chance_goes_on_in_a_history_that_the_prompt_does_not_hold(
    book: Offbook, reminders: list[str], most: int | None
):
    client = Client(book, most)
    for number in range(6):
        await client.say(SAID.format(number))
    assert len(set(reminders)) == len(reminders) == 6


async def test_chance_follows_the_conversation(book: Offbook, reminders: list[str]):
    for name in ("one", "other"):
        client = Client(book)
        await client.say(f"Good evening, {name}.")
        for number in range(2):
            await client.say(SAID.format(number))
    assert len(set(reminders)) == len(reminders) == 6


async def test_replies_to_the_same_words_are_told_the_same(book: Offbook, reminders: list[str]):
    client = Client(book)
    await client.say("Good evening.")
    await client.say(SAID.format(1), n=2)
    before = client.turns.pop()
    await client.say(before.said)
    first, *same = reminders
    assert len(same) == 3
    assert set(same) == {same[0]} != {first}


async def test_what_is_stored_at_the_second_attempt_was_said_once(book: Offbook):
    sent = Transcript((), "Good evening.")
    talk = await replayed(book, await book.find("tamsin-reeve"), sent, principals.OWNER)
    colliding: Any = Colliding(book.store)
    talk._store = colliding
    (reply,) = await talk.whole()
    assert [message.content for message in talk.history] == ["Good evening.", reply]


def rest(begun: str, pieces: list[str]) -> str:
    taken = PrefixStripper(begun)
    return "".join([taken.feed(piece) for piece in pieces]) + taken.finish()


@pytest.mark.parametrize(
    ("begun", "pieces", "left"),
    [
        ("I will tell", [" you", " all."], " you all."),
        ("I will tell", ["I wi", "ll te", "ll you all."], " you all."),
        ("  I will ", ["\n I will", " go."], " go."),
        ("I will tell", ["I wi", "sh I could."], "I wish I could."),
        ("I will tell", ["I wi"], "I wi"),
    ],
)
def test_a_beginning_that_is_said_again_is_taken_off(begun, pieces, left):
    assert rest(begun, pieces) == left


def test_without_a_beginning_nothing_is_held_back():
    taken = PrefixStripper("")
    assert taken.feed(" a") == " a"
    assert taken.finish() == ""


@given(st.text(max_size=20), st.text(max_size=20), st.integers(1, 5))
def test_whole_and_in_pieces_are_the_same(begun, answer, size):
    pieces = [answer[i : i + size] for i in range(0, len(answer), size)]
    assert rest(begun, pieces) == rest(begun, [answer])


@given(st.text(max_size=20), st.text(max_size=20))
def test_saying_the_beginning_again_adds_nothing(begun, answer):
    whole = begun.strip() + answer
    assert begun.strip() + rest(begun, [whole]) == whole
