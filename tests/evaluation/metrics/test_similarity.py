"""The similarity table."""

from __future__ import annotations

import numpy as np
import pytest

from offbook.evaluation.metrics.similarity import similarity_table, top_cosines
from tests.evaluation.metrics.whole import ends, is_inside


def test_the_three_nearest_chunks_of_each_question():
    questions = np.array([[1.0, 0.0], [0.0, 5.0]])
    chunks = np.array([[2.0, 0.0], [0.0, 1.0], [1.0, 1.0], [-1.0, 0.0]])
    half = np.sqrt(0.5)
    assert top_cosines(questions, chunks) == pytest.approx(np.array([[1, half, 0], [1, half, 0]]))
    assert top_cosines(questions, chunks[:2]).shape == (2, 2)
    assert top_cosines(questions, chunks, top=1).tolist() == [[1.0], [1.0]]


def test_a_vector_without_direction_is_said():
    with pytest.raises(ValueError, match="vector 1 is zero"):
        top_cosines(np.ones((1, 2)), np.array([[1.0, 0.0], [0.0, 0.0]]))


def test_means_and_population_variances_are_summed_over_characters():
    generator = np.random.default_rng(4)
    cosines = {name: generator.normal(0.5, 0.1, (30, 3)) for name in "abc"}
    found = similarity_table({name: each.tolist() for name, each in cosines.items()}, draws=200)
    assert found.characters["a"].mean == pytest.approx(cosines["a"].mean())
    assert found.characters["a"].variance == pytest.approx(cosines["a"].var())
    assert found.sum_of_means.mean == pytest.approx(sum(c.mean() for c in cosines.values()))
    assert found.sum_of_variances.mean == pytest.approx(sum(c.var() for c in cosines.values()))
    assert found.sum_of_means.n == 270
    for each in (found.sum_of_means, found.sum_of_variances):
        assert is_inside(each)
    spread = np.sqrt(sum(c.mean(axis=1).var() / 30 for c in cosines.values()))
    low, high = ends(found.sum_of_means)
    assert high - low == pytest.approx(2 * 1.96 * spread, rel=0.25)


def test_small_variances_are_not_lost_beside_large_means():
    cosines = [[0.9 + place * 1e-7] for place in range(3)]
    found = similarity_table({"a": cosines})
    expected = np.var([each[0] for each in cosines])
    assert found.sum_of_variances.mean == pytest.approx(expected, rel=1e-6)
    assert ends(found.sum_of_variances)[0] >= 0


def test_questions_with_fewer_chunks_count_with_those():
    found = similarity_table({"a": [[0.2, 0.4], [0.6], []]})
    assert found.characters["a"].mean == pytest.approx(0.4)
    assert (found.sum_of_means.n, found.sum_of_means.missing) == (3, 1)
    assert found.characters["a"].questions == 3


def test_one_question_has_no_interval():
    found = similarity_table({"a": [[0.2, 0.4, 0.6]], "b": [[0.1], [0.2]]})
    assert found.sum_of_means.mean == pytest.approx(0.55)
    assert found.sum_of_means.interval is None


def test_a_sum_over_characters_needs_each_of_them():
    found = similarity_table({"a": [[0.2], [0.4]], "b": [[]]})
    assert found.characters["b"].mean is None
    assert found.sum_of_means.mean is None
    assert (found.sum_of_means.n, found.sum_of_means.missing) == (2, 1)
    assert similarity_table({}).sum_of_variances.mean is None


def test_the_order_of_characters_changes_nothing():
    one = {"a": [[0.2], [0.4]], "b": [[0.5], [0.9]]}
    assert similarity_table(one) == similarity_table(dict(reversed(one.items())))
