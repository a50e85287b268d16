"""Progress: a line a stage for a log, bars for a person at a terminal."""

from __future__ import annotations

import io
import sys

from offbook.cli.progress import shown
from offbook.ingestion.reports import Progress
from offbook.models.metering import Meter


class Terminal(io.StringIO):
    """A terminal that remembers what was shown."""

    def isatty(self) -> bool:
        return True


def test_a_log_gets_one_line_when_a_stage_ends(monkeypatch):
    log = io.StringIO()
    monkeypatch.setattr(sys, "stderr", log)
    with shown(Meter()) as show:
        for done in (1, 2, 3, 3):
            show(Progress("embedding", done, 3))
        show(Progress("other", 1, 2))
    assert log.getvalue().startswith("embedding: 3 of 3 (")
    assert log.getvalue().count("\n") == 1


def test_a_terminal_gets_bars_with_calls_and_tokens(monkeypatch):
    terminal = Terminal()
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
