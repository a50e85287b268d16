"""Is what was told found again: facts of an earlier conversation, and a character's own memories.

FILE has rows {told, asked}: what a person tells the demo character, and a question in other words
that only this can answer. All of it is told in one conversation, with the turns of
small_talk.jsonl between; then each question is asked in a new one. `facts` counts the questions
whose context holds what was told, `memories` the authored memories that are in the context when
they are asked for in their own words. `feelings` counts the questions of feelings.jsonl that find
their memory: rows {said, answered} of another character, some with `asked`.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from offbook import Offbook, demo
from offbook.app.memories import MemoryFile
from offbook.documents.readers import ReadDocument
from offbook.models import builtin
from offbook.stores.memories import memory_id
from offbook.types import ContextItem, MemoryFragment

HELP: Final = "whether the context holds what was told earlier, and authored memories"
NEEDS_FILE: Final = False
FOLDER: Final = Path(__file__).parent / "memory"


@dataclass(frozen=True, slots=True)
class Report:
    """What was not found, of how many; ``shown`` are characters of memories, a fact's question."""

    facts: int
    lost_facts: tuple[str, ...]
    memories: int
    lost_memories: tuple[str, ...]
    feelings: int
    lost_feelings: tuple[str, ...]
    shown: float

    def as_json(self) -> dict[str, Any]:
        """Counts, and the questions that found nothing."""
        return {
            "facts": {"n": self.facts, "found": self.facts - len(self.lost_facts)},
            "memories": {"n": self.memories, "found": self.memories - len(self.lost_memories)},
            "feelings": {"n": self.feelings, "found": self.feelings - len(self.lost_feelings)},
            "characters_shown": round(self.shown),
            "lost": [*self.lost_facts, *self.lost_memories, *self.lost_feelings],
        }

    def as_table(self) -> str:
        """The same for people."""
        told = self.as_json()
        lines = [f"{part:9} {told[part]['found']} of {told[part]['n']}" for part in _PARTS]
        lines.append(f"{told['characters_shown']} characters of memories to a question of a fact")
        return "\n".join([*lines, *(f"    lost: {text}" for text in told["lost"])])


_PARTS: Final = ("facts", "memories", "feelings")


async def measure(rows: Sequence[dict[str, str]], talk: Sequence[str], **flags: Any) -> Report:
    """Tell everything to the demo character, then ask."""
    with tempfile.TemporaryDirectory() as home:
        async with await Offbook.open(home=home, **flags) as book:
            character, _ = await book.demo_character()
            name = character.id
            session = await book.session(name, session="earlier")
            told: dict[str, str] = {}
            for number, row in enumerate(rows):
                between = talk[number * len(talk) // len(rows) :][: len(talk) // len(rows)]
                reply = await session.ask(row["told"])
                told[row["told"]] = (reply.remembered and reply.remembered.memory) or ""
                for said in between:
                    await session.ask(said)
            await book.learning.rest()
            contexts = [await _memories(book, name, row["asked"]) for row in rows]
            lost = [
                row["asked"]
                for row, items in zip(rows, contexts, strict=True)
                if not any(_is_of(item, row["told"], told[row["told"]]) for item in items)
            ]
            shown = sum(len(item.text) for items in contexts for item in items) / len(rows)
            authored = demo.memories()
            lost_memories = [
                one.said
                for one in authored
                if not any(one.said in item.text for item in await _memories(book, name, one.said))
            ]
            felt, lost_feelings = await _feelings(book)
    return Report(
        len(rows), tuple(lost), len(authored), tuple(lost_memories), felt, lost_feelings, shown
    )


async def _feelings(book: Offbook) -> tuple[int, tuple[str, ...]]:
    """How many questions are about feelings, and those that do not find their memory."""
    rows = _rows(FOLDER / "feelings.jsonl")
    name = (await book.create("Marit Soler")).id
    text = "# Marit Soler\n\nMarit Soler casts bells in Hallen, as her father did.\n"
    await book.ingest_texts(name, [ReadDocument("marit.md", text, "text/markdown")])
    made = MemoryFile([
        MemoryFragment(memory_id(row["said"], row["answered"]), row["said"], row["answered"])
        for row in rows
    ])  # fmt: skip
    await book.memories.remember(name, made)
    asked = [row for row in rows if "asked" in row]
    lost = [
        row["asked"]
        for row in asked
        if not any(row["said"] in item.text for item in await _memories(book, name, row["asked"]))
    ]
    return len(asked), tuple(lost)


async def _memories(book: Offbook, name: str, question: str) -> list[ContextItem]:
    recall = await book.recall(name, question)
    return [item for item in recall.context if item.kind == "memory"]


def _is_of(item: ContextItem, told: str, memory: str) -> bool:
    return item.memory == memory or told in item.text


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--method", default="ensemble")
    parser.add_argument(
        "--hashed", action="store_true", help="without the static word vectors of the embedder"
    )


def run(arguments: argparse.Namespace) -> Report:
    if arguments.hashed:
        builtin.embed_texts = _hashed
    rows = _rows(arguments.file or FOLDER / "facts.jsonl")
    talk = [row["said"] for row in _rows(FOLDER / "small_talk.jsonl")]
    return asyncio.run(measure(rows, talk, method=arguments.method))


def _hashed(
    texts: Sequence[str], embed: Callable[..., NDArray[np.float32]] = builtin.embed_texts
) -> NDArray[np.float32]:
    """Vectors of which the hashed terms alone are left, of length 1 again."""
    vectors: NDArray[np.float32] = embed(texts).copy()
    vectors[:, builtin.DIMENSION - builtin.MEANING_DIMENSION :] = 0
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    np.divide(vectors, lengths, out=vectors, where=lengths > 0)
    return vectors


def _rows(file: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
