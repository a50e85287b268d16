"""Homes that cannot be used: one line that says why, exit code 1, nothing lost."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from offbook.stores.sqlite import SqliteStore
from tests.cli.shapes import ERROR, misfit
from tests.cli.texts import ADA, GULLS
from tests.end_to_end.world import World

COMMANDS = [
    ["list"],
    ["create", "Bea"],
    ["ask", "ada", "Who?"],
    ["ingest", "ada"],
    ["doctor"],
    ["delete", "ada", "-y"],
]


@pytest.fixture
def ada(offline: World) -> World:
    offline.done("create", "Ada")
    offline.done("ingest", "ada", offline.write("ada.md", ADA))
    return offline


def one_clear_line(world: World, words: list[str], *expected: str) -> None:
    plain = world.run(*words)
    assert plain.code == 1, plain
    assert plain.out == ""
    assert plain.err.count("\n") == 1
    assert "Traceback" not in plain.err
    assert all(word in plain.err for word in expected), plain.err
    as_json = world.run(*words, "--json")
    assert as_json.code == 1
    assert misfit(as_json.json, ERROR) is None
    assert as_json.error["kind"] == "store_failed"
    assert as_json.error["hint"]


@pytest.mark.parametrize("words", COMMANDS)
def test_a_file_that_is_no_database_is_left_as_it_is(offline: World, words):
    offline.home.mkdir()
    file = offline.home / "offbook.db"
    file.write_bytes(b"This is a letter, and no database at all.\n" * 100)
    before = file.read_bytes()
    one_clear_line(offline, words, "not an offbook database", "offbook.db")
    assert file.read_bytes() == before


def test_a_damaged_database_is_said_to_be(ada: World):
    file = ada.home / "offbook.db"
    data = bytearray(file.read_bytes())
    data[4096:] = b"\x5a" * (len(data) - 4096)
    file.write_bytes(bytes(data))
    one_clear_line(ada, ["show", "ada"], "offbook.db")


def test_a_home_that_is_a_file(offline: World):
    offline.home.write_text("x")
    one_clear_line(offline, ["list"], "OFFBOOK_HOME")


@pytest.mark.parametrize("words", [["create", "Bea"], ["list"]])
def test_a_home_that_may_not_be_written(offline: World, words, monkeypatch):
    def refuse(path: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("offbook.stores.sqlite._make_private", refuse)
    one_clear_line(offline, words, "Permission denied", "OFFBOOK_HOME")


def read_only(connect):
    """A connection whose writes SQLite refuses."""

    def made(self: SqliteStore, *, read_only: bool) -> sqlite3.Connection:
        opened: sqlite3.Connection = connect(self, read_only=read_only)
        opened.execute("PRAGMA query_only = ON")
        return opened

    return made


def test_a_database_that_may_not_be_written(ada: World, monkeypatch):
    monkeypatch.setattr(SqliteStore, "_connect", read_only(SqliteStore._connect))
    before = ada.rows()
    for words in (
        ["create", "Bea"],
        ["ask", "ada", "Who?", "--session", "s"],
        ["delete", "ada", "-y"],
    ):
        one_clear_line(ada, words, "read-only", "OFFBOOK_HOME")
    assert ada.rows() == before


def test_a_full_disk_keeps_what_was_stored(ada: World, monkeypatch):
    file = ada.home / "offbook.db"
    connect = SqliteStore._connect

    def small(self: SqliteStore, *, read_only: bool) -> sqlite3.Connection:
        opened: sqlite3.Connection = connect(self, read_only=read_only)
        (pages,) = opened.execute("PRAGMA page_count").fetchone()
        opened.execute(f"PRAGMA max_page_count = {pages}")
        return opened

    long = "".join(f"## Part {n}\n\nOn day {n} the wind was {n}.\n\n" for n in range(2000))
    long_file = ada.write("long.md", long)
    before = ada.rows()
    with monkeypatch.context() as patch:
        patch.setattr(SqliteStore, "_connect", small)
        outcome = ada.run("ingest", "ada", long_file, "--json")
        assert (outcome.code, outcome.error["kind"]) == (1, "store_failed")
        assert "the disk is full" in outcome.error["message"]
        assert "free some space" in outcome.error["hint"]
        assert ada.rows() == before
        assert "Tom" in ada.done("ask", "ada", "Who taught you?").out
    ada.done("ingest", "ada", long_file)
    assert len(ada.done("show", "ada", "documents", "--json").json) == 2
    assert file.exists()


def test_a_database_that_is_kept_locked(ada: World, monkeypatch):
    holder = sqlite3.connect(ada.home / "offbook.db", isolation_level=None)
    with closing(holder), monkeypatch.context() as patch:
        patch.setattr(SqliteStore.__init__, "__defaults__", (0.05,))
        holder.execute("BEGIN IMMEDIATE")
        one_clear_line(ada, ["create", "Bea"], "another process")
    ada.done("ingest", "ada", ada.write("gulls.txt", GULLS))
