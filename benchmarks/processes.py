"""Whole processes timed from the outside: what a person waits for."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

OFFBOOK = (str(Path(sys.executable).with_name("offbook")),)
"""The installed command, as a person starts it."""


@dataclass(frozen=True, slots=True)
class Timing:
    """Wall times of a command in seconds."""

    name: str
    seconds: tuple[float, ...]
    target_seconds: float | None = None

    @property
    def median(self) -> float:
        """The median of all runs."""
        return statistics.median(self.seconds)

    def as_json(self) -> dict[str, Any]:
        """Median, extremes, target and whether it was reached."""
        met = None if self.target_seconds is None else self.median < self.target_seconds
        return {
            "name": self.name,
            "median_seconds": round(self.median, 4),
            "fastest_seconds": round(min(self.seconds), 4),
            "slowest_seconds": round(max(self.seconds), 4),
            "runs": len(self.seconds),
            "target_seconds": self.target_seconds,
            "target_met": met,
        }

    def __str__(self) -> str:
        goal = f"  (target {self.target_seconds:g} s)" if self.target_seconds else ""
        spread = f"{min(self.seconds):.3f} to {max(self.seconds):.3f}"
        return f"{self.name:44} {self.median:7.3f} s  {spread}{goal}"


def environment(home: Path) -> dict[str, str]:
    """This environment with a home of its own, and without settings that would change the work."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("OFFBOOK_", "OPENAI_"))}
    return {**kept, "OFFBOOK_HOME": str(home), "OFFBOOK_CONFIG": str(home / "config.toml")}


def timed(command: Sequence[str], env: Mapping[str, str], cwd: Path) -> float:
    """Seconds of one run; a command that fails ends the benchmark with its message."""
    began = time.perf_counter()
    done = subprocess.run(
        command,
        env=env,
        cwd=cwd,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        check=False,
    )
    seconds = time.perf_counter() - began
    if done.returncode:
        sys.exit(f"{' '.join(command)} ended with {done.returncode}: {done.stderr.strip()}")
    return seconds


def in_turns(
    commands: Mapping[str, Sequence[str]], runs: int, env: Mapping[str, str], cwd: Path
) -> dict[str, tuple[float, ...]]:
    """Wall times of each command, run in turns, so that a busy moment meets all of them.

    One run of each before the first that counts fills the caches of the file system.
    """
    for command in commands.values():
        timed(command, env, cwd)
    found: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(runs):
        for name, command in commands.items():
            found[name].append(timed(command, env, cwd))
    return {name: tuple(seconds) for name, seconds in found.items()}
