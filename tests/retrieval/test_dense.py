"""Exact dense search: order, ties, and vectors that cannot be used."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from offbook.errors import EmbedderMismatch, StoreFailed
from offbook.retrieval.dense import DenseIndex, top_positions

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


def test_stored_vectors_come_back_as_they_were():
    matrix = unit_rows(5, 16)
    blobs = [row.astype("<f4").tobytes() for row in matrix]
    index = DenseIndex.from_blobs(list("abcde"), blobs, 16)
    assert np.array_equal(index.matrix, matrix)
    assert index.dimension == 16


def test_an_index_without_chunks_answers_with_nothing():
    index = DenseIndex.from_blobs([], [], 16)
    assert index.scores(unit_rows(1, 16)[0]).shape == (0,)


def test_a_vector_of_another_dimension_is_refused_with_the_command_that_mends_it():
    index = DenseIndex(["a"], unit_rows(1, 16))
    with pytest.raises(EmbedderMismatch, match="16") as caught:
        index.scores(unit_rows(1, 8)[0])
    assert "reembed" in caught.value.hint


@pytest.mark.parametrize("blobs", [[b"\0" * 63, b"\0" * 64], [b"\0" * 64], []])
def test_vectors_that_were_cut_off_or_lost_are_refused(blobs):
    with pytest.raises(StoreFailed):
        DenseIndex.from_blobs(["a", "b"], blobs, 16)


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
