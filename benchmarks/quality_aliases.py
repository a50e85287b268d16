"""Who is the same person: B-cubed precision, recall and F1 of entity normalization.

FILE has one mention a line, in one of two shapes, told apart by the keys of its rows:
  novel  id, novel, surface, entity_id, left, right, speaker, in_alias_list (mentions in speech)
  book   id, book, surface, type, entity_id, left, right (names of people, places, things)

Each row becomes a raw entity, in the order of the file: its name is the surface, its description
what a reader of the mention sees, who says it and the words around it. The labels (entity_id,
entity, in_alias_list) are read by the scorer only. All mentions of a novel are normalized at once,
with the configured model (role extractor), embedder and preset; then every mention is scored:
precision is the part of its group that is the same entity, recall the part of its entity that is in
its group. Figures are means over novels of the novel's own; F1 is the mean of the novels' F1.
Intervals are 95 % by bootstrap over novels (10,000 draws, seeded).

Rules are written by reading errors. So that they can be judged on what nobody read, novels fall
into two halves by a hash of their names (`is_read`): errors are read of one half only, and the
figures of both are printed apart (`halves`).

Who speaks takes part in the scene: the speaker of a row is an entity of its own as well, before
the row where they speak first, named as the row names them; it is not scored.
`--without-speakers` leaves these entities out: who speaks is known from descriptions alone.

With `--from-text`, FILE is a list of a novel's names, X.characters.jsonl, or a folder of them, and
what is measured is the cast that is read out of the raw novel: see `aliases_from_text`.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

import aliases_from_text
from offbook.app.home import Wiring
from offbook.graph.entity_normalization import normalize
from offbook.models.batching import Asking
from offbook.protocols import ChatModel, Embedder
from offbook.settings import Settings, load_settings
from offbook.settings.model import GraphSettings
from offbook.types import RawEntity
from quality_retrieval import bootstrap_interval

HELP: Final = "B-cubed of entity normalization on labelled mentions"
_TYPES: Final = {
    "PER": "character",
    "LOC": "location",
    "GPE": "location",
    "FAC": "location",
    "ORG": "organization",
    "VEH": "object",
}
_AROUND: Final = 70
_UNKNOWN: Final = "_"
"""Placeholders for a speaker begin with it."""

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class BCubed:
    """Figures of one novel."""

    n: int
    precision: float
    recall: float

    @property
    def f1(self) -> float:
        """Harmonic mean of the two."""
        total = self.precision + self.recall
        return 2 * self.precision * self.recall / total if total else 0.0


def b_cubed(groups: Sequence[int], gold: Sequence[str]) -> BCubed:
    """B-cubed of the mentions whose group and whose entity are given.

    Paper: Bagga and Baldwin 1998, with the weights of the mentions equal.
    """
    n = len(gold)
    sizes, entities = Counter(groups), Counter(gold)
    both = Counter(zip(groups, gold, strict=True))
    precision = sum(c * c / sizes[group] for (group, _), c in both.items()) / n
    recall = sum(c * c / entities[entity] for (_, entity), c in both.items()) / n
    return BCubed(n, precision, recall)


@dataclass(frozen=True, slots=True)
class Report:
    """Figures of all novels: of all rows, and of those whose surface is in the list of aliases."""

    every: Mapping[str, BCubed]
    listed: Mapping[str, BCubed] | None

    def as_json(self) -> dict[str, Any]:
        """The shape of the contract."""
        listed = None if self.listed is None else _shape(self.listed)
        halves = {name: self._half(read) for name, read in (("read", True), ("not_read", False))}
        return {**_shape(self.every), "in_alias_list": listed, "halves": halves}

    def _half(self, read: bool) -> dict[str, Any] | None:
        """The figures of one half of the novels; None where none falls into it."""
        every = {novel: found for novel, found in self.every.items() if is_read(novel) == read}
        listed = {n: found for n, found in (self.listed or {}).items() if is_read(n) == read}
        if not every:
            return None
        return {**_means(every), "in_alias_list": _means(listed) if listed else None}

    def as_table(self) -> str:
        """The same as Markdown, a novel a line."""
        lines = ["| novel | n | precision | recall | F1 | listed: P | R | F1 |", "|" + "---|" * 8]
        for novel, all_rows in self.every.items():
            listed = (self.listed or {}).get(novel)
            lines.append(f"| {novel} | {all_rows.n} | {_cells(all_rows)} | {_cells(listed)} |")
        shape = self.as_json()
        told = shape["in_alias_list"]
        halves = [
            f"\n{name}: {half['novels']} novels, F1 {half['f1']:.3f} {half['interval']}"
            + (f", listed {told['f1']:.3f} {told['interval']}" if told else "")
            for name, half in shape["halves"].items()
            if half is not None
            for told in [half["in_alias_list"]]
        ]
        mean = "| {precision:.3f} | {recall:.3f} | {f1:.3f} {interval} "
        last = mean.format(**told) if told else "| | | "
        lines.append(f"| mean | {shape['n']} " + mean.format(**shape) + last + "|")
        return "\n".join([*lines, *halves])


def _cells(found: BCubed | None) -> str:
    if found is None:
        return "| | "
    return f"{found.precision:.3f} | {found.recall:.3f} | {found.f1:.3f}"


def is_read(novel: str) -> bool:
    """Whether errors of this novel may be read; a hash decides, so that nobody chooses."""
    return hashlib.sha256(novel.encode()).digest()[0] % 2 == 0


def _means(by_novel: Mapping[str, BCubed]) -> dict[str, Any]:
    found = list(by_novel.values())
    return {
        "novels": len(found),
        "n": sum(each.n for each in found),
        "precision": round(float(np.mean([each.precision for each in found])), 4),
        "recall": round(float(np.mean([each.recall for each in found])), 4),
        "f1": round(float(np.mean([each.f1 for each in found])), 4),
        "interval": bootstrap_interval(np.array([each.f1 for each in found])),
    }


def _shape(by_novel: Mapping[str, BCubed]) -> dict[str, Any]:
    return {
        **_means(by_novel),
        "by_novel": {
            novel: {
                "n": each.n,
                "precision": round(each.precision, 4),
                "recall": round(each.recall, 4),
                "f1": round(each.f1, 4),
            }
            for novel, each in by_novel.items()
        },
    }


def load(file: Path) -> dict[str, list[Row]]:
    """Rows by novel or book, in the order of the file."""
    novels: dict[str, list[Row]] = {}
    for line in file.read_text("utf-8").splitlines():
        if line.strip():
            row = json.loads(line)
            novels.setdefault(row["novel"] if "novel" in row else row["book"], []).append(row)
    return novels


def as_entities(
    rows: Sequence[Row], speakers: bool = True
) -> tuple[list[RawEntity], list[int | None]]:
    """The raw entities of one novel, and which row each is scored as (None: it is not)."""
    entities: list[RawEntity] = []
    scored: list[int | None] = []
    spoken: set[str] = set()
    for number, row in enumerate(rows):
        speaker = speaker_of(row)
        if speakers and speaker and speaker not in spoken:
            spoken.add(speaker)
            told = f"{speaker} speaks."
            entities.append(
                RawEntity(f"{row['id']}-speaker", row["id"], 0, speaker, "character", told)
            )
            scored.append(None)
        kind = _TYPES[row["type"]] if "type" in row else "character"
        entities.append(RawEntity(row["id"], row["id"], 1, row["surface"], kind, description(row)))
        scored.append(number)
    return entities, scored


def speaker_of(row: Row) -> str:
    """Who says the mention, where that is told."""
    speaker = str(row.get("speaker") or "")
    return "" if speaker.startswith(_UNKNOWN) else speaker


def description(row: Row) -> str:
    """What a reader of the mention sees: who says it, and the words around it."""
    left, right = row["left"][-_AROUND:], row["right"][:_AROUND]
    left = left.partition(" ")[2] if len(row["left"]) > _AROUND else left
    right = right.rpartition(" ")[0] if len(row["right"]) > _AROUND else right
    around = " ".join(f"... {left} {row['surface']} {right} ...".split())
    speaker = speaker_of(row)
    return f"Said by {speaker}: {around}" if speaker else around


async def measure(novels: Mapping[str, Sequence[Row]], normalizer: Normalizer) -> Report:
    """Normalize every novel and score it."""
    every: dict[str, BCubed] = {}
    listed: dict[str, BCubed] = {}
    for novel, rows in novels.items():
        groups = await normalizer.groups(rows)
        gold = [row["entity_id"] for row in rows]
        every[novel] = b_cubed(groups, gold)
        chosen = [n for n, row in enumerate(rows) if row.get("in_alias_list")]
        if chosen:
            listed[novel] = b_cubed([groups[n] for n in chosen], [gold[n] for n in chosen])
    has_list = any("in_alias_list" in row for rows in novels.values() for row in rows)
    return Report(every, listed if has_list else None)


class Normalizer:
    """The product's normalization with what is configured.

    Args:
        model: A chat model (role extractor).
        embedder: Of the candidates by meaning.
        rules: How candidates are found.
        speakers: Whether speakers are entities, too.
    """

    def __init__(
        self,
        model: ChatModel,
        embedder: Embedder | None,
        rules: GraphSettings,
        speakers: bool = True,
    ) -> None:
        self._model, self._embedder, self._rules = model, embedder, rules
        self._speakers = speakers

    async def groups(self, rows: Sequence[Row]) -> list[int]:
        """The number of the group of each row."""
        entities, scored = as_entities(rows, self._speakers)
        vectors = None
        if self._embedder is not None:
            texts = [f"{entity.name}: {entity.description}" for entity in entities]
            vectors = await self._embedder.embed(texts, "document")
        asking = Asking(self._model, "a novel")
        outcome = await normalize(entities, vectors, self._rules, asking)
        for aside, reason in outcome.aside:
            names = ", ".join(entities[row].name for row in aside)
            print(f"no usable answer on {names}: {reason}", file=sys.stderr)
        found = [0] * len(rows)
        for group, members in enumerate(outcome.groups):
            for member in members:
                row = scored[member]
                if row is not None:
                    found[row] = group
        return found


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of ``quality.py aliases``."""
    parser.add_argument(
        "--from-text", action="store_true", help="the cast of raw novels; see above"
    )
    parser.add_argument("--without-speakers", action="store_true", help="see above")
    parser.add_argument("--model", help="chat.model, and with it the extractor's; see --base-url")
    parser.add_argument("--base-url", help="chat.base_url")
    parser.add_argument("--home", type=Path, help="keep answers here, so that a run can resume")


def run(arguments: argparse.Namespace) -> Report | aliases_from_text.TextReport:
    """Measure one file with the configured model, or the cast of novels without one."""
    if arguments.from_text:
        return aliases_from_text.measure(arguments.file)
    novels = load(arguments.file)
    with tempfile.TemporaryDirectory() as folder:
        flags = {
            "home": str(arguments.home or folder),
            "chat.model": arguments.model,
            "chat.base_url": arguments.base_url,
        }
        settings = load_settings(flags)
        return asyncio.run(_measure(novels, settings, not arguments.without_speakers))


async def _measure(
    novels: Mapping[str, Sequence[Row]], settings: Settings, speakers: bool
) -> Report:
    wiring = await Wiring.open(settings)
    try:
        runtime = wiring.runtime(wiring.meter())
        rules = settings.values.graph
        normalizer = Normalizer(runtime.extractor, runtime.embedder, rules, speakers)
        return await measure(novels, normalizer)
    finally:
        await wiring.close()
