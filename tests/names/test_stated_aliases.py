"""Sentences that say that two names are one person's, and those that only seem to."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from offbook.names.evidence import told_names
from tests.tables import cases


@pytest.mark.parametrize(("text", "pair"), cases(__file__, "who is told to be"))
def test_who_is_told_to_be_one(text, pair):
    assert tuple(pair.split("=")) in told_names(text)


@pytest.mark.parametrize("text", cases(__file__, "nobody is told to be another"))
def test_nobody_is_told_to_be_another(text):
    assert told_names(text) == ()


@given(st.text(alphabet="TomWren aswhoclednmis,.()'7 -", max_size=120))
def test_any_text_gives_pairs_of_two_different_names(text):
    assert all(a and b and a != b for a, b in told_names(text))
