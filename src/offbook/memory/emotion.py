"""The emotion of memories: eight numbers each, scored many in a call.

Takes: memory fragments, and who is asked.  Gives: emotions as they arrive, and what no usable
answer could be got for: it stays without an emotion, is counted, and is scored again later.
Paper: Emotional RAG (004), section II-B.2. A memory's emotion is that of the character who answers;
what was said to it is shown beside (methods.md 3). Questions are scored in ``retrieval.feeling``.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from offbook.models.asking import Asking, tokens_of
from offbook.models.batching import PutAside, ask_in_batches, in_batches
from offbook.prompts.batches import in_order
from offbook.prompts.emotion import (
    SCORE_EMOTIONS,
    ScoreEmotionsInputs,
    Utterance,
)

if TYPE_CHECKING:
    from offbook.types import MemoryFragment

Emotion = Mapping[str, int]
"""Eight integers from 1 to 10 by the names of ``EMOTIONS``."""
KeepEmotions = Callable[[Sequence[tuple["MemoryFragment", Emotion]]], Awaitable[None]]

MOST_CHARS: Final = 2_000
"""Of a longer text its beginning and its end are scored: a turn may be a megabyte."""
_GAP: Final = " […] "


async def score_memories(
    fragments: Sequence[MemoryFragment], asking: Asking, keep: KeepEmotions
) -> list[PutAside[MemoryFragment]]:
    """Have the fragments that have no emotion scored, many in a call, the calls side by side.

    Args:
        fragments: Any; those that are scored already are left alone.
        asking: Who is asked; its character is the one whose emotion is meant, and its documents
            are those that a fragment with an id rests on.
        keep: Stores emotions; called as answers arrive.

    Returns:
        Fragments without a usable answer, each with the reason: they stay without an emotion, are
        recalled by their meaning, and are scored again when this is called next.

    Raises:
        ModelError: the endpoint failed for good; what arrived is kept.
        BudgetReached: likewise.
    """

    async def ask(batch: Sequence[MemoryFragment]) -> list[Emotion]:
        utterances = tuple(_of_memory(fragment) for fragment in batch)
        inputs = ScoreEmotionsInputs(asking.character, utterances)
        answer = await asking.ask(SCORE_EMOTIONS, inputs, [fragment.id for fragment in batch])
        parts = in_order(answer.items, len(batch), lambda part: part.item)
        return [part.by_name() for part in parts]

    batches = in_batches(
        [fragment for fragment in fragments if fragment.emotion is None],
        lambda fragment: sum(map(tokens_of, _texts(fragment))),
        asking.batch_tokens,
        asking.batch_items,
    )
    return await ask_in_batches(batches, ask, keep)


def shortened(text: str, most_chars: int = MOST_CHARS) -> str:
    """``text``, or its beginning and its end where it is longer."""
    if len(text) <= most_chars:
        return text
    half = (most_chars - len(_GAP)) // 2
    return f"{text[:half]}{_GAP}{text[-half:]}"


def _of_memory(fragment: MemoryFragment) -> Utterance:
    said, answered = _texts(fragment)
    return Utterance(answered, said)


def _texts(fragment: MemoryFragment) -> tuple[str, str]:
    return shortened(fragment.said), shortened(fragment.answered)
