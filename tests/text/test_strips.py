"""Strips: the pieces of a passage that can be kept or left out on their own."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from offbook.text.sentences import strips_of
from tests.tables import cases

PIECES = ["a", "B", " ", "\n", ".", "!", "?", "。", "我", "- ", "1. ", '"', "é", "🙂"]
PASSAGES = st.lists(st.sampled_from(PIECES)).map("".join) | st.text(max_size=120)


@given(PASSAGES, st.integers(1, 4))
def test_strips_hold_all_of_a_passage_in_order_and_nothing_twice(passage, each):
    end = 0
    for strip in strips_of(passage, each):
        assert not passage[end : strip.start].strip()
        assert strip.of(passage) == strip.of(passage).strip() != ""
        end = strip.end
    assert not passage[end:].strip()


@pytest.mark.parametrize(("each", "expected"), cases(__file__, "a strip has so many sentences"))
def test_a_strip_has_so_many_sentences_of_one_line(each, expected):
    passage = "She came. She saw. She left.\n\n- One.\n- Two."
    assert [strip.of(passage) for strip in strips_of(passage, each)] == expected


def test_nothing_has_no_strips():
    assert strips_of(" \n ", 2) == []
