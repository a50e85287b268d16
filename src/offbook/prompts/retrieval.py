"""What retrieval asks a model: how much of it a question takes, by which words, and what is found.

Paper: Adaptive-RAG (arXiv 2403.14403), section 3: classes A, B and C; a prompt takes the place of
the trained classifier, and the steps of class C follow IRCoT (Trivedi et al. 2023), and ask for
what is missing beside the next thought. CRAG (arXiv 2401.15884), section 4: a prompt takes the
place of the evaluator and its two thresholds. LightRAG (Guo et al. 2024, arXiv 2410.05779), section
3.2: keywords of a low level name somebody or something, those of a high level say what the question
is about.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from pydantic import BaseModel

from offbook.errors import InvalidAnswer
from offbook.prompts.prompt import Json, Prompt

Retrievals = Literal["none", "one", "several"]


@dataclass(frozen=True, slots=True)
class ComplexityInputs:
    """A question, with what it refers back to; ``own_knowledge``: whether a model's may do."""

    character: str
    question: str
    own_knowledge: bool = False


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
    """Whether the passages are enough; if not, what to search for; ``search`` is else empty.

    ``thought`` is the next sentence of the reasoning towards the answer.
    """

    thought: str
    enough: bool
    search: str


def check_next_step(inputs: NextStepInputs, answer: NextStep) -> None:
    """Where something is missing, it has to be said what."""
    del inputs
    if not answer.enough and not answer.search.strip():
        raise InvalidAnswer("not enough was found, and search is empty; say what to search for")


CLASSIFY_QUESTION: Final = Prompt(
    name="classify_question",
    stage="adaptive",
    inputs=ComplexityInputs,
    answer=Json(Complexity),
    source="Adaptive-RAG section 3",
)
"""No retrieval, one, or several."""

NEXT_STEP: Final = Prompt(
    name="next_step",
    stage="adaptive",
    inputs=NextStepInputs,
    answer=Json(NextStep),
    source="ours, after Adaptive-RAG section 3 (class C) and IRCoT",
    check=check_next_step,
)
"""Is what was found enough, and what is missing?"""


Grade = Literal["correct", "ambiguous", "incorrect"]


@dataclass(frozen=True, slots=True)
class GradeInputs:
    """One passage in strips, each on one line in the wording."""

    character: str
    question: str
    headings: str
    strips: tuple[str, ...]


class PassageGrade(BaseModel):
    """The grade, and the strips (by number, from 1) that bear on the question."""

    relevant: list[int]
    grade: Grade


def check_grade(inputs: GradeInputs, answer: PassageGrade) -> None:
    """Only strips that exist; a passage that answers the question does so in some of them."""
    _check_numbers("relevant", answer.relevant, len(inputs.strips))
    if answer.grade == "correct" and not answer.relevant:
        raise InvalidAnswer("the grade is correct, and no part is relevant; name those that are")


GRADE_PASSAGE: Final = Prompt(
    name="grade_passage",
    stage="crag",
    inputs=GradeInputs,
    answer=Json(PassageGrade),
    source="CRAG section 4",
    check=check_grade,
)
"""How well a passage answers a question, and by which of its strips."""


@dataclass(frozen=True, slots=True)
class StripsInputs:
    """The strips of all passages, each on one line in the wording, and how many may be chosen."""

    character: str
    question: str
    strips: tuple[str, ...]
    most: int


class BestStrips(BaseModel):
    """The strips (by number, from 1) that bear on the question, the best first."""

    best: list[int]


def check_strips(inputs: StripsInputs, answer: BestStrips) -> None:
    """Only strips that exist."""
    _check_numbers("best", answer.best, len(inputs.strips))


def _check_numbers(field: str, numbers: list[int], count: int) -> None:
    unknown = sorted({number for number in numbers if not 1 <= number <= count})
    if unknown:
        raise InvalidAnswer(f"{field} names {unknown!r}; the parts are numbered 1 to {count}")


SELECT_STRIPS: Final = Prompt(
    name="select_strips",
    stage="crag",
    inputs=StripsInputs,
    answer=Json(BestStrips),
    source="CRAG section 4.3",
    check=check_strips,
)
"""Which strips of all passages bear on a question?"""


@dataclass(frozen=True, slots=True)
class KeywordsInputs:
    """The question, with what it refers back to in front."""

    character: str
    question: str


class Keywords(BaseModel):
    """Keywords of both levels; either list may be empty."""

    high_level: list[str]
    low_level: list[str]


QUESTION_KEYWORDS: Final = Prompt(
    name="question_keywords",
    stage="lightrag",
    inputs=KeywordsInputs,
    answer=Json(Keywords),
    source="LightRAG section 3.2",
)
"""Which entities, and which themes, is a question to be searched by?"""
