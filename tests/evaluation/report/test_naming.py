from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from offbook.evaluation.metrics.statistics import Estimate
from offbook.evaluation.report.naming import metric_name, metric_title, number, one_line, whole


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


def test_a_number_comes_with_its_interval_n_and_what_is_missing():
    assert whole(Estimate(3.25, 12, 2, 2.0, 4.0)) == "3.25 [2.00, 4.00] (n = 12, 2 missing)"
    assert whole(Estimate(3.25, 1)) == "3.25 no interval (n = 1)"
    assert whole(Estimate(None, 0, 4)) == "– (n = 0, 4 missing)"


def test_metrics_are_called_what_the_papers_call_them():
    assert metric_title("ke") == "Knowledge Exposure (KE)"
    assert metric_name("acc_l") == "ACC_L"
    assert metric_name("mbti_item.avg_f1") == "Average F1 of the letters (MBTI items)"
    assert metric_title("hs_undefined") == "No HS by definition"
    assert metric_title("of.a.plugin") == metric_title("of.a.plugin").strip() != ""
    assert metric_name("somebodys") == "somebodys"


@given(st.text(max_size=80), st.integers(min_value=2, max_value=60))
def test_a_line_is_one_line_of_printable_letters_that_turn_no_text_around(text, most):
    line = one_line(text, most)
    assert len(line) <= most
    assert not {unicodedata.category(c) for c in line} & {"Cc", "Cs", "Zl", "Zp"}
    assert not set(line) & set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
    line.encode()
