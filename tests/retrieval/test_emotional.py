"""Emotional recall is what the naive formula in double precision gives, at any size."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from offbook.errors import EmbedderMismatch, StoreFailed, UnknownName
from offbook.retrieval.emotional import STRATEGIES, rank, recall
from tests.sizes import examples

DISTANCES = ("euclidean", "cosine")


def naive_c(matrix, vector, distance):
    wide, asked = matrix.astype(np.float64), vector.astype(np.float64)
    if distance == "euclidean":
        return np.array([np.sqrt(((row - asked) ** 2).sum()) for row in wide])
    return np.array([1 - cosine(row, asked) for row in wide])


def cosine(a, b):
    lengths = np.linalg.norm(a) * np.linalg.norm(b)
    return a @ b / lengths if lengths else 0.0


def naive_e(emotions, emotion, neutral):
    asked = np.asarray(emotion, dtype=np.float64) - neutral
    found = []
    for row in emotions:
        felt = row.astype(np.float64) - neutral
        if not row.any():
            found.append(np.nan)
        elif not felt.any() and not asked.any():
            found.append(0.0)
        else:
            found.append(1 - cosine(felt, asked))
    return np.round(found, 12)  # what lies behind is rounding


def naive(matrix, emotions, vector, emotion, strategy, k, pool, distance, neutral):
    """Positions and the distances that each step ranked by, by sorting everything."""
    c = naive_c(matrix, vector, distance)
    ages = range(len(c))
    if emotion is None or not emotions.any():
        order = sorted(ages, key=lambda i: c[i])[:k]
        return order, c, np.full(len(c), np.nan)
    e = naive_e(emotions, emotion, neutral)

    def median_of(group):
        known = [e[i] for i in group if not np.isnan(e[i])]
        return np.median(known) if known else 1.0

    if strategy == "S-S":
        near = sorted(ages, key=lambda i: c[i])[:pool]
        e = np.where(np.isnan(e), median_of(near), e)
        return sorted(near, key=lambda i: e[i])[:k], c, e
    e = np.where(np.isnan(e), median_of(ages), e)
    if strategy == "S-E":
        alike = sorted(ages, key=lambda i: e[i])[:pool]
        return sorted(alike, key=lambda i: c[i])[:k], c, e
    score = {"ordinary": c, "C-A": c + e, "C-M": c * e}[strategy]
    return sorted(ages, key=lambda i: score[i])[:k], c, e


def assert_same(got, wanted, c, e, strategy):
    """Rank by rank the same memory, or one whose score differs by less than 1e-6."""
    assert len(got) == len(wanted)
    assert len({one.index for one in got}) == len(got)
    score = {"ordinary": c, "C-A": c + e, "C-M": c * e, "S-S": e, "S-E": c}[strategy]
    for one, index in zip(got, wanted, strict=True):
        assert one.c == pytest.approx(c[one.index], abs=1e-9)
        if one.index != index:
            assert score[one.index] == pytest.approx(score[index], abs=1e-6)


@st.composite
def memories(draw):
    """Few distinct vectors and emotions, so that ties and unknown emotions are frequent."""
    seed = draw(st.integers(0, 2**32 - 1))
    generator = np.random.default_rng(seed)
    n = draw(st.integers(0, 60))
    dimension = draw(st.sampled_from([1, 2, 5, 33]))
    kinds = draw(st.integers(1, 12))
    vectors = generator.standard_normal((kinds, dimension)).astype(np.float32)
    if draw(st.booleans()):
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    if draw(st.booleans()):
        vectors[0] = 0
    felt = generator.integers(1, draw(st.sampled_from([2, 3, 11])), (kinds, 8)).astype(np.uint8)
    if draw(st.booleans()):
        felt[generator.random(kinds) < 0.4] = 0
    rows, emotions = generator.integers(0, kinds, (2, n))
    asked = vectors[0] if draw(st.booleans()) else generator.standard_normal(dimension)
    return vectors[rows], felt[emotions], asked.astype(np.float32), generator


@given(
    memories(),
    st.sampled_from(sorted(STRATEGIES)),
    st.integers(1, 70),
    st.integers(1, 140),
    st.sampled_from(DISTANCES),
    st.booleans(),
    st.sampled_from(["known", "neutral", "unknown"]),
)
@settings(max_examples=examples(300))
def test_equals_the_naive_formula(given, strategy, k, pool, distance, centred, asked):
    matrix, emotions, vector, generator = given
    emotion = {
        "known": generator.integers(1, 11, 8),
        "neutral": np.ones(8),
        "unknown": None,
    }[asked]
    got = recall(
        matrix,
        emotions,
        vector,
        emotion,
        strategy,
        k=k,
        pool=pool,
        distance=distance,
        centred=centred,
    )
    wanted, c, e = naive(
        matrix, emotions, vector, emotion, strategy, k, pool, distance, 1.0 if centred else 0.0
    )
    if emotion is None or not emotions.any():
        strategy = "ordinary"
    elif strategy in ("S-S", "S-E"):
        first = c if strategy == "S-S" else e
        cut = np.sort(first)[pool - 1 : pool + 1]
        if len(cut) == 2 and 0 < cut[1] - cut[0] < 1e-6:
            return  # which of the two belongs to the pool is below what is promised
    assert_same(got, wanted, c, e, strategy)


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("distance", DISTANCES)
def test_many_memories_are_ranked_as_in_double_precision(strategy, distance):
    generator = np.random.default_rng(7)
    matrix = generator.standard_normal((20_000, 96), dtype=np.float32)
    matrix /= np.linalg.norm(matrix, axis=1, keepdims=True)
    emotions = generator.integers(1, 11, (20_000, 8)).astype(np.uint8)
    emotions[generator.random(20_000) < 0.1] = 0
    emotion = generator.integers(1, 11, 8)
    vector = matrix[123] + np.float32(1e-4)  # where single precision knows least
    got = recall(matrix, emotions, vector, emotion, strategy, distance=distance)
    wanted, c, e = naive(matrix, emotions, vector, emotion, strategy, 10, 20, distance, 0.0)
    assert_same(got, wanted, c, e, strategy)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_equal_memories_come_back_oldest_first(strategy):
    matrix = np.ones((5_000, 8), dtype=np.float32)
    emotions = np.full((5_000, 8), 3, dtype=np.uint8)
    got = recall(matrix, emotions, matrix[0] * 2, np.arange(1, 9), strategy)
    assert [one.index for one in got] == list(range(10))


def test_a_memory_without_emotion_counts_as_the_median():
    matrix = np.zeros((4, 2), np.float32)
    emotions = np.array([[9, 1, 1, 1, 1, 1, 1, 1], [0] * 8, [1] * 8, [1, 9, 1, 1, 1, 1, 1, 1]])
    recalled = recall(matrix, emotions, np.zeros(2, np.float32), emotions[0], "C-A")
    e = {one.index: one.e for one in recalled}
    assert e[1] == pytest.approx(np.median([e[0], e[2], e[3]]))


def test_without_the_emotion_of_the_question_meaning_decides():
    matrix = np.array([[3.0], [1.0], [2.0]], np.float32)
    for strategy in STRATEGIES:
        recalled = recall(matrix, np.ones((3, 8)), np.zeros(1, np.float32), None, strategy)
        assert [(one.index, one.e, one.score) for one in recalled] == [
            (1, None, 1.0),
            (2, None, 2.0),
            (0, None, 3.0),
        ]


def test_counted_from_neutral_a_trace_and_a_flood_of_everything_differ_from_nothing():
    emotions = np.array([[1] * 8, [10] * 8])
    question = np.zeros((2, 2), np.float32), emotions, np.zeros(2, np.float32), np.full(8, 9)
    assert [one.e for one in recall(*question, "C-A")] == [0.0, 0.0]
    centred = recall(*question, "C-A", centred=True)
    assert [(one.index, one.e) for one in centred] == [(1, 0.0), (0, 1.0)]


@pytest.mark.parametrize(
    ("strategy", "c", "e", "k", "order"),
    [
        ("C-M", [0.1, 9.0], [0.01, 0.0], 1, [1]),  # felt exactly alike comes first, however far
        ("S-S", [0.3, 0.1, 0.2], [0.5, 0.5, 0.5], 3, [1, 2, 0]),  # equal ones stay by meaning
        ("S-S", [0.3, 0.1, 0.2], [0.5, np.nan, np.nan], 3, [1, 2, 0]),  # known outside the pool
        ("S-E", [0.3, 0.1, 0.2], [np.nan] * 3, 2, [1, 2]),  # nothing is known
    ],
)
def test_the_strategies_break_ties_by_meaning(strategy, c, e, k, order):
    pool = 2 if np.isnan(e).any() else 3
    ranked = rank(np.array(c), np.array(e), strategy, k, pool)
    assert [one.index for one in ranked] == order[:pool]


def test_what_does_not_fit_is_refused():
    matrix, question = np.ones((2, 3), np.float32), np.ones(3, np.float32)
    with pytest.raises(StoreFailed, match="shape"):
        recall(matrix, np.ones((2, 7)), question, None, "C-A")
    emotions = np.ones((2, 8))
    with pytest.raises(EmbedderMismatch, match="shape"):
        recall(matrix, emotions, np.ones(4, np.float32), None, "C-A")
    with pytest.raises(UnknownName, match="C-X"):
        recall(matrix, emotions, question, None, "C-X")
    with pytest.raises(StoreFailed, match="eight"):
        recall(matrix, emotions, question, np.ones(7), "C-A")
    matrix[1, 1] = np.nan
    with pytest.raises(StoreFailed, match="memory 1"):
        recall(matrix, emotions, question, None, "C-A")
