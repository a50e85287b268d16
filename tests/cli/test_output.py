"""What commands print for people: costs, tables, progress."""

from __future__ import annotations

import sys
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from offbook.cli.output import (
    EVERY_SECONDS,
    FITTING,
    Lines,
    as_csv,
    cost,
    duration,
    shortened,
    shown,
    table,
    visible,
)
from offbook.ingestion.reports import Progress
from offbook.models.metering import Meter, Price
from offbook.types import Ending, Usage
from tests.cli.texts import Keyboard


def test_a_cost_names_only_what_there_was():
    assert cost(Usage(seconds=0.126)) == "no calls, 0.13 s"
    usage = Usage(
        calls=1,
        cached_calls=2,
        prompt_tokens=30,
        completion_tokens=4,
        embed_calls=1,
        cost_usd=0.00251,
        seconds=1,
    )
    assert cost(usage) == (
        "1 call, 2 from the cache, 1 embedding call, 30 + 4 tokens, 0.0025 USD, 1.00 s"
    )


def test_columns_stand_below_one_another_in_any_script():
    assert table([("a", "x", "1"), ("王明", "y", "2"), ("e\u0301", "z", "")]) == (
        "a     x  1\n王明  y  2\ne\u0301     z\n"
    )
    assert table([]) == ""


def test_a_narrow_terminal_loses_nothing_of_a_table(monkeypatch):
    rows = [("method", "what is measured"), ("naive", "a sentence that is long " * 4), ("-", "x")]
    wide = table(rows)
    monkeypatch.setattr(sys, "stdout", Keyboard())
    monkeypatch.setenv("COLUMNS", "30")
    narrow = table(rows)
    assert max(map(len, narrow.splitlines())) <= 30
    assert sorted(narrow.split()) == sorted(wide.split())
    monkeypatch.setattr(FITTING, "is_wanted", False)
    assert table(rows) == wide


def test_csv_has_a_line_a_row_and_no_formula():
    assert as_csv([("a", "b"), ("x, y", "=1+1"), (1, None)]) == 'a,b\n"x, y",\'=1+1\n1,\n'


def test_a_number_with_a_sign_stays_one_in_csv():
    assert as_csv([("-0.120", "+0.050", "-", "-1+1")]) == "-0.120,+0.050,-,'-1+1\n"


def test_no_text_gives_orders_to_the_terminal():
    assert visible("a\x1b[31mb\r\x07\x7f\x9b\n\tc é 王") == "a␛[31mb␍␇\ufffd\ufffd\n\tc é 王"
    assert table([("two\nlines", "x")]) == "two lines  x\n"


@given(st.text(), st.integers(10, 50))
def test_a_shortened_text_is_one_line_of_its_length(text: str, chars: int):
    short = shortened(text, chars)
    assert len(short) <= chars
    assert len(short.splitlines()) <= 1
    whole = " ".join(text.split())
    assert short == whole or (short.endswith("...") and whole.startswith(short[:-3]))


def test_a_terminal_gets_bars_with_calls_and_tokens(monkeypatch):
    terminal = Keyboard()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "100")
    with shown(Meter()) as show:
        show(Progress("embedding", 1, 3))
        show(Progress("embedding", 3, 3))
        show(Progress("profile", 1, 1))
    drawn = terminal.getvalue()
    assert "embedding" in drawn
    assert "3/3" in drawn
    assert "0 calls, 0 tokens" in drawn


class Time:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_a_line_now_and_then_tells_how_far_it_is_what_it_cost_and_how_long_it_takes():
    lines: list[str] = []
    time, meter = Time(), Meter({"m": Price(1_000_000.0)})
    show = Lines(meter, lines.append, time)
    show(Progress("replies", 0, 100))
    show(Progress("judged", 0, 100))
    assert lines == []
    meter.requested("m", "reply")
    meter.answered("m", "reply", Ending("stop", 2, 1))
    time.now += 2 * EVERY_SECONDS
    show(Progress("replies", 20, 100))
    assert lines == [
        "replies 20 of 100, judged 0 of 100; 1 calls, 3 tokens, 2.0000 USD, about 40 s to go\n"
    ]
    time.now += 1
    show(Progress("judged", 5, 100))
    assert len(lines) == 1, "not every event is a line"
    time.now += EVERY_SECONDS
    show(Progress("judged", 10, 100))
    assert lines[1].endswith("about 2:24 to go\n"), "as long as the slowest stage takes"


def test_the_end_is_told_at_once():
    lines: list[str] = []
    show = Lines(Meter(), lines.append, Time())
    show(Progress("judged", 3, 3))
    show(Progress("judged", 3, 3))
    assert lines == ["judged 3 of 3; 0 calls, 0 tokens\n"]


def test_what_is_over_is_told_once():
    lines: list[str] = []
    time = Time()
    show = Lines(Meter(), lines.append, time)
    show(Progress("embedding", 2, 2))
    time.now += 2 * EVERY_SECONDS
    show(Progress("replies", 1, 9))
    assert [line.partition(";")[0] for line in lines] == ["embedding 2 of 2", "replies 1 of 9"]


@pytest.mark.parametrize(
    ("seconds", "told"), [(0.4, "0 s"), (59, "59 s"), (200, "3:20"), (3900, "1:05:00")]
)
def test_durations_are_told_as_people_say_them(seconds: float, told: str):
    assert duration(seconds) == told


def test_what_a_provider_had_read_before_is_told_with_the_cost():
    usage = Usage(calls=2, prompt_tokens=900, completion_tokens=40, cached_tokens=640)
    assert "900 (640 of them cached) + 40 tokens" in cost(usage)
    assert "900 + 40 tokens" in cost(replace(usage, cached_tokens=None))
