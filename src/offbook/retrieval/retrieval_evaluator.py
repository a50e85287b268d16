"""The retrieval evaluator: a grade for each retrieved passage, and what all of them call for.

Takes: passages and a question.  Gives: the graded ones with their relevant strips, those without a
grade and why, and the action: correct, ambiguous or incorrect.
Paper: CRAG (arXiv 2401.15884), section 4, retrieval evaluator and action trigger. A model's
grade takes the place of the trained evaluator and its thresholds; passages are graded side by side.
A passage whose answer cannot be used has no grade and counts for no action.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from offbook.errors import AnswerError, InputRefused
from offbook.language.strips import Strip, strips_of
from offbook.models.failures import why_without
from offbook.models.side_by_side import run_all
from offbook.prompts.ask import RETRIES, ask
from offbook.prompts.grading import GRADE_PASSAGE, Grade, GradeInputs

if TYPE_CHECKING:
    from offbook.protocols import ChatModel
    from offbook.retrieval.passages import Passage
    from offbook.types import Character


@dataclass(frozen=True, slots=True)
class GradedPassage:
    """A passage with its grade, and the strips of it that bear on the question, in order."""

    passage: Passage
    grade: Grade
    relevant: tuple[Strip, ...]


@dataclass(frozen=True, slots=True)
class Grading:
    """The grades for one question, in rank order.

    Args:
        graded: The passages that have one.
        ungraded: Those for which none could be got, and why.
    """

    graded: tuple[GradedPassage, ...]
    ungraded: tuple[tuple[Passage, str], ...] = ()

    @property
    def action(self) -> Grade | None:
        """Correct where one passage is, incorrect where all are; None where nothing was graded."""
        grades = {each.grade for each in self.graded}
        if not grades:
            return None
        if "correct" in grades:
            return "correct"
        return "incorrect" if grades == {"incorrect"} else "ambiguous"

    def of(self, grade: Grade) -> list[GradedPassage]:
        """The passages of a grade."""
        return [each for each in self.graded if each.grade == grade]


async def grade_passages(
    model: ChatModel,
    character: Character,
    question: str,
    passages: Sequence[Passage],
    *,
    sentences_each: int,
    retries: int = RETRIES,
) -> Grading:
    """Grade passages, all at once: one call each.

    Args:
        model: The extractor.
        character: Whose texts the passages are from.
        question: What is asked, with what it refers back to.
        passages: The most similar first.
        sentences_each: The most sentences that a strip has.
        retries: How often an unusable answer is asked for again.

    Raises:
        ModelError: the endpoint failed for good.
        BudgetReached: the next call would go over the budget.
    """
    found: dict[int, GradedPassage | str] = {}

    async def grade(place: int) -> None:
        passage = passages[place]
        chunk = passage.chunk
        strips = strips_of(chunk.text, sentences_each)
        told = tuple(strip.of(chunk.text) for strip in strips)
        inputs = GradeInputs(character.name, question, chunk.heading_path, told)
        documents = frozenset({f"{character.id}/{chunk.document}"})
        try:
            answer = await ask(model, GRADE_PASSAGE, inputs, documents=documents, retries=retries)
        except (AnswerError, InputRefused) as error:
            found[place] = why_without(error)
            return
        relevant = tuple(strips[number - 1] for number in sorted(set(answer.relevant)))
        found[place] = GradedPassage(passage, answer.grade, relevant)

    await run_all([partial(grade, place) for place in range(len(passages))])
    in_order = [(passages[place], found[place]) for place in range(len(passages))]
    return Grading(
        tuple(each for _, each in in_order if isinstance(each, GradedPassage)),
        tuple((passage, each) for passage, each in in_order if isinstance(each, str)),
    )
