"""An offline reply from memory: what the character answered when it was told something like it.

Takes: the inputs of the reply prompt.  Gives: its own earlier words, or nothing where no memory in
the context bears on the question. Source: ours.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from offbook.language.words import search_terms
from offbook.prompts.memory_text import read_memory
from offbook.prompts.reply import ReplyInputs
from offbook.types import ContextItem

SHARE: Final = 0.4
"""The least weighted share of what is asked that a memory must hold; that of other evidence."""
_LONGEST: Final = 600


def without_memories(inputs: ReplyInputs) -> ReplyInputs:
    """The inputs with what else is known: a memory's words are nobody's account of a life."""
    kept = tuple(item for item in inputs.context if item.kind != "memory")
    return inputs if len(kept) == len(inputs.context) else replace(inputs, context=kept)


def said_before(inputs: ReplyInputs, weights: Mapping[str, float] | None = None) -> str:
    """The answer of the memory that holds most of what is asked; empty where none holds enough.

    Args:
        inputs: What the reply is made from.
        weights: Search terms of the question and how much each tells; default: all alike.
    """
    pairs = _pairs(inputs.context)
    own = set(search_terms(inputs.character))
    if weights is None:
        weights = dict.fromkeys(search_terms(inputs.question), 1.0)
    asked = {term: weight for term, weight in weights.items() if term not in own}
    total = sum(asked.values())
    spoken = "\n".join(message.content for message in inputs.history if message.role == "assistant")
    found: list[tuple[bool, float, int]] = []
    for at, (said, answered) in enumerate(pairs):
        held = set(search_terms(f"{said}\n{answered}"))
        share = sum(weight for term, weight in asked.items() if term in held)
        if total and share / total >= SHARE and len(answered) <= _LONGEST:
            # Of those that fit, one that was not told yet in this conversation goes first.
            found.append((answered in spoken, -share, at))
    return pairs[min(found)[2]][1] if found else ""


def _pairs(items: Sequence[ContextItem]) -> list[tuple[str, str]]:
    found = (read_memory(item.text) for item in items if item.kind == "memory")
    return [pair for pair in found if pair is not None]
