"""Does a character of a story know a fact at a point: judgements on labelled rows.

FILE has rows with document, character, point (a heading of the document; knowledge as of its end),
fact, knows (true or false) and reason. A document is a path beside FILE or in the folder of
--texts. Each is read once, and a character is made of each person asked about, without a model and
in a temporary home; with --model the configured model reads the story first (``offbook ingest``),
and is asked about every row: one small call each.

Reported: n, the balanced accuracy (the mean of the shares of known and of unknown facts that are
judged so), for each reason how many rows there are and the share that is judged right, and rows
that could not be asked, with why: a name or heading that the document has not. Intervals are 95 %
by bootstrap over rows (2,000 draws, seeded).
"""

from __future__ import annotations

import argparse
import asyncio
import json
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from offbook.app import Offbook
from offbook.errors import OffbookError
from offbook.settings import load_settings

HELP: Final = "who of a story knows what at a point"
DRAWS: Final = 2_000


@dataclass(frozen=True, slots=True)
class Row:
    """A labelled row."""

    document: str
    character: str
    point: str
    fact: str
    knows: bool
    reason: str


@dataclass(frozen=True, slots=True)
class Judged:
    """A row with what was judged; None: it could not be asked, and ``why``."""

    row: Row
    knows: bool | None
    why: str


@dataclass(frozen=True, slots=True)
class Report:
    """What came of all rows."""

    judged: Sequence[Judged]

    def as_json(self) -> dict[str, Any]:
        """The shape of ``--json``."""
        asked = [each for each in self.judged if each.knows is not None]
        reasons = sorted({(each.row.knows, each.row.reason) for each in asked}, reverse=True)
        return {
            "n": len(asked),
            "balanced_accuracy": balanced(asked),
            "interval": interval(asked),
            "by_reason": {
                f"{'knows' if knows else 'does not'}: {reason}": share(
                    [e for e in asked if (e.row.knows, e.row.reason) == (knows, reason)]
                )
                for knows, reason in reasons
            },
            "not_asked": [
                {**asdict(each.row), "why": each.why} for each in self.judged if each.knows is None
            ],
            "wrong": [
                {**asdict(each.row), "why": each.why}
                for each in asked
                if each.knows != each.row.knows
            ],
        }

    def as_table(self) -> str:
        """Print the same, but for the rows that were judged wrong."""
        shape = self.as_json()
        low, high = shape["interval"]
        lines = [
            f"n {shape['n']}",
            f"balanced accuracy {shape['balanced_accuracy']} [{low}, {high}]",
        ]
        lines += [
            f"  {name:24} {each['right']:.2f} of {each['n']}"
            for name, each in shape["by_reason"].items()
        ]
        lines += [f"not asked: {each['character']!r}: {each['why']}" for each in shape["not_asked"]]
        return "\n".join(lines)


def share(judged: Sequence[Judged]) -> dict[str, Any]:
    """How many rows there are, and the share that is judged right."""
    right = [each.knows == each.row.knows for each in judged]
    return {"n": len(right), "right": round(float(np.mean(right)), 3)}


def balanced(judged: Sequence[Judged]) -> float | None:
    """The mean of the shares of known and of unknown facts that are judged so."""
    shares = [
        np.mean([each.knows == each.row.knows for each in judged if each.row.knows is knows])
        for knows in (True, False)
        if any(each.row.knows is knows for each in judged)
    ]
    return round(float(np.mean(shares)), 3) if len(shares) == 2 else None


def interval(judged: Sequence[Judged]) -> tuple[float | None, float | None]:
    """95 % by bootstrap over rows."""
    generator = np.random.default_rng(0)
    draws = (
        [
            value
            for _ in range(DRAWS)
            if (
                value := balanced(
                    [judged[n] for n in generator.integers(0, len(judged), len(judged))]
                )
            )
            is not None
        ]
        if judged
        else []
    )
    if not draws:
        return None, None
    low, high = np.percentile(draws, (2.5, 97.5))
    return round(float(low), 3), round(float(high), 3)


def add_arguments(command: argparse.ArgumentParser) -> None:
    """What the command line takes beside FILE."""
    command.add_argument("--texts", type=Path, help="folder of the documents; default: FILE's")
    command.add_argument("--model", action="store_true", help="with the configured model")


def run(chosen: argparse.Namespace) -> Report:
    """Judge every row."""
    lines = chosen.file.read_text(encoding="utf-8").splitlines()
    rows = [Row(**json.loads(line)) for line in lines if line.strip()]
    folder = chosen.texts or chosen.file.parent
    return asyncio.run(judge(rows, folder, with_model=chosen.model))


async def judge(rows: Sequence[Row], folder: Path, *, with_model: bool) -> Report:
    """Make the characters, and ask about each row."""
    with tempfile.TemporaryDirectory() as home:
        flags = {"home": home}
        settings = load_settings(flags) if with_model else load_settings(flags, {}, Path(home))
        judged: list[Judged] = []
        async with await Offbook.open(settings) as book:
            for document in dict.fromkeys(row.document for row in rows):
                path = folder / document
                if not path.exists():  # --texts may be the folder of the texts themselves
                    path = folder / Path(document).name
                mine = [row for row in rows if row.document == document]
                judged += await _of_document(book, path, mine, with_model=with_model)
    return Report(judged)


async def _of_document(
    book: Offbook, path: Path, rows: Sequence[Row], *, with_model: bool
) -> list[Judged]:
    made: dict[str, str | OffbookError] = {}
    for name in dict.fromkeys(row.character for row in rows):
        try:
            made[name] = (await book.create_from(path, name)).character.id
        except OffbookError as error:
            made[name] = error
    known = [each for each in made.values() if isinstance(each, str)]
    if with_model and known:
        await book.ingest(known[0])
    return [await _judged(book, made, path.name, row) for row in rows]


async def _judged(
    book: Offbook, made: Mapping[str, str | OffbookError], document: str, row: Row
) -> Judged:
    who = made[row.character]
    if not isinstance(who, str):
        return Judged(row, None, who.message)
    try:
        judgement = await book.knows(who, row.fact, as_of=f"{document}#{row.point}")
    except OffbookError as error:
        return Judged(row, None, error.message)
    return Judged(row, judgement.knows, judgement.reason)
