"""What passages reveal of a character: judged for a question, judged once, and put into words.

Takes: passages, and the question where there is one.  Gives: whether something can be inferred, and
the attributes: beliefs and values, psychological traits.
Paper: AMADEUS (003), section 4.2 (guided selection) and 4.3 (attribute extractor).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from pydantic import BaseModel, Field

from offbook.prompts.prompt import Json, Prompt
from offbook.prompts.refusals import check_described

AttributeKind = Literal["belief_and_value", "psychological_trait"]


@dataclass(frozen=True, slots=True)
class PassageInputs:
    """One passage; ``question`` is empty where it is judged once, at ingestion."""

    character: str
    headings: str
    passage: str
    question: str = ""


class Revealing(BaseModel):
    """Whether a belief, value or psychological trait that bears on the question can be inferred."""

    reveals: bool


class PassageAttribute(BaseModel):
    """One thing that a passage reveals, in a sentence."""

    kind: AttributeKind
    text: str = Field(min_length=1)


class PassageAttributes(BaseModel):
    """All that a passage reveals, whatever is asked; nothing: an empty list.

    ``reveals`` is the judgement, by which passages are selected; a model that says yes and puts
    nothing into words has judged nevertheless.
    """

    reveals: bool
    attributes: list[PassageAttribute]


@dataclass(frozen=True, slots=True)
class AttributesInputs:
    """The passages that were selected for a question, each with its headings in front."""

    character: str
    question: str
    passages: tuple[str, ...]


class Attributes(BaseModel):
    """A short paragraph each; empty where nothing can be inferred."""

    belief_and_values: str
    psychological_traits: str


def check_passage_attributes(inputs: PassageInputs, answer: PassageAttributes) -> None:
    """Refuse an answer that declines: no trait is in it."""
    check_described((part.text for part in answer.attributes), [inputs.passage])


def check_attributes(inputs: AttributesInputs, answer: Attributes) -> None:
    """Likewise."""
    check_described((answer.belief_and_values, answer.psychological_traits), inputs.passages)


REVEALS_TRAIT: Final = Prompt(
    name="reveals_trait",
    stage="traits",
    inputs=PassageInputs,
    answer=Json(Revealing),
    source="AMADEUS section 4.2",
)
"""Can something about the character that bears on the question be inferred from a passage?"""

INDEX_TRAITS: Final = Prompt(
    name="index_traits",
    stage="traits",
    inputs=PassageInputs,
    answer=Json(PassageAttributes),
    source="ours, after AMADEUS section 4.2",
    check=check_passage_attributes,
)
"""What a passage reveals of the character, whatever will be asked."""

EXTRACT_ATTRIBUTES: Final = Prompt(
    name="extract_attributes",
    stage="traits",
    inputs=AttributesInputs,
    answer=Json(Attributes),
    source="AMADEUS section 4.3",
    check=check_attributes,
)
"""Beliefs and values, and traits, as far as they bear on the question."""
