"""Waiting for what will come about, and the work that something takes, on machines of any speed.

Takes: conditions; blocks of code.  Gives: nothing, once they hold; an AssertionError if they do
not.  No test asks how late it is: other processes take the processor from it for as long as they
like.
"""

from __future__ import annotations

import asyncio
import gc
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

PATIENCE_SECONDS: Final = 120.0
"""How long a test waits in vain; one that passes never waits so long."""


def until(condition: Callable[[], object], what: str = "it") -> None:
    """Wait until something is so."""
    ends = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        assert time.monotonic() < ends, f"{what} did not come about"
        time.sleep(0.005)


async def eventually(condition: Callable[[], object], what: str = "it") -> None:
    """``until``, in an event loop that goes on meanwhile."""
    ends = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        assert time.monotonic() < ends, f"{what} did not come about"
        await asyncio.sleep(0.005)


@contextmanager
def work_below(seconds: float) -> Iterator[None]:
    """The block must take less than this of the processor's time, in its own thread.

    Time that other processes take does not count, and neither does the collector, whose work grows
    with what the tests before have left behind.  The limit should be ten times what is needed.
    """
    collects = gc.isenabled()
    gc.disable()
    began = time.thread_time()
    try:
        yield
        spent = time.thread_time() - began
    finally:
        if collects:
            gc.enable()
    assert spent < seconds, f"it took {spent:.2f} s of the processor's time"


def least_work(action: Callable[[], object], times: int = 3) -> float:
    """Seconds of the processor's time that ``action`` takes, at the least of some times."""
    spent = []
    for _ in range(times):
        began = time.thread_time()
        action()
        spent.append(time.thread_time() - began)
    return min(spent)


def work_is_linear(action: Callable[[int], object], size: int) -> bool:
    """Whether eight times the size is far less than the 64 times the work that a square would be.

    The first call, which may build what is built once, does not count.
    """
    action(size)
    small = max(least_work(lambda: action(size), 5), 0.001)
    return least_work(lambda: action(8 * size)) < 40 * small
