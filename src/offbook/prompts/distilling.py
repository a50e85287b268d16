"""What is worth remembering of some turns of a conversation, as statements.

Takes: numbered turns, and what was known before.  Gives: statements, each with its kind, the turns
that it was told in, and what it repeats or supersedes of what was known. Source: ours.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from pydantic import BaseModel, Field

from offbook.errors import InvalidAnswer
from offbook.prompts.prompt import Json, Prompt
from offbook.prompts.refusals import check_described
from offbook.types import StatementKind, Turn


@dataclass(frozen=True, slots=True)
class DistilTurnsInputs:
    """The turns, oldest first; ``answered`` is empty where the reply says nothing to be kept.

    ``known`` are statements of earlier turns that these may repeat or contradict, ``dates`` the
    days of the turns as ``2026-11-24``, an empty one where it is not known.
    """

    character: str
    turns: tuple[Turn, ...]
    known: tuple[str, ...] = ()
    dates: tuple[str, ...] = ()


class Statement(BaseModel):
    """One thing to remember."""

    turns: list[int] = Field(description="Numbers of the turns in which it was said.")
    kind: StatementKind
    text: str = Field(min_length=1, description="One short sentence that stands alone.")
    same_as: int | None = Field(description="Number of the note that says the same already.")
    replaces: list[int] = Field(description="Numbers of the notes that hold no longer.")


class Statements(BaseModel):
    """All that is to be remembered; an empty list where there is nothing."""

    statements: list[Statement]


def check_statements(inputs: DistilTurnsInputs, answer: Statements) -> None:
    """Refuse numbers that stand for nothing, and an answer that declines."""
    turns, notes = range(1, len(inputs.turns) + 1), range(1, len(inputs.known) + 1)
    for number, one in enumerate(answer.statements, 1):
        if not one.turns or not set(one.turns).issubset(turns):
            raise InvalidAnswer(
                f"statement {number} names turns {one.turns}; they are {_span(turns)}"
            )
        named = {*one.replaces, *([] if one.same_as is None else [one.same_as])}
        if not named.issubset(notes):
            raise InvalidAnswer(
                f"statement {number} names notes {sorted(named)}; they are {_span(notes)}"
            )
    texts = (text for turn in inputs.turns for text in (turn.said, turn.answered))
    check_described((one.text for one in answer.statements), texts)


def _span(numbers: range) -> str:
    return f"1 to {numbers[-1]}" if numbers else "none"


DISTIL_TURNS: Final = Prompt(
    name="distil_turns",
    stage="conversation",
    inputs=DistilTurnsInputs,
    answer=Json(Statements),
    source="ours",
    # It goes with its conversation: no copy of what was said may stay behind.
    cacheable=False,
    check=check_statements,
)
"""What of these turns has to be remembered?"""
