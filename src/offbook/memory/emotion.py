"""The emotion of memories and questions: eight numbers each, scored many in a call.

Takes: memory fragments or a question, and who is asked.  Gives: vectors in the order of
``EMOTIONS``; what no usable answer could be got for is put aside, counted, and tried again later.
Paper: Emotional RAG (004), section II-B. A memory's emotion is that of the character who answers,
with what was said to it shown beside; a question's is that of whoever asks (methods.md 3).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from offbook.models.asking import Asking, tokens_of
from offbook.models.batching import PutAside, ask_in_batches, in_batches
from offbook.prompts.batches import in_order
from offbook.prompts.emotion import (
    EMOTIONS,
    SCORE_EMOTIONS,
    EmotionScores,
    ScoreEmotionsInputs,
    Utterance,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from offbook.types import MemoryFragment

Emotion = Mapping[str, int]
"""Eight integers from 1 to 10 by the names of ``EMOTIONS``."""
KeepEmotions = Callable[[Sequence[tuple["MemoryFragment", Emotion]]], Awaitable[None]]

MOST_CHARS: Final = 2_000
"""Of a longer text its beginning and its end are scored: a turn may be a megabyte."""
_GAP: Final = " […] "


def emotion_matrix(fragments: Sequence[MemoryFragment]) -> NDArray[np.uint8]:
    """The emotions of fragments, one a row, shape ``(n, 8)``; zeros where not scored yet."""
    import numpy as np

    unknown = dict.fromkeys(EMOTIONS, 0)
    rows = [[(fragment.emotion or unknown)[name] for name in EMOTIONS] for fragment in fragments]
    return np.array(rows, dtype=np.uint8).reshape(len(rows), len(EMOTIONS))


def emotion_vector(emotion: Emotion) -> tuple[int, ...]:
    """The numbers of an emotion in the order of ``EMOTIONS``."""
    return tuple(emotion[name] for name in EMOTIONS)


async def score_memories(
    fragments: Sequence[MemoryFragment], asking: Asking, keep: KeepEmotions
) -> list[PutAside[MemoryFragment]]:
    """Have the fragments that have no emotion scored, many in a call, the calls side by side.

    Args:
        fragments: Any; those that are scored already are left alone.
        asking: Who is asked; its character is the one whose emotion is meant.
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
        return [part.by_name() for part in await _ask(inputs, asking)]

    batches = in_batches(
        [fragment for fragment in fragments if fragment.emotion is None],
        lambda fragment: sum(map(tokens_of, _texts(fragment))),
        asking.batch_tokens,
        asking.batch_items,
    )
    return await ask_in_batches(batches, ask, keep)


async def score_question(question: str, asking: Asking) -> Emotion:
    """The emotion of a question, that of whoever asks the character.

    Raises:
        AnswerError: no answer could be used; the question can still be answered by meaning.
        InputRefused: the endpoint refuses this text; likewise.
        ModelError: the endpoint failed for good.
        BudgetReached: the next call would go over the budget.
    """
    speaker = f"the person who speaks to {asking.character}"
    inputs = ScoreEmotionsInputs(speaker, (Utterance(shortened(question)),))
    (scores,) = await _ask(inputs, asking)
    return scores.by_name()


def shortened(text: str, most_chars: int = MOST_CHARS) -> str:
    """``text``, or its beginning and its end where it is longer."""
    if len(text) <= most_chars:
        return text
    half = (most_chars - len(_GAP)) // 2
    return f"{text[:half]}{_GAP}{text[-half:]}"


async def _ask(inputs: ScoreEmotionsInputs, asking: Asking) -> list[EmotionScores]:
    answer = await asking.ask(SCORE_EMOTIONS, inputs, ())
    return in_order(answer.items, len(inputs.utterances), lambda part: part.item)


def _of_memory(fragment: MemoryFragment) -> Utterance:
    said, answered = _texts(fragment)
    return Utterance(answered, said)


def _texts(fragment: MemoryFragment) -> tuple[str, str]:
    return shortened(fragment.said), shortened(fragment.answered)
