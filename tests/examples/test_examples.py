"""The programs in ``examples/`` do what docs/clients.md says, against a server on loopback."""

from __future__ import annotations

import asyncio
import inspect
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from offbook.app import Offbook
from offbook.app.memories import memories_in
from tests.examples import test_agents
from tests.examples.conftest import EXAMPLES
from tests.loopback.answers import schema_in
from tests.loopback.server import LoopbackServer
from tests.server.served import Served, settings_in
from tests.waiting import PATIENCE_SECONDS, eventually

PAGE = EXAMPLES.parent / "docs" / "clients.md"
PROGRAMS = sorted(path for path in EXAMPLES.iterdir() if path.suffix in (".py", ".sh"))
MEMORY = '{"said": "Who was Tom?", "answered": "My brother. He drowned."}'
WATCH = "paid with a silver watch"


def run(name: str, url: str) -> str:
    """Standard output of a program that was given the server's address."""
    started = ["bash"] if name.endswith(".sh") else [sys.executable, "-W", "error"]
    environment = {name: value for name, value in os.environ.items() if "proxy" not in name.lower()}
    environment.pop("API_KEY", None)
    done = subprocess.run(
        [*started, str(EXAMPLES / name), url],
        env=environment,
        capture_output=True,
        text=True,
        timeout=4 * PATIENCE_SECONDS,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr == ""
    return done.stdout


@pytest.fixture
def here(served, example, capsys, monkeypatch) -> Callable[[str], str]:
    """Standard output of a program that runs in this process, which has what it imports."""

    def run_here(name: str) -> str:
        monkeypatch.setattr(sys, "argv", [f"{name}.py", served.root])
        monkeypatch.delenv("API_KEY", raising=False)
        done = example(name).main()
        if inspect.iscoroutine(done):
            asyncio.run(done)
        said: str = capsys.readouterr().out
        return said

    return run_here


# -- each is run -----------------------------------------------------------------------------------


def test_openai_python(served, here):
    said = here("openai_python")
    assert said.startswith("models: ada-byrne")
    assert "brother Thomas Byrne taught her to trim the lamp" in said
    assert re.search(r"knowledge: ada-md \d+-\d+", said)
    assert "boundary: out" in said
    assert WATCH in said
    assert "model_not_found" in said
    with httpx.Client(base_url=served.root, timeout=PATIENCE_SECONDS) as client:
        found = client.get("/api/characters/ada-byrne/sessions/evening", params={"user": "sam"})
    assert [turn["said"] for turn in found.json()] == [
        "What did the stranger pay with?",
        "Did you tell anybody of the stranger?",
    ]


def test_langchain_chat(served):
    said = run("langchain_chat.py", served.root)
    assert "brother Thomas Byrne taught her to trim the lamp" in said
    assert "method: ensemble" in said
    assert "boundary: out" in said
    assert WATCH in said


def test_langchain_retriever(here):
    said = here("langchain_retriever")
    assert re.search(r"^\d\.\d\d knowledge: Ada Byrne, The stranger$", said, re.M)
    told = f"In 1884 Ada hid a stranger in her boat for two nights, and he {WATCH}"
    assert f"[knowledge] {told}" in said
    assert said.endswith("knows of the watch before he came: False\n")


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
def test_curl(served):
    said = run("curl.sh", served.root)
    assert '"status":"ok"' in said
    assert said.count("data: [DONE]") == 1
    assert "event: end" in said
    assert re.search(r'"reply":"[^"]*mended nets', said)
    assert '{"id":"tom-byrne","name":"Tom Byrne"}' in said.rsplit("\n", 2)[-2]


def test_game(here, example, monkeypatch):
    npc = example("game_npc").Npc
    key, seconds, line = npc.__init__.__defaults__
    monkeypatch.setattr(npc.__init__, "__defaults__", (key, 10 * seconds, line))
    said = here("game_npc")
    early, late = re.findall(r"anna: What did the stranger pay with\?\n.*: (.*)", said)
    assert WATCH not in early
    assert WATCH in late
    bert = re.search(r"bert: What does the goat Berta eat\?\n.*: (.*)", said)
    assert bert is not None
    assert "thistles" not in bert[1]
    assert re.search(r"smartphone\?\n.*\(beyond what she can know\)", said)
    assert "[no server] Ada (turn away): Not now." in said


def test_vtuber(here, example):
    lines = here("vtuber").splitlines()
    assert lines[-1] == "(interrupted)"
    shown = re.compile(rf"\[({'|'.join(example('vtuber').FACES)})\] \S.*[.!?”)]")
    assert all(shown.fullmatch(line) for line in lines[:-1])
    assert any("lamp" in line for line in lines)


# -- parts that programs of one's own are made from -----------------------------------------------


def test_the_game_goes_on_when_nobody_answers_in_time(served, example):
    npc = example("game_npc").Npc("ada-byrne", served.root, timeout=1e-4)
    line = npc.says("Are you there?", "anna", "slow", "the watch")
    assert (line.live, line.text) == (False, "Not now. The lamp wants me.")


class Slow:
    """A voice that notes what it does, and plays until it is told that the sound has ended."""

    def __init__(self) -> None:
        self.did: list[tuple[str, str]] = []
        self.faces: list[str] = []
        self.begun, self.end = asyncio.Event(), asyncio.Event()

    def made(self) -> list[str]:
        return [text for what, text in self.did if what == "made"]

    def played(self) -> list[str]:
        return [text for what, text in self.did if what == "played"]

    async def synthesize(self, line: Any) -> bytes:
        self.did.append(("made", line.text))
        return str(line.text).encode()

    async def play(self, line: Any, sound: bytes) -> None:
        self.begun.set()
        self.faces.append(line.face)
        await self.end.wait()
        self.did.append(("played", sound.decode()))


async def test_sound_is_made_while_the_sentence_before_is_played(served, example):
    voice = Slow()
    performer = example("vtuber").Performer(served.root, "none", "ada-byrne", voice)
    answering = performer.answer("What did the stranger pay with?", viewer="carl")
    speaking = asyncio.create_task(answering)
    await eventually(lambda: len(voice.made()) > 1 or speaking.done(), "a second sentence")
    assert voice.played() == [], "the first one still sounds"
    voice.end.set()
    await speaking
    await performer.close()
    assert voice.played() == voice.made()


async def test_an_interruption_ends_the_speech(served, example):
    voice = Slow()
    performer = example("vtuber").Performer(served.root, "none", "ada-byrne", voice)
    speaking = asyncio.create_task(performer.answer("Who drowned?", viewer="dora"))
    await asyncio.wait_for(voice.begun.wait(), PATIENCE_SECONDS)
    speaking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await speaking
    await performer.close()
    assert voice.played() == []


async def test_the_face_before_the_first_word_costs_no_call(tmp_path, example):
    felt = dict.fromkeys(example("vtuber").FACES, 2) | {"sadness": 9}
    scores = json.dumps({"items": [{"item": 1, **felt}]})
    reply = "Tom drowned. I trimmed the lamp."
    settings = settings_in(tmp_path)
    async with await Offbook.open(settings) as book:
        made = await book.create("Ada Byrne")
        await book.memories.remember(made.id, memories_in(MEMORY, "a test"))
    with LoopbackServer() as endpoint:
        endpoint.answer = lambda body: scores if schema_in(body) else reply
        told = {"chat__model": "loopback", "chat__base_url": endpoint.base_url}
        late = {"memory__grace_seconds": 60}
        with Served(settings_in(tmp_path, method="emotional", **told, **late)) as server:
            voice = Slow()
            voice.end.set()
            # What the turn taught is scored by a third call, which the reply must not wait for.
            endpoint.hold(2, path="/chat/completions")
            performer = example("vtuber").Performer(server.root, "none", "ada-byrne", voice)
            await performer.answer("What became of Tom?", viewer="ellen")
            await performer.close()
            await eventually(lambda: endpoint.answered == 2, "one for the emotion, one reply")
            endpoint.release()
    assert voice.faces == ["sadness", "sadness"]


def cut(vtuber: Any, pieces: list[str]) -> list[str]:
    sentences = vtuber.Sentences()
    return [s for piece in pieces for s in sentences.feed(piece)] + list(sentences.rest())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I know. Do you?", ["I know.", "Do you?"]),
        ("Mr. Holmes met J. Watson. It was I. He left.",
         ["Mr. Holmes met J. Watson.", "It was I.", "He left."]),
        ("It cost 3.5 pounds.", ["It cost 3.5 pounds."]),
        ('"Go!" she said. "Now..."', ['"Go!"', "she said.", '"Now..."']),
        ("我知道。“你呢？”好！！走吧", ["我知道。", "“你呢？”", "好！！", "走吧"]),
        ("One\n\nTwo", ["One", "Two"]),
        (" \n ", []),
    ],
)  # fmt: skip
def test_sentences(example, text, expected):
    assert cut(example("vtuber"), list(text)) == expected
    assert cut(example("vtuber"), [text]) == expected


# -- the page --------------------------------------------------------------------------------------


def test_the_page_names_every_program():
    page = PAGE.read_text("utf-8")
    assert [path.name for path in PROGRAMS if f"examples/{path.name}" not in page] == []
    own = {*globals(), *vars(test_agents)}
    assert [p.stem for p in PROGRAMS if f"test_{p.stem.removesuffix('_npc')}" not in own] == []


def test_what_the_page_shows_of_a_program_is_what_it_holds():
    shown = re.findall(
        r"<!-- not run: part of examples/(\S+), which is -->\n```\w+\n(.*?)```",
        PAGE.read_text("utf-8"),
        re.S,
    )
    assert {name for name, _ in shown} == {path.name for path in PROGRAMS}
    for name, code in shown:
        held = " ".join((EXAMPLES / name).read_text("utf-8").split())
        assert " ".join(code.split()) in held, f"{name}: {code}"
