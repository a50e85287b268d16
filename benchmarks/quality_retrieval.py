"""Recall of the passages that answer a question, for every way of finding them.

FILE is one of three kinds, told apart by the keys of its rows:
  gold_paragraphs  ids in the sibling profile_paragraphs.jsonl, searched within the character
  evidence         sentences of the persona document beside it (the only .md file there)
  answer, references  each question's own answer among all answers of the character

recall@k = |gold in the first k| / min(k, |gold|), mean over the questions. Equal scores share
their ranks: the figure is the exact mean over all orders of the ties, so that a passage earns
nothing by its place in the document. `first passages` is what that place alone is worth.

Masked: the same without the question's capitalised words, because gold that was found by names
favours search by words. A capitalised word is one between blanks that begins, behind opening
punctuation, with a capital letter. `I` and its contractions stay, and so does the first word
where it is a stop word (What, Did, Can ...).

Intervals are 95 % by bootstrap over questions (10,000 draws, seeded); `against BM25` is the paired
difference. Milliseconds are those of scoring one question, its embedding included.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from offbook.models import builtin
from offbook.retrieval.search import LexicalIndex, convex_combination, encode_terms
from offbook.text.words import ENGLISH, fold

HELP: Final = "recall of gold passages, plain and with capitalised words masked"
DRAWS: Final = 10_000

Floats = NDArray[np.float64]
REFERENCE: Final = "BM25"
HASHED: Final = slice(0, builtin.DIMENSION - builtin.MEANING_DIMENSION)
MEANING: Final = slice(builtin.DIMENSION - builtin.MEANING_DIMENSION, builtin.DIMENSION)

Scores = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage with its heading path."""

    headings: str
    text: str

    @property
    def whole(self) -> str:
        """Heading path and text, as offbook embeds them."""
        return f"{self.headings}\n{self.text}" if self.headings else self.text


class Passages:
    """The passages of one character with their indices, each built when first asked for."""

    def __init__(self, passages: Sequence[Passage]) -> None:
        self.passages = passages

    @cached_property
    def lexical(self) -> LexicalIndex:
        """Terms of heading path and text."""
        ids = [str(position) for position in range(len(self.passages))]
        return LexicalIndex.from_blobs(ids, [encode_terms(p.whole) for p in self.passages])

    @cached_property
    def builtin(self) -> Scores:
        """Vectors of heading path and text."""
        return builtin.embed_texts([p.whole for p in self.passages])


Scoring = Callable[[Passages, str], Scores]


def _bm25(passages: Passages, question: str) -> Scores:
    return passages.lexical.scores(question)


def _block(columns: slice) -> Scoring:
    """The part of the built-in vectors that lies in these columns."""

    def scores(passages: Passages, question: str) -> Scores:
        vector = builtin.embed_texts([question])[0]
        similar: Scores = passages.builtin[:, columns] @ vector[columns]
        return similar

    return scores


def _fused(dense: Scoring, weight: float) -> Scoring:
    """The convex combination of matches and similarities, as the hybrid mode makes it."""

    def scores(passages: Passages, question: str) -> Scores:
        highest = passages.lexical.highest_score(question) or 1.0
        matches = passages.lexical.scores(question) / np.float32(highest)
        return convex_combination(matches, dense(passages, question), weight)

    return scores


CANDIDATES: Final[Mapping[str, Scoring]] = {
    "first passages": lambda passages, _: -np.arange(len(passages.passages), dtype=np.float32),
    REFERENCE: _bm25,
    "hashed terms, 512": _block(HASHED),
    "static vectors, 256": _block(MEANING),
    "builtin (both, 768)": _block(slice(None)),
    **{
        f"BM25 + {weight} builtin": _fused(_block(slice(None)), weight)
        for weight in (0.25, 0.5, 1.0)
    },
}
"""The ways of finding passages, by name."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question, the character whose passages are searched, and which of them are gold."""

    text: str
    character: str
    gold: frozenset[int]


@dataclass(frozen=True, slots=True)
class Row:
    """The figures of one candidate."""

    name: str
    milliseconds: float
    plain: Floats
    masked: Floats


@dataclass(frozen=True, slots=True)
class Report:
    """All rows, the reference first among them."""

    at: int
    passages: int
    rows: Sequence[Row]

    def as_json(self) -> dict[str, Any]:
        """Means, intervals and paired differences, by candidate."""
        reference = next(row for row in self.rows if row.name == REFERENCE)
        return {
            "n": len(reference.plain),
            "passages": self.passages,
            "at": self.at,
            "candidates": {
                row.name: {
                    "plain": _summary(row.plain, reference.plain),
                    "masked": _summary(row.masked, reference.masked),
                    "milliseconds_a_question": round(row.milliseconds, 3),
                }
                for row in self.rows
            },
        }

    def as_table(self) -> str:
        """The same as Markdown."""
        shape = self.as_json()
        lines = [
            f"n = {shape['n']} questions, {self.passages} passages, recall@{self.at}",
            "",
            "| candidate | plain | masked | against BM25: plain | masked | ms |",
            "|---|---|---|---|---|---|",
        ]
        for name, figures in shape["candidates"].items():
            cells = [_cell(figures[kind]["mean"], figures[kind]["interval"]) for kind in _KINDS]
            cells += [
                _cell(figures[kind]["difference"], figures[kind]["difference_interval"], "+")
                for kind in _KINDS
            ]
            spent = f"{figures['milliseconds_a_question']:.2f}"
            lines.append("| " + " | ".join([name, *cells, spent]) + " |")
        return "\n".join(lines)


_KINDS: Final = ("plain", "masked")


def _cell(mean: float, interval: Sequence[float], sign: str = "") -> str:
    return f"{mean:{sign}.3f} [{interval[0]:{sign}.3f}, {interval[1]:{sign}.3f}]"


def _summary(values: Floats, reference: Floats) -> dict[str, Any]:
    difference = values - reference
    return {
        "mean": round(float(values.mean()), 4),
        "interval": bootstrap_interval(values),
        "difference": round(float(difference.mean()), 4),
        "difference_interval": bootstrap_interval(difference),
    }


def bootstrap_interval(values: Floats) -> list[float]:
    """95 % percentile interval of the mean."""
    generator = np.random.default_rng(20091)
    picks = generator.integers(0, len(values), (DRAWS, len(values)), dtype=np.int32)
    low, high = np.percentile(values[picks].mean(axis=1), [2.5, 97.5])
    return [round(float(low), 4), round(float(high), 4)]


def mask(question: str) -> str:
    """``question`` without its capitalised words, as the module's docstring defines them."""
    kept = []
    for position, token in enumerate(question.split()):
        word = token.lstrip("\"'“‘([")
        bare = fold(word).strip("\"'“”‘’()[].,;:?!")
        pronoun = bare == "i" or bare.startswith("i'")
        opener = position == 0 and bare.replace("'", "") in ENGLISH
        if not word[:1].isupper() or pronoun or opener:
            kept.append(token)
    return " ".join(kept)


def expected_recall(scores: NDArray[np.float32], gold: frozenset[int], at: int) -> float:
    """Mean of recall@``at`` over all orders of equal scores (equal to six decimals)."""
    rounded = np.round(scores.astype(np.float64), 6)
    cut = np.sort(rounded)[::-1][min(at, len(rounded)) - 1]
    is_gold = np.zeros(len(rounded), dtype=bool)
    is_gold[list(gold)] = True
    above, level = rounded > cut, rounded == cut
    slots = min(at, len(rounded)) - int(above.sum())
    found = (above & is_gold).sum() + slots * (level & is_gold).sum() / level.sum()
    return float(found / min(at, len(gold)))


def load(file: Path) -> tuple[dict[str, list[Passage]], list[Question]]:
    """Passages by character, and the questions with the positions of their gold passages."""
    rows = [json.loads(line) for line in file.read_text("utf-8").splitlines() if line.strip()]
    if "gold_paragraphs" in rows[0]:
        return _load_paragraphs(file, rows)
    if "evidence" in rows[0]:
        return _load_evidence(file, rows)
    return _load_answers(rows)


def _load_paragraphs(
    file: Path, rows: list[dict[str, Any]]
) -> tuple[dict[str, list[Passage]], list[Question]]:
    passages: dict[str, list[Passage]] = {}
    places: dict[str, int] = {}
    for line in (file.parent / "profile_paragraphs.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        own = passages.setdefault(row["character"], [])
        places[row["id"]] = len(own)
        own.append(Passage(", ".join(row["headings"]), row["text"]))
    return passages, [
        Question(
            row["question"], row["character"], frozenset(places[i] for i in row["gold_paragraphs"])
        )
        for row in rows
    ]


def _load_evidence(
    file: Path, rows: list[dict[str, Any]]
) -> tuple[dict[str, list[Passage]], list[Question]]:
    (document,) = file.parent.glob("*.md")
    passages: list[Passage] = []
    path: list[str] = []
    for block in document.read_text("utf-8").split("\n\n"):
        text = " ".join(block.split())
        if text.startswith("#"):
            level = len(text) - len(text.lstrip("#"))
            path = [*path[: level - 1], text.lstrip("# ")]
        elif text:
            passages.append(Passage(", ".join(path), text))
    questions = []
    for row in rows:
        evidence = [" ".join(sentence.split()) for sentence in row["evidence"]]
        found = [i for i, p in enumerate(passages) if any(e in p.text for e in evidence)]
        if found:
            questions.append(Question(row["question"], document.stem, frozenset(found)))
    return {document.stem: passages}, questions


def _load_answers(
    rows: list[dict[str, Any]],
) -> tuple[dict[str, list[Passage]], list[Question]]:
    passages: dict[str, list[Passage]] = {}
    questions = []
    for row in rows:
        if row.get("model") != rows[0].get("model"):
            continue
        character = row.get("character") or row["role"]
        own = passages.setdefault(character, [])
        questions.append(Question(row["question"], character, frozenset([len(own)])))
        own.append(Passage("", row.get("answer") or row["references"][0]))
    return passages, questions


def measure(
    name: str,
    collections: dict[str, Passages],
    questions: Sequence[Question],
    at: int,
) -> Row:
    """Recall of one candidate on every question, plain and masked."""
    scoring = CANDIDATES[name]

    def recall(change: Callable[[str], str]) -> Floats:
        return np.array(
            [
                expected_recall(scoring(collections[q.character], change(q.text)), q.gold, at)
                for q in questions
            ]
        )

    for passages in collections.values():  # indices are built before the clock starts
        scoring(passages, "who")
    start = time.perf_counter()
    plain = recall(str)
    spent = (time.perf_counter() - start) / len(questions) * 1000
    return Row(name, spent, plain, recall(mask))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of ``quality.py retrieval``."""
    parser.add_argument("--at", type=int, default=5, help="how many passages are looked at")


def run(arguments: argparse.Namespace) -> Report:
    """Measure all candidates on one file."""
    texts, questions = load(arguments.file)
    collections = {character: Passages(own) for character, own in texts.items()}
    rows = [measure(name, collections, questions, arguments.at) for name in CANDIDATES]
    return Report(arguments.at, sum(map(len, texts.values())), rows)
