"""What a question means, and how it is felt: a vector and eight levels, found side by side.

Takes: a question, an embedder, a model.  Gives: both; where the model gives no usable answer, the
reason.
Paper: Emotional RAG (004), section II-B.1: the emotion of a question is that of who asks.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from offbook.errors import AnswerError, InputRefused
from offbook.memory.emotion import shortened
from offbook.models.failures import why_without
from offbook.models.side_by_side import run_all
from offbook.prompts.emotion import SCORE_EMOTIONS, ScoreEmotionsInputs, Utterance

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from offbook.models.asking import Asking
    from offbook.protocols import Embedder

EMBEDDED_CHARS: Final = 4_000
"""The longest text that embedders are given."""


@dataclass(frozen=True, slots=True)
class Felt:
    """A question as it is compared with memories; ``why`` says why it has no emotion."""

    vector: NDArray[np.float32]
    emotion: Mapping[str, int] | None
    why: str = ""


async def feel(embedder: Embedder, text: str, question: str, asking: Asking | None) -> Felt:
    """Meaning and emotion of a question.

    Args:
        embedder: Who makes its vector.
        text: The question with what it refers back to, which is embedded.
        question: The question itself, which is rated.
        asking: Who rates its emotion; None: it is not asked for.

    Raises:
        ModelError: an endpoint failed for good.
    """
    vectors: list[NDArray[np.float32]] = []
    emotions: list[Mapping[str, int]] = []
    why = ""

    async def embed() -> None:
        vectors.append((await embedder.embed([text[:EMBEDDED_CHARS]], "query"))[0])

    async def score() -> None:
        nonlocal why
        if asking is None:
            return
        try:
            speaker = f"the person who speaks to {asking.character}"
            inputs = ScoreEmotionsInputs(speaker, (Utterance(shortened(question)),))
            answer = await asking.ask(SCORE_EMOTIONS, inputs, ())
            emotions.append(answer.items[0].by_name())
        except (AnswerError, InputRefused) as error:
            why = why_without(error)

    await run_all([embed, score])
    return Felt(vectors[0], emotions[0] if emotions else None, why)
