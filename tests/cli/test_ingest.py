"""`ingest`: names, statuses, folders, bad files, estimates."""

from __future__ import annotations

import asyncio
import io
import os
import sys

import pytest

from offbook.stores import jobs
from offbook.stores.connection import open_store, sqlite_url
from tests.cli.shapes import ESTIMATE, INGEST, misfit
from tests.cli.texts import ADA, GULLS
from tests.end_to_end.world import World


def statuses(report) -> dict[str, str]:
    return {row["name"]: row["status"] for row in report["documents"]}


def names(world: World, character: str = "ada-byrne") -> list[str]:
    rows = world.done("show", character, "documents", "--json").json
    return [row["name"] for row in rows]


def test_the_report_has_the_shape_of_the_contract(offline: World):
    offline.done("create", "Ada Byrne")
    outcome = offline.done("ingest", "ada-byrne", offline.write("ada.md", ADA), "--json")
    assert misfit(outcome.json, INGEST) is None
    assert (outcome.json["character"], outcome.json["method"]) == ("Ada Byrne", "naive")
    assert statuses(outcome.json) == {"ada.md": "added"}
    assert outcome.json["documents"][0]["chunks"] >= 3
    assert outcome.json["usage"]["calls"] == 0


def test_for_a_person_there_is_a_line_a_document_and_no_data(offline: World):
    offline.done("create", "Ada Byrne")
    outcome = offline.done("ingest", "ada-byrne", offline.write("gulls.txt", GULLS))
    assert outcome.out == ""
    assert "added     gulls.txt (1 chunk)\n" in outcome.err
    assert "no calls" in outcome.err


def test_same_name_and_content_is_unchanged(ada: World):
    before = ada.rows()
    report = ada.done("ingest", "ada-byrne", ada.folder / "documents" / "ada.md", "--json").json
    assert statuses(report) == {"ada.md": "unchanged"}
    assert ada.rows() == before


def test_same_name_and_other_content_is_a_new_version(ada: World):
    changed = ADA.replace("Galway", "Limerick")
    report = ada.done("ingest", "ada-byrne", ada.write("ada.md", changed), "--json").json
    assert statuses(report) == {"ada.md": "updated"}
    rows = ada.done("show", "ada-byrne", "documents", "--json").json
    assert [(row["id"], row["version"]) for row in rows] == [("ada-md", 2)]
    assert "Limerick" in ada.done("ask", "ada-byrne", "Where were you born?").out
    (ada.folder / "documents" / "ada.md").unlink()
    assert ada.leaks("Galway") == []


def test_a_document_can_be_given_a_name(ada: World):
    report = ada.done("ingest", "ada-byrne", ada.write("x.txt", GULLS), "--name", "Gulls", "--json")
    assert statuses(report.json) == {"Gulls": "added"}
    again = ada.done("ingest", "ada-byrne", ada.write("y.txt", "New."), "--name", "Gulls", "--json")
    assert statuses(again.json) == {"Gulls": "updated"}


@pytest.fixture
def shelf(offline: World) -> World:
    """A folder of good files, bad ones, and such as offbook does not read."""
    offline.done("create", "Ada")
    for name, data in {
        "b.txt": GULLS.encode(),
        "a/ada.md": ADA.encode(),
        "a/page.html": b"<h1>Rope</h1><p>Ada splices rope.</p>",
        "notes.odt": b"PK",
        ".secret.txt": b"hidden",
        "empty.md": b"",
        "binary.txt": b"\x00\x01\x02",
        "latin.txt": "café au lait".encode("latin-1"),
    }.items():
        path = offline.folder / "shelf" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return offline


def test_a_folder_is_its_readable_files_sorted_and_named_by_their_path(shelf: World):
    outcome = shelf.run("ingest", "ada", shelf.folder / "shelf", "--json")
    report = outcome.json
    assert misfit(report, INGEST) is None
    assert names(shelf, "ada") == ["a/ada.md", "a/page.html", "b.txt"]
    assert statuses(report) == {
        "a/ada.md": "added",
        "a/page.html": "added",
        "b.txt": "added",
        "binary.txt": "failed",
        "empty.md": "failed",
        "latin.txt": "failed",
    }
    assert outcome.code == 1
    failed = {row["name"]: row for row in report["documents"] if row["status"] == "failed"}
    assert all(row["messages"] for row in failed.values())
    listed = [path.rpartition("/")[2] for path in report["unknown_files"]]
    assert sorted(listed) == [".secret.txt", "notes.odt"]
    assert all(name in outcome.err for name in (*failed, "notes.odt"))


def test_a_folder_with_nothing_to_read_is_bad_input(offline: World):
    offline.done("create", "Ada")
    (offline.folder / "bare").mkdir()
    outcome = offline.run("ingest", "ada", offline.folder / "bare", "--json")
    assert (outcome.code, outcome.error["kind"]) == (2, "usage")
    assert "bare" in outcome.error["message"]


@pytest.mark.parametrize(
    "bad", ["empty.md", "binary.txt", "latin.txt", "notes.odt", "gone.md", "b.txt/below"]
)
def test_a_named_file_that_cannot_be_read_ends_with_2_and_nothing_is_done(shelf: World, bad):
    folder = shelf.folder / "shelf"
    outcome = shelf.run("ingest", "ada", folder / "b.txt", folder / bad, "--json")
    assert outcome.code == 2
    assert outcome.error["kind"] in ("unreadable_document", "usage")
    assert bad in outcome.error["message"]
    assert outcome.error["hint"]
    assert outcome.err.count("\n") == 1
    assert names(shelf, "ada") == []


def test_a_pipe_is_not_waited_for(ada: World):
    folder = ada.folder / "pipes"
    folder.mkdir()
    os.mkfifo(folder / "pipe.txt")
    named = ada.run("ingest", "ada-byrne", folder / "pipe.txt", "--json")
    assert (named.code, named.error["kind"]) == (2, "unreadable_document")
    below = ada.run("ingest", "ada-byrne", folder, "--json")
    assert (below.code, statuses(below.json)) == (1, {"pipe.txt": "failed"})


def test_without_paths_the_stored_documents_are_completed(ada: World):
    report = ada.done("ingest", "ada-byrne", "--method", "profile", "--json").json
    assert statuses(report) == {"ada.md": "unchanged"}
    assert report["method"] == "profile"
    assert ada.done("show", "ada-byrne", "--json").json["profile"]


@pytest.mark.parametrize("more", [[], ["--estimate"]])
def test_without_paths_and_documents_it_asks_for_some(offline: World, more: list[str]):
    offline.done("create", "Ada")
    outcome = offline.run("ingest", "ada", "--json", *more)
    assert (outcome.code, outcome.error["kind"]) == (2, "usage")
    assert "offbook ingest ada FILE" in outcome.error["hint"]


def test_the_order_of_the_story_can_be_given(ada: World):
    ada.done("ingest", "ada-byrne", ada.write("b.txt", "One."), ada.write("c.txt", "Two."))
    assert names(ada) == ["ada.md", "b.txt", "c.txt"]
    file = ada.write("d.txt", "Three.")
    ada.done("ingest", "ada-byrne", file, "--order", "d.txt, c.txt")
    assert names(ada) == ["d.txt", "c.txt", "ada.md", "b.txt"]


def test_an_order_of_what_is_not_there_is_refused_before_anything_is_done(ada: World):
    file = ada.write("d.txt", "Three.")
    outcome = ada.run("ingest", "ada-byrne", file, "--order", "ada.md,e.txt", "--json")
    assert (outcome.code, outcome.error["kind"]) == (2, "unknown_name")
    assert "'e.txt'" in outcome.error["message"]
    assert names(ada) == ["ada.md"]


def test_an_estimate_does_nothing_and_costs_nothing(offline: World):
    offline.done("create", "Ada")
    file = offline.write("ada.md", ADA)
    outcome = offline.done("ingest", "ada", file, "--estimate", "--method", "profile", "--json")
    assert misfit(outcome.json, ESTIMATE) is None
    assert outcome.json["calls"] == 0
    assert outcome.json["cost_usd"] is None
    assert names(offline, "ada") == []
    assert offline.done("ingest", "ada", file, "--estimate").out == "no calls\n"


def test_an_estimate_tells_what_it_would_not_read(shelf: World):
    outcome = shelf.done("ingest", "ada", shelf.folder / "shelf", "--estimate", "--json")
    assert misfit(outcome.json, ESTIMATE) is None
    told = " ".join(outcome.json["messages"])
    assert all(name in told for name in ("latin.txt", "empty.md", "binary.txt", "notes.odt"))
    assert "latin.txt" in outcome.err


def test_what_is_put_aside_is_a_warning_and_with_strict_a_failure(ada: World):
    chunk = ada.done("show", "ada-byrne", "chunks", "--json").json[0]["id"]

    async def put_aside() -> None:
        store = await open_store(sqlite_url(ada.home / "offbook.db"))
        await store.write(
            lambda conn: jobs.enqueue(conn, "ada-byrne", "extract", [chunk], document="ada-md")
        )
        await store.write(
            lambda conn: jobs.quarantine(conn, "ada-byrne", "extract", [chunk], error="bad answer")
        )
        await store.close()

    asyncio.run(put_aside())
    outcome = ada.done("ingest", "ada-byrne", "--json")
    (row,) = outcome.json["documents"]
    assert (row["status"], row["quarantined"]) == ("partial", 1)
    assert "warning" in outcome.err
    assert "bad answer" in outcome.err
    assert ada.run("ingest", "ada-byrne", "--strict").code == 1
    assert ada.done("show", "ada-byrne", "documents", "--json").json[0]["status"] == "partial"


@pytest.mark.parametrize(
    "text",
    [
        "# A\n## B\n### C\n",
        "word " * 20_000,
        "x" * 100_000,
        "没有标题的一段话。" * 50,
        "제목 없는 글입니다. 등대를 지킨다.",
        "\n\n\nonly one line\n\n",
    ],
    ids=["headings", "one paragraph", "one word", "Chinese", "Korean", "line"],
)
def test_odd_documents_can_be_ingested_and_asked(offline: World, text):
    offline.done("create", "Odd")
    offline.done("ingest", "odd", offline.write("odd.md", text))
    assert offline.done("ask", "odd", "Who are you?", "--json").json["reply"]


def test_standard_input_is_a_document_that_is_named(offline: World, monkeypatch):
    offline.done("create", "Ada")
    unnamed = offline.run("ingest", "ada", "-")
    assert (unnamed.code, "add --name" in unnamed.err) == (2, True)
    for status in ("added", "unchanged"):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"Ada keeps the light.\n")))
        (row,) = offline.done("ingest", "ada", "-", "--name", "notes", "--json").json["documents"]
        assert (row["name"], row["status"]) == ("notes", status)
