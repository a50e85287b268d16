"""What a book takes: its cast, a character of it and the first answer, as whole processes.

    python benchmarks/books.py BOOK [NAME NAME] [--runs 3] [--json]
    python benchmarks/books.py BOOK --simserver PROGRAM [--latency-ms 200]

Offline: seconds (median of the runs), those of the processor, which count where the machine is
busy, and peak memory. With a program that plays an endpoint: calls, calls a KB (1,000 characters)
and round trips of reading the book by the default method, for the first character and for a further
one. Without names the two most named are made.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from endpoints import served
from processes import OFFBOOK, environment

QUESTION: Final = "Who are your friends?"
TARGETS: Final = {"cast": 5.0, "create --from, and the first answer": 6.0}
MOST_MB: Final = 300


class Ran(NamedTuple):
    """A process: its seconds, those of the processor, its peak memory in MB, what it printed."""

    seconds: float
    worked: float
    megabytes: float
    printed: Any


def ran(words: Sequence[str], env: Mapping[str, str], folder: Path) -> Ran:
    """Run a command with ``--json``; one that fails ends the benchmark with its message."""
    out, err = folder / "out", folder / "err"
    began = time.perf_counter()
    with out.open("wb") as printed, err.open("wb") as told:
        process = subprocess.Popen(
            [*OFFBOOK, *words, "--json"],
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=printed,
            stderr=told,
        )
        _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - began
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{' '.join(words)} ended with {process.returncode}: {err.read_text()}")
    unit = 1 if sys.platform == "darwin" else 1024
    worked = usage.ru_utime + usage.ru_stime
    return Ran(seconds, worked, usage.ru_maxrss * unit / 1e6, json.loads(out.read_text()))


def measured(book: Path, names: Sequence[str], runs: int, folder: Path) -> dict[str, Any]:
    """Seconds and peak memory of each command, offline, each time in an empty home."""
    env = environment(folder / "home")
    seconds: dict[str, list[float]] = {}
    worked: dict[str, list[float]] = {}
    most = 0.0
    for _ in range(runs):
        shutil.rmtree(folder / "home", ignore_errors=True)
        cast = ran(["cast", str(book)], env, folder)
        first, further = names or [row["name"] for row in cast.printed[:2]]
        made = ran(["create", "--from", str(book), first], env, folder)
        answer = ran(["ask", made.printed["id"], QUESTION], env, folder)
        other = ran(["create", "--from", made.printed["book"], further], env, folder)
        steps = {
            "cast": cast,
            "create --from": made,
            "first answer": answer,
            "a further one": other,
        }
        for name, step in steps.items():
            seconds.setdefault(name, []).append(step.seconds)
            worked.setdefault(name, []).append(step.worked)
            most = max(most, step.megabytes)
        both = "create --from, and the first answer"
        seconds.setdefault(both, []).append(made.seconds + answer.seconds)
        worked.setdefault(both, []).append(made.worked + answer.worked)
    return {
        "runs": runs,
        "people": len(cast.printed),
        "seconds": _medians(seconds),
        "processor_seconds": _medians(worked),
        "megabytes": round(most),
    }


def _medians(of: Mapping[str, Sequence[float]]) -> dict[str, float]:
    return {name: round(statistics.median(each), 2) for name, each in of.items()}


def read_by_a_model(
    book: Path, names: Sequence[str], told: argparse.Namespace, folder: Path
) -> dict[str, Any]:
    """What a first character and a further one have a model do."""
    env = environment(folder / "home")
    chars = len(book.read_text(encoding="utf-8-sig", errors="replace"))
    latency = ["--latency-ms", str(told.latency_ms)]
    with served(told.simserver, folder, latency) as url:
        model = ["--set", "chat.model=simulated", "--set", f"chat.base_url={url}"]
        names = names or [row["name"] for row in ran(["cast", str(book)], env, folder).printed[:2]]
        found = {}
        for place, name in zip(("first", "further"), names, strict=True):
            step = ran([*model, "create", "--from", str(book), name, "--yes"], env, folder)
            usage = step.printed["ingest"]["usage"]
            found[place] = {
                "calls": usage["calls"],
                "calls_per_kb": round(1000 * usage["calls"] / chars, 3),
                "round_trips": usage["round_trips"],
                "estimated_calls": step.printed["estimate"]["calls"],
                "seconds": round(step.seconds, 2),
            }
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("book", type=Path)
    parser.add_argument("names", nargs="*", help="two of its people")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--simserver", type=Path, help="a program that plays an endpoint")
    parser.add_argument("--latency-ms", type=float, default=200.0, help="told to --simserver")
    parser.add_argument("--json", action="store_true")
    told = parser.parse_args()
    if len(told.names) not in (0, 2):
        parser.error("name two of the book's people, or none")
    with tempfile.TemporaryDirectory() as made:
        if told.simserver:
            found = read_by_a_model(told.book, told.names, told, Path(made))
        else:
            found = measured(told.book, told.names, told.runs, Path(made))
    if told.json:
        print(json.dumps(found, indent=2))
    elif told.simserver:
        print("\n".join(f"{place}: {figures}" for place, figures in found.items()))
    else:
        for name, seconds in found["seconds"].items():
            goal = f"  (target {TARGETS[name]:g} s)" if name in TARGETS else ""
            worked = found["processor_seconds"][name]
            print(f"{name:40} {seconds:6.2f} s, processor {worked:6.2f} s{goal}")
        print(f"{'peak memory':40} {found['megabytes']:6} MB  (target {MOST_MB} MB)")


if __name__ == "__main__":
    main()
