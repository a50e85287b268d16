"""The nearest earlier entities, exactly: compared with looking at every pair."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from offbook.graph.candidates import nearest_earlier


def by_hand(vectors, k, threshold, blocks, types):
    """Each row looks at all rows before it."""
    found = []
    for row in range(len(vectors)):
        best: dict[int, tuple[float, int]] = {}
        for earlier in range(row):
            if types is not None and types[earlier] != types[row]:
                continue
            cosine = float(vectors[row] @ vectors[earlier])
            block = blocks[earlier]
            if block != blocks[row] and cosine >= threshold:
                best[block] = max(best.get(block, (-2.0, 0)), (cosine, -earlier))
        ranked = sorted(((-cosine, -minus) for cosine, minus in best.values()))[:k]
        found.append([(earlier, -negative) for negative, earlier in ranked])
    return found


def unit_rows(rows):
    matrix = np.asarray(rows, dtype=np.float32).reshape(len(rows), -1)
    norms = np.linalg.norm(matrix, axis=1, keepdims=True)
    return np.divide(matrix, norms, out=np.zeros_like(matrix), where=norms > 0)


# Few values: many products are equal, and ties are what goes wrong. Whole numbers: products are
# exact, in whatever order they are added up.
rows = st.lists(st.lists(st.integers(-1, 1), min_size=3, max_size=3), max_size=40)


@given(rows, st.integers(0, 4), st.sampled_from([-1.5, 0.5, 1.5, 2.5]), st.data())
def test_they_are_those_of_looking_at_every_pair(given_rows, k, threshold, data):
    vectors = np.asarray(given_rows, np.float32).reshape(len(given_rows), 3)
    count = len(vectors)
    blocks = data.draw(st.lists(st.integers(0, 6), min_size=count, max_size=count))
    types = data.draw(
        st.none() | st.lists(st.sampled_from(["a", "b"]), min_size=count, max_size=count)
    )
    found = nearest_earlier(vectors, k=k, threshold=threshold, blocks=blocks, types=types)
    assert found == by_hand(vectors, k, threshold, blocks, types)


@pytest.mark.parametrize("seed", range(3))
def test_also_over_several_pieces_and_many_candidates(seed):
    draw = np.random.default_rng(seed)
    vectors = unit_rows(draw.standard_normal((700, 8)))
    blocks = draw.integers(0, 90, 700).tolist()
    types = draw.choice(["a", "b", "c"], 700).tolist()
    found = nearest_earlier(vectors, k=3, threshold=0.1, blocks=blocks, types=types)
    assert [[e for e, _ in row] for row in found] == [
        [e for e, _ in row] for row in by_hand(vectors, 3, 0.1, blocks, types)
    ]


def test_an_entity_sees_only_what_stands_before_it():
    vectors = unit_rows([[1, 0], [1, 0], [1, 0.1]])
    found = nearest_earlier(vectors, k=3, threshold=0.5, blocks=[0, 1, 2])
    assert [[e for e, _ in row] for row in found] == [[], [0], [0, 1]]
