"""Spellings of one time have one key, different times never."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from offbook.rules.times import time_key
from tests.tables import cases


@pytest.mark.parametrize(("one", "other"), cases(__file__, "spellings of one time"))
def test_spellings_of_one_time(one, other):
    assert time_key(one) == time_key(other) != ()


@pytest.mark.parametrize(("one", "other"), cases(__file__, "different times"))
def test_different_times(one, other):
    assert time_key(one) != time_key(other)


@given(st.integers(1, 9999), st.integers(1, 9999))
def test_years_are_the_same_only_if_equal(a, b):
    assert (time_key(str(a)) == time_key(f"in {b}")) == (a == b)
