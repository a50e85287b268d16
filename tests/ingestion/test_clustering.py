"""Clusters: a partition by likeness that depends on the nodes alone, and that edits leave alone."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from offbook.ingestion.clustering import Limits, clusters

LIMITS = Limits(size=3, tokens=1_000)


def unit(rows: int, seed: int, dimension: int = 16, topics: int = 6):
    """Vectors that lie around a few topics."""
    chance = np.random.default_rng(seed)
    centres = chance.standard_normal((topics, dimension))
    found = centres[chance.integers(topics, size=rows)]
    found = found + 0.5 * chance.standard_normal((rows, dimension))
    return (found / np.linalg.norm(found, axis=1, keepdims=True)).astype(np.float32)


def named(count: int) -> list[str]:
    return [f"chunk {n}" for n in range(count)]


def sets(names, matrix, tokens=None, limits=LIMITS, salt=0):
    found = clusters(names, matrix, tokens or [1] * len(names), limits, salt)
    return {frozenset(names[row] for row in cell) for cell in found}


@given(st.integers(1, 60), st.integers(0, 5), st.integers(2, 8))
def test_every_node_is_in_one_cluster_and_none_is_too_large(count, seed, size):
    limits = Limits(size, 50)
    tokens = [1 + (n * 7 + seed) % 30 for n in range(count)]
    found = clusters(named(count), unit(count, seed), tokens, limits)
    assert sorted(row for cell in found for row in cell) == list(range(count))
    for cell in found:
        assert cell == sorted(cell)
        assert len(cell) <= 2 * size
        assert len(cell) == 1 or sum(tokens[row] for row in cell) <= 50
    assert [cell[0] for cell in found] == sorted(cell[0] for cell in found)


@given(st.integers(2, 50), st.integers(0, 5), st.randoms())
def test_the_order_in_which_nodes_come_makes_no_difference(count, seed, chance):
    names, matrix = named(count), unit(count, seed)
    turned = list(range(count))
    chance.shuffle(turned)
    assert sets([names[n] for n in turned], matrix[turned]) == sets(names, matrix)


@pytest.mark.parametrize("count", [40, 200])
def test_a_node_more_concerns_few_clusters(count):
    names, matrix = named(count + 1), unit(count + 1, seed=count)
    whole = sets(names, matrix)
    touched = []
    for gone in range(30):
        kept = [n for n in range(count + 1) if n != gone]
        touched.append(len(whole - sets([names[n] for n in kept], matrix[kept])))
    assert np.mean(touched) < 3
    assert np.mean(touched) < len(whole) / 4


def test_what_is_alike_comes_together():
    names, matrix = named(200), unit(200, seed=3)
    cells = [[names.index(name) for name in cell] for cell in sets(names, matrix) if len(cell) > 1]
    within = [(matrix[c] @ matrix[c].T)[np.triu_indices(len(c), 1)].mean() for c in cells]
    assert np.mean(within) > 0.5 > 0.2 > (matrix @ matrix.T).mean()


def test_a_few_nodes_are_one_cluster():
    assert sets(named(6), unit(6, seed=1)) == {frozenset(named(6))}


def test_nodes_without_meaning_are_alone():
    matrix = unit(5, seed=1)
    matrix[[1, 3]] = 0
    assert sets(named(5), matrix) == {
        frozenset({"chunk 0", "chunk 2", "chunk 4"}),
        frozenset({"chunk 1"}),
        frozenset({"chunk 3"}),
    }
    assert clusters(named(2), np.zeros((2, 4), np.float32), [1, 1], LIMITS) == [[0], [1]]


def test_equal_vectors_are_divided_all_the_same():
    matrix = np.repeat(unit(1, seed=1), 40, axis=0)
    found = sets(named(40), matrix)
    assert max(map(len, found)) <= 6
    assert sum(map(len, found)) == 40


def test_a_large_node_is_alone():
    found = clusters(named(3), unit(3, seed=2), [10, 5_000, 10], LIMITS)
    assert [1] in found


def test_another_salt_gives_other_clusters():
    names, matrix = named(60), unit(60, seed=4)
    assert sets(names, matrix) != sets(names, matrix, salt=1)
