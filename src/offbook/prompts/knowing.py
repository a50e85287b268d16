"""Whether a character of a story knows a fact at a point: one small call.

Takes: the fact, what the character has lived through up to the point, passages that they witnessed.
Gives: what speaks for or against it, whether they know it, and how. Source: ours.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from pydantic import BaseModel, Field

from offbook.prompts.prompt import Json, Prompt
from offbook.types import ContextItem, WitnessHow


@dataclass(frozen=True, slots=True)
class KnowingInputs:
    """A fact, and what may show that a character knows it.

    Args:
        character: Whom it is about.
        names: What the story calls them.
        fact: One sentence.
        point: The place of the story at which it is asked; may be empty.
        record: What they have lived through so far, oldest first, and the last scene.
        passages: What they witnessed and fits the fact best.
    """

    character: str
    names: tuple[str, ...]
    fact: str
    point: str
    record: tuple[ContextItem, ...]
    passages: tuple[ContextItem, ...]


class Knowing(BaseModel):
    """The verdict; ``because`` comes first, so that it is thought of before."""

    because: str = Field(max_length=400)
    knows: bool
    how: WitnessHow


KNOWING: Final = Prompt(
    name="knowing",
    stage="boundary",
    inputs=KnowingInputs,
    answer=Json(Knowing),
    source="ours",
)
"""Do they know this?"""
