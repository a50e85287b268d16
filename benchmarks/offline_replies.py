"""What the offline model replies to questions on invented texts: right, declined or other.

FOLDER holds documents that are named after their characters and questions.jsonl, whose rows have
``character``, ``half`` (dev or test), ``kind``, ``question`` and ``right``: a pattern that a right
reply holds. A question beyond the character is right where it is declined without a quotation,
small talk without a pattern where it is not declined. "Other" is wrong or partly right; whether a
reply is absurd is for a person to say, who reads them with --show.

    python benchmarks/offline_replies.py [FOLDER] [--half test] [--method ensemble] [--show]
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from offbook import Offbook
from offbook.rules.declining import DECLINES

_FOLDER: Final = Path(__file__).parent / "replies"


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path, nargs="?", default=_FOLDER)
    parser.add_argument("--half", choices=("dev", "test"), help="default: both")
    parser.add_argument("--method", default="ensemble")
    parser.add_argument("--show", action="store_true", help="print every reply with its verdict")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(arguments)
    lines = (options.folder / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [row for row in map(json.loads, lines) if options.half in (None, row["half"])]
    verdicts = asyncio.run(ask_all(options.folder, rows, options.method))
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for row, (text, verdict) in zip(rows, verdicts, strict=True):
        for key in ("all", f"half: {row['half']}", row["kind"]):
            counts[key][verdict] += 1
        if options.show:
            print(f"[{verdict}] {row['character']}: {row['question']}\n    {text}")
    print(json.dumps(counts) if options.json else as_table(counts))
    return 0


async def ask_all(
    folder: Path, rows: Sequence[dict[str, Any]], method: str
) -> list[tuple[str, str]]:
    """The reply to each question, with its verdict."""
    with tempfile.TemporaryDirectory() as home:
        # One of the texts is hard-wrapped: its paragraphs are its blocks, not its lines.
        flags: dict[str, Any] = {
            "method": method,
            "chat__model": "offline",
            "acts__paragraph": "block",
        }
        async with await Offbook.open(home=home, **flags) as book:
            for document in sorted(folder.glob("[!q]*.*")):
                character = await book.create(document.stem)
                await book.ingest(character.id, [document])
            replies = [(await book.ask(row["character"], row["question"])).text for row in rows]
    return [(text, judged(row, text)) for row, text in zip(rows, replies, strict=True)]


def judged(row: dict[str, Any], reply: str) -> str:
    declined = DECLINES.search(reply) is not None
    if row["kind"] == "beyond":
        return "right" if declined and "“" not in reply else "other"
    if row["right"] and not re.search(row["right"], reply):
        return "declined" if declined else "other"
    return "declined" if declined and not row["right"] else "right"


def as_table(counts: dict[str, Counter[str]]) -> str:
    """Markdown, a row for each kind of question."""
    lines = ["| questions | n | right | other | declined |", "|---|---|---|---|---|"]
    for key, found in counts.items():
        cells = [found.total(), found["right"], found["other"], found["declined"]]
        lines.append(f"| {key} | " + " | ".join(map(str, cells)) + " |")
    return "\n".join(lines)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
