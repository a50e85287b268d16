"""Markdown, CSV and LaTeX: every number with its n, every file with its mark, nothing as markup."""

from __future__ import annotations

import csv
import io
import re
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from offbook.errors import ConfigurationError
from offbook.evaluation.metrics.statistics import Estimate
from offbook.evaluation.record import OFFLINE_MARK
from offbook.evaluation.report import latex, markdown
from offbook.evaluation.report.csv_tables import write_csv
from offbook.evaluation.report.material import FailedCell, Report, printable
from offbook.evaluation.report.tables import Number, Table, tables_of
from offbook.evaluation.spreadsheets import unguarded
from offbook.extras import install_command
from tests.evaluation.report import made_reports

HOSTILE = st.text(alphabet=st.sampled_from('\\{}$&#%_~^|<>"`*[]()!-+=.1 @\n\r\t\0\u202eaé方'))
BARE_TEX = re.compile(r"(?<!\\)(?:\\\\)*[$&#%_^~]")


NOTHING: dict[str, Any] = dict.fromkeys(
    ("scores", "differences", "interviews", "ratings", "examples", "use", "cosines"), ()
)


def rows_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_every_table_of_an_offline_run_has_the_mark_and_none_of_a_judged_one():
    marked = tables_of(made_reports.report())
    assert {table.mark for table in marked} == {OFFLINE_MARK}
    assert len(marked) > 5
    for table in marked:
        assert OFFLINE_MARK in latex.write_latex(table)
    judged = made_reports.report(judge="gpt-judge")
    assert {table.mark for table in tables_of(judged)} == {None}
    assert OFFLINE_MARK not in markdown.write_markdown(Report((judged,)))


def test_every_line_of_csv_has_the_mark_the_judge_and_the_run():
    report = made_reports.report()
    files = write_csv(Report((report,)))
    assert set(files) >= {
        "scores.csv", "differences.csv", "interviews.csv", "ratings.csv", "failed.csv",
        "chunk_use.csv", "similarity.csv",
    }  # fmt: skip
    for text in files.values():
        rows = rows_of(text)
        assert rows
        assert {(r["run"], r["judge"], r["mark"]) for r in rows} == {
            ("demo-1", "offline", OFFLINE_MARK)
        }


def test_csv_keeps_numbers_whole_with_n_missing_and_interval():
    report = made_reports.report(made_reports.METHODS[:2])
    rows = rows_of(write_csv(Report((report,)))["scores.csv"])
    assert len(rows) == len(report.scores)
    for row, score in zip(rows, report.scores, strict=True):
        told = score.estimate
        assert (row["metric"], row["method"], row["group"]) == (
            score.metric, score.variant, score.group,
        )  # fmt: skip
        assert float(row["value"]) == told.mean if told.mean is not None else row["value"] == ""
        assert (int(row["n"]), int(row["missing"])) == (told.n, told.missing)
        assert row["low"] == ("" if told.low is None else repr(told.low))


def table_with(text: str) -> Table:
    number = Number(Estimate(1.0, 3, 0, 0.5, 1.5), "points")
    return Table("t", text, ("A", text, "C"), ((text, number, text), (text, "", text)), text, text)


@given(HOSTILE)
def test_no_text_breaks_a_markdown_table_or_becomes_markup(text):
    lines = list(markdown._table(table_with(text), 3))
    rows = [line for line in lines if line.startswith("| ")]
    assert len(rows) == 4
    for line in rows:
        assert "\n" not in line
        assert len(re.findall(r"(?<!\\)\|", line.replace("\\\\", ""))) == 4
    for line in lines:
        shown = line.replace("\\\\", "")
        assert not re.search(r"(?<!\\)[<>`]", shown)


@given(HOSTILE)
def test_a_paragraph_of_hostile_text_begins_no_heading_list_or_quotation(text):
    line = markdown.escaped(text)
    assert "\n" not in line
    assert not re.match(r"(#|>|[-+*](\s|$)|\d+[.)](\s|$)|={2,}|-{2,}|`{3}|~{3})", line)


@given(HOSTILE)
def test_no_text_becomes_a_command_of_latex(text):
    shown = latex.escaped(text)
    for command in set(latex._COMMANDS.values()):
        shown = shown.replace(command, "")
    assert not set(shown) & set('\\{}$&#%_^~<>|"\n')
    written = latex.write_latex(table_with(text))
    body = re.sub(r"(?m)^%.*", "", re.sub(r"\\[{}]", "", written))
    assert body.count("{") == body.count("}")
    for line in body.splitlines():
        if line.endswith(r"\\") and "multicolumn" not in line:
            assert len(re.findall(r"(?<!\\)&", line.replace(r"\\", ""))) == 2


@pytest.mark.parametrize("write", [write_csv, lambda _: latex.write_latex(table_with("x"))])
def test_without_pandas_the_hint_says_what_to_install(monkeypatch, write):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ConfigurationError) as caught:
        write(Report((made_reports.report(),)))
    assert install_command("eval") in caught.value.hint


@given(HOSTILE)
def test_text_in_csv_is_never_a_formula_and_comes_back(text):
    run = made_reports.report(
        ("naive",), failed=(FailedCell(made_reports.example().key, text),), **NOTHING
    )
    (row,) = rows_of(write_csv(Report((run,)))["failed.csv"])
    assert not row["error"].lstrip().startswith(("=", "+", "-", "@"))
    assert unguarded(row["error"]) == printable(text)


def test_markdown_has_the_mark_below_every_heading_of_a_table():
    text = markdown.write_markdown(Report((made_reports.report(),)))
    headings = text.split("\n### ")[1:]
    assert len(headings) > 5
    assert all(part.split("\n")[2] == f"*{OFFLINE_MARK}*" for part in headings)
