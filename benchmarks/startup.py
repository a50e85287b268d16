"""How long a command takes before it does anything: `--help`, and a recall on a small character.

python benchmarks/startup.py [DOCUMENT] [--runs 10] [--json]
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

from processes import OFFBOOK, Timing, environment, in_turns, timed

HELP_SECONDS, RECALL_SECONDS = 0.20, 0.80
QUESTION = "Who taught you?"
PYTHON = sys.executable
PEERS = {
    "python -c pass": "pass",
    "python: import numpy, pydantic, sqlalchemy": "import numpy, pydantic, sqlalchemy",
    "python: import openai": "import openai",
    "python: import langchain_text_splitters": "import langchain_text_splitters",
}


RECALL = "offbook recall --method naive"


def shipped_document(folder: Path) -> Path:
    """The persona document of the demo, where none is given."""
    from offbook import demo

    path = folder / "persona.md"
    path.write_text(demo.persona_text(), encoding="utf-8")
    return path


def measure(document: Path | None, runs: int) -> list[Timing]:
    """Timings of our commands, then of their peers."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        env = environment(folder / "home")
        file = document.resolve() if document else shipped_document(folder)
        timed([*OFFBOOK, "create", "Somebody"], env, folder)
        timed([*OFFBOOK, "ingest", "Somebody", str(file)], env, folder)
        ours = {
            "offbook --help": [*OFFBOOK, "--help"],
            # The process and one search; what a method does beyond that is its own time.
            RECALL: [*OFFBOOK, "recall", "Somebody", QUESTION, "--method", "naive"],
            "offbook recall": [*OFFBOOK, "recall", "Somebody", QUESTION],
        }
        peers = {
            name: [PYTHON, "-c", code]
            for name, code in PEERS.items()
            if "langchain" not in code or find_spec("langchain_text_splitters")
        }
        found = in_turns({**ours, **peers}, runs, env, folder)
    targets = {"offbook --help": HELP_SECONDS, RECALL: RECALL_SECONDS}
    return [Timing(name, seconds, targets.get(name)) for name, seconds in found.items()]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("document", type=Path, nargs="?", help="default: the demo's")
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--json", action="store_true")
    told = parser.parse_args()
    timings = measure(told.document, told.runs)
    if told.json:
        print(json.dumps([timing.as_json() for timing in timings], indent=2))
    else:
        print("\n".join(map(str, timings)))


if __name__ == "__main__":
    main()
