"""`conversations`: what was said with a character, listed, read, named anew and deleted."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import Any

import pytest

from tests.cli.shapes import misfit
from tests.end_to_end.world import World

SECRET = "Do you know the word quincunx?"
ROW = {"session": str, "user": (str, None), "turns": int, "said": str}
ROW |= {"created": str, "updated": str}


@pytest.fixture
def talked(ada: World) -> World:
    """Ada with two conversations of the owner and one of Kim's."""
    for words in (["--session", "s"], ["--session", "a/b"], ["--session", "s", "--user", "kim"]):
        ada.done("ask", "ada-byrne", SECRET, *words)
    return ada


def rows(world: World, *words: str) -> Any:
    return world.done("conversations", "ada-byrne", *words, "--json").json


def test_each_persons_are_listed_the_last_first(talked: World):
    talked.done("ask", "ada-byrne", "Who are you?", "--session", "s")
    with closing(sqlite3.connect(talked.home / "offbook.db")) as database, database:
        database.execute("UPDATE conversations SET updated = '2020-01-01' WHERE id = 'a%2Fb'")
    mine = rows(talked)
    assert [(row["session"], row["turns"], row["said"]) for row in mine] == [
        ("s", 2, SECRET),
        ("a/b", 1, SECRET),
    ]
    assert set(mine[0]) == set(ROW)
    assert [row["user"] for row in rows(talked, "--user", "kim")] == ["kim"]
    assert rows(talked, "--user", "lee") == []
    assert talked.done("conversations", "ada-byrne").out.splitlines()[0].startswith("s    20")


def test_one_is_read(talked: World):
    shown = talked.done("conversations", "ada-byrne", "show", "a/b").out
    assert shown.startswith(f"> {SECRET}\nAda Byrne: ")
    (turn,) = rows(talked, "show", "a/b")
    assert (
        misfit(turn, {"id": str, "said": str, "speaker": str, "answered": str, "at": str}) is None
    )


def test_a_new_name_is_the_same_conversation(talked: World):
    before = talked.rows()
    renamed = rows(talked, "rename", "s", "evening/1", "--user", "kim")
    assert renamed == {"session": "evening/1", "before": "s"}
    assert [row["session"] for row in rows(talked, "--user", "kim")] == ["evening/1"]
    assert [row["session"] for row in rows(talked)] == ["a/b", "s"], "the others stay"
    assert {name: len(kept) for name, kept in talked.rows().items()} == {
        name: len(kept) for name, kept in before.items()
    }
    words = ["ask", "ada-byrne", "Again?", "--session", "evening/1", "--user", "kim"]
    talked.done(*words)
    assert [turn["said"] for turn in rows(talked, "show", "evening/1", "--user", "kim")] == [
        SECRET,
        "Again?",
    ]


@pytest.mark.parametrize("new", ["a/b", "", "scene:x"])
def test_a_name_that_cannot_be_is_refused(talked: World, new: str):
    outcome = talked.run("conversations", "ada-byrne", "rename", "s", new, "--json")
    assert (outcome.code, outcome.error["kind"]) == (2, "usage")
    assert {row["session"] for row in rows(talked)} == {"s", "a/b"}


def test_a_deleted_one_leaves_the_home(talked: World):
    asked = talked.run("conversations", "ada-byrne", "delete", "s")
    assert (asked.code, "-y" in asked.err) == (2, True)
    for words in (["s"], ["a/b"], ["s", "--user", "kim"]):
        assert talked.leaks("quincunx")
        talked.done("conversations", "ada-byrne", "delete", *words, "-y")
    assert rows(talked) == []
    assert talked.leaks("quincunx") == []


def test_one_that_is_not_there_names_those_that_are(talked: World):
    for action in (["show", "x"], ["rename", "x", "y"], ["delete", "x", "-y"]):
        outcome = talked.run("conversations", "ada-byrne", *action, "--json")
        assert (outcome.code, outcome.error["kind"]) == (2, "unknown_name")
        assert "'a/b'" in outcome.error["hint"]
        assert "'s'" in outcome.error["hint"]
