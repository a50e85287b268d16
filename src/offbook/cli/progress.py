"""Progress of an ingestion on standard error: items, calls, tokens, money, time to go.

Takes: events of the pipeline.  Gives: a bar on a terminal, a line a stage elsewhere.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from offbook.ingestion.reports import Progress
    from offbook.models.metering import Meter


@contextmanager
def shown(meter: Meter) -> Iterator[Callable[[Progress], None]]:
    """A function to call with every event."""
    if sys.stderr.isatty():
        with bars(meter) as show:
            yield show
    else:
        yield _lines()


def _lines() -> Callable[[Progress], None]:
    started = time.monotonic()
    finished: set[str] = set()

    def show(event: Progress) -> None:
        if event.done >= event.total and event.stage not in finished:
            finished.add(event.stage)
            seconds = time.monotonic() - started
            sys.stderr.write(f"{event.stage}: {event.done} of {event.total} ({seconds:.1f} s)\n")

    return show


def spent(meter: Meter) -> str:
    """Calls, tokens and money so far."""
    usage = meter.usage()
    tokens = usage.prompt_tokens + usage.completion_tokens
    money = "" if usage.cost_usd is None else f", {usage.cost_usd:.4f} USD"
    return f"{usage.calls + usage.embed_calls} calls, {tokens} tokens{money}"


@contextmanager
def bars(meter: Meter) -> Iterator[Callable[[Progress], None]]:
    """A bar for each stage, on a terminal."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bars

    columns = (
        TextColumn("{task.description:>9}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[cost]}"),
        TimeRemainingColumn(),
    )
    with Bars(*columns, console=Console(stderr=True), transient=True) as drawn:
        rows: dict[str, object] = {}

        def show(event: Progress) -> None:
            told = {"completed": event.done, "total": event.total, "cost": spent(meter)}
            if event.stage not in rows:
                rows[event.stage] = drawn.add_task(event.stage, **told)  # type: ignore[arg-type]
            drawn.update(rows[event.stage], **told)  # type: ignore[arg-type]

        yield show
