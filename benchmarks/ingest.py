"""How long an offline ingest for `naive` takes, as whole processes.

python benchmarks/ingest.py FOLDER [--runs 5] [--json]
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path

from processes import OFFBOOK, Timing, environment, timed

TARGET_SECONDS = 5.0
METHOD = "naive"
FLOOR = "import numpy, pydantic, sqlalchemy"


def documents_in(folder: Path) -> list[Path]:
    """The files that offbook reads, sorted."""
    from offbook.documents.readers import is_readable

    return sorted(path.resolve() for path in folder.rglob("*") if is_readable(path))


def into_one(files: list[Path]) -> float:
    """Seconds of one process that puts all files into one new character of a new home."""
    with tempfile.TemporaryDirectory() as made:
        env = environment(Path(made) / "home")
        timed([*OFFBOOK, "create", "Somebody"], env, Path(made))
        return timed(
            [*OFFBOOK, "ingest", "Somebody", "--method", METHOD, *map(str, files)], env, Path(made)
        )


def start_of_a_process() -> float:
    with tempfile.TemporaryDirectory() as made:
        return timed([sys.executable, "-c", FLOOR], environment(Path(made)), Path(made))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    told = parser.parse_args()
    files = documents_in(told.folder)
    if not files:
        sys.exit(f"no documents in {str(told.folder)!r}")
    start_of_a_process()
    one, floor = [], []
    for _ in range(told.runs):
        one.append(into_one(files))
        floor.append(start_of_a_process())
    timings = [
        Timing(f"{len(files)} documents into one character", tuple(one), TARGET_SECONDS),
        Timing(f"python: {FLOOR}", tuple(floor)),
    ]
    size = sum(path.stat().st_size for path in files)
    if told.json:
        shown = [timing.as_json() for timing in timings]
        print(json.dumps({"files": len(files), "bytes": size, "timings": shown}, indent=2))
    else:
        print(f"{len(files)} files, {size:,} bytes")
        print("\n".join(map(str, timings)))


if __name__ == "__main__":
    main()
