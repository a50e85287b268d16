"""A sign of life: after a second of waiting, what is waited for.

Takes: the meter of a command.  Gives: a line on a terminal's standard error, gone with the wait.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from offbook.cli.output import counted, shortened, visible

if TYPE_CHECKING:
    from offbook.models.metering import Meter

AFTER_SECONDS: Final = 1.0
"""Waits that are shorter need no word."""
_EVERY_SECONDS: Final = 0.5
_LINE: Final = 78
"""Columns of the line, which is to stay one on any terminal."""


class Waiting:
    """A line that says what is waited for, written by a thread of its own.

    The event loop may be computing for seconds, and what is offline does nothing else.

    Args:
        meter: Counts the calls that are made.
        model: Who answers them.
    """

    def __init__(self, meter: Meter, model: str) -> None:
        self._meter, self._model = meter, model
        self._before = meter.usage()
        self._began = time.monotonic()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._show, name="waiting", daemon=True)
        self._thread.start()

    def over(self) -> None:
        """Take the line away; it may be called again."""
        self._over.set()
        self._thread.join()

    def line(self) -> str:
        """What is waited for now."""
        usage = self._meter.usage()
        before = {name: task.calls for name, task in self._before.by_task.items()}
        new = {
            name: task.calls - before.get(name, 0)
            for name, task in usage.by_task.items()
            if task.calls > before.get(name, 0)
        }
        seconds = f"{time.monotonic() - self._began:.0f} s"
        if not new:
            return f"looking through the texts ... {seconds}"
        name, calls = list(new.items())[-1]
        what = name.replace("_", " ")
        return f"waiting for {self._model}: {what} ({counted(calls, 'call')}) ... {seconds}"

    def _show(self) -> None:
        is_shown = False
        pause = AFTER_SECONDS
        while not self._over.wait(pause):
            pause = _EVERY_SECONDS
            sys.stderr.write(f"\r\x1b[K{shortened(visible(self.line()), _LINE)}")
            sys.stderr.flush()
            is_shown = True
        if is_shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()


@contextmanager
def waiting(meter: Meter, model: str) -> Iterator[Waiting | None]:
    """Say what is waited for until the block ends; nothing where nobody sits at a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    shown = Waiting(meter, model)
    try:
        yield shown
    finally:
        shown.over()
