"""Calls a KB over documents with many headings, at a program that plays an endpoint.

    python benchmarks/headings.py --simserver PROGRAM [--method ensemble] [--json]

The documents are made up: so many sections of so many characters, about few people who come back
(a persona), about others in each (a list of people), or about both (a life). A KB is 1,024 bytes.
Beside calls stand tokens a KB and the recall of names, as ``cost.py`` has them.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from cost import ingest
from endpoints import served
from offbook.cli import process
from offbook.documents.readers import ReadDocument

SIZES: Final = ((24, 3.4), (12, 3.4), (60, 8.0), (34, 19.7), (120, 19.7), (130, 21.2), (300, 50.0))
"""Headings, and KB in all."""
SHORT_KB: Final = 20
A_KB_BELOW: Final = 1.2
A_KB_ABOVE: Final = 0.6
ALWAYS: Final = 4
FIRST: Final = (
    "Ada",
    "Bruno",
    "Celia",
    "Dorian",
    "Edith",
    "Felix",
    "Greta",
    "Hugo",
    "Iris",
    "Otto",
)
LAST: Final = ("Ash", "Birch", "Croft", "Dale", "Elm", "Fenn", "Gorse", "Hale", "Ivers", "Kestrel")
PLACES: Final = ("Harwick", "Sallow Bridge", "Port Merrin", "Old Tarn", "Lower Ines")
DEEDS: Final = (
    "{a} met {b} at {place} and lent them a lantern for the way home.",
    "In {place} {a} kept bees, and {b} sold the honey in the market.",
    "{b} never forgave {a} for the quarrel in {place} over the broken weir.",
    "It was {a} who taught {b} to mend nets when the boats lay idle at {place}.",
    "For a winter {a} shared a room in {place} with {b}, who snored.",
    "{a} wrote a letter from {place} which {b} burned without reading it.",
)


@dataclass(frozen=True, slots=True)
class Measured:
    """A document: how it is made, and what its ingestion cost."""

    shape: str
    headings: int
    kb: float
    calls: int
    a_kb: float
    allowed: float
    waits: int
    tokens_a_kb: int
    recall: float
    tasks: dict[str, int]

    @property
    def holds(self) -> bool:
        """Whether it cost no more than is allowed."""
        return self.calls <= self.allowed


_DEED: Final = 50
"""Characters: a sentence is begun where more than half of it has room."""


def document(shape: str, headings: int, kb: float) -> str:
    """Make a document up, the same each time."""
    chance = random.Random(f"{shape} {headings} {kb}")
    everybody = [f"{first} {last}" for last in LAST for first in FIRST]
    chance.shuffle(everybody)
    few = everybody[:5]
    people = {"persona": few, "people": everybody, "life": few[:2] + everybody[5:]}[shape]
    text = f"# {few[0]}"
    for number in range(headings):
        text += f"\n\n## Year {number + 1}\n\n"
        while len(text) < (number + 1) * kb * 1024 / headings - _DEED:
            a, b = chance.sample(people, 2)
            one = few[0] if shape == "life" else a
            place = chance.choice(PLACES)
            text += chance.choice(DEEDS).format(a=one, b=b, place=place) + " "
    return text


def allowed(kb: float) -> float:
    """How many calls may be made for a document."""
    return max(ALWAYS, kb * (A_KB_BELOW if kb < SHORT_KB else A_KB_ABOVE))


async def measure(told: argparse.Namespace, base_url: str) -> list[Measured]:
    """Ingest each document into a home of its own."""
    return [
        await one(told, base_url, shape, headings, kb)
        for shape in ("persona", "people", "life")
        for headings, kb in SIZES
    ]


async def one(
    told: argparse.Namespace, base_url: str, shape: str, headings: int, kb: float
) -> Measured:
    text = document(shape, headings, kb)
    name = text.partition("\n")[0].removeprefix("# ")
    with tempfile.TemporaryDirectory() as home:
        settings = {
            "home": home,
            "method": told.method,
            "chat.model": "simulated",
            "chat.base_url": base_url,
        }
        run = await ingest(settings, name, ReadDocument("life.md", text, "markdown"))
    size, calls = len(text.encode()) / 1024, run.usage.calls
    tasks = {task: usage.calls for task, usage in run.usage.by_task.items()}
    return Measured(
        shape,
        headings,
        round(size, 1),
        calls,
        round(calls / size, 2),
        round(allowed(size), 1),
        run.traffic.waits,
        round((run.usage.prompt_tokens + run.usage.completion_tokens) / size),
        round(run.recall, 2),
        tasks,
    )


def rows(measured: list[Measured]) -> Iterator[str]:
    heads = ("headings", "KB", "calls", "a KB", "allowed", "waits", "tokens", "recall")
    yield "shape    " + " ".join(f"{head:>7}" for head in heads)
    for each in measured:
        mark = "" if each.holds else "  TOO MANY"
        tasks = ", ".join(f"{task} {calls}" for task, calls in each.tasks.items())
        yield (
            f"{each.shape:8} {each.headings:8} {each.kb:7} {each.calls:7} {each.a_kb:7} "
            f"{each.allowed:7} {each.waits:7} {each.tokens_a_kb:7} {each.recall:7}  {tasks}{mark}"
        )


def main() -> None:
    process.set_up()  # as the command line has it
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--simserver", type=Path, required=True, help="a program that plays one")
    parser.add_argument("--latency-ms", type=float, default=20.0, help="told to --simserver")
    parser.add_argument("--method", default="ensemble")
    parser.add_argument("--json", action="store_true")
    told = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        latency = [f"--latency-ms={told.latency_ms}"]
        with served(told.simserver, Path(folder), latency) as url:
            measured = asyncio.run(measure(told, url))
    if told.json:
        shown: list[dict[str, Any]] = [
            {name: getattr(each, name) for name in (*Measured.__slots__, "holds")}
            for each in measured
        ]
        print(json.dumps(shown, indent=2))
    else:
        print("\n".join(rows(measured)))
    sys.exit(0 if all(each.holds for each in measured) else 1)


if __name__ == "__main__":
    main()
