"""``offbook eval ...``: exit codes, one JSON document, and no number without its n and interval."""

from __future__ import annotations

import csv
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from offbook.evaluation.record import OFFLINE_MARK
from tests.cli.shapes import ERROR, ESTIMATE, NUMBER, USAGE, misfit
from tests.end_to_end.world import World

SCORE = {
    "metric": str,
    "variant": str,
    "group": str,
    "mean": (*NUMBER, None),
    "n": int,
    "missing": int,
    "low": (*NUMBER, None),
    "high": (*NUMBER, None),
    "better": (None, {"higher", "lower"}),
    "unit": str,
}
RUN = {
    "run": {"id": str, "benchmark": str, "dataset_checksum": str, "mark": (str, None)},
    "mark": (str, None),
    "cells": {"planned": int, "stored": int, "failed": int},
    "judges": dict,
    "now": (None, {"asked": int, "rated": int, "missing": int}),
    "usage": USAGE,
    "scores": [SCORE],
    "notes": [str],
}
QUESTIONS = [
    {"id": f"q{n}", "question": f"What happened in the gale of 188{n}?", "answer": "Tom drowned"}
    for n in range(3)
]


@pytest.fixture
def asked(ada: World) -> tuple[str | Path, ...]:
    """The words of a run."""
    lines = "".join(json.dumps(row) + "\n" for row in QUESTIONS)
    file = ada.write("questions.jsonl", lines)
    return ("eval", "run", "file", "--path", file, "-c", "Ada Byrne", "-m", "naive,vanilla")


def test_a_run_prints_scores_and_goes_on_when_it_is_asked_again(ada: World, asked: Any):
    first = ada.done(*asked)
    assert "began file-1" in first.err
    assert "6 of 6 cells" in first.err
    lines = first.out.splitlines()
    assert lines[0].split()[:6] == ["method", "metric", "group", "mean", "95", "%"]
    assert all(line.endswith(f"[{OFFLINE_MARK}]") for line in lines)
    again = ada.done(*asked, "--json")
    assert "going on with file-1" in again.err
    assert misfit(again.json, RUN) is None
    assert again.json["now"] == {"asked": 0, "rated": 0, "missing": 0}
    assert again.json["mark"] == OFFLINE_MARK
    shown = ada.done("eval", "show", "file-1", "--json").json
    assert misfit(shown, RUN) is None
    assert shown["scores"] == again.json["scores"]
    assert ada.done("eval", "score", "file-1", "--json").json["now"]["rated"] == 0


def test_benchmarks_and_runs_are_listed(ada: World, asked: Any):
    before = ada.done("eval", "list")
    assert "demo" in before.out
    assert "file-1" not in before.out
    ada.done(*asked, "--limit", "1")
    after = ada.done("eval", "list")
    assert f"offline [{OFFLINE_MARK}]" in after.out.splitlines()[-1]
    found = ada.done("eval", "list", "--json").json
    assert [run["id"] for run in found["runs"]] == ["file-1"]
    assert {row["name"] for row in found["benchmarks"]} >= {"demo", "file", "character-llm"}


def test_an_estimate_needs_no_endpoint(ada: World, asked: Any):
    free = ada.done("eval", "estimate", *asked[2:])
    assert free.out == "no calls\n"
    words = ("--model", "m", "--base-url", "http://127.0.0.1:9/v1", "--judge", "strict")
    told = ada.done("eval", "estimate", *asked[2:], *words)
    assert "no price is set" in told.out
    assert "knowledge_exposure" in told.out
    found = ada.done("eval", "estimate", *asked[2:], *words, "--json").json
    assert misfit(found, ESTIMATE) is None
    assert found["by_task"]["reply"]["calls"] == 6
    assert "cannot be estimated" in ada.done("eval", "estimate", "demo", "--create").err


def test_a_run_is_exported_and_deleted(ada: World, asked: Any):
    ada.done(*asked, "--limit", "1", "--metric", "ke")
    for name in ("run.jsonl", "run.eval.json"):
        file = ada.folder / name
        assert "exported file-1" in ada.done("eval", "export", "file-1", "-o", file).err
        assert file.stat().st_size > 0
    told = ada.done("eval", "export", "file-1", "-o", ada.folder / "x.jsonl", "--json").json
    assert told == {"run": "file-1", "file": str(ada.folder / "x.jsonl")}
    assert ada.run("eval", "export", "file-1", "-o", "x.pdf").code == 2
    assert ada.done("eval", "delete", "file-1", "--json", "-y").json == {"deleted": "file-1"}
    assert ada.run("eval", "delete", "file-1", "-y").code == 2
    ada.done(*asked, "--limit", "1")
    assert "deleted file-1" in ada.done("eval", "delete", "file-1", "-y").err


def test_a_review_goes_out_and_comes_back(ada: World, asked: Any):
    ada.done(*asked, "--metric", "ke")
    file = ada.folder / "review.csv"
    told = ada.done("eval", "review", "export", "file-1", file)
    assert "6 ratings" in told.err
    counted = ada.done("eval", "review", "export", "file-1", file, "--json").json
    assert counted["ratings"] == 6
    nothing = ada.done("eval", "review", "import", "file-1", file)
    assert "0 ratings by people taken over, 6 rows left blank" in nothing.err
    text = file.read_text("utf-8-sig").splitlines()
    filled = [text[0], text[1].removesuffix('"","",""') + '"9","Ann",""', *text[2:]]
    file.write_text("\n".join(filled) + "\n", encoding="utf-8")
    back = ada.done("eval", "review", "import", "file-1", file)
    assert back.out.splitlines()[0].endswith(f"[{OFFLINE_MARK}]")
    report = ada.done("eval", "review", "import", "file-1", file, "--json").json
    assert (report["overruled"], report["mark"]) == (1, OFFLINE_MARK)
    assert ada.run("eval", "review").code == 2


def test_a_judge_is_checked(ada: World, asked: Any):
    ada.done(*asked, "--metric", "ke")
    out = ada.done("eval", "check-judge", "file-1").out
    assert "position bias" in out
    assert "(n = " in out
    assert all(line.endswith(f"[{OFFLINE_MARK}]") for line in out.splitlines())
    found = ada.done("eval", "check-judge", "file-1", "--json").json
    assert found["bias"]["judge"] == "offline"


def test_what_can_be_fetched_is_listed_with_its_licence(offline: World):
    out = offline.done("eval", "fetch").out
    assert "CC BY-NC 4.0" in out
    rows = offline.done("eval", "fetch", "--json").json
    assert {row["dataset"] for row in rows} >= {"character-llm", "incharacter"}
    assert offline.run("eval", "fetch", "nothing-such").code == 2


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("--method", "nave"), 2),
        (("--method", "rolerag"), 2),
        (("--character", "Nobody"), 2),
        (("--limit", "0"), 2),
        (("--resume", "file-9"), 2),
        (("--option", "colour"), 2),
        (("--set", "chat.model=m", "--set", "chat.base_url=no-address"), 3),
        (("--model", "m", "--base-url", "http://127.0.0.1:9/v1", "--budget-usd", "1"), 3),
    ],
)
def test_what_is_wrong_ends_with_its_exit_code(ada: World, asked: Any, words: Any, code: int):
    outcome = ada.run(*asked, *words, "--json")
    assert outcome.code == code
    assert misfit(outcome.json, ERROR) is None
    assert outcome.error["hint"]
    assert ada.done("eval", "list", "--json").json["runs"] == []


def test_eval_alone_shows_what_there_is(offline: World):
    outcome = offline.run("eval")
    assert outcome.code == 2
    for name in ("run", "estimate", "score", "compare", "export", "review", "check-judge"):
        assert name in outcome.err


def test_a_report_names_its_files_and_without_pictures_none_is_needed(
    ada: World, asked: Any, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    ada.done(*asked)
    found = ada.done("eval", "report", "file-1", "-o", "r", "--no-pictures", "--json").json
    folder = ada.folder / "r"
    assert (found["runs"], found["mark"], found["folder"]) == (
        ["file-1"], OFFLINE_MARK, str(folder),
    )  # fmt: skip
    written = {str(file.relative_to(folder)) for file in folder.rglob("*") if file.is_file()}
    assert set(found["files"]) == written
    assert not [name for name in written if name.startswith("pictures/")]
    outcome = ada.run("eval", "report", "file-1", "-o", "s", "--json")
    assert (outcome.code, outcome.error["kind"]) == (3, "configuration")
    assert "--no-pictures" in outcome.error["hint"]
    assert not (ada.folder / "s").exists()


def test_a_table_has_ours_beside_printed(offline: World):
    shape = offline.done("eval", "table", "rolerag-general", "--json").json
    assert set(shape) == {
        "table",
        "title",
        "source",
        "about",
        "runs",
        "blocks",
        "differs",
        "illegible",
        "notes",
    }
    assert shape["about"]["preset"] == "faithful"
    assert shape["runs"] == []
    (block,) = shape["blocks"]
    for line in block["lines"]:
        assert line["ours"] == []
        assert len(line["printed"]) == 6
        assert line["printed"][0]["source"] == "001 table 2"


def test_a_table_is_planned(offline: World):
    outcome = offline.done("eval", "table", "emotional-strategies", "--plan")
    assert outcome.out.count("emotional[strategy=") == 10
    assert "together: no calls" in outcome.out
    shape = offline.done("eval", "table", "emotional-strategies", "--plan", "--json").json
    assert {each["benchmark"] for each in shape["runs"]} == {"incharacter-bfi", "incharacter-16p"}
    assert shape["total"]["calls"] == 0
    assert offline.done("eval", "table", "amadeus-alpha", "--plan", "--json").json["runs"] == []


def test_bad_usage_of_tables(offline: World):
    unknown = offline.run("eval", "table", "amadeus-qas")
    assert unknown.code == 2
    assert "did you mean 'amadeus-qa'?" in unknown.err
    assert offline.run("eval", "table", "amadeus-qa", "--data", "x=").code == 2
    twice = offline.run("eval", "table", "amadeus-qa", "--data", "x=a", "--data", "x=b")
    assert twice.code == 2
    assert "twice" in twice.err


def test_tables_are_listed_where_none_is_named(offline: World):
    rows = offline.done("eval", "table", "--json").json
    assert {"rolerag-main", "amadeus-usage"} <= {row["table"] for row in rows}
    assert "rolerag-main" in offline.done("eval", "table").out


def test_scores_and_tables_go_out_as_csv(ada: World, asked: Any):
    run = ada.done(*asked, "--json").json["run"]["id"]
    head, *lines = csv.reader(ada.done("eval", "show", run, "--csv").out.splitlines())
    scores = ada.done("eval", "show", run, "--json").json["scores"]
    assert head[:3] == ["method", "metric", "group"]
    assert head[-1] == "mark"
    assert 0 < len(lines) <= len(scores)
    table = ada.done("eval", "table", "amadeus-usage", "--stored", "--csv").out
    assert len([*csv.reader(table.splitlines())]) > 1
    assert ada.run("eval", "table", "amadeus-usage", "--csv", "--latex").code == 2
    names = ada.done("eval", "table", "--csv").out
    assert next(csv.reader(names.splitlines())) == ["table", "what", "printed in"]
