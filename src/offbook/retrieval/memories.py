"""Memories that bear on a question: near in meaning, and felt as the question is.

Takes: a question's vector and emotion, a mood, whose conversation it belongs to.  Gives: pieces of
context with when and where each was said, and what was left out.
Paper: Emotional RAG (004), section II-B. Beyond it: the mood beside the question's emotion, and
turns that the prompt holds word by word are not recalled once more.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from offbook.language.emotion_names import EMOTIONS
from offbook.models.beside import worked_out
from offbook.prompts.memory_text import IN_CONVERSATION, write_memory
from offbook.retrieval.memory_index import View, memory_index
from offbook.stores import memories
from offbook.types import ContextItem, Skipped

if TYPE_CHECKING:
    from offbook.memory.talk import Talk
    from offbook.protocols import Store
    from offbook.retrieval.emotional import Recalled
    from offbook.retrieval.feeling import Felt
    from offbook.settings.model import EmotionalSettings
    from offbook.types import Character, MemoryFragment, Position


@dataclass(slots=True)
class FoundMemories:
    """Memories, best first, and what was left out."""

    items: list[ContextItem] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)


async def find_memories(
    store: Store,
    character: Character,
    felt: Felt,
    talk: Talk,
    settings: EmotionalSettings,
    until: Position | None = None,
) -> FoundMemories:
    """The memories that fit a question best by the configured strategy.

    Raises:
        EmbedderMismatch: the stored vectors have another dimension than the question's.
    """
    view = View(
        character.id,
        talk.principal,
        settings.centred,
        until,
        0 if until is None else character.revision,
    )
    index = await memory_index(store, view)
    found = FoundMemories(skipped=_left_out(len(index.waiting), index.unplaced, felt.why))
    if index.searched is None and not index.waiting and not index.unplaced:
        found.skipped.append(_none(character.id, until))
    if index.searched is None:
        return found
    # What the prompt holds anyway is found as well, and then passed over: so much more is asked.
    over = sum(turn in talk.present for turn in index.turns) if talk.present else 0
    recalled = await worked_out(
        index.searched.recall,
        felt.vector,
        mixed(felt.emotion, talk.mood, settings.mood),
        settings.strategy,
        k=settings.k + over,
        pool=settings.pool * settings.k + over,
        distance=settings.distance,
    )
    chosen = [hit for hit in recalled if index.turns[hit.index] not in talk.present]
    by_id = {index.ids[hit.index]: hit for hit in chosen[: settings.k]}
    fragments = await store.read(lambda conn: memories.get(conn, character.id, list(by_id)))
    found.items = [_item(fragment, by_id[fragment.id]) for fragment in fragments]
    return found


def mixed(
    emotion: Mapping[str, int] | None, mood: Mapping[str, float] | None, weight: float
) -> Sequence[float] | None:
    """The question's emotion with a share of the mood; None where the question has none."""
    if emotion is None:
        return None
    if mood is None or not weight:
        return [float(emotion[name]) for name in EMOTIONS]
    return [(1 - weight) * emotion[name] + weight * mood[name] for name in EMOTIONS]


def _item(fragment: MemoryFragment, hit: Recalled) -> ContextItem:
    # Lower is better for the strategies, higher for every piece of context.
    score = 1 / (1 + max(0.0, hit.score))
    text = write_memory(fragment.said, fragment.answered)
    return ContextItem(
        "memory", when(fragment), text, score, memory=fragment.id, emotion=fragment.emotion
    )


def when(fragment: MemoryFragment) -> str:
    """When and in which conversation a memory was made, as a title; empty where nobody said."""
    if fragment.session is None:
        return fragment.at or ""
    day = (fragment.at or "").replace("T", " ")[:16]
    return f"{day}, {IN_CONVERSATION}".lstrip(", ")


def _none(character: str, until: Position | None) -> Skipped:
    where = "" if until is None else " before this point of the story"
    add = f"add some: offbook remember {character} FILE.jsonl, or talk with --session"
    return Skipped("memory", "memories", f"there are none{where}; {add}")


def _left_out(waiting: int, unplaced: int, why: str) -> list[Skipped]:
    found = []
    if waiting:
        why_waiting = "not scored and embedded yet; that goes on in the background"
        found.append(Skipped("memory", counted(waiting), why_waiting))
    if unplaced:
        why_unplaced = "nothing says that they lie before this point of the story (`at`)"
        found.append(Skipped("memory", counted(unplaced), why_unplaced))
    if why:
        found.append(Skipped("memory", "the question's emotion", f"not scored: {why}"))
    return found


def counted(number: int) -> str:
    """``1 memory``, ``2 memories``."""
    return "1 memory" if number == 1 else f"{number} memories"
