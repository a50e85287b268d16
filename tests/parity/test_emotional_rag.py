"""Emotional RAG (004): the strategies on a fixture of four memories."""

from __future__ import annotations

import numpy as np
import pytest

from offbook.retrieval.emotional import rank, recall

C = np.array([0.1, 0.2, 0.3, 0.4])
E = np.array([0.4, 0.0, 0.3, 0.1])
GOLDEN = [
    ("ordinary", 2, [0, 1]),
    ("C-A", 2, [1, 0]),
    ("C-M", 2, [1, 0]),
    ("S-S", 2, [1, 2]),
    ("S-E", 2, [1, 2]),
    ("S-S", 3, [1, 2, 0]),
    ("S-E", 3, [1, 2, 3]),
]


@pytest.mark.parametrize(("strategy", "k", "order"), GOLDEN)
def test_the_strategies_as_the_paper_names_them(strategy, k, order):
    assert [one.index for one in rank(C, E, strategy, k, 3)] == order


@pytest.mark.parametrize(("strategy", "k", "order"), GOLDEN)
def test_the_same_from_vectors_that_have_these_distances(strategy, k, order):
    question = np.eye(8)[0]
    felt = [np.eye(8)[0] * (1 - e) + np.eye(8)[1] * np.sqrt(1 - (1 - e) ** 2) for e in E]
    matrix = C.astype(np.float32)[:, None]
    got = recall(matrix, np.array(felt), np.zeros(1, np.float32), question, strategy, k=k, pool=3)
    assert [one.index for one in got] == order
    assert [one.c for one in got] == pytest.approx(C[order])
    assert [one.e for one in got] == pytest.approx(E[order], abs=1e-6)


def test_the_pool_is_twice_what_is_asked_for():
    matrix = np.arange(5, dtype=np.float32)[:, None]
    felt = np.ones((5, 8))
    felt[:4, 0] = [9, 7, 5, 3]
    got = recall(matrix, felt, np.zeros(1, np.float32), np.ones(8), "S-S", k=2)
    assert [one.index for one in got] == [3, 2]
