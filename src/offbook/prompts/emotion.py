"""A memory as a prompt shows it, and how strongly eight emotions are felt in what was said.

Takes: numbered utterances, and who feels.  Gives: eight integers from 1 to 10 for each.
Paper: Emotional RAG (004), section II-B.1, Figure 2; here many utterances in a call, and a memory's
emotion is that of the character who answers. The emotions are Plutchik's.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field

from offbook.prompts.prompt import Json, Prompt, in_order
from offbook.text.emotion_names import EMOTIONS

_SAID: Final = "You were told: "
_ANSWERED: Final = "\nYou answered: "
_TOLD: Final = "They told you: "
_OWN_WORD: Final = "You said earlier: "
_HEARD: Final = re.compile(r"You heard (.{1,200}?) say: ")
_BEFORE: Final = "\nThis was so before, and is so no longer: "

IN_CONVERSATION: Final = "in a conversation"
"""How the title of what a conversation taught ends; that of an authored memory does not."""
HERE: Final = "earlier in this conversation"
"""The title of what was told in a turn that is no memory."""


def _heard(speaker: str) -> str:
    return f"You heard {' '.join(speaker.split())} say: "


def write_memory(said: str, answered: str, speaker: str = "") -> str:
    """The text of a memory; ``speaker`` said it where it was not the person of a conversation."""
    return f"{_heard(speaker) if speaker else _SAID}{said}{_ANSWERED}{answered}"


def write_told(
    statement: str, own_word: str = "", before: Sequence[str] = (), speaker: str = ""
) -> str:
    """What the other told in a conversation, or what the character committed itself to.

    ``before`` are statements that it supersedes, oldest first; ``speaker`` is somebody else who
    said it in the character's hearing.
    """
    opening = _heard(speaker) if speaker else _TOLD
    text = f"{_OWN_WORD}{own_word}" if own_word else f"{opening}{statement}"
    return text + "".join(f"{_BEFORE}{earlier}" for earlier in before)


def read_memory(text: str) -> tuple[str, str] | None:
    """What was said and answered, or told; None where the text is no whole memory."""
    if (heard := _HEARD.match(text)) is not None:
        said, _, answered = text[heard.end() :].partition(_ANSWERED)
        return said.partition(_BEFORE)[0], answered
    if text.startswith(_TOLD):
        return text.removeprefix(_TOLD).partition(_BEFORE)[0], ""
    if text.startswith(_OWN_WORD):
        return "", text.removeprefix(_OWN_WORD).partition(_BEFORE)[0]
    said, mark, answered = text.removeprefix(_SAID).rpartition(_ANSWERED)
    return (said, answered) if mark and text.startswith(_SAID) else None


def heard_from(text: str) -> str:
    """Whose words a memory holds; empty where they are the person's, or nobody says."""
    heard = _HEARD.match(text)
    return "" if heard is None else heard[1]


def is_of_conversation(title: str) -> bool:
    """Whether a memory of this title was taught by a conversation."""
    return title.endswith((IN_CONVERSATION, HERE))


MOST_CHARS: Final = 2_000
"""Of a longer text its beginning and its end are scored: a turn may be a megabyte."""
_GAP: Final = " […] "


def shortened(text: str, most_chars: int = MOST_CHARS) -> str:
    """``text``, or its beginning and its end where it is longer."""
    if len(text) <= most_chars:
        return text
    half = (most_chars - len(_GAP)) // 2
    return f"{text[:half]}{_GAP}{text[-half:]}"


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
    in_order(answer.items, len(inputs.utterances))


SCORE_EMOTIONS: Final = Prompt(
    name="score_emotions",
    stage="emotion",
    inputs=ScoreEmotionsInputs,
    answer=Json(EmotionsAnswer),
    source="Emotional RAG section II-B.1",
    check=check_emotions,
)
"""Eight emotions of each utterance."""
