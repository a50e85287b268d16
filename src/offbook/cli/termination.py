"""SIGTERM ends a command as Ctrl-C does: what is under way is closed, and the person is told.

Takes: the signal.  Gives: the exit code that shells and service managers expect of it, 143.
Whoever stops a container or logs out sends it; without a word nobody knew what had become of the
work. A command that has its own way to stop (``serve``) keeps it.
"""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final

INTERRUPTED: Final = 130
TERMINATED: Final = 143
"""128 and the number of the signal, as with 130."""

_came: list[int] = []
_running: list[asyncio.Task[object]] = []


def heed() -> None:
    """Take the signal as a Ctrl-C; one that whoever started the process has put off stays so."""
    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, _end)


@contextmanager
def cancelling_this_task() -> Iterator[None]:
    """Have the task that runs cancelled where Ctrl-C is ignored, so that nothing cancels it."""
    if (task := asyncio.current_task()) is None:
        raise RuntimeError("no task runs")
    _running.append(task)
    try:
        yield
    finally:
        _running.remove(task)


def exit_code() -> int:
    """Of a command that was told to end."""
    return TERMINATED if _came else INTERRUPTED


def _end(number: int, frame: FrameType | None) -> None:
    _came.append(number)
    as_ctrl_c = signal.getsignal(signal.SIGINT)
    if callable(as_ctrl_c):
        as_ctrl_c(signal.SIGINT, frame)
    elif _running and len(_came) == 1:
        # Behind `&` in a script Ctrl-C is ignored, and an event loop leaves it at that.
        _running[-1].cancel()
    else:
        raise KeyboardInterrupt
