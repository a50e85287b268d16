"""What indexing with a method costs: calls, tokens, time, and how close the time comes to the best.

    python benchmarks/cost.py rolerag CORPUS --base-url URL --latency-ms 200 [--json]
    python benchmarks/cost.py rolerag CORPUS --simserver PROGRAM --latency-ms 200 [--chunk 1200/100]
    python benchmarks/cost.py ensemble CORPUS --simserver PROGRAM --runs 1

Beside calls and tokens, a KB (1,024 bytes) of text each, stands the recall of names: of those that
the offline rules find in the chunks as people, places and groups, how many the graph has. A
simulated model that lists so many names a call and no more finds fewer of them in long windows.

Every run has a fresh home. The first run of a process also loads the libraries, and is reported
apart. ``--edit`` puts a sentence into the middle and ingests again, then deletes half of a text.
``--bare`` sends the requests of each run again, in the same rounds, with nothing else done: the
time that these calls take by themselves on this machine.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from typing import Any

from endpoints import Traffic, bare, phase, recorded, served
from offbook.app import Offbook
from offbook.cli import process
from offbook.documents.readers import ReadDocument
from offbook.ingestion.reports import IngestReport
from offbook.prompts.extraction import ExtractionInputs, Section
from offbook.rules.extraction import extract
from offbook.settings import load_settings
from offbook.stores import chunks, graph
from offbook.text.sentences import sentences
from offbook.types import Chunk, Usage

ADDED = "Nobody in the house had expected the letter that came from Trieste that evening."
FAULTS = {"malformed": 0.0, "http_error": 0.0, "poison": "", "max_concurrency": 0}


@dataclass(frozen=True, slots=True)
class Run:
    """One command: what it reported, what went over the wire, and how long it took."""

    report: IngestReport
    traffic: Traffic
    seconds: float
    raw: int = 0
    names: int = 0
    recall: float = 0.0
    chunks: int = 0
    bare: float | None = None

    @property
    def usage(self) -> Usage:
        """What was spent."""
        return self.report.usage


def flags(told: argparse.Namespace, base_url: str, home: Path) -> dict[str, Any]:
    found: dict[str, Any] = {
        "home": str(home),
        "method": told.method,
        "chat.model": told.model,
        "chat.base_url": base_url,
        "limits.concurrency": told.concurrency,
    }
    if told.embed == "endpoint":
        found["embed.model"] = told.embed_model
    if told.chunk != "default":
        size, _, overlap = told.chunk.partition("/")
        found |= {"graph.boundaries": "window", "graph.size": size, "graph.overlap": overlap}
    return found | dict(assignment.split("=", 1) for assignment in told.set)


async def ingest(settings: Mapping[str, Any], character: str, reading: ReadDocument | None) -> Run:
    """One ingestion as a command does it: the database is opened, used and closed."""
    with recorded() as traffic:
        async with await Offbook.open(load_settings(settings)) as book:
            if not any(found.name == character for found in await book.characters()):
                await book.create(character)
            began = time.perf_counter()
            report = await book.ingest_texts(character, [reading] if reading else [])
            seconds = time.perf_counter() - began
            identity = report.character_id
            mentions = await book.store.read(lambda c: graph.list_raw_entities(c, identity))
            made = await book.store.read(lambda c: chunks.list_chunks(c, identity))
    names = {mention.name.casefold() for mention in mentions}
    chunked = [chunk for chunk in made if chunk.chunking == "graph"]
    recall = name_recall(character, chunked, names)
    return Run(report, traffic, seconds, len(mentions), len(names), recall, len(chunked))


def name_recall(character: str, chunked: Sequence[Chunk], names: set[str]) -> float:
    """Of the names that the rules find in these chunks, the share that is among ``names``."""
    found = {
        entity.name.casefold()
        for chunk in chunked
        for entity in extract(
            ExtractionInputs(character, (Section(chunk.heading_path, chunk.text),))
        ).entities
        if entity.type in ("character", "location", "organization")
    }
    return len(found & names) / len(found) if found else 1.0


async def measure(told: argparse.Namespace, base_url: str, reading: ReadDocument) -> list[Run]:
    """The same ingestion several times, each into a home of its own."""
    runs = []
    for number in range(told.runs):
        if told.simserver:
            phase(base_url, f"run {number}")
        with home(told, f"run-{number}") as folder:
            run = await ingest(flags(told, base_url, folder), told.character, reading)
        if told.bare:
            run = replace(run, bare=await bare(run.traffic.rounds(), base_url, told.concurrency))
        runs.append(run)
    return runs


@contextmanager
def home(told: argparse.Namespace, name: str) -> Iterator[Path]:
    """A folder for a home; kept where the caller names one to look into."""
    if told.keep:
        yield told.keep / name
        return
    with tempfile.TemporaryDirectory() as made:
        yield Path(made)


async def edit(told: argparse.Namespace, base_url: str, reading: ReadDocument) -> dict[str, Any]:
    """What an inserted sentence and a deleted document cost, beside the first ingestion."""
    with home(told, "edit") as folder:
        settings = flags(told, base_url, folder)
        first = await ingest(settings, told.character, reading)
        changed = replace(reading, text=inserted(reading.text))
        again = await ingest(settings, told.character, changed)
    half = reading.text.rfind("\n", 0, len(reading.text) // 2) + 1
    parts = [
        replace(reading, name=f"{number}-{reading.name}", text=text)
        for number, text in enumerate((reading.text[:half], reading.text[half:]))
    ]
    with home(told, "delete") as folder:
        settings = flags(told, base_url, folder)
        both = [await ingest(settings, told.character, part) for part in parts]
        async with await Offbook.open(load_settings(settings)) as book:
            await book.forget(told.character, parts[1].name)
            forgetting = book.meter.usage().calls
        after = await ingest(settings, told.character, None)
    whole = first.usage.calls
    return {
        "first": spent(first),
        "inserted": spent(again) | {"share": round(again.usage.calls / whole, 3)},
        "two_documents": [spent(run) for run in both],
        "deleted": spent(after)
        | {"calls": after.usage.calls + forgetting}
        | {"share": round((after.usage.calls + forgetting) / whole, 3)},
    }


def inserted(text: str) -> str:
    """The text with one more sentence behind the one in its middle."""
    middle = len(text) // 2
    ends = [end for _, end in sentences(text) if text[end : end + 1] == " "]
    place = min(ends, key=lambda end: abs(end - middle))
    return f"{text[:place]} {ADDED}{text[place:]}"


def spent(run: Run) -> dict[str, Any]:
    usage = run.usage
    return {
        "calls": usage.calls,
        "by_task": {name: task.calls for name, task in usage.by_task.items()},
        "prompt_tokens": usage.prompt_tokens,
        "completion_tokens": usage.completion_tokens,
        "embed_calls": usage.embed_calls,
        "round_trips": usage.round_trips,
        "waits": run.traffic.waits,
        "peak_in_flight": run.traffic.peak,
        "seconds": round(run.seconds, 3),
        "chunks": run.chunks,
        "raw_entities": run.raw,
        "names": run.names,
        "name_recall": round(run.recall, 3),
        "entities": run.report.entities,
        "relations": run.report.relations,
        "aliases": run.report.aliases,
        "quarantined": sum(row.quarantined for row in run.report.documents),
        "status": [row.status for row in run.report.documents],
        "refused": len(run.traffic.refusals),
        "refused_share_after_first_second": round(run.traffic.refused_later(), 4),
    }


def figures(told: argparse.Namespace, runs: list[Run], size: int) -> dict[str, Any]:
    """All figures; counts are those of the last run, seconds the median of the warm ones."""
    last, warm = runs[-1], runs[1:] or runs
    rounds = last.traffic.waits if told.embed == "endpoint" else last.usage.round_trips
    calls = last.usage.calls + last.usage.embed_calls
    latency = told.latency_ms / 1000
    at_once = min(told.concurrency, told.max_concurrency or told.concurrency)
    bound = max(rounds * latency, calls * latency / at_once)
    seconds = median(run.seconds for run in warm)
    alone = median(run.bare or 0.0 for run in warm) or None
    return {
        "method": told.method,
        "corpus": told.corpus.name,
        "bytes": size,
        "chunking": told.chunk,
        "concurrency": told.concurrency,
        "embedder": told.embed,
        "runs": len(runs),
        **spent(last),
        "calls_per_kb": round(last.usage.calls * 1024 / size, 2),
        "prompt_tokens_per_kb": round(last.usage.prompt_tokens * 1024 / size),
        "completion_tokens_per_kb": round(last.usage.completion_tokens * 1024 / size),
        "calls_per_chunk": round(last.usage.calls / max(1, last.chunks), 2),
        "calls_per_raw_entity": round(last.usage.calls / max(1, last.raw), 3),
        "by_task": {
            name: {
                count: getattr(task, count)
                for count in ("calls", "prompt_tokens", "completion_tokens")
            }
            for name, task in last.usage.by_task.items()
        },
        "seconds": round(seconds, 3),
        "seconds_of_each_run": [round(run.seconds, 3) for run in runs],
        "bound_seconds": round(bound, 3),
        "ratio": round(seconds / bound, 2) if bound else None,
        "bare_seconds": alone and round(alone, 3),
        "bare_ratio": round(alone / bound, 2) if alone and bound else None,
    }


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("method")
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--base-url", help="an OpenAI-compatible endpoint")
    parser.add_argument("--simserver", type=Path, help="a program that plays one, started here")
    parser.add_argument("--model", default="gpt-4o-mini")
    parser.add_argument("--embed", choices=("builtin", "endpoint"), default="builtin")
    parser.add_argument("--embed-model", default="text-embedding-3-small")
    parser.add_argument("--character", help="default: the name of the file")
    parser.add_argument("--chunk", default="default", help="default, or windows: 1200/100")
    parser.add_argument("--concurrency", type=int, default=16)
    parser.add_argument("--latency-ms", type=float, default=200.0, help="of a call, for the bound")
    parser.add_argument("--token-ms", type=float, default=0.0, help="told to --simserver")
    for name, default in FAULTS.items():
        option = f"--{name.replace('_', '-')}"
        parser.add_argument(option, type=type(default), default=default, help="likewise")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--bare", action="store_true", help="also the calls by themselves")
    parser.add_argument("--edit", action="store_true", help="also insert a sentence, and delete")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--keep", type=Path, help="a folder in which the homes stay")
    parser.add_argument("--json", action="store_true")
    told = parser.parse_args()
    if bool(told.base_url) == bool(told.simserver):
        parser.error("name either --base-url or --simserver")
    told.character = told.character or told.corpus.stem
    return told


def simulated(told: argparse.Namespace) -> list[str]:
    options = {"latency_ms": told.latency_ms, "token_ms": told.token_ms}
    options |= {name: getattr(told, name) for name in FAULTS}
    return [f"--{name.replace('_', '-')}={value}" for name, value in options.items()]


async def report(told: argparse.Namespace, base_url: str) -> dict[str, Any]:
    text = told.corpus.read_text(encoding="utf-8")
    reading = ReadDocument(told.corpus.name, text, "markdown")
    runs = await measure(told, base_url, reading)
    found = figures(told, runs, len(text.encode()))
    if told.edit:
        found["edits"] = await edit(told, base_url, reading)
    return found


def main() -> None:
    process.set_up()  # as the command line has it
    told = arguments()
    if told.simserver:
        with tempfile.TemporaryDirectory() as made:
            folder = told.keep or Path(made)
            folder.mkdir(parents=True, exist_ok=True)
            with served(told.simserver, folder, simulated(told)) as base_url:
                found = asyncio.run(report(told, base_url))
    else:
        found = asyncio.run(report(told, told.base_url))
    if told.json:
        print(json.dumps(found, indent=2))
    else:
        for name, value in found.items():
            print(f"{name:>34} {json.dumps(value) if isinstance(value, dict | list) else value}")


if __name__ == "__main__":
    main()
