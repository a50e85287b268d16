"""`chat`: lines in, replies out as they come, `/why`, leaving, interruption."""

from __future__ import annotations

import io
import os
import pty
import re
import select
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import closing
from functools import partial

import pytest
from prompt_toolkit.application import create_app_session
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput

from tests.cli.texts import GULLS, Keyboard
from tests.end_to_end.world import PROCESS, Outcome, World
from tests.loopback import LoopbackServer
from tests.waiting import PATIENCE_SECONDS, until

QUESTION = "Who taught you to trim the lamp?"


def chat(world: World, monkeypatch, text: str, *words: str) -> Outcome:
    monkeypatch.setattr(sys, "stdin", io.StringIO(text))
    return world.run("chat", "ada-byrne", *words)


def session_of(outcome: Outcome) -> str:
    found = re.search(r"--session (\S+)", outcome.err)
    assert found, outcome
    return found[1]


def test_replies_are_data_a_line_each(ada: World, monkeypatch):
    outcome = chat(ada, monkeypatch, f"{QUESTION}\n\n  \nWhat happened to Tom?\n")
    assert outcome.code == 0
    first, second = outcome.out.splitlines()
    assert "Tom taught her" in first
    assert "1880" in second


def test_why_shows_what_the_last_reply_rests_on_and_what_it_cost(ada: World, monkeypatch):
    outcome = chat(ada, monkeypatch, f"/why\n{QUESTION}\n/why\n")
    assert "nothing was said yet" in outcome.err
    assert "“Ada's brother Tom taught her to trim the lamp when she was nine.”" in outcome.err
    assert "\n      ada.md, Ada Byrne, How she came to the rock\n" in outcome.err
    assert "no calls" in outcome.err
    assert "How she came to the rock\n" not in outcome.out


def test_help_and_unknown_commands_are_not_said_to_the_character(ada: World, monkeypatch):
    outcome = chat(ada, monkeypatch, "/help\n/whi\n")
    assert outcome.out == ""
    assert outcome.err.count("/why          what the last reply rests on") == 2
    assert "no command '/whi'" in outcome.err
    assert "continue with" not in outcome.err


@pytest.mark.parametrize("word", ["/quit", "/exit"])
def test_leaving_by_a_word(ada: World, monkeypatch, word):
    outcome = chat(ada, monkeypatch, f"{QUESTION}\n{word}\nWhat happened to Tom?\n")
    assert outcome.code == 0
    assert len(outcome.out.splitlines()) == 1


def test_a_conversation_is_gone_on_with(ada: World, monkeypatch):
    session = session_of(chat(ada, monkeypatch, "What happened to Tom?\n"))
    outcome = chat(ada, monkeypatch, "And when?\n", "--session", session)
    alone = chat(ada, monkeypatch, "And when?\n")
    assert "the gale of 1880" in outcome.out
    assert "the gale of 1880" not in alone.out


def test_the_line_to_go_on_with_can_be_pasted(ada: World, monkeypatch):
    words = ["--session", "my evening", "--user", "Kim O'Hara"]
    outcome = chat(ada, monkeypatch, f"{QUESTION}\n", *words)
    expected = "offbook chat ada-byrne --session 'my evening' --user 'Kim O'\"'\"'Hara'"
    assert f"continue with: {expected}" in outcome.err


def test_a_turn_that_another_process_was_in_the_way_of_is_tried_again(ada: World, monkeypatch):
    from offbook import pipeline
    from offbook.errors import StoreFailed

    recall, failing = pipeline.recall, [1]

    async def fails(*given: object) -> object:
        if failing:
            failing.pop()
            raise StoreFailed("the vectors were replaced")
        return await recall(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(pipeline, "recall", fails)
    outcome = chat(ada, monkeypatch, f"{QUESTION}\n")
    assert outcome.code == 0
    assert "Tom taught her" in outcome.out
    failing += [1, 1]
    outcome = chat(ada, monkeypatch, f"{QUESTION}\n{QUESTION}\n")
    assert outcome.code == 1, "one turn was lost, and a script is told"
    assert "the vectors were replaced" in outcome.err
    assert outcome.out.count("Tom taught her") == 1
    assert "Traceback" not in outcome.err


def test_a_missing_index_is_told_before_the_first_question(offline: World, monkeypatch):
    offline.done("create", "Ada Byrne")
    outcome = chat(offline, monkeypatch, "Hello\n")
    assert (outcome.code, outcome.out) == (2, "")
    assert "offbook ingest ada-byrne FILE..." in outcome.err
    outcome = chat(offline, monkeypatch, "Hello\n", "--method", "profile")
    assert outcome.code == 2
    assert "--method profile" in outcome.err
    assert chat(offline, monkeypatch, "Hello\n", "--method", "vanilla").code == 0


def typed(world: World, monkeypatch, lines: list[str], *words: str) -> Outcome:
    """A conversation at a terminal; after the last line comes Ctrl-D."""
    monkeypatch.setattr(sys, "stdin", Keyboard())
    with create_pipe_input() as keys, create_app_session(input=keys, output=DummyOutput()):
        keys.send_text("".join(f"{line}\r" for line in lines) + "\x04")
        return world.run("chat", "ada-byrne", *words)


def test_at_a_terminal_it_says_who_answers_and_how_far_they_are(ada: World, monkeypatch):
    first = typed(ada, monkeypatch, [QUESTION], "--session", "s")
    offline = "offline: quoting; for conversation set a model: offbook setup\n"
    assert first.err.startswith(f"{offline}Ada Byrne; /help for commands")
    second = typed(ada, monkeypatch, [], "--session", "s")
    assert second.err.startswith(f"{offline}Ada Byrne, 1 turn so far; /help")
    assert f"\n> {QUESTION}\n{first.out.splitlines()[-1]}\n" in second.err


def test_several_lines_are_one_question(ada: World, monkeypatch):
    typed(ada, monkeypatch, ["Who taught you\x1b\rto trim the lamp?"], "--session", "s")
    (turn,) = shown(ada, "s")
    assert turn["said"] == "Who taught you\nto trim the lamp?"


def shown(world: World, session: str) -> list[dict[str, str]]:
    """The turns of a conversation as it stands."""
    turns = world.done("conversations", "ada-byrne", "show", session, "--json").json
    return list(turns)


def test_what_was_said_last_is_edited_and_answered_anew(ada: World, monkeypatch):
    lines = ["Who are you?", "Who taught them?", "/edit", "\x01\x0bWhat happened to Tom?", "Why?"]
    outcome = typed(ada, monkeypatch, lines, "--session", "s")
    said = [turn["said"] for turn in shown(ada, "s")]
    assert said == ["Who are you?", "What happened to Tom?", "Why?"], outcome


def test_an_edit_that_is_left_is_none(ada: World, monkeypatch):
    lines = ["Who are you?", "/edit", "\x03/why", "What happened to Tom?"]
    typed(ada, monkeypatch, lines, "--session", "s")
    assert [turn["said"] for turn in shown(ada, "s")] == ["Who are you?", "What happened to Tom?"]


def test_another_reply_takes_the_place_of_the_last(ada: World, monkeypatch):
    outcome = chat(ada, monkeypatch, "/retry\n", "--session", "s")
    assert outcome.code == 2
    outcome = chat(ada, monkeypatch, f"{QUESTION}\n/retry\n", "--session", "s")
    assert len(outcome.out.splitlines()) == 2
    (turn,) = shown(ada, "s")
    assert turn["answered"] == outcome.out.splitlines()[-1]


def test_the_point_in_the_story_moves(ada: World, monkeypatch):
    ada.done("ingest", "ada-byrne", ada.write("gulls.md", GULLS))
    question = "Which gull has a name?"
    lines = f"/as-of ada.md\n{question}\n/as-of end\n{question}\n"
    outcome = chat(ada, monkeypatch, lines, "--session", "s")
    before, after = outcome.out.splitlines()
    assert "Bishop" not in before
    assert "Bishop" in after
    assert "the story has reached ada.md" in outcome.err
    assert "--as-of" not in outcome.err.partition("continue with")[2]
    missed = typed(ada, monkeypatch, ["/as-of adda.md"], "--session", "s")
    assert (missed.code, missed.err.count("did you mean 'ada.md'?")) == (0, 1)


def test_the_last_conversation_is_continued(ada: World, monkeypatch):
    none = chat(ada, monkeypatch, "", "--continue")
    assert (none.code, "has no conversation to continue" in none.err) == (2, True)
    for session in ("one", "two"):
        chat(ada, monkeypatch, f"{QUESTION}\n", "--session", session)
    with closing(sqlite3.connect(ada.home / "offbook.db")) as database, database:
        database.execute("UPDATE conversations SET updated = '2020-01-01' WHERE id = 'one'")
    outcome = chat(ada, monkeypatch, "Why?\n", "--continue")
    assert session_of(outcome) == "two"
    assert len(shown(ada, "two")) == 2
    assert chat(ada, monkeypatch, "", "--continue", "--session", "one").code == 2


def test_a_scene_is_not_continued_with_one_of_those_present(ada: World, monkeypatch):
    ada.done("ask", "ada-byrne", QUESTION, "--session", "scene:inn")
    outcome = chat(ada, monkeypatch, "Why?\n", "--continue")
    assert (outcome.code, "has no conversation to continue" in outcome.err) == (2, True)
    assert len(shown(ada, "scene:inn")) == 1


def test_why_is_of_the_last_reply_also_when_the_point_has_moved(ada: World, monkeypatch):
    outcome = chat(ada, monkeypatch, f"{QUESTION}\n/as-of ada.md\n/why\n", "--session", "s")
    assert "nothing was said yet" not in outcome.err
    assert "rests on:" in outcome.err


def test_at_a_terminal_a_failed_turn_does_not_end_the_conversation(ada: World, monkeypatch):
    words = ["--model", "m", "--base-url", "http://127.0.0.1:9/v1", "--set", "limits.retries=0"]
    outcome = typed(ada, monkeypatch, [QUESTION, "Again?"], *words)
    assert outcome.code == 0
    assert outcome.err.count("offbook: ") == 2
    assert "continue with" not in outcome.err
    piped = chat(ada, monkeypatch, f"{QUESTION}\nAgain?\n", *words)
    assert piped.code == 4
    assert piped.err.count("offbook: ") == 1


def test_ctrl_c_just_before_the_prompt_is_not_lost(ada: World, monkeypatch):
    """Ctrl-C while the loop still has it: the next line must not be waited for."""
    from offbook.agent.session import Session

    say = Session.say

    async def interrupted(self: Session, words: str) -> AsyncIterator[str]:
        async for piece in say(self, words):
            yield piece
        os.kill(os.getpid(), signal.SIGINT)

    asked: list[int] = []

    class Lines(io.StringIO):
        """Standard input that counts how often it is asked."""

        def readline(self, size: int | None = -1, /) -> str:  # type: ignore[override]
            asked.append(1)
            return super().readline()

    monkeypatch.setattr(Session, "say", interrupted)
    monkeypatch.setattr(sys, "stdin", Lines(f"{QUESTION}\n"))
    outcome = ada.run("chat", "ada-byrne")
    assert (outcome.code, len(asked)) == (130, 1)
    assert "continue with" in outcome.err


@pytest.mark.long
def test_a_pipe_is_streamed_a_turn_at_a_time(ada: World):
    process = ada.start("chat", "ada-byrne", command=PROCESS)
    assert process.stdin is not None
    assert process.stdout is not None
    with process:
        process.stdin.write(f"{QUESTION}\n")
        process.stdin.flush()
        # The reply is there while the conversation is still open.
        assert "Tom" in process.stdout.readline()
        out, err = process.communicate("What happened to Tom?\n", timeout=PATIENCE_SECONDS)
    assert process.returncode == 0
    assert "1880" in out
    assert "continue with" in err


@pytest.mark.long
def test_ctrl_c_in_a_pipe_ends_with_130_and_keeps_what_was_said(ada: World):
    process = ada.start("chat", "ada-byrne", "--session", "evening")
    assert process.stdin is not None
    assert process.stdout is not None
    with process:
        process.stdin.write("Do you know the word quincunx?\n")
        process.stdin.flush()
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        process.wait(timeout=PATIENCE_SECONDS)
        assert process.stderr is not None
        err = process.stderr.read()
    assert process.returncode == 130
    assert "continue with: offbook chat ada-byrne --session evening" in err
    assert "Traceback" not in err
    assert ada.leaks("quincunx")


ON_TERMINAL = """
import fcntl, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
from offbook.cli.main import run
run()
"""


READY = ">\x08"
"""How the editor draws an empty line."""


class Terminal:
    """A command line at a pseudo-terminal of its own."""

    def __init__(self, *words: str, before: str = "") -> None:
        self.shown = ""
        self.fd, child = pty.openpty()
        self.process = subprocess.Popen(
            [sys.executable, "-W", "error", "-c", before + ON_TERMINAL, *words],
            stdin=child,
            stdout=child,
            stderr=child,
            start_new_session=True,
        )
        os.close(child)

    def wait_for(self, text: str) -> None:
        """Read until ``text`` is shown."""
        until = time.monotonic() + PATIENCE_SECONDS
        while text not in self.shown:
            assert time.monotonic() < until, self.shown
            ready, _, _ = select.select([self.fd], [], [], 1)
            if ready:
                self.shown += os.read(self.fd, 4096).decode()

    def type(self, text: str) -> None:
        """Press keys."""
        self.shown = ""
        os.write(self.fd, text.encode())

    def ended(self, key: str) -> int:
        """The exit code, when the program has ended after a key, which may be pressed again.

        The line editor takes the terminal over between two prompts that look alike, and with it a
        key that ends the input.
        """
        os.write(self.fd, key.encode())
        until = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < until:
            ready, _, _ = select.select([self.fd], [], [], PATIENCE_SECONDS / 8)
            if not ready:
                os.write(self.fd, key.encode())
                continue
            try:
                data = os.read(self.fd, 4096)
            except OSError:
                break
            self.shown += data.decode()
            if not data:
                break
        os.close(self.fd)
        return self.process.wait(timeout=PATIENCE_SECONDS)


@pytest.mark.long
@pytest.mark.parametrize(
    ("key", "code", "last"), [("\x04", 0, "continue with"), ("\x03", 130, "interrupted")]
)
def test_at_a_terminal_ctrl_d_leaves_and_ctrl_c_interrupts_at_once(ada: World, key, code, last):
    terminal = Terminal("chat", "ada-byrne")
    terminal.wait_for(READY)
    assert "offline: quoting" in terminal.shown
    terminal.type("Who taught you?\r")
    terminal.wait_for("Tom taught her")
    terminal.wait_for(READY)
    assert terminal.ended(key) == code
    assert "continue with: offbook chat ada-byrne --session" in terminal.shown
    assert last in terminal.shown
    assert "Traceback" not in terminal.shown


@pytest.fixture
def slow(offline: World) -> Iterator[World]:
    """A character of a model whose first reply does not come."""
    with LoopbackServer(answer=lambda _: "The keeper of the light.") as server:
        world = World(offline.folder, server)
        world.set("limits.retries=0")
        world.done("create", "Keeper")
        server.hold()
        yield world
        server.release()


WORDS = ("chat", "keeper", "--method", "vanilla", "--session", "evening")


@pytest.mark.long
def test_ctrl_c_stops_a_reply_and_keeps_the_question(slow: World):
    server = slow.server
    assert server is not None

    def asked_for_the(number: int) -> bool:
        return server.count("/chat/completions") == number and server.in_flight > 0

    terminal = Terminal(*slow.flags, *WORDS)
    terminal.wait_for(READY)
    for number in (1, 2):  # a second reply is stopped as the first is
        terminal.type("Who are you?\r" if number == 1 else "\r")
        until(partial(asked_for_the, number))
        terminal.type("\x03")
        terminal.wait_for("stopped; Enter sends")
        terminal.wait_for("> Who are you?")
        assert "stopping ..." in terminal.shown
        until(lambda: not server.in_flight)
    server.release()
    terminal.type("\r")
    terminal.wait_for("The keeper of the light.")
    terminal.wait_for(READY)
    assert server.chat_bodies[-1]["messages"][-1]["content"].endswith("Who are you?")
    assert len(server.chat_bodies[-1]["messages"]) == 2, "what was stopped is no turn"
    assert terminal.ended("\x03") == 130
    assert "continue with: offbook chat keeper --session evening" in terminal.shown
    assert "Traceback" not in terminal.shown


@pytest.mark.long
def test_ctrl_c_clears_a_line_and_ends_at_an_empty_one(ada: World):
    terminal = Terminal("chat", "ada-byrne")
    terminal.wait_for(READY)
    terminal.type("What happ")
    terminal.wait_for("What happ")
    terminal.type("\x03Who taught you?\r")
    terminal.wait_for("Tom taught her")
    terminal.wait_for(READY)
    assert terminal.ended("\x03") == 130


@pytest.mark.long
def test_sigterm_during_a_reply_ends_the_conversation(slow: World):
    server = slow.server
    assert server is not None
    terminal = Terminal(*slow.flags, *WORDS)
    terminal.wait_for(READY)
    terminal.type("Who are you?\r")
    until(lambda: server.in_flight)
    terminal.process.send_signal(signal.SIGTERM)
    assert terminal.process.wait(PATIENCE_SECONDS) == 143
    os.close(terminal.fd)


def test_words_that_were_edited_are_no_memory(ada: World, monkeypatch):
    lines = "My dog is called Rex.\n/edit\nMy cat is called Tom.\n"
    chat(ada, monkeypatch, lines, "--session", "s")
    said = [row["said"] for row in ada.done("show", "ada-byrne", "memories", "--json").json]
    assert said == ["My cat is called Tom."]
    chat(ada, monkeypatch, "/edit\nMy dog is called Rex.\n", "--session", "s")
    said = [row["said"] for row in ada.done("show", "ada-byrne", "memories", "--json").json]
    assert said == ["My dog is called Rex."]
