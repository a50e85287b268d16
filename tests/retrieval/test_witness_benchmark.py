"""The measuring itself: balanced accuracy over rows of who knows what, and what cannot be asked."""

from __future__ import annotations

import importlib
import json
from argparse import Namespace
from pathlib import Path
from types import ModuleType

import pytest

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"
BOOK = """# Chapter 1

Nell Hallam and Captain Voss stood at the quay. “The lamp went out at midnight,” said Nell Hallam.

# Chapter 2

Captain Voss met Ida Crane in the harbour. Captain Voss gave Ida Crane a silver coin.
"""
ROWS = (
    ("Captain Voss", "Chapter 2", "Ida Crane was given a silver coin.", True, "present"),
    ("Captain Voss", "Chapter 1", "Ida Crane was given a silver coin.", False, "later"),
    ("Nell Hallam", "Chapter 2", "Ida Crane was given a silver coin.", False, "absent"),
    ("Nell Hallam", "Chapter 1", "The lamp went out at midnight.", True, "present"),
    ("Nobody Else", "Chapter 1", "The lamp went out at midnight.", True, "present"),
    ("Nell Hallam", "Chapter 7", "The lamp went out at midnight.", True, "present"),
)


@pytest.fixture
def witness(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    return importlib.import_module("quality_witness")


def test_rows_are_judged_and_those_that_cannot_be_asked_are_told(witness, tmp_path):
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "book.md").write_text(BOOK, encoding="utf-8")
    file = tmp_path / "rows.jsonl"
    names = ("character", "point", "fact", "knows", "reason")
    rows = [{"document": "texts/book.md", **dict(zip(names, row, strict=True))} for row in ROWS]
    file.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    for texts in (None, tmp_path, tmp_path / "texts"):
        report = witness.run(Namespace(file=file, texts=texts, model=False))
        shape = report.as_json()
        assert (shape["n"], shape["balanced_accuracy"]) == (4, 1.0)
        assert shape["by_reason"]["does not: absent"] == {"n": 1, "right": 1.0}
        assert [each["character"] for each in shape["not_asked"]] == ["Nobody Else", "Nell Hallam"]
        assert shape["wrong"] == []
    assert "balanced accuracy 1.0" in report.as_table()


def test_the_balance_is_of_both_kinds(witness):
    def judged(knows: bool, *, right: bool):
        row = witness.Row("d", "c", "p", "f", knows, "r")
        return witness.Judged(row, knows is right, "")

    rows = [judged(True, right=True)] * 9 + [judged(False, right=False)] * 1
    assert witness.balanced(rows) == 0.5
    assert witness.balanced(rows[:9]) is None
