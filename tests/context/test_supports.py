"""Which sentence of a reply rests on which sentence of a text."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from offbook.context.supports import supports

LAMP = "Her brother Tom taught her to trim the lamp. She hates rain."
FERRY = "The ferry of Rosk was sold in 1871. Nobody wept."


def told(reply: str, *texts: str, name: str = "Ada Byrne") -> list[tuple[str, str]]:
    found = supports(reply, texts, name)
    return [(reply[s.start : s.end], texts[s.text][s.low : s.high]) for s in found]


def test_each_sentence_has_the_sentence_that_holds_most_of_it():
    reply = (
        "My brother Tom taught me to trim the lamp. I think nothing of that. The ferry was sold."
    )
    assert told(reply, FERRY, LAMP) == [
        ("My brother Tom taught me to trim the lamp.", LAMP[:44]),
        ("The ferry was sold.", FERRY[:35]),
    ]


@pytest.mark.parametrize("reply", ["", "Good evening.", "I was told nothing of that.", "The lamp."])
def test_what_shares_one_word_or_none_rests_on_nothing(reply):
    assert told(reply, LAMP, FERRY) == []


def test_a_name_alone_is_no_support():
    assert told("Ada Byrne is Ada Byrne.", "Ada Byrne lives in Rosk.") == []


def test_of_texts_that_hold_as_much_the_one_that_says_least_besides_counts():
    longer = f"On a day in May, when the wind had turned, {LAMP[:43]}, and the gulls cried."
    assert told("Tom taught me to trim the lamp.", longer, LAMP)[0][1] == LAMP[:44]


@given(st.text(max_size=80), st.lists(st.text(max_size=80), max_size=3))
def test_offsets_lie_in_the_texts_and_in_order(reply, texts):
    found = supports(reply, texts)
    assert all(one.end <= other.start for one, other in pairwise(found))
    for each in found:
        assert reply[each.start : each.end].strip()
        assert texts[each.text][each.low : each.high].strip()
