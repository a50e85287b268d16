"""What a judge is asked about one reply: six scales, each with an analysis before the rating.

Takes: a question, a reply, and what the scale compares it with.  Gives: an analysis and a rating.
Paper: RoleRAG (001), section 4.2 and Figures 8-10 (what the three scales look at; temperature 0.2);
AMADEUS (003), section 5.2 (ACC, ACC_L, HS). The wordings are ours. What is judged stands in fences
that it cannot close, and the system part is the same for all replies of a character.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Annotated, Final, Literal, TypeVar

from pydantic import BaseModel, BeforeValidator, Field, model_validator

from offbook.prompts.answers import Json
from offbook.prompts.prompt import Prompt
from offbook.prompts.ratings import (
    Judged,
    Range,
    plain_keys,
    rating_in,
    require_analysis,
    verdict_in,
    yes_or_no,
)

In = TypeVar("In")
Out = TypeVar("Out", bound=BaseModel)

TEMPERATURE: Final = 0.2
"""Of every judgement (RoleRAG section 4.2, after Ditto)."""

TEN: Final = Range(1, 10)
BINARY: Final = Range(0, 1)


class Analysed(BaseModel):
    """What every judgement begins with."""

    analysis: str = Field(min_length=1)

    @model_validator(mode="before")
    @classmethod
    def _plain(cls, given: object) -> object:
        return plain_keys(given)


class RatingOfTen(Analysed):
    """A rating from 1 to 10."""

    rating: Annotated[int, Field(ge=1, le=10), BeforeValidator(TEN)]


class BinaryRating(Analysed):
    """0 or 1."""

    rating: Annotated[int, Field(ge=0, le=1), BeforeValidator(BINARY)]


class ContainedVerdict(Analysed):
    """Yes or no."""

    rating: Annotated[Literal["yes", "no"], BeforeValidator(yes_or_no)]


@dataclass(frozen=True, slots=True)
class ReplyToJudge:
    """A reply of a character; ``description`` says who that is, and may be empty."""

    character: str
    description: str
    question: str
    reply: str


@dataclass(frozen=True, slots=True)
class ReplyWithAnswers:
    """A reply, and the answers of which any is right."""

    character: str
    question: str
    reply: str
    answers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class GroundedReply:
    """A reply, the passages that it was given, and right answers where there are any."""

    character: str
    question: str
    reply: str
    answers: tuple[str, ...]
    passages: tuple[str, ...]


def judgement(
    name: str, inputs: type[In], answer: Json[Out], source: str, version: int = 1
) -> Prompt[In, Out]:
    """A prompt of the judge, with what all of them have in common."""
    return Prompt(
        name=name,
        version=version,
        role="judge",
        stage="judging",
        inputs=inputs,
        answer=answer,
        source=source,
        parameters={"temperature": TEMPERATURE},
        check=require_analysis,
    )


_OF_TEN: Final = Judged(RatingOfTen, partial(rating_in, scale=TEN))

KNOWLEDGE_EXPOSURE: Final = judgement(
    "knowledge_exposure", ReplyToJudge, _OF_TEN, "RoleRAG section 4.2, KE"
)
"""How much of what the character knows and has lived through shows in the reply?"""

KNOWLEDGE_HALLUCINATION: Final = judgement(
    "knowledge_hallucination", ReplyToJudge, _OF_TEN, "RoleRAG section 4.2, KH"
)
"""How much of the reply is made up, or beyond what the character can know? 1 is nothing."""

UNKNOWN_REJECTION: Final = judgement(
    "unknown_rejection",
    ReplyToJudge,
    Judged(BinaryRating, partial(rating_in, scale=BINARY)),
    "RoleRAG section 4.2, UQR",
)
"""Does the reply keep within what the character can know?"""

ANSWER_CONTAINED: Final = judgement(
    "answer_contained",
    ReplyWithAnswers,
    Judged(ContainedVerdict, verdict_in),
    "AMADEUS section 5.2, ACC",
)
"""Does the reply contain the right answer?"""

ANSWER_QUALITY: Final = judgement(
    "answer_quality", ReplyWithAnswers, _OF_TEN, "AMADEUS section 5.2, ACC_L"
)
"""How well does the reply reflect the right answer?"""

HALLUCINATION_SCORE: Final = judgement(
    "hallucination_score", GroundedReply, _OF_TEN, "AMADEUS section 5.2, HS"
)
"""How much does the reply add to or distort the passages and the right answer? 1 is nothing."""
