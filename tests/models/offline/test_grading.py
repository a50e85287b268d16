"""The offline grade of a passage: by the words and the meaning of its strips."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from offbook.models.offline.grading import grade_passage
from offbook.prompts.grading import GradeInputs, check_grade

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
    ("question", "expected"),
    [
        ("Where were you born?", ("correct", [1])),
        ("What happened to Tom?", ("correct", [3])),
        ("Who taught you to trim the lamp?", ("correct", [2])),
        ("Who are you?", ("correct", [1, 2])),
        ("Have you used a smartphone?", ("incorrect", [])),
        ("Who was Napoleon?", ("incorrect", [])),
        ("Did Napoleon trim the lamp?", ("incorrect", [])),
    ],
)
def test_a_passage_is_graded_by_what_it_holds(question, expected):
    assert grade(question) == expected


def test_what_speaks_of_the_thing_and_not_of_the_rest_stays_open():
    question = "Did the harbour master repair the lamp and the boats?"
    assert grade(question, ("The lamp is old.", "She waits."))[0] == "ambiguous"


def test_likeness_without_a_shared_word_stays_open():
    assert grade("Do you swim in the sea?", ("The ocean is cold.",)) == ("ambiguous", [1])


def test_a_strip_that_leans_on_the_one_before_brings_it_along():
    assert grade("Who loved cats?") == ("correct", [3, 4])


def test_a_passage_that_never_names_the_character_leaves_open_who_it_is():
    assert grade("Who are you?", ("The rock is grey.",)) == ("ambiguous", [1])


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("谁教你点灯？", ("correct", [1])),
        ("你在石头城里喜欢谁？", ("ambiguous", [2])),
        ("拿破仑是谁？", ("incorrect", [])),
        ("艾达？", ("correct", [2])),
    ],
)
def test_in_chinese_pairs_of_characters_decide(question, expected):
    assert grade(question, ("汤姆教她点灯。", "艾达喜欢面包。"), "艾达") == expected


@given(st.text(max_size=60), st.lists(st.text(max_size=60), max_size=4))
def test_any_text_has_a_grade_that_fits(question, strips):
    grade(question, tuple(strips))
