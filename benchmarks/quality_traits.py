"""Does guided selection find the deeds: questions that only behaviour implies.

Without FILE the demo's own character and its questions of the kind `behaviour` (10, with the gold
evidence: sentences of the persona document). FILE: rows of the same format, for that document:
traits_held_out.jsonl has 12 that were written when the rules were done, and by which no rule was
changed; the demo's 10 were known to whoever wrote the rules.

For each question the chunks are ranked once, and selected in three ways: `live` (each chunk is
judged for the question), `indexed` (each chunk was judged once, at ingestion) and `similar` (the
most similar chunks, as many as live selects: what there is without guided selection).

n: questions. selected: share of the questions of which a selected chunk holds a whole gold
sentence. reachable: the same for the first amadeus.n chunks, the most that any selection can reach.
chunks: mean number of selected chunks. agreement: mean over questions of the chunks that live and
indexed share, of all that either selects. fallback: share of the questions for which no chunk said
yes. unjudged: chunks without a usable verdict. calls and waits (calls that wait for one another)
are per question, of the selection alone; the built-in model is no endpoint: none are counted.
Intervals are 95 % by bootstrap over questions (2,000 draws, seeded).
"""

from __future__ import annotations

import argparse
import asyncio
import json
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from offbook.app import Offbook
    from offbook.settings.methods import GuidedSelection
    from offbook.types import Passage

HELP: Final = "questions that only behaviour implies: is the gold evidence selected"
NEEDS_FILE: Final = False
DRAWS: Final = 2_000
_LEAST_OF_A_GOLD_SENTENCE: Final = 20


@dataclass(frozen=True, slots=True)
class Asked:
    """A question and the sentences that answer it."""

    id: str
    question: str
    evidence: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one way selected for one question, and what that cost."""

    chunks: frozenset[str]
    hit: bool
    fallback: bool = False
    unjudged: int = 0
    calls: int = 0
    waits: int = 0


@dataclass(frozen=True, slots=True)
class Report:
    """Outcomes by way, in the order of the questions."""

    asked: Sequence[Asked]
    outcomes: Mapping[str, Sequence[Outcome]]
    chunks: int
    indexing_calls: int

    def as_json(self) -> dict[str, Any]:
        """Figures of each way, and what live and indexed agree on."""
        return {
            "n": len(self.asked),
            "chunks_of_the_character": self.chunks,
            "indexing_calls": self.indexing_calls,
            **{way: _figures(found) for way, found in self.outcomes.items()},
            "agreement": _agreement(self.outcomes["live"], self.outcomes["indexed"]),
            "questions": [
                {"id": asked.id, **{way: found[at].hit for way, found in self.outcomes.items()}}
                for at, asked in enumerate(self.asked)
            ],
        }

    def as_table(self) -> str:
        """The same as Markdown."""
        shape = self.as_json()
        names = list(shape["live"])
        lines = [
            f"n = {shape['n']}; {shape['chunks_of_the_character']} chunks, judged once by "
            f"{shape['indexing_calls']} calls; live and indexed agree on "
            f"{shape['agreement']:.2f} of what they select",
            "",
            "| way | " + " | ".join(names) + " |",
            "|---" * (len(names) + 1) + "|",
        ]
        for way in self.outcomes:
            cells = [_cell(shape[way].get(name)) for name in names]
            lines.append(f"| {way} | " + " | ".join(cells) + " |")
        return "\n".join(lines)


def _cell(figure: Any) -> str:
    if isinstance(figure, dict):
        low, high = figure["interval"]
        return f"{figure['value']:.2f} [{low:.2f}, {high:.2f}]"
    return "-" if figure is None else f"{figure:.2f}"


def _figures(found: Sequence[Outcome]) -> dict[str, Any]:
    hits = np.array([one.hit for one in found], dtype=float)
    draws = np.random.default_rng(20093).integers(0, len(hits), (DRAWS, len(hits)))
    low, high = np.percentile(hits[draws].mean(axis=1), [2.5, 97.5])
    return {
        "selected": {
            "value": round(float(hits.mean()), 4),
            "interval": [round(float(low), 4), round(float(high), 4)],
        },
        "chunks": float(np.mean([len(one.chunks) for one in found])),
        "fallback": float(np.mean([one.fallback for one in found])),
        "unjudged": float(np.mean([one.unjudged for one in found])),
        "calls": float(np.mean([one.calls for one in found])),
        "waits": float(np.mean([one.waits for one in found])),
    }


def _agreement(one: Sequence[Outcome], other: Sequence[Outcome]) -> float:
    shares = [
        len(a.chunks & b.chunks) / len(a.chunks | b.chunks) if a.chunks | b.chunks else 1.0
        for a, b in zip(one, other, strict=True)
    ]
    return round(float(np.mean(shares)), 4)


def holds(passage: Passage, evidence: Sequence[str]) -> bool:
    """Whether a chunk holds one of the gold sentences whole."""
    text = " ".join(passage.chunk.text.split())
    return any(" ".join(sentence.split()) in text for sentence in evidence)


def load(file: Path | None) -> list[Asked]:
    """The questions of the kind ``behaviour``, of a file or of the demo.

    Raises:
        SystemExit: there are none, or a gold sentence is too short to be one.
    """
    from offbook import demo

    if file is None:
        found = [Asked(q.id, q.question, q.evidence) for q in demo.questions("behaviour")]
    else:
        rows = map(json.loads, file.read_text("utf-8").splitlines())
        found = [
            Asked(row["id"], row["question"], tuple(row["evidence"]))
            for row in rows
            if row.get("kind") == "behaviour"
        ]
    short = [s for one in found for s in one.evidence if len(s) < _LEAST_OF_A_GOLD_SENTENCE]
    if not found or short:
        raise SystemExit(f"no questions of the kind 'behaviour' with gold sentences {short!r}")
    return found


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of ``quality.py traits``."""
    parser.add_argument("--model", help="chat.model, and with it the extractor's; see --base-url")
    parser.add_argument("--base-url", help="chat.base_url")
    parser.add_argument("--preset", choices=("default", "faithful"), default="default")


def run(arguments: argparse.Namespace) -> Report:
    """Select in each way for every question."""
    return asyncio.run(_run(arguments))


async def _run(arguments: argparse.Namespace) -> Report:
    from offbook import Offbook

    chosen = {
        "method": "amadeus",
        "amadeus__gs": "indexed",
        "preset": arguments.preset,
        "chat__model": arguments.model,
        "chat__base_url": arguments.base_url,
    }
    asked = load(arguments.file)
    with tempfile.TemporaryDirectory() as home:
        flags = {"home": home, **{key: value for key, value in chosen.items() if value}}
        async with await Offbook.open(**flags) as book:
            return await measure(book, asked)


async def measure(book: Offbook, asked: Sequence[Asked]) -> Report:
    """The report on the demo's character in an open home."""
    from offbook.methods import amadeus
    from offbook.methods.knowledge import Knowledge
    from offbook.retrieval.guided_selection import Selection

    character, _ = await book.demo_character()
    judged = book.meter.usage().by_task.get("index_traits")
    found = await book.find(character.id)
    runtime = book.runtime(found.dimension)

    knowledge = Knowledge(
        found, runtime.settings, runtime.store, runtime.embedder, (), runtime.extractor
    )

    async def select(
        gs: GuidedSelection, question: str, ranked: Sequence[Passage]
    ) -> tuple[Any, int, int]:
        before = book.meter.usage()
        selection = await amadeus.select(knowledge, question, ranked, gs)
        after = book.meter.usage()
        return selection, after.calls - before.calls, after.round_trips - before.round_trips

    settings = runtime.settings.amadeus
    most_ranked = max(settings.k, settings.n, settings.m + 1)
    modes: tuple[GuidedSelection, ...] = ("live", "indexed")
    outcomes: dict[str, list[Outcome]] = {"live": [], "indexed": [], "similar": [], "reachable": []}
    for one in asked:
        ranked = await knowledge.search(one.question, settings.splitter, most_ranked)
        for gs in modes:
            selection, calls, waits = await select(gs, one.question, ranked)
            outcomes[gs].append(_outcome(selection, one.evidence, calls, waits))
        for way, most in (
            ("similar", len(outcomes["live"][-1].chunks)),
            ("reachable", settings.n),
        ):
            plain = Selection(tuple(ranked[:most]), is_fallback=False, looked_at=0)
            outcomes[way].append(_outcome(plain, one.evidence))
    rows = await book.show(found.id, "chunks")
    mine = sum(row["chunking"] == settings.splitter for row in rows)
    return Report(asked, outcomes, mine, judged.calls if judged is not None else 0)


def _outcome(selection: Any, evidence: Sequence[str], calls: int = 0, waits: int = 0) -> Outcome:
    return Outcome(
        frozenset(passage.chunk.id for passage in selection.chosen),
        any(holds(passage, evidence) for passage in selection.chosen),
        selection.is_fallback,
        len(selection.unjudged),
        calls,
        waits,
    )
