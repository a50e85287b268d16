"""``quality.py replies``: right, evidence and baseline, of persona documents and of books."""

from __future__ import annotations

import argparse
import importlib
import json
from pathlib import Path
from typing import Any

import pytest

PERSONA = "# Ada Byrne\n\nTom Keane taught Ada Byrne to trim the lamp. She was born in Cork.\n"
BOOK = """Chapter 1

"Good morning," said Ruth Vane. "The ferry is late."

"It sank at noon," said Miles Orton. Ruth Vane put down her cup.

Chapter 2

Miles Orton sold the bell to a tinker named Jessop. Ruth Vane wept for the bell.

"You had no right," said Ruth Vane.
"""
ROWS: tuple[tuple[Any, ...], ...] = (
    ("ada.md", "Ada Byrne", "Who taught you to trim the lamp?", ["tom KEANE"], "Tom Keane taught"),
    ("ada.md", "Ada Byrne", "Do you use a smartphone?", [], ""),
    ("ferry.txt", "Ruth Vane", "Who bought the bell?", ["Jessop"], ["sold the bell to a tinker"]),
    ("ferry.txt", "Ruth Vane", "Where is Lisbon?", ["Portugal"], "Lisbon is in Portugal."),
)


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    (tmp_path / "ada.md").write_text(PERSONA)
    (tmp_path / "ferry.txt").write_text(BOOK)
    names = ("document", "character", "question", "answers", "evidence")
    lines = [json.dumps(dict(zip(names, row, strict=True))) for row in ROWS]
    (tmp_path / "rows.jsonl").write_text("\n".join(lines))
    return tmp_path / "rows.jsonl"


@pytest.fixture
def figure(monkeypatch) -> Any:
    monkeypatch.syspath_prepend(str(Path(__file__).parents[3] / "benchmarks"))
    return importlib.import_module("quality_replies")


def run(figure: Any, file: Path, *options: str) -> Any:
    parser = argparse.ArgumentParser()
    parser.add_argument("file", type=Path)
    figure.add_arguments(parser)
    return figure.run(parser.parse_args([str(file), *options]))


def test_right_evidence_and_baseline_are_shares_of_the_rows_that_have_them(figure, rows):
    report = run(figure, rows)
    verdicts = [(v.right, v.evidence, v.by_bm25) for v in report.verdicts]
    assert verdicts == [
        (True, True, True),
        (True, None, None),
        (True, True, True),
        (False, False, False),
    ]
    assert report.as_json() == {
        "n": 4,
        "evidence": pytest.approx(2 / 3, abs=1e-4),
        "right": 0.75,
        "bm25_right": pytest.approx(2 / 3, abs=1e-4),
    }
    assert "| ferry.txt | 2 | 0.500 | 0.500 | 0.500 |" in report.as_table()


def test_a_document_headed_by_the_name_is_about_one_person_unless_it_is_as_long_as_a_novel(
    figure, rows
):
    folder = rows.parent
    assert figure.is_persona(folder / "ada.md", "Ada Byrne")
    assert not figure.is_persona(folder / "ferry.txt", "Ruth Vane")
    (folder / "long.md").write_text(PERSONA + "Ada Byrne waited. " * 9000)
    assert not figure.is_persona(folder / "long.md", "Ada Byrne")


def test_an_answer_is_whole_words_without_case_and_accents(figure):
    assert figure.holds("It was twofold.", ["Twofold", "x"])
    assert not figure.holds("It was twofold.", ["two"])
    assert figure.holds("In Wolfenbruck.", ["Wolfenbrück"])
    assert figure.holds("他住在北京。", ["北京"])
    assert not figure.holds("Anything.", ["", "?"])


def test_a_document_that_is_not_there_is_named(figure, rows):
    (rows.parent / "ada.md").unlink()
    with pytest.raises(SystemExit, match=r"no document 'ada\.md'"):
        run(figure, rows)
