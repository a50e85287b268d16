"""Acting a scene of a book: its surroundings, who speaks next, and a judge who looks for flaws.

Source: CoSER (Wang et al. 2025, arXiv 2502.09082), given-circumstance acting: characters, an
environment and a next-speaker predictor; four dimensions, each judged by the flaws that a critic
finds, with a severity each. The wordings are ours.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, Literal

from pydantic import BaseModel, Field, create_model

from offbook.errors import InvalidAnswer
from offbook.prompts.judging import TEMPERATURE
from offbook.prompts.prompt import Json, Prompt, Text

ENVIRONMENT: Final = "Environment"
"""Who speaks for everything in a scene that is none of its characters."""
END: Final = "END"
"""In the place of a next speaker: the scene is over."""
_THOUGHT: Final = re.compile(r"\s*\[[^\]]*(?:\]|$)")
"""Also one that does not end: a line may be cut off at the limit of length."""

DIMENSIONS: Final[Mapping[str, tuple[str, ...]]] = {
    "storyline_consistency": (
        "a character reacts otherwise than in the book's own scene: another feeling, attitude or"
        " deed where the same happens",
    ),
    "anthropomorphism": (
        "self: wants nothing, decides nothing, has no likes and dislikes, or is helpful,"
        " instructive, moralizing and easily persuaded as an assistant is and they are not",
        "feeling: reacts flatly or by rote, or says every thought and feeling outright",
        "coherence: manner or mood changes without a cause",
        "company: does not notice what others think and feel, or has no idea how to behave",
    ),
    "character_fidelity": (
        "language: words and tone that do not fit who they are and where they come from",
        "knowledge: lacks what they know and have lived through, or knows what comes later",
        "conduct: feels, values, believes or decides against their nature, or otherwise than in the"
        " book's own scene",
        "standing: treats others against their relation and rank",
    ),
    "storyline_quality": (
        "progress: nothing develops, or not naturally; wordy; says again what was said before, by"
        " themselves or by others",
        "logic: what is said contradicts what was said or seen before",
    ),
}
"""What counts as a flaw, by the name of the scale; in our words, after the paper's."""


def spoken(scene: str) -> str:
    """The lines of a scene without thoughts, which stand in square brackets."""
    return "\n".join(_THOUGHT.sub("", line).strip() for line in scene.splitlines())


@dataclass(frozen=True, slots=True)
class SceneSoFar:
    """A scene that is being acted.

    ``speakers`` are all who may speak next, the environment among them; ``lines`` what was said and
    done so far, a message a line, without thoughts; ``may_end`` whether it may be over.
    """

    book: str
    scenario: str
    speakers: tuple[str, ...]
    lines: tuple[str, ...]
    may_end: bool = False


class NextSpeaker(BaseModel):
    """Who speaks next, by name; ``END`` where the scene is over."""

    speaker: str


def check_speaker(inputs: SceneSoFar, answer: NextSpeaker) -> None:
    """Only somebody who may speak; the end only where it may be."""
    known = (*inputs.speakers, *((END,) if inputs.may_end else ()))
    if answer.speaker not in known:
        listed = ", ".join(known)
        raise InvalidAnswer(f"{answer.speaker!r} cannot be next; name one of {listed}")


@cache
def next_speaker(names: tuple[str, ...] = ()) -> Prompt[SceneSoFar, NextSpeaker]:
    """The prompt that chooses among ``names``; the schema admits nobody else."""
    who: Any = Literal[names] if names else str
    shape = create_model("NextSpeaker", __base__=NextSpeaker, speaker=(who, ...))
    return Prompt(
        name="next_speaker",
        stage="acting",
        inputs=SceneSoFar,
        answer=Json(shape),
        source="ours, after CoSER, next-speaker prediction",
        check=check_speaker,
    )


NEXT_SPEAKER: Final = next_speaker()
"""Whose turn is it?"""

SET_SCENE: Final = Prompt(
    name="set_scene",
    stage="acting",
    inputs=SceneSoFar,
    answer=Text(),
    source="ours, after CoSER, the environment",
)
"""What happens around the characters?"""


@dataclass(frozen=True, slots=True)
class SceneToJudge:
    """An acted scene, and how the book has it; ``criteria`` are those of a dimension."""

    dimension: str
    criteria: tuple[str, ...]
    book: str
    plot: str
    scenario: str
    profiles: tuple[str, ...]
    main: tuple[str, ...]
    original: str
    acted: str


class Flaw(BaseModel):
    """One flaw: what it is, of which kind, and how bad: 1 (slight) to 5 (severe)."""

    instance: str
    kind: str
    severity: int = Field(ge=1, le=5)


class Flaws(BaseModel):
    """All flaws of one dimension; none is an empty list."""

    flaws: list[Flaw]

    @property
    def analysis(self) -> str:
        """The flaws in words."""
        return "; ".join(f"{one.kind} ({one.severity}): {one.instance}" for one in self.flaws)


FIND_FLAWS: Final = Prompt(
    name="find_flaws",
    role="judge",
    stage="judging",
    inputs=SceneToJudge,
    answer=Json(Flaws),
    source="ours, after CoSER, penalty-based critics",
    parameters={"temperature": TEMPERATURE},
)
"""What is wrong with an acted scene in one respect?"""
