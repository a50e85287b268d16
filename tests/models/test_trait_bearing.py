"""How much sentences bear on a question, without a call."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from offbook.retrieval.facets import BEARS, asks_for_facets, bearing, shown

WAITED = "She waited nine years and never hurried."
STONE = "The tower is of grey stone."


def test_what_shows_the_facet_bears_on_the_question():
    waited, stone = bearing("Are you a patient woman?", [WAITED, STONE])
    assert waited >= BEARS > stone


def test_a_likeness_in_words_counts_too():
    near, far = bearing("Do you like the grey stone?", [STONE, WAITED])
    assert near > far


def test_of_no_sentences_there_is_nothing():
    assert bearing("Are you patient?", []) == []


@pytest.mark.parametrize(
    ("question", "told"),
    [("Are you patient?", True), ("Where is Hull?", False), ("你好吗？", False)],
)
def test_whether_it_can_be_told_what_is_asked_for(question, told):
    assert asks_for_facets(question) is told


@given(st.text(max_size=60), st.lists(st.text(max_size=60), max_size=4))
def test_any_text_has_a_number(question, sentences):
    found = bearing(question, sentences)
    assert len(found) == len(sentences)
    assert all(share == share for share in found)
    assert found == bearing(question, sentences)


def test_a_word_that_shows_many_facets_shows_less_of_each():
    assert dict(shown("punctual"))["punctuality"] == 1.0
    assert all(0 < share < 1 for share in dict(shown("refused")).values())
