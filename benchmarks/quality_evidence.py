"""Evidence in a reply's context, method by method, with what it costs in tokens.

FILE is Character-LLM's silver set: questions with ``gold_paragraphs``, ids in the sibling
profile_paragraphs.jsonl. Each character is made of its paragraphs and indexed offline; each method
recalls once a question. A gold paragraph's sentence is covered where its words stand in the
context, one behind the other, whichever kind of item holds them; coverage is the share of the gold
sentences' words, mean over questions. Tokens are those of all the items.

`at equal tokens` is the paired difference between a method and plain passages of as many tokens:
naive with k and k + 1 around the question's own tokens, interpolated; with a 95 % interval by
bootstrap over questions (10,000 draws, seeded).
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from offbook import Offbook
from offbook.text.sentences import sentences
from offbook.text.tokens import count_tokens

HELP: Final = "gold sentences in the context of each method, against plain passages"
DRAWS: Final = 10_000
METHODS: Final = ("ensemble", "rolerag")
PASSAGES: Final = tuple(range(1, 17))
"""The k of naive between which a method's tokens are looked for."""

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Report:
    """Of each method its coverage and tokens, a row a question; of naive, a row a k as well."""

    coverage: dict[str, Floats]
    tokens: dict[str, Floats]
    naive_coverage: Floats
    naive_tokens: Floats

    def at_equal_tokens(self, method: str) -> Floats:
        """Coverage less that of as many tokens of plain passages, a row a question."""
        plain = [
            np.interp(size, tokens, coverage)
            for size, tokens, coverage in zip(
                self.tokens[method], self.naive_tokens.T, self.naive_coverage.T, strict=True
            )
        ]
        less: Floats = self.coverage[method] - np.array(plain)
        return less

    def as_json(self) -> dict[str, Any]:
        """Means; differences with their intervals."""
        rows: dict[str, Any] = {
            f"naive, k = {k}": {"coverage": coverage.mean(), "tokens": tokens.mean()}
            for k, coverage, tokens in zip(
                PASSAGES, self.naive_coverage, self.naive_tokens, strict=True
            )
        }
        for method, coverage in self.coverage.items():
            less = self.at_equal_tokens(method)
            draws = np.random.default_rng(1).integers(0, len(less), (DRAWS, len(less)))
            rows[method] = {
                "coverage": coverage.mean(),
                "tokens": self.tokens[method].mean(),
                "at_equal_tokens": less.mean(),
                "interval": np.percentile(less[draws].mean(axis=1), [2.5, 97.5]).tolist(),
            }
        return {"n": self.naive_coverage.shape[1], "methods": rows}

    def as_table(self) -> str:
        """The same for people."""
        lines = [f"n = {self.naive_coverage.shape[1]} questions"]
        for name, row in self.as_json()["methods"].items():
            line = f"{name:14} coverage {row['coverage']:.3f}  tokens {row['tokens']:5.0f}"
            if "interval" in row:
                low, high = row["interval"]
                line += f"  at equal tokens {row['at_equal_tokens']:+.3f} [{low:+.3f}, {high:+.3f}]"
            lines.append(line)
        return "\n".join(lines)


def _words(text: str) -> str:
    return " " + " ".join(re.findall(r"\w+", text.casefold())) + " "


def covered(gold: Sequence[str], context: str) -> float:
    """The share of the words of the gold sentences that stand in the context."""
    whole = _words(context)
    parts = [_words(text[start:end]) for text in gold for start, end in sentences(text)]
    sizes = [len(part.split()) for part in parts]
    covered = sum(size for part, size in zip(parts, sizes, strict=True) if part in whole)
    return covered / max(1, sum(sizes))


async def measure(folder: Path, rows: Sequence[dict[str, Any]], **flags: Any) -> Report:
    """Index each character, and recall each of its questions by every method."""
    paragraphs = _rows(folder / "profile_paragraphs.jsonl")
    texts = {row["id"]: row["text"] for row in paragraphs}
    asked = defaultdict(list)
    for row in rows:
        asked[row["character"]].append(row)
    coverage: dict[str, list[float]] = defaultdict(list)
    tokens: dict[str, list[float]] = defaultdict(list)
    variants = {method: {"method": method, **flags} for method in METHODS}
    for k in PASSAGES:
        variants[f"naive {k}"] = {
            "method": "naive",
            "naive__k": k,
            "context__budget_tokens": 100_000,
        }
    with tempfile.TemporaryDirectory() as home:
        for name, questions in asked.items():
            document = Path(home) / f"{name}.md"
            document.write_text(_document(row for row in paragraphs if row["character"] == name))
            async with await Offbook.open(home=home) as book:
                character = (await book.create(name)).id
            for method in ("ensemble", "naive"):
                async with await Offbook.open(home=home, method=method) as book:
                    await book.ingest(character, [document])
            for variant, settings in variants.items():
                async with await Offbook.open(home=home, **settings) as book:
                    for row in questions:
                        recall = await book.recall(character, row["question"])
                        context = "\n".join(item.text for item in recall.context)
                        gold = [texts[paragraph] for paragraph in row["gold_paragraphs"]]
                        coverage[variant].append(covered(gold, context))
                        tokens[variant].append(count_tokens(context))
    plain = [f"naive {k}" for k in PASSAGES]
    return Report(
        {method: np.array(coverage[method]) for method in METHODS},
        {method: np.array(tokens[method]) for method in METHODS},
        np.array([coverage[variant] for variant in plain]),
        np.array([tokens[variant] for variant in plain]),
    )


def _document(paragraphs: Iterable[dict[str, Any]]) -> str:
    """Markdown of paragraphs under their headings."""
    lines: list[str] = []
    before: list[str] = []
    for row in paragraphs:
        if row["headings"] != before:
            lines += [
                f"{'#' * level} {text}"
                for level, text in enumerate(row["headings"], 1)
                if row["headings"][:level] != before[:level]
            ]
            before = row["headings"]
        lines.append(row["text"])
    return "\n\n".join(lines) + "\n"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--passages", type=int, help="ensemble.k; what a paid model gets is 4")


def run(arguments: argparse.Namespace) -> Report:
    flags = {} if arguments.passages is None else {"ensemble__k": arguments.passages}
    return asyncio.run(measure(arguments.file.parent, _rows(arguments.file), **flags))


def _rows(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
