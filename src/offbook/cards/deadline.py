"""Somebody else's code within a bound of processor time.

Takes: seconds, and what is to be done.  Gives: what that gives, or a TimeoutError. The bound is on
the time of this thread alone, so that a busy machine makes nothing fail; nothing is left behind.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from types import FrameType
from typing import Any, Final, TypeVar

T = TypeVar("T")

_CALLS: Final = 256
"""Function calls between two looks at the clock."""


def within(seconds: float, work: Callable[[], T]) -> T:
    """What ``work`` gives, which is pure Python that calls functions all the time.

    Raises:
        TimeoutError: it took longer than ``seconds`` of processor time.
    """
    end = time.thread_time() + seconds
    calls = 0

    def look(frame: FrameType, event: str, argument: Any) -> None:
        nonlocal calls
        calls += 1
        if calls % _CALLS == 0 and time.thread_time() > end:
            raise TimeoutError(f"it took longer than {seconds:g} seconds")

    before = sys.getprofile()
    sys.setprofile(look)
    try:
        return work()
    finally:
        sys.setprofile(before)
