"""A sign of life: what is waited for, on a terminal only, and gone with the wait."""

from __future__ import annotations

import sys

from offbook.cli import waiting
from offbook.models.metering import Meter
from tests.cli.texts import Keyboard
from tests.waiting import until


def test_it_says_what_is_waited_for_and_goes(monkeypatch):
    monkeypatch.setattr(waiting, "AFTER_SECONDS", 0.0)
    terminal, meter = Keyboard(), Meter()
    meter.requested("m", "reply")
    monkeypatch.setattr(sys, "stderr", terminal)
    with waiting.waiting(meter, "m") as sign:
        assert sign is not None
        assert sign.line().startswith("looking through the texts ... ")
        meter.requested("m", "guided_selection")
        meter.requested("m", "guided_selection")
        assert sign.line().startswith("waiting for m: guided selection (2 calls) ... ")
        until(lambda: "guided selection" in terminal.getvalue(), "a line on the terminal")
    assert terminal.getvalue().endswith("\r\x1b[K")


def test_a_short_wait_needs_no_word(monkeypatch):
    terminal = Keyboard()
    monkeypatch.setattr(waiting, "AFTER_SECONDS", 3600.0)
    monkeypatch.setattr(sys, "stderr", terminal)
    with waiting.waiting(Meter(), "m"):
        pass
    assert terminal.getvalue() == ""


def test_what_is_no_terminal_hears_nothing():
    with waiting.waiting(Meter(), "m") as sign:
        assert sign is None
