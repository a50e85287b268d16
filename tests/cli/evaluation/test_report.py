"""`eval report`: the files, what is said of them, and what is refused."""

from __future__ import annotations

import csv
import json
import sys
from pathlib import Path

import pytest

from tests.end_to_end.world import World

MARK = "offline rules, not a measurement"
QUESTIONS = (
    {"id": "q1", "question": "Who taught you to trim the lamp?", "answers": ["Thomas Byrne"]},
    {"id": "q2", "question": "Where were you born?", "answers": ["Galway"]},
    {"id": "q3", "question": "Have you ever used a smartphone?", "scope": "out"},
)


@pytest.fixture
def asked(ada: World) -> World:
    """A home with a finished run of two methods on Ada Byrne."""
    ada.write("questions.jsonl", "\n".join(map(json.dumps, QUESTIONS)) + "\n")
    ada.done(
        "eval", "run", "file", "--path", "documents/questions.jsonl", "-c", "Ada Byrne",
        "--method", "naive,vanilla",
    )  # fmt: skip
    return ada


def files_in(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def test_a_report_is_written_and_said_and_marked(asked: World):
    pytest.importorskip("matplotlib", reason="pictures need the extra 'eval'")
    outcome = asked.done("eval", "report", "file-1", "-o", "report")
    folder = asked.folder / "report"
    assert outcome.out == ""
    assert f"its scores are marked: {MARK}" in outcome.err
    found = files_in(folder)
    assert f"wrote {len(found)} files to {folder}" in outcome.err
    assert {"report.html", "report.md", "tables/scores.csv", "tables/differences.csv"} <= found
    kinds = ("scores", "similarity", "chunk-usage", "cost-quality")
    assert {f"pictures/file-1-{kind}.{s}" for kind in kinds for s in ("svg", "png")} <= found
    for name in found:
        if not name.startswith("pictures/"):
            assert MARK in (folder / name).read_text("utf-8")
    page = (folder / "report.html").read_text("utf-8")
    assert "Who taught you to trim the lamp?" in page
    assert "ada.md[" in page


def test_json_names_the_files_and_without_pictures_none_is_needed(asked: World, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    found = asked.done("eval", "report", "file-1", "-o", "r", "--no-pictures", "--json").json
    assert (found["runs"], found["mark"], found["folder"]) == (
        ["file-1"], MARK, str(asked.folder / "r"),
    )  # fmt: skip
    assert set(found["files"]) == files_in(asked.folder / "r")
    assert not [name for name in found["files"] if name.startswith("pictures/")]
    outcome = asked.run("eval", "report", "file-1", "-o", "s", "--json")
    assert (outcome.code, outcome.error["kind"]) == (3, "configuration")
    assert "--no-pictures" in outcome.error["hint"]
    assert not (asked.folder / "s").exists()


def test_the_same_run_gives_the_same_files(asked: World):
    for name in ("one", "two"):
        asked.done("eval", "report", "file-1", "-o", name, "--no-pictures")
    one, two = asked.folder / "one", asked.folder / "two"
    assert files_in(one) == files_in(two)
    assert all((one / name).read_bytes() == (two / name).read_bytes() for name in files_in(one))


def test_what_cannot_be_reported_is_refused_before_anything_is_written(asked: World):
    outcome = asked.run("eval", "report", "file-2", "-o", "r", "--json")
    assert (outcome.code, outcome.error["kind"]) == (2, "unknown_name")
    assert "file-1" in outcome.error["hint"]
    asked.write("taken", "a file")
    outcome = asked.run("eval", "report", "file-1", "-o", "documents/taken", "--json")
    assert (outcome.code, outcome.error["kind"]) == (2, "usage")
    assert "is a file" in outcome.error["message"]
    asked.write("questions.jsonl", json.dumps(QUESTIONS[0]) + "\n")
    outcome = asked.run("eval", "report", "file-1", "-o", "r", "--json")
    assert (outcome.code, outcome.error["kind"]) == (2, "usage")
    assert not (asked.folder / "r").exists()


def test_a_person_who_overruled_is_in_the_report(asked: World):
    file = asked.folder / "review.csv"
    asked.done("eval", "review", "export", "file-1", file)
    with file.open(encoding="utf-8-sig", newline="") as opened:
        rows = list(csv.DictReader(opened))
    row = next(row for row in rows if row["metric"] == "ke")
    row |= {"person_value": "7", "person_name": "Ines", "person_note": "He does say it."}
    with file.open("w", encoding="utf-8", newline="") as opened:
        writer = csv.DictWriter(opened, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    asked.done("eval", "review", "import", "file-1", file)
    asked.done("eval", "report", "file-1", "-o", "r", "--no-pictures")
    page = (asked.folder / "r" / "report.html").read_text("utf-8")
    assert "7, Ines: He does say it." in page
    assert "overruled KE" in page
    with (asked.folder / "r" / "tables" / "ratings.csv").open(newline="") as opened:
        counted = [row for row in csv.DictReader(opened) if row["overruled"] != "0"]
    assert [(row["metric"], row["overruled"]) for row in counted] == [("ke", "1")]
