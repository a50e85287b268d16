"""The scales on which a judge rates."""

from __future__ import annotations

import math

import pytest

from offbook.evaluation.metrics.scales import SCALES


@pytest.mark.parametrize(
    ("name", "low", "high", "better"),
    [
        ("ke", 1, 10, "higher"),
        ("kh", 1, 10, "lower"),
        ("uqr", 0, 1, "higher"),
        ("acc", 0, 1, "higher"),
        ("acc_l", 1, 10, "higher"),
        ("hs", 1, 10, "lower"),
        ("mbti_item", 1, 7, None),
        ("bigfive_item", 1, 5, None),
        ("bfi_batch", 1, 5, None),
        ("16p_batch", 0, 100, None),
        ("bfi_option", 1, 5, None),
        ("16p_option", 1, 7, None),
    ],
)
def test_ranges_and_directions_are_those_of_the_papers(name, low, high, better):
    found = SCALES[name]
    assert (found.low, found.high, found.better) == (low, high, better)
    assert found.accepts(low)
    assert found.accepts(high)
    assert not found.accepts(low - 1)
    assert not found.accepts(high + 1)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, 11, 0, -1, 7.5])
def test_what_is_no_rating_is_not_accepted(value):
    assert not SCALES["ke"].accepts(value)


def test_a_batch_may_be_rated_between_whole_numbers():
    assert SCALES["bfi_batch"].accepts(3.5)
    assert SCALES["16p_batch"].accepts(62.5)
