"""Conversations with a model at an endpoint: streaming, what is kept, what the model is told."""

from __future__ import annotations

import asyncio
import io
import os
import threading
from collections.abc import AsyncIterator

import pytest

from tests.end_to_end.world import World, ended, story
from tests.loopback import Answer, LoopbackServer
from tests.loopback import server as loopback

ANSWERS = ["I am the keeper of the light.", "I wrote the names of the ships down.", "Every year."]


@pytest.fixture
def keeper(world: World) -> World:
    """A character that answers with the next of ANSWERS."""
    server = world.server
    assert server is not None
    left = iter(ANSWERS * 5)
    server.answer = lambda _: next(left)
    world.set("limits.retries=0")
    world.done("create", "Keeper")
    world.done("ingest", "Keeper", world.write("light.md", story(12)))
    server.clear()
    return world


def say(monkeypatch: pytest.MonkeyPatch, *lines: str) -> None:
    """Let these lines be what a person types."""
    monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in lines)))


@pytest.mark.long
def test_the_first_piece_arrives_before_the_last_is_sent(keeper, server, monkeypatch):
    go_on = threading.Event()
    sent: list[str] = []

    async def pieces(self, answer, fault, recorded) -> AsyncIterator[str]:
        try:
            for text in (
                "I hear you and the sea. But ",
                "I stay.",
            ):  # a first sentence is held back
                sent.append(text)
                yield loopback._event({"content": text})
                while not go_on.is_set():
                    await asyncio.sleep(0.005)
            yield loopback._event({}, "stop")
            yield "data: [DONE]\n\n"
        finally:
            self._leave(recorded)

    monkeypatch.setattr(LoopbackServer, "_events", pieces)
    process = keeper.start("chat", "Keeper", "--session", "s")
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write("Who are you?\n")
    process.stdin.flush()
    first = os.read(process.stdout.fileno(), 100).decode()
    told, sent_by_then = first, list(sent)
    go_on.set()
    outcome = ended(process)
    assert sent_by_then == ["I hear you and the sea. But "]
    assert told.startswith("I hear you")
    assert outcome.code == 0
    assert (told + outcome.out).split() == [
        "I",
        "hear",
        "you",
        "and",
        "the",
        "sea.",
        "But",
        "I",
        "stay.",
    ]


@pytest.mark.long
def test_what_does_not_change_comes_first_and_is_the_same_byte_for_byte(keeper, server):
    outcome = keeper.process(
        "chat", "Keeper", stdin="Who are you?\nWhat about lantern number 7?\n/why\nWhen?\n"
    )
    assert outcome.code == 0, outcome
    assert outcome.out.split("\n") == [*ANSWERS, ""]
    one, two, three = (body["messages"] for body in server.chat_bodies)
    assert one[0] == two[0] == three[0]
    assert one[0]["role"] == "system"
    roles = ["system", "user", "assistant", "user", "assistant", "user"]
    assert [message["role"] for message in three] == roles
    assert (
        two[1:3]
        == three[1:3]
        == [
            {"role": "user", "content": "Who are you?"},
            {"role": "assistant", "content": ANSWERS[0]},
        ]
    )
    assert "lantern number 7 up the stairs" in two[-1]["content"]
    assert all("up the stairs" not in message["content"] for message in two[:-1])
    assert two[-1]["content"].endswith("What about lantern number 7?")


@pytest.mark.long
def test_a_conversation_goes_on_in_another_process(keeper, server):
    words = ("ask", "Keeper", "--session", "evening")
    keeper.done(*words, "Who are you?")
    keeper.process(*words, "And then?")
    one, two = (body["messages"] for body in server.chat_bodies)
    assert two[0] == one[0]
    assert [message["content"] for message in two[1:3]] == ["Who are you?", ANSWERS[0]]


def test_thoughts_are_not_shown(keeper, server, monkeypatch):
    say(monkeypatch, "Who are you?")
    server.answer = lambda _: Answer("<think>\nWho am I?\n</think>\n\nThe keeper.")
    assert keeper.done("chat", "Keeper").out == "The keeper.\n"
