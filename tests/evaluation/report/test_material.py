from __future__ import annotations

import unicodedata
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from offbook.evaluation.record import Variant
from offbook.evaluation.report.markdown import record_rows
from offbook.evaluation.report.material import (
    Counts,
    metric_name,
    metric_title,
    number,
    one_line,
)
from offbook.types import Usage
from tests.evaluation.report import made_reports


@pytest.mark.parametrize(
    ("value", "unit", "shown"),
    [
        (7.25, "points", "7.25"),
        (0.8333, "share", "83.3 %"),
        (62.5, "percent", "62.5 %"),
        (12_345.6, "tokens", "12,346"),
        (9.0, "letters", "9"),
        (2.5, "letters", "2.5"),
        (0.6448, "F1", "0.645"),
        (0.000123, "USD", "0.00012"),
        (0.0008, "seconds", "0.0008"),
        (0.0, "seconds", "0.00"),
        (-0.001, "cosine", "-0.001"),
        (-0.0001, "share", "0.0 %"),
        (None, "points", "–"),
        (float("nan"), "points", "–"),
    ],
)
def test_a_number_is_shown_as_its_unit_is_read(value, unit, shown):
    assert number(value, unit) == shown


def test_metrics_are_called_what_the_papers_call_them():
    assert metric_title("ke") == "Knowledge Exposure (KE)"
    assert metric_name("acc_l") == "ACC_L"
    assert metric_name("mbti_item.avg_f1") == "Average F1 of the letters (MBTI items)"
    assert metric_title("hs_undefined") == "HS undefined by definition"
    assert metric_title("of.a.plugin") == metric_title("of.a.plugin").strip() != ""
    assert metric_name("somebodys") == "somebodys"


@given(st.text(max_size=80), st.integers(min_value=2, max_value=60))
def test_a_line_is_one_line_of_printable_letters_that_turn_no_text_around(text, most):
    line = one_line(text, most)
    assert len(line) <= most
    assert not {unicodedata.category(c) for c in line} & {"Cc", "Cs", "Zl", "Zp"}
    assert not set(line) & set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
    line.encode()


def test_all_that_decides_a_number_is_in_the_record():
    run = replace(
        made_reports.run(("naive",)),
        variants=(Variant("amadeus[gs=off]", "amadeus", "faithful", {"amadeus.gs": "off"}),),
        options={"language": "zh"},
        limit=20,
        seed=7,
        repeats=3,
    )
    report = made_reports.report(
        ("naive",), run=run, counts=Counts(60, 60, 0, 4), usage=Usage(cost_usd=1.25)
    )
    rows = dict(record_rows(report))
    assert rows["mark"] == "offline rules, not a measurement"
    assert rows["methods"] == "amadeus[gs=off] (amadeus, preset faithful; amadeus.gs=off)"
    assert rows["options of the dataset"] == "language=zh"
    assert (rows["limit"], rows["seed"], rows["repeats"]) == ("20 questions a subject", "7", "3")
    assert rows["cost"] == "1.2500 USD"
    assert rows["cells"] == "60 of 60"
    assert rows["forgotten"].startswith("4 pieces")
    assert rows["prompts"] == "knowledge_exposure v1, reply v1"
    judged = dict(record_rows(made_reports.report(("naive",), judge="gpt-judge")))
    assert "mark" not in judged
    assert judged["judge model"] == "gpt-judge at http://localhost:8000/v1"
