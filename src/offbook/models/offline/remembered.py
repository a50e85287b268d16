"""An offline reply from memory: what the character answered, or was told, of something like it.

Takes: the inputs of the reply prompt.  Gives: its own earlier words, or those of whoever it talks
to, or nothing where neither bears on the question. Source: ours.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final
from zlib import crc32

from offbook.language.questions import read_question
from offbook.language.statements import is_statement, told_sentences
from offbook.language.words import search_terms, words
from offbook.models.offline.judging import DECLINES
from offbook.prompts.memory_text import is_of_conversation, read_memory
from offbook.prompts.reply import ReplyInputs
from offbook.types import ContextItem

SHARE: Final = 0.4
"""The least weighted share of what is asked that a memory must hold; that of other evidence."""
_LONGEST: Final = 600
_READ: Final = 20_000
_SAME: Final = 0.6
"""The least share of the words of two questions that are one."""
_OF_THEMSELVES: Final = re.compile(
    r"\b(?:my|mine|our|ours)\b|\b(?:who|what|where) (?:am|was) i\b|\babout me\b", re.IGNORECASE
)
"""A question of whoever asks after what is theirs."""
_TOLD: Final = (
    "You told me yourself: “{it}”",
    "I have it from you: “{it}”",
    "What I know of that, you told me: “{it}”",
)
_SENTENCES: Final = 2


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
    own = set(search_terms(inputs.character))
    if weights is None:
        weights = dict.fromkeys(search_terms(inputs.question), 1.0)
    asked = {term: weight for term, weight in weights.items() if term not in own}
    total = sum(asked.values())
    spoken = "\n".join(message.content for message in inputs.history if message.role == "assistant")
    found: list[tuple[bool, float, int, str]] = []
    for at, memory in enumerate(_memories(inputs.context)):
        if memory.talked and not _is_same_question(memory, asked, own):
            continue
        held = set(search_terms(f"{memory.said}\n{memory.answered}"))
        share = sum(weight for term, weight in asked.items() if term in held)
        if total and share / total >= SHARE and len(memory.answered) <= _LONGEST:
            # Of those that fit, one that was not told yet in this conversation goes first.
            found.append((memory.answered in spoken, -share, at, memory.answered))
    return min(found)[-1] if found else ""


def _is_same_question(memory: _Memory, asked: Mapping[str, float], own: Collection[str]) -> bool:
    """Whether a turn of a conversation answered what is asked now.

    Its answer was made of other texts for other words: "I love storms" is no answer to what was
    said to something else that speaks of love.
    """
    if told_sentences(memory.said[:_READ]) or DECLINES.search(memory.answered):
        return False
    then = set(search_terms(memory.said)) - set(own)
    shared = then & set(asked)
    return bool(shared) and min(len(shared) / len(then), len(shared) / len(asked)) >= _SAME


def is_of_themselves(question: str) -> bool:
    """Whether somebody asks after what is their own: "What is my sister called?"."""
    return bool(_OF_THEMSELVES.search(question))


def told_before(inputs: ReplyInputs) -> str:
    """What whoever asks told of it themselves, in their own words; empty where they did not.

    Only of whom they name, or of what is theirs: "my sister" is not the character's.
    """
    question = read_question(inputs.question, frozenset(words(inputs.character)))
    asked = {term.term: term.weight for term in question.terms}
    named = {term for name in question.names for term in search_terms(name)}
    if not asked or not (named or is_of_themselves(inputs.question)):
        return ""
    said = [message.content for message in inputs.history if message.role == "user"]
    said += [memory.said for memory in _memories(inputs.context) if memory.talked]
    found: dict[str, tuple[float, bool]] = {}
    for sentence in (told for text in said for told in told_sentences(text[:_READ])):
        held = set(search_terms(sentence))
        share = sum(weight for term, weight in asked.items() if term in held)
        fits = named & held if named else share / sum(asked.values()) >= SHARE
        if fits and len(sentence) <= _LONGEST:
            # "my sister Ilse", said by the way, says less than "My sister is called Ilse."
            found[sentence] = (-share, not is_statement(sentence))
    best = [sentence for sentence in found if found[sentence] == min(found.values())]
    pick = crc32(inputs.question.encode()) % len(_TOLD)
    return _TOLD[pick].format(it=" ".join(best[-_SENTENCES:])) if best else ""


@dataclass(frozen=True, slots=True)
class _Memory:
    """A memory of the context; ``talked`` where a conversation taught it."""

    said: str
    answered: str
    talked: bool


def _memories(items: Sequence[ContextItem]) -> Iterator[_Memory]:
    for item in items:
        pair = read_memory(item.text) if item.kind == "memory" else None
        if pair is not None:
            yield _Memory(*pair, is_of_conversation(item.title))
