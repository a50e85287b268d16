"""Who speaks the numbered quotations of a stretch of a book.

Takes: a stretch with numbers in front of quotations, what stands before it, and who may speak.
Gives: for each quotation the number of a person, or None where it stays open. Source: ours.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from pydantic import BaseModel

from offbook.errors import InvalidAnswer
from offbook.prompts.prompt import Json, Prompt


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


UNSAID: Final = 0
"""In the place of a person: the answer says nothing of this quotation that can be used."""


def speakers_of(inputs: SpeakersInputs, answer: Speakers) -> list[int | None]:
    """Read who speaks each quotation; what is missing, foreign or said in two ways is `UNSAID`."""
    said: dict[int, int | None] = {}
    for part in answer.quotations:
        is_known = part.person is None or 1 <= part.person <= len(inputs.called)
        agrees = said.get(part.item, part.person) == part.person
        said[part.item] = part.person if is_known and agrees else UNSAID
    return [said.get(number, UNSAID) for number in range(1, len(inputs.by_rule) + 1)]


def check_speakers(inputs: SpeakersInputs, answer: Speakers) -> None:
    """Half of the quotations, at least, and people who are in the list; the rest stays as it is."""
    unsaid = [n for n, each in enumerate(speakers_of(inputs, answer), 1) if each == UNSAID]
    if 2 * len(unsaid) > len(inputs.by_rule):
        raise InvalidAnswer(
            f"nothing usable is said of the quotations {unsaid[:20]}: give each its number once, "
            f"and a person from 1 to {len(inputs.called)}, or null where none of them speaks"
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
