"""Means with n, what is missing, and an interval."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from offbook.evaluation.metrics.statistics import (
    Estimate,
    draw_weights,
    estimate,
    paired_difference,
    resampled,
)
from tests.evaluation.metrics.whole import ends
from tests.sizes import examples

RATINGS = st.lists(st.none() | st.integers(1, 10), max_size=40)
FEW = settings(max_examples=examples(40))


@FEW
@given(RATINGS)
def test_what_is_there_is_averaged_and_what_is_missing_counted(ratings):
    found = estimate(ratings)
    present = [rating for rating in ratings if rating is not None]
    assert (found.n, found.missing) == (len(present), len(ratings) - len(present))
    assert found.mean == (pytest.approx(np.mean(present)) if present else None)
    assert (found.interval is None) == (len(present) < 2)


@FEW
@given(RATINGS, st.randoms())
def test_the_order_of_values_changes_nothing(ratings, shuffler):
    shuffled = list(ratings)
    shuffler.shuffle(shuffled)
    assert estimate(shuffled) == estimate(ratings)


@FEW
@given(st.lists(st.integers(1, 10), min_size=2, max_size=40))
def test_the_interval_lies_within_the_ratings(ratings):
    low, high = ends(estimate(ratings))
    assert min(ratings) <= low <= high <= max(ratings)


def test_the_interval_is_that_of_the_normal_distribution_where_n_is_large():
    generator = np.random.default_rng(5)
    for values in (generator.integers(1, 11, 3000), generator.normal(5, 2, 3000)):
        found = estimate(values.tolist())
        half = 1.96 * values.std() / math.sqrt(len(values))
        assert found.low == pytest.approx(values.mean() - half, abs=half / 8)
        assert found.high == pytest.approx(values.mean() + half, abs=half / 8)


def test_whole_characters_are_drawn():
    # Two characters who always get the same: single questions would seem far more certain.
    values = [1.0] * 50 + [9.0] * 50
    by_character = estimate(values, ["a"] * 50 + ["b"] * 50)
    assert ends(by_character) == (1, 9)
    low, high = ends(estimate(values))
    assert 4 < low < 5 < high < 6


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_what_is_no_number_is_not_averaged(value):
    with pytest.raises(ValueError, match="is no rating"):
        estimate([1, value])


def test_the_difference_is_taken_question_by_question():
    first = {"q1": 9, "q2": 7, "q3": 5, "only first": 1}
    second = {"q1": 8, "q2": 6, "q3": None, "only second": 2}
    assert paired_difference(first, second) == Estimate(1.0, 2, 3, 1.0, 1.0)


@FEW
@given(st.dictionaries(st.integers(0, 9), st.none() | st.integers(1, 10)), st.data())
def test_a_difference_turned_round_is_its_negative(first, data):
    second = data.draw(st.dictionaries(st.integers(0, 9), st.none() | st.integers(1, 10)))
    one = paired_difference(first, second)
    other = paired_difference(second, first)
    assert (one.n, one.missing) == (other.n, other.missing)
    assert one.mean == (None if other.mean is None else pytest.approx(-other.mean))


def test_weights_say_how_often_each_unit_is_drawn():
    weights = np.concatenate(list(draw_weights(7, 1)))
    assert weights.shape == (2_000, 7)
    assert (weights.sum(axis=1) == 7).all()
    assert weights.mean() == 1
    assert weights.var() == pytest.approx(6 / 7, abs=0.1)


def test_a_mean_may_be_had_from_weights_too():
    values = np.array([1.0, 2.0, 6.0])
    found = resampled(lambda w: w @ values / w.sum(axis=1), 3, n=3)
    assert found.mean == 3
    assert found.interval == estimate(values.tolist()).interval


def test_resamples_without_a_statistic_are_left_out():
    def if_first(weights):
        return np.where(weights[:, 0] > 0, 1.0, np.nan)

    assert resampled(if_first, 2, n=2) == Estimate(1.0, 2, 0, 1.0, 1.0)
    never = resampled(lambda w: np.full(len(w), np.nan), 2, n=2, missing=1)
    assert never == Estimate(None, 2, 1)
    only_whole = resampled(lambda w: np.where(len(w) == 1, [1.0] * len(w), np.nan), 2, n=2)
    assert only_whole == Estimate(1.0, 2)
    assert resampled(if_first, 0, n=0) == Estimate(None, 0)
    assert resampled(if_first, 1, n=4) == Estimate(1.0, 4)


def test_a_number_is_never_printed_alone():
    found = Estimate(8.4567, 140, 3, 8.2, 8.7)
    assert str(found) == "8.457 [8.200 to 8.700] (n = 140, 3 missing)"
    assert f"{found:.1f}" == "8.5 [8.2 to 8.7] (n = 140, 3 missing)"
    assert f"{Estimate(0.5, 1):.0%}" == "50% [no interval] (n = 1)"
    assert f"{Estimate(None, 0, 4):.2f}" == "- (n = 0, 4 missing)"
    assert json.loads(json.dumps(found.as_json()))["missing"] == 3


@pytest.mark.parametrize(
    "broken",
    [(1.0, 2, 0, 0.5, None), (None, 0, 0, 0.0, 1.0), (1.0, -1, 0, None, None)],
)
def test_half_an_estimate_is_none(broken):
    with pytest.raises(ValueError, match=r"interval|count"):
        Estimate(*broken)
