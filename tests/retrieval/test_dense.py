"""Dense retrieval is exact, fusion is a convex combination, and texts say which terms they hold."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from offbook.errors import EmbedderMismatch, StoreFailed
from offbook.retrieval.search import (
    DenseIndex,
    LexicalIndex,
    above_chance,
    convex_combination,
    encode_terms,
    top_positions,
)
from offbook.text.words import search_terms

SCORES = arrays(
    np.float32,
    st.integers(0, 60),
    elements=st.sampled_from([-1.0, -0.5, 0.0, 0.25, 0.5, 1.0]),
)


def unit_rows(rows: int, dimension: int) -> NDArray[np.float32]:
    drawn = np.random.default_rng(7).normal(size=(rows, dimension))
    unit: NDArray[np.float64] = drawn / np.linalg.norm(drawn, axis=1, keepdims=True)
    return unit.astype(np.float32)


@given(SCORES, st.integers(-1, 70))
def test_top_positions_equals_a_full_stable_sort(scores, k):
    expected = sorted(range(len(scores)), key=lambda position: (-scores[position], position))
    assert top_positions(scores, k).tolist() == expected[: max(k, 0)]


def test_scores_are_cosines_in_order_of_the_rows():
    matrix = unit_rows(20, 8)
    index = DenseIndex([str(i) for i in range(20)], matrix)
    scores = index.scores(matrix[3])
    assert scores[3] == pytest.approx(1, abs=1e-6)
    assert top_positions(scores, 1).tolist() == [3]


def test_an_index_without_chunks_answers_with_nothing():
    index = DenseIndex([], np.empty((0, 16), np.float32))
    assert index.scores(unit_rows(1, 16)[0]).shape == (0,)


def test_a_vector_of_another_dimension_is_refused_with_the_command_that_mends_it():
    index = DenseIndex(["a"], unit_rows(1, 16))
    with pytest.raises(EmbedderMismatch, match="16") as caught:
        index.scores(unit_rows(1, 8)[0])
    assert "reembed" in caught.value.hint


def test_rows_and_ids_must_agree():
    with pytest.raises(StoreFailed, match="2 chunks"):
        DenseIndex(["a", "b"], unit_rows(3, 4))


@pytest.mark.parametrize("broken", [np.nan, np.inf])
def test_a_vector_with_no_number_in_it_is_named_and_not_ranked(broken):
    matrix = unit_rows(3, 4)
    matrix[1, 2] = broken
    index = DenseIndex(["first", "second", "third"], matrix)
    with pytest.raises(StoreFailed, match="second"):
        index.scores(np.full(4, 0.5, dtype=np.float32))


UNIT = arrays(np.float32, 9, elements=st.floats(0, 1, width=32))


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


TEXTS = {
    "a": "Prince Albert came. Apples fell.",
    "b": "A physicist, Einstein, and Albert.",
    "c": "",
}
TERMS = LexicalIndex.from_blobs(list(TEXTS), [encode_terms(text) for text in TEXTS.values()])


def test_terms_are_held_in_any_form():
    assert all(map(TERMS.holds, search_terms("apple apples albert EINSTEIN")))
    assert not TERMS.holds("lamp")


def test_chunks_that_hold_all_terms_at_once():
    assert TERMS.chunks_with(search_terms("Albert"), 5) == ["a", "b"]
    assert TERMS.chunks_with(search_terms("Albert"), 1) == ["a"]
    assert TERMS.chunks_with(search_terms("Albert Einstein"), 5) == ["b"]
    assert TERMS.chunks_with(search_terms("Albert Camus"), 5) == []
    assert TERMS.chunks_with([], 5) == []


def test_no_chunks_hold_nothing():
    empty = LexicalIndex.from_blobs([], [])
    assert not empty.holds("word")
    assert empty.chunks_with(["word"], 1) == []
