"""What a person tells, and what they only ask."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from offbook.retrieval.statements import is_statement, names, told_sentences
from tests.tables import cases


@pytest.mark.parametrize("said", cases(__file__, "what tells"))
def test_what_tells(said):
    assert is_statement(said)
    assert told_sentences(said) == [said]


@pytest.mark.parametrize("said", cases(__file__, "what asks wishes or speaks"))
def test_what_asks_wishes_or_speaks_of_you_tells_nothing(said):
    assert told_sentences(said) == []


@pytest.mark.parametrize("said", cases(__file__, "a request or a topic tells"))
def test_a_request_or_a_topic_tells_nothing(said):
    assert told_sentences(said) == []


@pytest.mark.parametrize(
    "said",
    cases(__file__, "whoever is spoken to may stand"),
)
def test_whoever_is_spoken_to_may_stand_before_an_order_and_a_name_may_be_a_verb(said):
    assert not is_statement(said)


@pytest.mark.parametrize("said", cases(__file__, "what is not known is not told"))
def test_what_is_not_known_is_not_told(said):
    assert told_sentences(said) == []


def test_of_several_sentences_those_that_tell():
    said = "Hello Ada. My sister is called Ilse. Do you like her?"
    assert told_sentences(said) == ["My sister is called Ilse."]


def test_a_question_tells_whose_somebody_is():
    assert told_sentences("Do you remember my little sister Ilse Berg?") == [
        "my little sister Ilse Berg"
    ]


@pytest.mark.parametrize(
    ("sentence", "name", "expected"), cases(__file__, "a name is told and a word")
)
def test_a_name_is_told_and_a_word_is_not(sentence, name, expected):
    assert names(sentence, name) is expected


@given(st.text(max_size=200), st.text(min_size=1, max_size=12))
def test_any_text_is_read(text, name):
    for sentence in told_sentences(text):
        assert sentence
        assert names(sentence, name) in (True, False)
