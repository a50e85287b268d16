"""The offline grade of a passage: by the words and the meaning of its strips."""

from __future__ import annotations

import pytest

from offbook.prompts.retrieval import GradeInputs, check_grade
from offbook.rules.retrieval_steps import grade_passage

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
        # A strip that leans on the one before brings it along.
        ("Who loved cats?", ("correct", [3, 4])),
    ],
)
def test_a_passage_is_graded_by_what_it_holds(question, expected):
    assert grade(question) == expected


@pytest.mark.parametrize(
    ("question", "strips"),
    [
        # It speaks of the thing, and not of the rest.
        (
            "Did the harbour master repair the lamp and the boats?",
            ("The lamp is old.", "She waits."),
        ),
        ("Do you swim in the sea?", ("The ocean is cold.",)),  # alike without a shared word
        ("Who are you?", ("The rock is grey.",)),  # it never names the character
    ],
)
def test_what_may_answer_stays_open(question, strips):
    assert grade(question, strips) == ("ambiguous", [1])


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
