"""Progress of a run on standard error: replies, judgements, calls, money, time to go.

Takes: events of the runner.  Gives: a bar on a terminal, a line every few seconds elsewhere.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from offbook.cli.progress import bars, spent

if TYPE_CHECKING:
    from offbook.ingestion.reports import Progress
    from offbook.models.metering import Meter

EVERY_SECONDS: Final = 5.0
"""How often a line is written where there is no terminal."""


class Lines:
    """A line now and then: how far each stage is, what was spent, how long it will take.

    Args:
        meter: Of the command.
        write: Takes a line.
        clock: Seconds, for tests.
    """

    def __init__(
        self,
        meter: Meter,
        write: Callable[[str], object] = sys.stderr.write,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._meter, self._write, self._clock = meter, write, clock
        self._stages: dict[str, tuple[int, int, int, float]] = {}
        self._last = clock()
        self._told = ""

    def __call__(self, event: Progress) -> None:
        """Take in an event; write a line where it is time."""
        now = self._clock()
        first = self._stages.get(event.stage, (0, 0, event.done, now))
        self._stages[event.stage] = (event.done, event.total, *first[2:])
        over = all(done >= total for done, total, _, _ in self._stages.values())
        if over or now - self._last >= EVERY_SECONDS:
            self._last = now
            self._tell(now)

    def _tell(self, now: float) -> None:
        stages = ", ".join(f"{name} {d} of {t}" for name, (d, t, _, _) in self._stages.items())
        line = f"{stages}; {spent(self._meter)}{self._left(now)}\n"
        if stages != self._told:
            self._told = stages
            self._write(line)
        # What is over has been told; the next line is about what goes on.
        self._stages = {name: s for name, s in self._stages.items() if s[0] < s[1]}

    def _left(self, now: float) -> str:
        """The time that the slowest stage will still take, at its pace so far."""
        left = 0.0
        for done, total, before, began in self._stages.values():
            if done > before and now > began:
                left = max(left, (total - done) * (now - began) / (done - before))
        return f", about {duration(left)} to go" if left >= 1 else ""


def duration(seconds: float) -> str:
    """``45 s``, ``3:20``, ``1:05:00``."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


@contextmanager
def shown(meter: Meter) -> Iterator[Callable[[Progress], None]]:
    """A function to call with every event."""
    if sys.stderr.isatty():
        with bars(meter) as show:
            yield show
    else:
        yield Lines(meter)
