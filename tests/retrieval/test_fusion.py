"""Fusion of rankings and of scores."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from offbook.retrieval.fusion import above_chance, convex_combination, reciprocal_rank_fusion

UNIT = arrays(np.float32, 9, elements=st.floats(0, 1, width=32))


def positions(*ranking: int) -> NDArray[np.intp]:
    return np.array(ranking, dtype=np.intp)


def test_rank_fusion_follows_the_paper():
    scores = reciprocal_rank_fusion([positions(2, 0), positions(0)], [1, 1], size=3)
    highest = 2 / 61
    assert scores == pytest.approx([(1 / 62 + 1 / 61) / highest, 0, (1 / 61) / highest])


def test_first_everywhere_scores_one_and_nowhere_zero():
    scores = reciprocal_rank_fusion([positions(1, 0), positions(1)], [1, 0.3], size=3)
    assert scores[1] == pytest.approx(1)
    assert scores[2] == 0


def test_a_weight_of_zero_leaves_the_other_ranking():
    scores = reciprocal_rank_fusion([positions(2, 1, 0), positions(0, 1, 2)], [1, 0], size=3)
    assert np.argsort(-scores).tolist() == [2, 1, 0]


def test_nothing_to_fuse_scores_zero():
    assert reciprocal_rank_fusion([], [], size=2).tolist() == [0, 0]


def test_each_ranking_needs_its_weight():
    with pytest.raises(ValueError, match="zip"):
        reciprocal_rank_fusion([positions(0)], [1, 1], size=1)


@given(UNIT)
def test_similarity_above_chance_keeps_the_order_and_has_mean_zero(similarities):
    counted = above_chance(similarities)
    order = np.argsort(similarities, kind="stable")
    assert (np.diff(counted[order]) >= 0).all()
    if similarities.mean(dtype=np.float64) < 0.99:
        assert counted.mean() == pytest.approx(0, abs=1e-4)


def test_an_embedder_with_high_cosines_for_all_ranks_like_one_with_low_ones():
    low = np.array([0.0, 0.1, 0.5], dtype=np.float32)
    high = 0.7 + 0.3 * low
    assert above_chance(high) == pytest.approx(above_chance(low), abs=1e-6)


def test_equal_chunks_are_not_above_chance():
    assert above_chance(np.ones(3, dtype=np.float32)).tolist() == [0, 0, 0]
    assert above_chance(np.empty(0, dtype=np.float32)).shape == (0,)


@given(UNIT, st.floats(0, 4))
def test_convex_combination_of_equal_similarities_is_the_match(matches, weight):
    combined = convex_combination(matches, np.full(9, 0.5, dtype=np.float32), weight)
    assert combined == pytest.approx(matches / (1 + weight), abs=1e-5)


def test_convex_combination_lets_similarity_decide_between_equal_matches():
    matches = np.array([0.4, 0.4, 0.0], dtype=np.float32)
    similarities = np.array([0.1, 0.6, 0.2], dtype=np.float32)
    assert int(convex_combination(matches, similarities, 0.5).argmax()) == 1
