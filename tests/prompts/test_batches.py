"""Numbered items come back once each, in order."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from offbook.errors import InvalidAnswer
from offbook.prompts.batches import in_order


@dataclass(frozen=True)
class Part:
    number: int


def numbers(*given_numbers: int) -> list[Part]:
    return [Part(n) for n in given_numbers]


@given(st.permutations(range(1, 8)))
def test_parts_come_in_the_order_of_the_items(order):
    assert [part.number for part in in_order(numbers(*order), 7, lambda p: p.number)] == list(
        range(1, 8)
    )


@pytest.mark.parametrize(
    ("got", "told"),
    [
        ((1, 3), r"missing: \[2\]"),
        ((1, 2, 2, 3), r"more than once: \[2\]"),
        ((1, 2, 3, 4), r"not in the question: \[4\]"),
        ((), r"missing: \[1\], \[2\], \[3\]"),
    ],
)
def test_a_number_that_is_missing_repeated_or_unknown_is_named(got, told):
    with pytest.raises(InvalidAnswer, match=told):
        in_order(numbers(*got), 3, lambda part: part.number)


def test_long_lists_of_numbers_are_shortened():
    with pytest.raises(InvalidAnswer, match="and 80 more"):
        in_order([], 100, lambda part: part.number)
