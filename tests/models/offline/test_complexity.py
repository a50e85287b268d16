"""How much retrieval a question takes, and what is still missing, by the offline rules."""

from __future__ import annotations

import pytest

from offbook.prompts.retrieval import ComplexityInputs, NextStepInputs, check_next_step
from offbook.rules.retrieval_steps import classify_question, next_step
from tests.tables import cases

QUESTION = "Where did the man who taught you live?"
TAUGHT = "Ada Byrne\nTom Keane taught Ada Byrne to trim the lamp."


@pytest.mark.parametrize(
    ("question", "expected"), cases(__file__, "the shape of a question decides")
)
def test_the_shape_of_a_question_decides(question, expected):
    found = classify_question(ComplexityInputs("Ada Byrne", question))
    assert found.retrievals == expected


def test_of_a_follow_up_the_question_itself_decides():
    text = "Who is Tom? And who is Maud?\nThank you."
    assert classify_question(ComplexityInputs("Ada Byrne", text)).retrievals == "none"


def step(question: str, *passages: str, searched: tuple[str, ...] = ()):
    inputs = NextStepInputs("Ada Byrne", question, passages, (question, *searched))
    found = next_step(inputs)
    check_next_step(inputs, found)
    return found.enough, found.search


def test_what_is_missing_is_searched_for_with_the_name_that_was_found():
    enough, search = step(QUESTION, TAUGHT)
    assert not enough
    assert "Tom Keane" in search
    assert "live" in search


def test_when_all_is_there_it_is_enough():
    found = step(
        QUESTION, TAUGHT, "Tom Keane, a man of Cork, lived there.", searched=("Tom Keane",)
    )
    assert found == (True, "")


def test_what_was_searched_for_is_not_searched_for_again():
    assert step("Who was Napoleon?", "The rock is grey.") == (True, "")


def test_in_chinese_the_part_of_which_little_was_found_is_searched_for():
    question = "谁教你点灯？汤姆喜欢什么面包？"
    assert step(question, "汤姆喜欢黑面包。") == (False, "谁教你点灯")
    assert step(question, "汤姆喜欢黑面包。", searched=("谁教你点灯",)) == (True, "")
    assert step("谁教你点灯？", "石头。") == (True, "")
