"""Grades and steps that contradict themselves are refused."""

from __future__ import annotations

import pytest

from offbook.errors import InvalidAnswer
from offbook.prompts.complexity import NextStep, NextStepInputs, check_next_step
from offbook.prompts.grading import GradeInputs, PassageGrade, check_grade


@pytest.mark.parametrize(
    ("relevant", "grade", "fault"),
    [([3], "correct", "3"), ([0, 1], "incorrect", "0"), ([], "correct", "no part is relevant")],
)
def test_a_grade_that_does_not_fit_its_passage_is_refused(relevant, grade, fault):
    inputs = GradeInputs("Ada", "q", "", ("one", "two"))
    with pytest.raises(InvalidAnswer, match=fault):
        check_grade(inputs, PassageGrade(relevant=relevant, grade=grade))


def test_a_step_that_does_not_say_what_is_missing_is_refused():
    inputs = NextStepInputs("Ada", "q", ("one",), ("q",))
    with pytest.raises(InvalidAnswer, match="search is empty"):
        check_next_step(inputs, NextStep(enough=False, search=" "))
