"""Which sentences bear on a question: cutting the context, and the time that it takes."""

from __future__ import annotations

import pytest

from offbook.rules.evidence import Evidence, gather
from offbook.text.questions import read_question
from offbook.types import ContextItem
from tests.waiting import work_is_linear


def texts(*contents: str) -> list[str]:
    items = [ContextItem("knowledge", "", content, 1.0) for content in contents]
    return [sentence.text for sentence in gather(items).sentences]


def test_a_sentence_goes_on_to_the_end_of_its_brackets():
    text = "Nora (b. in Hull, lit. Honour; d. in York) was a smith. She sang."
    assert texts(text) == ["Nora (b. in Hull, lit. Honour; d. in York) was a smith.", "She sang."]


def test_a_bracket_that_is_never_closed_keeps_no_sentence_back():
    assert texts("Nora (a smith. She sang. She left.") == [
        "Nora (a smith.",
        "She sang.",
        "She left.",
    ]


def test_a_wrapped_line_with_a_colon_is_no_key_and_a_bold_key_is_one():
    assert texts("Her father told\nher: the sea is cold. She sang.") == [
        "Her father told her: the sea is cold.",
        "She sang.",
    ]
    assert texts("She rose at 04:30 and sang.") == ["She rose at 04:30 and sang."]
    assert texts("**Age:** 38\n**Eyes:** brown") == ["Age: 38", "Eyes: brown"]


def test_a_row_of_a_table_is_a_line_of_its_own():
    rows = "| Eyes | amber |\n| Height | 3 feet |"
    sentences = gather([ContextItem("knowledge", "", rows, 1.0)]).sentences
    assert [one.text for one in sentences] == ["Eyes: amber", "Height: 3 feet"]
    assert len({one.paragraph for one in sentences}) == 2


def test_a_sheet_that_lost_its_line_breaks_answers_nothing():
    run_together = "Lives in: a flat above the depot Looks: broad, bald Partner: Ada."
    items = [ContextItem("entity", "Ada", run_together, 1.0)]
    assert not any(sentence.answers for sentence in gather(items).sentences)


def test_a_sentence_of_two_items_counts_once():
    assert texts("Nora sang. She left.", "Nora sang. She stayed.") == [
        "Nora sang.",
        "She left.",
        "She stayed.",
    ]


@pytest.mark.long
def test_the_time_of_scoring_grows_with_the_length_only():
    def evidence(number: int) -> Evidence:
        text = " ".join(f"Nora sold clock{n} to miller{n}." for n in range(number))
        return gather([ContextItem("knowledge", "", text, 1.0)])

    made = {number: evidence(number) for number in (1_000, 8_000)}
    question = read_question("Who bought clock7 from you?")
    assert work_is_linear(lambda number: made[number].hits(question), 1_000)
