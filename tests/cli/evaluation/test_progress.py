from __future__ import annotations

import sys

import pytest

from offbook.cli.evaluation.progress import EVERY_SECONDS, Lines, duration, shown
from offbook.ingestion.reports import Progress
from offbook.models.metering import Meter
from offbook.models.prices import Price
from offbook.wire import Ending


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


def test_what_was_stored_before_counts_for_no_pace():
    lines: list[str] = []
    time = Time()
    show = Lines(Meter(), lines.append, time)
    show(Progress("replies", 90, 100))
    time.now += 10
    show(Progress("replies", 95, 100))
    assert "about 10 s to go" in lines[-1]


def test_what_is_over_is_told_once():
    lines: list[str] = []
    time = Time()
    show = Lines(Meter(), lines.append, time)
    show(Progress("embedding", 2, 2))
    time.now += 2 * EVERY_SECONDS
    show(Progress("replies", 1, 9))
    assert [line.partition(";")[0] for line in lines] == ["embedding 2 of 2", "replies 1 of 9"]


def test_a_terminal_gets_bars(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with shown(Meter()) as show:
        show(Progress("replies", 1, 9))
        show(Progress("replies", 9, 9))
    assert "Traceback" not in capsys.readouterr().err


@pytest.mark.parametrize(
    ("seconds", "told"), [(0.4, "0 s"), (59, "59 s"), (200, "3:20"), (3900, "1:05:00")]
)
def test_durations_are_told_as_people_say_them(seconds: float, told: str):
    assert duration(seconds) == told
