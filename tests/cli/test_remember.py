"""`remember`, `memories` and `show memories`: shapes, counts, messages, exit codes."""

from __future__ import annotations

import json
import sys
from io import StringIO
from typing import Any

import pytest

from tests.cli.shapes import USAGE, misfit
from tests.end_to_end.world import World

LINES = [
    {"said": "Your brother Tom has drowned.", "answered": "Leave me. I must weep alone."},
    {"said": "The lamp is mended!", "answered": "At last! I could dance with joy."},
    {"said": "Who broke the glass?", "answered": "The gale did, and I hate it.", "at": "ada.md"},
]
REPORT = {
    "character": str,
    "added": int,
    "known": int,
    "scored": int,
    "embedded": int,
    "waiting": int,
    "messages": [str],
    "usage": USAGE,
}
MEMORIES = [
    {
        "id": str,
        "said": str,
        "answered": str,
        "emotion": (None, dict),
        "at": (None, str),
        "session": (None, str),
        "user": (None, str),
    }
]


@pytest.fixture
def remembering(ada: World) -> World:
    """Ada, with three memories."""
    ada.set("method=emotional")
    file = ada.write("memories.jsonl", "\n".join(map(json.dumps, LINES)))
    ada.done("remember", "ada-byrne", file)
    return ada


def rows(world: World, *words: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = world.done("show", "ada-byrne", "memories", *words, "--json").json
    return found


def test_memories_are_stored_scored_and_shown(ada: World):
    file = ada.write("memories.jsonl", "\n".join(map(json.dumps, [*LINES, LINES[0]])))
    outcome = ada.done("remember", "ada-byrne", file, "--json")
    assert misfit(outcome.json, REPORT) is None
    report = outcome.json
    assert [report[key] for key in ("added", "known", "scored", "waiting")] == [3, 1, 3, 0]
    shown = rows(ada)
    assert misfit(shown, MEMORIES) is None
    assert [row["said"] for row in shown] == [line["said"] for line in LINES]
    assert all(sorted(row["emotion"]) == sorted(shown[0]["emotion"]) for row in shown)
    assert shown[0]["emotion"]["sadness"] > shown[1]["emotion"]["sadness"]
    again = ada.done("remember", "ada-byrne", file, "--json").json
    assert [again[key] for key in ("added", "known", "scored", "embedded")] == [0, 4, 0, 0]


def test_for_people_the_counts_are_messages(remembering: World):
    outcome = remembering.done("remember", "ada-byrne")
    assert outcome.out == ""
    assert "0 memories added; 0 scored, 0 embedded" in outcome.err
    shown = remembering.done("show", "ada-byrne", "memories").out
    assert "answered: Leave me. I must weep alone." in shown


def test_a_bad_line_stores_nothing(ada: World):
    file = ada.write("memories.jsonl", json.dumps(LINES[0]) + '\n{"said": "x"}\n')
    outcome = ada.run("remember", "ada-byrne", file, "--json")
    assert (outcome.code, outcome.error["kind"]) == (2, "usage")
    assert "line 2" in outcome.error["message"]
    assert rows(ada) == []


def test_what_is_forgotten_is_nowhere(remembering: World):
    wanted = rows(remembering)[0]
    outcome = remembering.done("memories", "ada-byrne", "forget", wanted["id"], "--json", "-y")
    assert outcome.json == {"forgotten": [wanted["id"]]}
    assert len(rows(remembering)) == 2
    assert remembering.leaks("must weep alone") == ["documents/memories.jsonl"]
    outcome = remembering.run("memories", "ada-byrne", "forget", wanted["id"], "--json", "-y")
    assert (outcome.code, outcome.error["kind"]) == (2, "unknown_name")


def test_what_is_forgotten_is_in_no_turn_that_recalled_it(remembering: World):
    wanted = rows(remembering)[1]
    words = ("--session", "s", "--json")
    told = remembering.done("ask", "ada-byrne", "What is a telephone?", *words).json
    assert wanted["id"] in [item["memory"] for item in told["context"]]
    assert wanted["answered"] not in told["reply"]
    remembering.done("memories", "ada-byrne", "forget", wanted["id"], "-y")
    assert remembering.leaks("could dance with joy") == ["documents/memories.jsonl"]
    remembering.done("ask", "ada-byrne", "And a telegraph?", *words)


@pytest.mark.parametrize(
    "words", [("search",), ("forget",), ("kept-out", "x"), ("burn", "x"), ("search", " ")]
)
def test_wrong_use_is_refused(remembering: World, words):
    assert remembering.run("memories", "ada-byrne", *words).code == 2


def test_users_see_their_own(remembering: World, monkeypatch):
    for user in ("kim", "lee"):
        words = ("--session", "s", "--user", user, "--json")
        told = remembering.done("ask", "ada-byrne", f"I am {user}. Did Tom drown?", *words).json
        assert told["remembered"]["memory"]
        assert told["mood"]
    assert len(rows(remembering)) == 5
    (own,) = (row for row in rows(remembering, "--user", "kim") if row["session"])
    assert (own["session"], own["user"]) == ("s", "kim")
    outcome = remembering.run("memories", "ada-byrne", "forget", own["id"], "--user", "lee", "-y")
    assert outcome.code == 2
    remembering.done("memories", "ada-byrne", "forget", own["id"], "--user", "kim", "-y")
    monkeypatch.setattr(sys, "stdin", StringIO("Hello\n/why\n"))
    outcome = remembering.done("chat", "ada-byrne", "--session", "s", "--user", "lee")
    assert "not remembered: a greeting" in outcome.err
    assert "mood:" in outcome.err
    kept_out = remembering.done("memories", "ada-byrne", "kept-out", "--json").json
    assert [(row["said"], row["user"]) for row in kept_out] == [("Hello", "lee")]
