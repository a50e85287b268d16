"""Whether a passage answers a question, and which of its strips bear on it: one grade a passage.

Takes: a question and the numbered strips of one passage.  Gives: correct, ambiguous or incorrect,
and the numbers of the strips that bear on the question.
Paper: CRAG (arXiv 2401.15884), section 4, retrieval evaluator and action trigger. A prompt takes
the place of the evaluator that was fine-tuned to score passages and strips, and of the two
thresholds on its scores.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from pydantic import BaseModel

from offbook.errors import InvalidAnswer
from offbook.prompts.answers import Json
from offbook.prompts.prompt import Prompt

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
    count = len(inputs.strips)
    unknown = sorted({number for number in answer.relevant if not 1 <= number <= count})
    if unknown:
        raise InvalidAnswer(f"relevant names {unknown!r}; the parts are numbered 1 to {count}")
    if answer.grade == "correct" and not answer.relevant:
        raise InvalidAnswer("the grade is correct, and no part is relevant; name those that are")


GRADE_PASSAGE: Final[Prompt[GradeInputs, PassageGrade]] = Prompt(
    name="grade_passage",
    version=1,
    role="extractor",
    stage="crag",
    inputs=GradeInputs,
    answer=Json(PassageGrade),
    source="CRAG section 4",
    parameters={"temperature": 0.0},
    check=check_grade,
)
"""How well a passage answers a question, and by which of its strips."""
