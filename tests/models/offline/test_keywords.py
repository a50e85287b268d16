"""Keywords of a question by rules."""

from __future__ import annotations

import pytest

from offbook.prompts.retrieval import Keywords, KeywordsInputs
from offbook.rules.retrieval_steps import question_keywords


def keywords(question: str, character: str = "Ada Byrne") -> Keywords:
    return question_keywords(KeywordsInputs(character, question))


def test_names_are_low_and_what_is_asked_about_them_is_high():
    found = keywords("Did Tom Byrne ever quarrel with Maud Keane about the lighthouse?")
    assert {"Tom Byrne", "Maud Keane"} <= set(found.low_level)
    assert {"quarrel", "lighthouse"} <= set(found.high_level)
    assert not set(found.low_level) & set(found.high_level)


@pytest.mark.parametrize(
    ("question", "word"),
    [("What do you think of betrayal?", "betrayal"), ("Do you know Maud Keane?", "Maud Keane")],
)
def test_a_level_that_would_be_empty_has_the_words_of_the_other(question, word):
    found = keywords(question)
    assert word in found.low_level
    assert word in found.high_level


def test_a_question_about_nothing_has_none():
    assert keywords("") == Keywords(high_level=[], low_level=[])
