"""How many requests a minute a principal may make.

Takes: a limit and a principal.  Gives: leave, or how long to wait. Counted exactly, over the last
sixty seconds, in this process: several servers behind one address count each for themselves.
"""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable

_MINUTE = 60.0


class Pace:
    """Requests of the last minute, by principal.

    Args:
        clock: Seconds, for tests.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._seen: dict[str, deque[float]] = {}

    def wait_seconds(self, principal: str, rpm: int | None) -> int | None:
        """Count a request; or how many whole seconds to wait where there were too many."""
        if rpm is None:
            return None
        now = self._clock()
        seen = self._seen.setdefault(principal, deque())
        while seen and seen[0] <= now - _MINUTE:
            seen.popleft()
        if len(seen) >= rpm:
            # The limit may have been lowered since: wait until enough of them are gone.
            return max(1, math.ceil(seen[len(seen) - rpm] + _MINUTE - now))
        seen.append(now)
        return None
