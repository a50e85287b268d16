"""How well the eight emotions are told: levels of labelled texts, scored by the configured model.

FILE has rows {id, text, labels}; labels are a subset of the eight emotions, none means neutral.
All texts are scored as memories are (role extractor, many in a call), which gives each a level from
1 to 10 an emotion. AUC is the chance that a text with the label has a higher level than one without
it, ties counting half. F1 takes a level of 5 ("clearly", in the words of the prompt) and more for a
yes. A text without a usable answer is counted, and left out of the figures.

Rows are split in half by the CRC-32 of their id (even: development): what was written by looking at
results was compared on the development half only; the other half is reported apart. Intervals are
95 % by bootstrap over texts (1,000 draws, seeded).
"""

from __future__ import annotations

import argparse
import asyncio
import json
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from offbook.app.home import Wiring
from offbook.memory.emotion import Emotion, score_memories
from offbook.models.batching import Asking
from offbook.runtime import Runtime
from offbook.settings import load_settings
from offbook.text.emotion_names import EMOTIONS
from offbook.types import MemoryFragment

HELP: Final = "AUC and F1 of each emotion on labelled texts"
DRAWS: Final = 1_000
CLEARLY: Final = 5
_LEVELS: Final = 11
SPEAKER: Final = "the speaker"

Levels = NDArray[np.int64]
Labels = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Report:
    """Levels and labels of the texts that were scored, and how many were not."""

    ids: Sequence[str]
    levels: Levels
    labels: Labels
    unscored: int

    def as_json(self) -> dict[str, Any]:
        """Figures of all texts and of each half."""
        held_out = np.array([crc32(name.encode()) % 2 == 1 for name in self.ids], dtype=bool)
        return {
            "n": len(self.ids),
            "not_scored": self.unscored,
            **figures(self.levels, self.labels),
            "by_half": {
                name: {"n": int(half.sum()), **figures(self.levels[half], self.labels[half])}
                for name, half in (("development", ~held_out), ("held_out", held_out))
            },
        }

    def as_table(self) -> str:
        """The same as Markdown, the halves in columns."""
        shape = self.as_json()
        parts = {"all": shape, **shape["by_half"]}
        lines = [
            f"n = {shape['n']} texts, {shape['not_scored']} not scored",
            "",
            "| emotion | labelled | " + " | ".join(f"AUC, {name}" for name in parts) + " | F1 |",
            "|---" * (len(parts) + 3) + "|",
        ]
        for name in EMOTIONS:
            cells = [_cell(part["emotions"][name]["auc"]) for part in parts.values()]
            own = shape["emotions"][name]
            lines.append(f"| {name} | {own['n']} | {' | '.join(cells)} | {_number(own['f1'])} |")
        means = " | ".join(_cell(part["mean_auc"]) for part in parts.values())
        lines.append(f"| **mean** | | {means} | {_number(shape['macro_f1'])} |")
        return "\n".join(lines)


def figures(levels: Levels, labels: Labels) -> dict[str, Any]:
    """AUC and F1 of each emotion and their means; None where one side is missing."""
    areas = _areas(levels, labels)
    generator = np.random.default_rng(20091)
    picks = generator.integers(0, max(len(levels), 1), (DRAWS, len(levels)))
    draws = np.array([_areas(levels[pick], labels[pick]) for pick in picks])
    scores = [_f1(levels[:, at] >= CLEARLY, labels[:, at]) for at in range(len(EMOTIONS))]
    known = [score for score in scores if score is not None]
    return {
        "mean_auc": _figure(_mean(areas[None])[0], _mean(draws)),
        "macro_f1": round(float(np.mean(known)), 4) if known else None,
        "emotions": {
            name: {
                "n": int(labels[:, at].sum()),
                "auc": _figure(areas[at], draws[:, at]),
                "f1": scores[at],
            }
            for at, name in enumerate(EMOTIONS)
        },
    }


def _mean(areas: NDArray[np.float64]) -> NDArray[np.float64]:
    """Mean over the emotions that both sides of are there; NaN where there is none."""
    known = ~np.isnan(areas)
    counts = known.sum(axis=1)
    sums = np.where(known, areas, 0).sum(axis=1)
    return np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)


def _areas(levels: Levels, labels: Labels) -> NDArray[np.float64]:
    """AUC of each emotion, from how many texts of either side have each level."""
    found = np.full(len(EMOTIONS), np.nan)
    for at in range(len(EMOTIONS)):
        cells = np.bincount(levels[:, at] * 2 + labels[:, at], minlength=2 * _LEVELS)
        without, with_it = cells.reshape(_LEVELS, 2).T
        pairs = int(with_it.sum()) * int(without.sum())
        if pairs:
            below = np.cumsum(without) - without
            found[at] = (with_it * (below + without / 2)).sum() / pairs
    return found


def _f1(said: NDArray[np.bool_], labelled: NDArray[np.bool_]) -> float | None:
    hits = int((said & labelled).sum())
    total = int(said.sum() + labelled.sum())
    return round(2 * hits / total, 4) if total else None


def _figure(value: float, draws: NDArray[np.float64]) -> dict[str, Any]:
    known = draws[~np.isnan(draws)]
    if np.isnan(value) or not len(known):
        return {"value": None, "interval": None}
    low, high = np.percentile(known, [2.5, 97.5])
    return {
        "value": round(float(value), 4),
        "interval": [round(float(low), 4), round(float(high), 4)],
    }


def _cell(figure: Mapping[str, Any]) -> str:
    if figure["value"] is None:
        return "-"
    low, high = figure["interval"]
    return f"{figure['value']:.3f} [{low:.3f}, {high:.3f}]"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


async def score_texts(texts: Mapping[str, str], runtime: Runtime) -> dict[str, Emotion]:
    """The emotions of texts by their ids; those without a usable answer are missing."""
    found: dict[str, Emotion] = {}

    async def keep(scored: Sequence[tuple[MemoryFragment, Emotion]]) -> None:
        found.update({fragment.id: emotion for fragment, emotion in scored})

    fragments = [MemoryFragment(name, "", text) for name, text in texts.items()]
    retries = runtime.settings.answers.retries
    await score_memories(fragments, Asking(runtime.extractor, SPEAKER, retries=retries), keep)
    return found


def add_model_arguments(parser: argparse.ArgumentParser) -> None:
    """Options that choose who is asked."""
    parser.add_argument("--model", help="chat.model, and with it the extractor's; see --base-url")
    parser.add_argument("--base-url", help="chat.base_url")


def with_stage(arguments: argparse.Namespace, work: Any) -> Any:
    """What ``work`` gives, called with the configured models, in a home of its own."""

    async def run_in(home: str) -> Any:
        flags = {
            "home": home,
            "chat.model": arguments.model,
            "chat.base_url": arguments.base_url,
            "embed.model": getattr(arguments, "embed_model", None),
            "embed.base_url": getattr(arguments, "embed_base_url", None),
        }
        wiring = await Wiring.open(load_settings(flags))
        try:
            return await work(wiring.runtime(wiring.meter()))
        finally:
            await wiring.close()

    with tempfile.TemporaryDirectory() as folder:
        return asyncio.run(run_in(folder))


def load(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text("utf-8").splitlines() if line.strip()]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of ``quality.py emotion``."""
    add_model_arguments(parser)


def run(arguments: argparse.Namespace) -> Report:
    """Score one file with the configured model."""
    rows = load(arguments.file)
    texts = {row["id"]: row["text"] for row in rows}
    found = with_stage(arguments, lambda runtime: score_texts(texts, runtime))
    kept = [row for row in rows if row["id"] in found]
    levels = [[found[row["id"]][name] for name in EMOTIONS] for row in kept]
    labels = [[name in row["labels"] for name in EMOTIONS] for row in kept]
    return Report(
        [row["id"] for row in kept],
        np.array(levels, dtype=np.int64).reshape(len(kept), len(EMOTIONS)),
        np.array(labels, dtype=bool).reshape(len(kept), len(EMOTIONS)),
        len(rows) - len(kept),
    )
