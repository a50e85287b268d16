"""What cannot be undone asks first; where nobody can be asked, it wants `-y`."""

from __future__ import annotations

import json

import pytest

from tests.cli.texts import Keyboard
from tests.end_to_end.world import World

CANNOT_BE_UNDONE = [
    ["delete", "ada-byrne"],
    ["forget", "ada-byrne", "ada.md"],
    ["memories", "ada-byrne", "forget", "{memory}"],
    ["import", "ada.offbook", "--replace"],
    ["key", "revoke", "{key}"],
    ["eval", "delete", "file-1"],
]
each = pytest.mark.parametrize("words", CANNOT_BE_UNDONE, ids=" ".join)


@pytest.fixture
def full(ada: World) -> World:
    """Ada Byrne with a memory, exported; then another document, a key and a run."""
    memory = {"said": "Who taught you?", "answered": "Tom did, and I am glad."}
    ada.done("remember", "ada-byrne", ada.write("told.jsonl", json.dumps(memory) + "\n"))
    ada.done("export", "ada-byrne", "ada.offbook")
    ada.done("ingest", "ada-byrne", ada.write("gulls.md", "Ada Byrne feeds the gulls.\n"))
    ada.done("key", "add", "a game")
    question = {"id": "q", "question": "Who drowned?", "answer": "Tom drowned"}
    file = ada.write("questions.jsonl", json.dumps(question) + "\n")
    ada.done("eval", "run", "file", "--path", file, "-c", "Ada Byrne", "-m", "vanilla")
    return ada


def stored(world: World) -> list[object]:
    """What the commands could take away."""
    looks = [["list"], ["key", "list"], ["eval", "list"]]
    looks += [["show", "ada-byrne", part] for part in ("documents", "memories")]
    return [world.run(*words, "--json").json for words in looks]


def named(world: World, words: list[str]) -> list[str]:
    """The words with the ids that this world has."""
    (memory,) = world.done("show", "ada-byrne", "memories", "--json").json
    (key,) = world.done("key", "list", "--json").json
    return [word.format(memory=memory["id"], key=key["id"]) for word in words]


@each
def test_without_a_terminal_it_is_refused(full: World, words: list[str]):
    before = stored(full)
    outcome = full.run(*named(full, words), "--json")
    assert (outcome.code, outcome.error["kind"]) == (2, "usage")
    assert "-y (--yes)" in outcome.error["hint"]
    assert stored(full) == before


@each
def test_yes_is_an_answer(full: World, words: list[str]):
    before = stored(full)
    full.done(*named(full, words), "--yes", "--json")
    assert stored(full) != before


@pytest.mark.parametrize(("answer", "code"), [("n\n", 130), ("", 130), ("y\n", 0)])
def test_at_a_terminal_only_a_yes_goes_on(ada: World, monkeypatch, answer: str, code: int):
    before = ada.done("list", "--json").json
    monkeypatch.setattr("sys.stdin", Keyboard(answer))
    outcome = ada.run("delete", "ada-byrne")
    assert outcome.code == code
    assert "cannot be undone" in outcome.err
    assert (ada.done("list", "--json").json == before) is bool(code)


def test_a_name_gives_no_orders_to_the_terminal(offline: World, monkeypatch):
    monkeypatch.setattr("sys.stdin", Keyboard("n\n"))
    outcome = offline.run("key", "revoke", "\x1b[2J")
    assert "revoke the key \u241b[2J?" in outcome.err


def test_what_can_be_undone_does_not_ask(ada: World):
    for words in (["list"], ["export", "ada-byrne", "ada.offbook"], ["key", "add", "a game"]):
        ada.done(*words)
    assert ada.run("import", "ada.offbook").code == 2  # refused as before: the name is taken
    ada.done("delete", "ada-byrne", "-y")
    ada.done("import", "ada.offbook")
