"""Run one command, and print what it returns: text, JSON, tables, costs and progress.

Takes: settings and an async function of an open ``Offbook``.  Gives: what the function returns.
"""

from __future__ import annotations

import asyncio
import csv
import json
import re
import shlex
import shutil
import sys
import textwrap
import time
import unicodedata
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from io import StringIO
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

from offbook.cli.process import heeding_signals

if TYPE_CHECKING:
    from offbook.app import Offbook
    from offbook.ingestion.reports import Estimate, Progress, ProgressListener
    from offbook.models.metering import Meter
    from offbook.protocols import ChatModel
    from offbook.settings import Settings
    from offbook.types import Usage


T = TypeVar("T")

_FELT: Final = 2
"""A level from which on an emotion is worth a word."""
_PICTURES: Final = {code: 0x2400 + code for code in range(32) if chr(code) not in "\n\t"}
_PICTURES.update(dict.fromkeys(range(0x7F, 0xA0), 0xFFFD))


def with_offbook(
    settings: Settings,
    body: Callable[[Offbook], Awaitable[T]],
) -> T:
    """Open, run, close."""
    from offbook.app import Offbook

    async def whole() -> T:
        async with await Offbook.open(settings) as book:
            return await body(book)

    return awaited(whole)


def awaited(body: Callable[[], Awaitable[T]]) -> T:
    """Run to the end, or to a signal."""

    async def whole() -> T:
        with heeding_signals():
            return await body()

    try:
        with asyncio.Runner() as runner:
            return runner.run(whole())
    except asyncio.CancelledError:
        raise KeyboardInterrupt from None


def with_progress(
    settings: Settings, body: Callable[[Offbook, ProgressListener], Awaitable[T]]
) -> T:
    """Open, run with a listener that shows progress, close."""

    async def whole(book: Offbook) -> T:
        with shown(book.meter) as progress:
            return await body(book, progress)

    return with_offbook(settings, whole)


def answer(as_json: bool, document: Any, line: str) -> None:
    """Print a JSON document, or tell the person in a line."""
    if as_json:
        print_json(document)
    else:
        say(line)


def print_json(document: Any) -> None:
    """Exactly one JSON document on standard output."""
    sys.stdout.write(json.dumps(document, ensure_ascii=False) + "\n")
    sys.stdout.flush()


def say(line: str) -> None:
    """A message for the person, on standard error."""
    sys.stderr.write(visible(line) + "\n")


def write(text: str) -> None:
    """Data, on standard output."""
    sys.stdout.write(visible(text))
    sys.stdout.flush()


def visible(text: str) -> str:
    """Control characters as their pictures: no text may give orders to the terminal."""
    return text.translate(_PICTURES)


def felt(levels: Mapping[str, float], most: int | None = None) -> str:
    """The emotions that are felt at all, the strongest first, at most so many."""
    strong = sorted(((n, v) for n, v in levels.items() if v >= _FELT), key=lambda e: -e[1])[:most]
    return ", ".join(f"{name} {level:.3g}" for name, level in strong) or "no emotion in particular"


def print_estimate(estimate: Estimate, as_json: bool, *, by_task: bool = False) -> None:
    """What it would cost: all of it, then by task."""
    for message in estimate.messages:
        say(f"offbook: {message}")
    if as_json:
        print_json(estimate.as_json())
        return
    write(estimate.in_words() + "\n")
    if by_task and estimate.by_task:
        rows = [
            [name, task.calls, task.prompt_tokens, task.completion_tokens]
            for name, task in estimate.by_task.items()
        ]
        write(table([["task", "calls", "prompt tokens", "completion tokens"], *rows]))


def counted(number: int, noun: str) -> str:
    """``1 call``, ``2 calls``, ``2 memories``."""
    plural = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{number} {noun if number == 1 else plural}"


def cost(usage: Usage) -> str:
    """Calls, tokens, money and time in one line."""
    parts = [counted(usage.calls, "call") if usage.calls else "no calls"]
    if usage.cached_calls:
        parts.append(f"{usage.cached_calls} from the cache")
    if usage.embed_calls:
        parts.append(counted(usage.embed_calls, "embedding call"))
    if usage.prompt_tokens or usage.completion_tokens:
        read = f" ({usage.cached_tokens} of them cached)" if usage.cached_tokens else ""
        parts.append(f"{usage.prompt_tokens}{read} + {usage.completion_tokens} tokens")
    if usage.cost_usd is not None:
        parts.append(f"{usage.cost_usd:.4f} USD")
    parts.append(f"{usage.seconds:.2f} s")
    return ", ".join(parts)


def shortened(text: str, chars: int) -> str:
    """A text in one line of at most ``chars``."""
    line = " ".join(text.split())
    return line if len(line) <= chars else line[: chars - 3] + "..."


@dataclass(slots=True)
class Fitting:
    """Whether tables are made to fit the terminal; ``--wide`` says that they are not."""

    is_wanted: bool = True


FITTING: Final = Fitting()
_NARROWEST: Final = 8
"""Columns that a cell has at least: narrower ones cannot be read."""
_GAP: Final = 2
_NUMBER: Final = re.compile(r"[-+]?[0-9]+(\.[0-9]+)?|-")
"""A number, or the sign for none."""


def table(rows: Sequence[Sequence[Any]]) -> str:
    """Rows in columns, a line each; wide letters take two places.

    On a terminal that is too narrow, long cells go on below themselves.
    """
    cells = [[" ".join(str(cell).split()) for cell in row] for row in rows]
    widths = [max(map(width_of, column)) for column in zip(*cells, strict=True)]
    if FITTING.is_wanted and sys.stdout.isatty():
        _narrow(widths, shutil.get_terminal_size().columns)
    return "".join(_line(row, widths) for row in cells)


def _narrow(widths: list[int], room: int) -> None:
    """Take from the widest columns until all of them fit."""
    excess = sum(widths) + _GAP * (len(widths) - 1) - room
    while excess > 0 and max(widths, default=0) > _NARROWEST:
        widths[widths.index(max(widths))] -= 1
        excess -= 1


def _line(row: Sequence[str], widths: Sequence[int]) -> str:
    """A row, in as many lines as its longest cell needs."""
    pieces = [
        [cell] if width_of(cell) <= width else textwrap.wrap(cell, width)
        for cell, width in zip(row, widths, strict=True)
    ]
    lines = (
        (" " * _GAP).join(
            cell + " " * (width - width_of(cell)) for cell, width in zip(line, widths, strict=True)
        )
        for line in zip_longest(*pieces, fillvalue="")
    )
    return "".join(line.rstrip() + "\n" for line in lines)


def as_csv(rows: Sequence[Sequence[Any]]) -> str:
    """Rows as comma-separated values, a line each; no cell becomes a formula of a spreadsheet."""
    from offbook.evaluation.spreadsheets import guarded

    text = StringIO()
    csv.writer(text, lineterminator="\n").writerows(
        # A number with a sign is none, and is to stay a number.
        [
            guarded(cell) if isinstance(cell, str) and not _NUMBER.fullmatch(cell) else cell
            for cell in row
        ]
        for row in rows
    )
    return text.getvalue()


def width_of(text: str) -> int:
    """The columns that a text takes: wide letters two, combining ones none."""
    wide = sum(unicodedata.east_asian_width(letter) in "WF" for letter in text)
    return len(text) + wide - sum(map(bool, map(unicodedata.combining, text)))


@contextmanager
def shown(meter: Meter) -> Iterator[Callable[[Progress], None]]:
    """A function to call with every event."""
    if sys.stderr.isatty():
        with bars(meter) as show:
            yield show
    else:
        yield Lines(meter)


EVERY_SECONDS: Final = 5.0
"""How often a line is written where there is no terminal."""


class Lines:
    """A line now and then: how far each stage is, what was spent, how long it will take.

    Args:
        meter: Of the command.
        write: Takes a line; None: standard error.
        clock: Seconds, for tests.
    """

    def __init__(
        self,
        meter: Meter,
        write: Callable[[str], object] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._meter, self._clock = meter, clock
        self._write = write or sys.stderr.write
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

    with Bars(
        TextColumn("{task.description:>9}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[cost]}"),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    ) as drawn:
        rows: dict[str, object] = {}

        def show(event: Progress) -> None:
            state = {"completed": event.done, "total": event.total, "cost": spent(meter)}
            if event.stage not in rows:
                rows[event.stage] = drawn.add_task(event.stage, **state)  # type: ignore[arg-type]
            drawn.update(rows[event.stage], **state)  # type: ignore[arg-type]

        yield show


QUOTES: Final = "offline: quoting; for conversation set a model: offbook setup"
"""What commands that reply say once where no language model is configured."""


def say_offline(model: ChatModel) -> None:
    """Say that what replies is no language model, where that is so."""
    from offbook.types import traits_of

    if not traits_of(model).measures:
        say(QUOTES)


def called() -> str:
    """This very command as a person can call it: `make demo` has it on no path."""
    program = Path(sys.argv[0])
    on_path = program.name != "offbook" or shutil.which("offbook") is not None
    return "offbook" if on_path else shlex.quote(str(program))
