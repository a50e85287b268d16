"""The emotion of memories: eight numbers each, scored many in a call.

Takes: memory fragments, and who is asked.  Gives: emotions as they arrive, and what no usable
answer could be got for: it stays without an emotion, is counted, and is scored again later.
Paper: Emotional RAG (004), section II-B.2. A memory's emotion is that of the character who answers;
what was said to it is shown beside. Questions are scored in ``retrieval.memories.emotion_of``.
"""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeGuard

from offbook.models.batching import Asking, PutAside, ask_in_batches, in_batches, tokens_of
from offbook.prompts.emotion import (
    SCORE_EMOTIONS,
    ScoreEmotionsInputs,
    Utterance,
    shortened,
)
from offbook.prompts.prompt import in_order
from offbook.text.emotion_names import EMOTIONS, LEAST, MOST

if TYPE_CHECKING:
    from offbook.types import MemoryFragment


def is_emotion(value: Any) -> TypeGuard[Mapping[str, float]]:
    """Whether ``value`` has a level from 1 to 10 for each of the eight emotions."""
    return isinstance(value, Mapping) and all(
        isinstance(level := value.get(name), int | float)
        and math.isfinite(level)
        and LEAST <= level <= MOST
        for name in EMOTIONS
    )


def lacks_emotion(fragment: MemoryFragment) -> bool:
    """Whether a memory is to be scored: no statement, and nothing that was heard unanswered."""
    is_heard = fragment.turn is not None and not fragment.answered
    return fragment.emotion is None and fragment.kind is None and not is_heard


Emotion = Mapping[str, int]
"""Eight integers from 1 to 10 by the names of ``EMOTIONS``."""
KeepEmotions = Callable[[Sequence[tuple["MemoryFragment", Emotion]]], Awaitable[None]]


async def score_memories(
    fragments: Sequence[MemoryFragment], asking: Asking, keep: KeepEmotions
) -> list[PutAside[MemoryFragment]]:
    """Have the fragments that have no emotion scored, many in a call, the calls side by side.

    A statement has the emotion of its turn, or none.

    Returns:
        Fragments without a usable answer, each with the reason: they stay without an emotion, are
        recalled by their meaning, and are scored again when this is called next.

    Raises:
        ModelError: the endpoint failed for good; what arrived is kept.
        BudgetReached: likewise.
    """

    async def ask(batch: Sequence[MemoryFragment]) -> list[Emotion]:
        texts = map(_texts, batch)
        utterances = tuple(Utterance(answered, said) for said, answered in texts)
        inputs = ScoreEmotionsInputs(asking.character, utterances)
        answer = await asking.ask(SCORE_EMOTIONS, inputs, [fragment.id for fragment in batch])
        parts = in_order(answer.items, len(batch))
        return [part.by_name() for part in parts]

    batches = in_batches(
        [one for one in fragments if lacks_emotion(one)],
        lambda fragment: sum(map(tokens_of, _texts(fragment))),
        asking.batch_tokens,
        asking.batch_items,
    )
    return await ask_in_batches(batches, ask, keep)


def _texts(fragment: MemoryFragment) -> tuple[str, str]:
    return shortened(fragment.said), shortened(fragment.answered)
