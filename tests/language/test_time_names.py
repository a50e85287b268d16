"""Spellings of one time have one key, different times never."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from offbook.language.time_names import time_key


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("24 February 1815", "February 24th, 1815"),
        ("24 February 1815", "the 24th of Feb. 1815"),
        ("49 BC", "49 B.C."),
        ("the seventh century BC", "7th century BC"),
        ("1810-1812", "1810 to 1812"),
        ("in 1829", "the year 1829"),
    ],
)
def test_spellings_of_one_time(one, other):
    assert time_key(one) == time_key(other) != ()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("24 February 1815", "28 February 1815"),
        ("24 February 1815", "February 1815"),
        ("49 BC", "44 BC"),
        ("49 BC", "49"),
        ("1810-1812", "1812-1810"),
        ("29 March", "19 March"),
        ("the spring of 1810", "the autumn of 1810"),
    ],
)
def test_different_times(one, other):
    assert time_key(one) != time_key(other)


@given(st.integers(1, 9999), st.integers(1, 9999))
def test_years_are_the_same_only_if_equal(a, b):
    assert (time_key(str(a)) == time_key(f"in {b}")) == (a == b)
