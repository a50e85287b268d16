"""How strongly eight emotions are felt in what was said: memories and questions, many in a call.

Takes: numbered utterances, and who feels.  Gives: eight integers from 1 to 10 for each.
Paper: Emotional RAG (004), section II-B.1, Figure 2; here many utterances in a call, and a memory's
emotion is that of the character who answers. The emotions are Plutchik's.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field

from offbook.language.emotion_names import EMOTIONS
from offbook.prompts.answers import Json
from offbook.prompts.batches import in_order
from offbook.prompts.prompt import Prompt

Strength = Annotated[int, Field(ge=1, le=10)]


@dataclass(frozen=True, slots=True)
class Utterance:
    """Words whose emotion is asked for, and what they answer; ``before`` may be empty."""

    text: str
    before: str = ""


@dataclass(frozen=True, slots=True)
class ScoreEmotionsInputs:
    """What is scored in one call; ``speaker`` is who says all of it."""

    speaker: str
    utterances: tuple[Utterance, ...]


class EmotionScores(BaseModel):
    """The emotions of one item: 1 is not at all, 10 as strong as it can be."""

    # Words for numbers, and an emotion too many, are misunderstandings: neither is mended.
    model_config = ConfigDict(extra="forbid", strict=True)

    item: int
    joy: Strength
    acceptance: Strength
    fear: Strength
    surprise: Strength
    sadness: Strength
    disgust: Strength
    anger: Strength
    anticipation: Strength

    def by_name(self) -> dict[str, int]:
        """The emotions by name, in their order."""
        return {name: getattr(self, name) for name in EMOTIONS}


class EmotionsAnswer(BaseModel):
    """One part an item."""

    items: list[EmotionScores]


def check_emotions(inputs: ScoreEmotionsInputs, answer: EmotionsAnswer) -> None:
    """Every item exactly once."""
    in_order(answer.items, len(inputs.utterances), lambda part: part.item)


SCORE_EMOTIONS: Final[Prompt[ScoreEmotionsInputs, EmotionsAnswer]] = Prompt(
    name="score_emotions",
    version=1,
    role="extractor",
    stage="emotion",
    inputs=ScoreEmotionsInputs,
    answer=Json(EmotionsAnswer),
    source="Emotional RAG section II-B.1",
    parameters={"temperature": 0.0},
    check=check_emotions,
)
"""Eight emotions of each utterance."""
