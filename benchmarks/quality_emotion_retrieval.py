"""Does emotion help recall: nDCG@10 of each strategy on labelled candidates.

FILE has rows {query_id, query, candidates, relevance}; the candidates are ids of the sibling
xed_en.jsonl, whose texts are what is recalled, and relevance is the Jaccard overlap of the emotion
labels with the question's. Texts and questions are scored and embedded with the configured model
(role extractor) and embedder, as memories are; one without a usable score has no emotion.

`semantic` is recall by meaning alone (the strategy `ordinary`), `random` the exact mean over all
orders. Intervals are 95 % by bootstrap over questions (10,000 draws, seeded); the differences are
paired, against semantic. --centred counts emotions from neutral, which the paper does not.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from offbook.memory.emotion import Emotion
from offbook.retrieval.emotional import STRATEGIES, recall
from offbook.runtime import Runtime
from offbook.text.emotion_names import EMOTIONS
from quality_emotion import add_model_arguments, load, score_texts, with_stage
from quality_retrieval import bootstrap_interval

HELP: Final = "nDCG@10 of the recall strategies on texts with emotion labels"
AT: Final = 10
TEXTS: Final = "xed_en.jsonl"
_DISCOUNTS: Final = 1 / np.log2(np.arange(2, AT + 2))

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Report:
    """nDCG@10 of each question, by strategy, and how many texts have no emotion."""

    values: Mapping[str, Floats]
    texts: int
    unscored: int

    def as_json(self) -> dict[str, Any]:
        """Means, intervals and the paired differences against recall by meaning."""
        semantic = self.values["semantic"]
        return {
            "n": len(semantic),
            "texts": self.texts,
            "not_scored": self.unscored,
            "strategies": {
                name: {
                    "mean": round(float(own.mean()), 4),
                    "interval": bootstrap_interval(own),
                    "difference": round(float((own - semantic).mean()), 4),
                    "difference_interval": bootstrap_interval(own - semantic),
                }
                for name, own in self.values.items()
            },
        }

    def as_table(self) -> str:
        """The same as Markdown."""
        shape = self.as_json()
        lines = [
            f"n = {shape['n']} questions, {shape['texts']} texts, {shape['not_scored']} not scored",
            "",
            "| strategy | nDCG@10 | against semantic |",
            "|---|---|---|",
        ]
        for name, row in shape["strategies"].items():
            (low, high), (less, more) = row["interval"], row["difference_interval"]
            lines.append(
                f"| {name} | {row['mean']:.3f} [{low:.3f}, {high:.3f}]"
                f" | {row['difference']:+.3f} [{less:+.3f}, {more:+.3f}] |"
            )
        return "\n".join(lines)


def ndcg(gains: Sequence[float], relevance: Mapping[str, float]) -> float:
    """nDCG@10 of the gains in the order of a ranking; 0 where nothing is relevant."""
    best = _discounted(sorted(relevance.values(), reverse=True))
    return _discounted(gains) / best if best else 0.0


def _discounted(gains: Sequence[float]) -> float:
    first = np.array(gains[:AT], dtype=np.float64)
    return float(first @ _DISCOUNTS[: len(first)])


async def measure(
    rows: Sequence[dict[str, Any]], texts: Mapping[str, str], runtime: Runtime, *, centred: bool
) -> Report:
    """Recall the candidates of every question by every strategy."""
    wanted = {row["query_id"]: row["query"] for row in rows}
    wanted |= {name: texts[name] for row in rows for name in row["candidates"]}
    names = list(wanted)
    emotions = await score_texts(wanted, runtime)
    embedded = await runtime.embedder.embed(list(wanted.values()), "document")
    vectors = dict(zip(names, embedded, strict=True))
    values: dict[str, list[float]] = {"random": []}
    for row in rows:
        relevance = row["relevance"]
        gains = [float(relevance.get(name, 0)) for name in row["candidates"]]
        values["random"].append(ndcg([float(np.mean(gains))] * len(gains), relevance))
        matrix = np.stack([vectors[name] for name in row["candidates"]])
        felt = np.array([_vector(emotions.get(name)) for name in row["candidates"]])
        asked = emotions.get(row["query_id"])
        emotion = None if asked is None else _vector(asked)
        for strategy in STRATEGIES:
            question = vectors[row["query_id"]]
            found = recall(matrix, felt, question, emotion, strategy, k=AT, centred=centred)
            name = "semantic" if strategy == "ordinary" else strategy
            ranked = [gains[one.index] for one in found]
            values.setdefault(name, []).append(ndcg(ranked, relevance))
    return Report(
        {name: np.array(own) for name, own in values.items()},
        len(names),
        len(names) - len(emotions),
    )


def _vector(emotion: Emotion | None) -> list[int]:
    return [0] * len(EMOTIONS) if emotion is None else [emotion[name] for name in EMOTIONS]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of ``quality.py emotion-retrieval``."""
    add_model_arguments(parser)
    parser.add_argument("--embed-model", help="embed.model; see --embed-base-url")
    parser.add_argument("--embed-base-url", help="embed.base_url")
    parser.add_argument("--centred", action="store_true", help="count emotions from neutral")


def run(arguments: argparse.Namespace) -> Report:
    """Measure one file with the configured model and embedder."""
    file: Path = arguments.file
    texts = {row["id"]: row["text"] for row in load(file.parent / TEXTS)}
    report: Report = with_stage(
        arguments,
        lambda runtime: measure(load(file), texts, runtime, centred=arguments.centred),
    )
    return report
