"""Who speaks the numbered quotations of a stretch of a book.

Takes: a stretch with numbers in front of quotations, what stands before it, and who may speak.
Gives: for each quotation the number of a person, or None where it stays open. Source: ours.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from pydantic import BaseModel

from offbook.errors import InvalidAnswer
from offbook.prompts.prompt import Json, Prompt, in_order


@dataclass(frozen=True, slots=True)
class SpeakersInputs:
    """A stretch of a book, in which ``{1}`` stands before the first quotation that is meant.

    Args:
        before: What stands before the stretch; may be empty.
        stretch: Its text.
        called: Who may speak: names, pronoun, other names; numbered from 1.
        by_rule: For each quotation the number of whom the rules name, or None: no model sees it.
    """

    before: str
    stretch: str
    called: tuple[str, ...]
    by_rule: tuple[int | None, ...]


class SpokenBy(BaseModel):
    """The number of a quotation, and of who speaks it; None where that cannot be told."""

    item: int
    person: int | None


class Speakers(BaseModel):
    """Every quotation once."""

    quotations: list[SpokenBy]


def check_speakers(inputs: SpeakersInputs, answer: Speakers) -> None:
    """Every quotation exactly once, and only people who are in the list."""
    in_order(answer.quotations, len(inputs.by_rule))
    count = len(inputs.called)
    given = {part.person for part in answer.quotations if part.person is not None}
    if unknown := sorted(number for number in given if not 1 <= number <= count):
        raise InvalidAnswer(
            f"there are {count} people; there is no number {unknown[:20]}: write null where none "
            "of them speaks"
        )


SPEAKERS: Final = Prompt(
    name="speakers",
    stage="cast",
    inputs=SpeakersInputs,
    answer=Json(Speakers),
    source="ours",
    check=check_speakers,
)
"""Who says this?"""
