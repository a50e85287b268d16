"""`scene`: several people of a book, lines in, replies behind their names out."""

from __future__ import annotations

import io
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.app import casting
from tests.cli.test_chat import READY, Terminal
from tests.end_to_end.world import Outcome, World
from tests.loopback import LoopbackServer
from tests.waiting import PATIENCE_SECONDS, until

WHO = ("Ada Byrne", "Tom Reeve")


@pytest.fixture
def rock(offline: World, monkeypatch: pytest.MonkeyPatch) -> Path:
    casting.use_it(monkeypatch)
    monkeypatch.delenv("OFFBOOK_METHOD")
    return offline.write("rock.md", casting.BOOK)


def scene(world: World, monkeypatch, text: str, *words: object) -> Outcome:
    monkeypatch.setattr(sys, "stdin", io.StringIO(text))
    return world.run("scene", *map(str, words))


def speakers(outcome: Outcome) -> list[str]:
    return [line.partition(": ")[0] for line in outcome.out.splitlines()]


def test_people_are_made_and_answer_behind_their_names(offline: World, rock: Path, monkeypatch):
    outcome = scene(offline, monkeypatch, "Tom, where did you sleep?\n/on 2\n", rock, *WHO)
    assert outcome.code == 0, outcome.err
    assert speakers(outcome) == ["Tom Reeve", "Ada Byrne", "Tom Reeve"]
    assert {row["id"] for row in offline.done("list", "--json").json} == {"ada-byrne", "tom-reeve"}
    assert f"continue with: offbook scene {rock} 'Ada Byrne' 'Tom Reeve' --session " in outcome.err


def test_who_speaks_can_be_set(offline: World, rock: Path, monkeypatch):
    lines = "/as Tom Reeve, who lit the lamp?\n/as ada\n/as Zed\n"
    outcome = scene(offline, monkeypatch, lines, rock, *WHO, "--session", "s")
    assert outcome.code == 2
    assert speakers(outcome) == ["Tom Reeve", "Ada Byrne"]
    assert "nobody present is called 'Zed'; present are: 'Ada Byrne', 'Tom Reeve'" in outcome.err
    outcome = scene(offline, monkeypatch, "Tom?\n", rock, *WHO, "--session", "s", "--as", "Ada")
    assert speakers(outcome) == ["Ada Byrne"]
    help_ = scene(offline, monkeypatch, "/why\n/help\n/as\n", rock, *WHO)
    assert "nothing was said yet" in help_.err
    assert "/as NAME [WORDS]" in help_.err
    assert "it is not said who is to speak" in help_.err


def test_they_speak_among_themselves_and_no_input_is_read(offline: World, rock: Path, monkeypatch):
    words = (*WHO, "--turns", "3", "--about", "the lamp", "--at", "Chapter 1")
    outcome = scene(offline, monkeypatch, "This is not read.\n", rock, *words)
    assert outcome.code == 0, outcome.err
    assert speakers(outcome) == ["Ada Byrne", "Tom Reeve", "Ada Byrne"]
    assert "not read" not in outcome.out
    assert "--at 'Chapter 1' --about 'the lamp'" in outcome.err


def test_as_json_it_is_one_document(offline: World, rock: Path, monkeypatch):
    words = (*WHO, "--session", "evening", "--json")
    monkeypatch.setattr(sys, "stdin", io.StringIO("Ada and Tom, who slept?\n"))
    found = offline.done("scene", str(rock), *words).json
    assert set(found) == {"scene", "present", "lines", "replies"}
    assert found["scene"] == "evening"
    assert [line["character"] for line in found["lines"]] == [None, "ada-byrne", "tom-reeve"]
    assert [reply["character"] for reply in found["replies"]] == list(WHO)
    assert all({"reply", "context", "usage", "remembered"} <= set(one) for one in found["replies"])


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("Ada Byrne",), "a scene is of two or more; talk to one with: offbook chat"),
        (("Ada Byrne", "Zed"), "nobody in 'rock' is called 'Zed'"),
        ((*WHO, "--at", "Chapter 9"), "has no heading 'Chapter 9'"),
        ((*WHO, "--as", "Zed"), "nobody present is called 'Zed'"),
    ],
)
def test_what_is_no_scene_is_refused(offline: World, rock: Path, monkeypatch, words, told):
    outcome = scene(offline, monkeypatch, "Hello\n", rock, *words)
    assert (outcome.code, outcome.out) == (2, "")
    assert told in outcome.err


@pytest.mark.parametrize("number", ["ten", "0"])
def test_how_often_they_go_on_is_a_number(offline: World, rock: Path, monkeypatch, number):
    outcome = scene(offline, monkeypatch, f"/on 2\n/on {number}\n", rock, *WHO)
    assert (outcome.code, speakers(outcome)) == (2, ["Ada Byrne", "Tom Reeve"])
    assert f"{number!r} is no number of replies" in outcome.err


@pytest.fixture
def slow(offline: World) -> Iterator[World]:
    """Two characters of a model that can be held."""
    with LoopbackServer(answer=lambda _: "So it is.") as server:
        world = World(offline.folder, server)
        world.set("limits.retries=0")
        file = world.write("rock.md", casting.BOOK)
        for name in WHO:
            world.done("create", "--from", file, name)
        yield world
        server.release()


def lines_of(world: World, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.setattr(sys, "stdin", io.StringIO(""))
    outcome = world.done("scene", "rock", *WHO, "--session", "evening", "--json")
    return [line["name"] for line in outcome.json["lines"]]


@pytest.mark.long
@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGINT])
def test_a_scene_that_is_killed_keeps_whole_replies_and_no_half(
    slow: World, monkeypatch, end: signal.Signals
):
    server = slow.server
    assert server is not None
    process = slow.start("scene", "rock", *WHO, "--session", "evening")
    assert process.stdin is not None
    assert process.stdout is not None
    with process:
        process.stdin.write("Ada, who lit the lamp?\n")
        process.stdin.flush()
        assert process.stdout.readline() == "Ada Byrne: So it is.\n"
        server.hold(path="/chat/completions")
        process.stdin.write("/on\n")
        process.stdin.flush()
        until(lambda: server.in_flight > 0, "a reply that is on its way")
        process.send_signal(end)
        process.wait(timeout=PATIENCE_SECONDS)
    server.release()
    assert lines_of(slow, monkeypatch) == ["", "Ada Byrne"]


@pytest.mark.long
def test_ctrl_c_stops_a_reply_and_keeps_the_question(slow: World, monkeypatch):
    server = slow.server
    assert server is not None
    server.hold(path="/chat/completions")
    terminal = Terminal(*slow.flags, "scene", "rock", *WHO, "--session", "evening")
    terminal.wait_for(READY)
    terminal.type("Ada, who lit the lamp?\r")
    until(lambda: server.in_flight > 0, "a reply that is on its way")
    terminal.type("\x03")
    terminal.wait_for("stopped; ")
    server.release()
    until(lambda: not server.in_flight)
    terminal.type("\r")
    terminal.wait_for("Ada Byrne: So it is.")
    terminal.wait_for(READY)
    assert terminal.ended("\x04") == 0
    assert lines_of(slow, monkeypatch) == ["", "Ada Byrne"]
