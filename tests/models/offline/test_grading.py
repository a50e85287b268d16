"""The offline grade of a passage: by the words and the meaning of its strips."""

from __future__ import annotations

from dataclasses import replace

import pytest

from offbook.prompts.retrieval import GradeInputs, StripsInputs, check_grade
from offbook.rules.retrieval_steps import grade_passage, select_strips
from tests.tables import cases

STRIPS = (
    "Ada Byrne keeps the light on Skerry Rock. She was born in Galway in 1861.",
    "Ada's brother Thomas Byrne trained her to trim the lamp when she was nine.",
    "Tom drowned in the gale of 1880.",
    "He had loved bread, and cats.",
)


def grade(question: str, strips: tuple[str, ...] = STRIPS, who: str = "Ada Byrne"):
    inputs = GradeInputs(who, question, "Ada Byrne, Family", strips)
    found = grade_passage(inputs)
    check_grade(inputs, found)
    return found.grade, found.relevant


@pytest.mark.parametrize(
    ("question", "expected"), cases(__file__, "a passage is graded by what it holds")
)
def test_a_passage_is_graded_by_what_it_holds(question, expected):
    assert grade(question) == expected


@pytest.mark.parametrize(("question", "strips"), cases(__file__, "what may answer stays open"))
def test_what_may_answer_stays_open(question, strips):
    assert grade(question, strips) == ("ambiguous", [1])


@pytest.mark.parametrize(
    ("question", "expected"), cases(__file__, "in chinese pairs of characters decide")
)
def test_in_chinese_pairs_of_characters_decide(question, expected):
    assert grade(question, ("汤姆教她点灯。", "艾达喜欢面包。"), "艾达") == expected


def test_strips_of_all_passages_are_chosen_by_what_they_hold():
    inputs = StripsInputs("Ada Byrne", "Who trained you to trim the lamp?", STRIPS, 3)
    assert select_strips(inputs).best == [2]
    more = replace(inputs, strips=("Tom trained her to trim lamps.", *STRIPS))
    assert sorted(select_strips(more).best) == [1, 3]
    assert len(select_strips(replace(more, most=1)).best) == 1
    assert select_strips(replace(inputs, question="Who won at Trafalgar?")).best == []
    assert select_strips(replace(inputs, strips=())).best == []
