"""How much retrieval a question takes, and what is still missing after some of it.

Takes: a question, and what was found so far.  Gives: none, one retrieval or several; then whether
that is enough, or what to search for next.
Paper: Adaptive-RAG (arXiv 2403.14403), section 3: classes A, B and C. A prompt takes the place of
the trained classifier. The steps of class C follow IRCoT (Trivedi et al. 2023); what is asked for
between them is what is missing, not a sentence of a chain of thought.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from pydantic import BaseModel

from offbook.errors import InvalidAnswer
from offbook.prompts.answers import Json
from offbook.prompts.prompt import Prompt

Retrievals = Literal["none", "one", "several"]


@dataclass(frozen=True, slots=True)
class ComplexityInputs:
    """A question, with what it refers back to."""

    character: str
    question: str


class Complexity(BaseModel):
    """How many retrievals the question takes."""

    retrievals: Retrievals


@dataclass(frozen=True, slots=True)
class NextStepInputs:
    """What was found so far, each passage with its headings in front, and the searches for it."""

    character: str
    question: str
    passages: tuple[str, ...]
    searched: tuple[str, ...]


class NextStep(BaseModel):
    """Whether the passages are enough; if not, what to search for; ``search`` is else empty."""

    enough: bool
    search: str


def check_next_step(inputs: NextStepInputs, answer: NextStep) -> None:
    """Where something is missing, it has to be said what."""
    del inputs
    if not answer.enough and not answer.search.strip():
        raise InvalidAnswer("not enough was found, and search is empty; say what to search for")


CLASSIFY_QUESTION: Final[Prompt[ComplexityInputs, Complexity]] = Prompt(
    name="classify_question",
    version=1,
    role="extractor",
    stage="adaptive",
    inputs=ComplexityInputs,
    answer=Json(Complexity),
    source="Adaptive-RAG section 3",
    parameters={"temperature": 0.0},
)
"""No retrieval, one, or several."""

NEXT_STEP: Final[Prompt[NextStepInputs, NextStep]] = Prompt(
    name="next_step",
    version=1,
    role="extractor",
    stage="adaptive",
    inputs=NextStepInputs,
    answer=Json(NextStep),
    source="ours, after Adaptive-RAG section 3 (class C) and IRCoT",
    parameters={"temperature": 0.0},
    check=check_next_step,
)
"""Is what was found enough, and what is missing?"""
