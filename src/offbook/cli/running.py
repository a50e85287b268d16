"""Running one command: opens offbook, awaits the body, closes whatever happens.

Takes: settings and an async function of an open ``Offbook``.  Gives: what the function returns.
"""

from __future__ import annotations

import asyncio
import json
import sys
import unicodedata
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeVar

from offbook.ingestion.reports import counted

if TYPE_CHECKING:
    from offbook.app import Offbook
    from offbook.settings import Settings
    from offbook.types import Recall, Skipped, Source, Usage

T = TypeVar("T")

_FELT: Final = 2
"""A level from which on an emotion is worth a word."""
_PLACES: Final = 3
"""Places of a piece, and pieces left out for one reason, that are shown; the JSON has all."""
_STRONGEST: Final = 3
"""Emotions of a memory that are shown."""
_PICTURES: Final = {code: 0x2400 + code for code in range(32) if chr(code) not in "\n\t"}
_PICTURES.update(dict.fromkeys(range(0x7F, 0xA0), 0xFFFD))


def with_offbook(
    settings: Settings,
    body: Callable[[Offbook], Awaitable[T]],
    loop: Callable[[], asyncio.AbstractEventLoop] | None = None,
) -> T:
    """Open, run, close; ``loop`` makes an event loop other than the usual one."""
    from offbook.app import Offbook
    from offbook.cli.interruption import signals_wake_the_loop
    from offbook.cli.termination import cancelling_this_task

    async def whole() -> T:
        with signals_wake_the_loop(), cancelling_this_task():
            async with await Offbook.open(settings) as book:
                return await body(book)

    try:
        with asyncio.Runner(loop_factory=loop) as runner:
            return runner.run(whole())
    except asyncio.CancelledError:
        raise KeyboardInterrupt from None


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


def grounds(recall: Recall) -> list[str]:
    """What a reply rests on, two lines a piece, for people."""
    lines = []
    for item in recall.context:
        where = _places(item.sources)
        lines.append("  " + _spaced(item.kind, f"({item.score:.2f})", item.title, where))
        if item.emotion is not None:
            lines.append(f"      felt with {felt(item.emotion, _STRONGEST)}")
        lines.append(f"      {shortened(item.text, 160)}")
    if recall.emotion is not None:
        lines.append(f"  the question is felt with: {felt(recall.emotion)}")
    if recall.mood is not None:
        lines.append(f"  mood: {felt(recall.mood)}")
    if recall.boundary is not None:
        lines.append(f"  boundary: {recall.boundary.verdict}")
        lines += [f"      {r.entity}: {r.reason}" for r in recall.boundary.reasons]
    return [*lines, *_left_out(recall.skipped)] or ["  nothing"]


def _places(sources: Sequence[Source]) -> str:
    """The first places; all of them are in the JSON."""
    shown = [f"{s.document}[{s.start}:{s.end}]" for s in sources[:_PLACES]]
    more = [f"and {len(sources) - _PLACES} more"] if len(sources) > _PLACES else []
    return ", ".join([*shown, *more])


def _left_out(skipped: Sequence[Skipped]) -> list[str]:
    """What was left out, a line a reason."""
    titles: dict[tuple[str, str], list[str]] = {}
    for each in skipped:
        titles.setdefault((each.kind, each.why), []).append(each.title)
    return [
        f"  skipped: {_spaced(kind, _listed([title for title in named if title]))}: {why}"
        for (kind, why), named in titles.items()
    ]


def _listed(titles: Sequence[str]) -> str:
    more = f"; and {len(titles) - _PLACES} more" if len(titles) > _PLACES else ""
    return "; ".join(titles[:_PLACES]) + more


def felt(levels: Mapping[str, float], most: int | None = None) -> str:
    """The emotions that are felt at all, the strongest first, at most so many."""
    strong = sorted(((n, v) for n, v in levels.items() if v >= _FELT), key=lambda e: -e[1])[:most]
    return ", ".join(f"{name} {level:.3g}" for name, level in strong) or "no emotion in particular"


def _spaced(*words: str) -> str:
    return " ".join(word for word in words if word)


def cost(usage: Usage) -> str:
    """Calls, tokens, money and time in one line."""
    parts = [counted(usage.calls, "call") if usage.calls else "no calls"]
    if usage.cached_calls:
        parts.append(f"{usage.cached_calls} from the cache")
    if usage.embed_calls:
        parts.append(counted(usage.embed_calls, "embedding call"))
    if usage.prompt_tokens or usage.completion_tokens:
        parts.append(f"{usage.prompt_tokens} + {usage.completion_tokens} tokens")
    if usage.cost_usd is not None:
        parts.append(f"{usage.cost_usd:.4f} USD")
    parts.append(f"{usage.seconds:.2f} s")
    return ", ".join(parts)


def shortened(text: str, chars: int) -> str:
    """A text in one line of at most ``chars``."""
    line = " ".join(text.split())
    return line if len(line) <= chars else line[: chars - 3] + "..."


def table(rows: Sequence[Sequence[Any]]) -> str:
    """Rows in columns, a line each; wide letters take two places."""
    cells = [[" ".join(str(cell).split()) for cell in row] for row in rows]
    widths = [max(map(_width, column)) for column in zip(*cells, strict=True)]
    lines = (
        "  ".join(
            cell + " " * (width - _width(cell)) for cell, width in zip(row, widths, strict=True)
        )
        for row in cells
    )
    return "".join(line.rstrip() + "\n" for line in lines)


def _width(text: str) -> int:
    wide = sum(unicodedata.east_asian_width(letter) in "WF" for letter in text)
    return len(text) + wide - sum(map(bool, map(unicodedata.combining, text)))
