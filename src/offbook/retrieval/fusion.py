"""Fusion: one ranking out of a lexical and a dense one.

Takes: scores of both, or their rankings.  Gives: one score a chunk, higher is better.
Paper: convex combination as in Bruch, Gai, Ingber 2023 (ACM TOIS 42/1, An Analysis of Fusion
Functions for Hybrid Retrieval), ours: similarity is counted from what chance gives; reciprocal
rank fusion as in Cormack, Clarke, Buettcher 2009 (SIGIR), equation 1, weights ours.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

K: Final = 60
"""The constant of reciprocal rank fusion: how little the first ranks differ."""


def above_chance(similarities: NDArray[np.float32]) -> NDArray[np.float32]:
    """Similarity counted from the mean over all chunks: 0 is what any text has, 1 is equal.

    Embedders differ in what unrelated texts score: 0 for one, 0.7 for another. Without this, the
    second kind would add a constant to every chunk, and next to nothing to their order.
    """
    if not len(similarities):
        return similarities
    chance = float(similarities.mean(dtype=np.float64))
    if chance >= 1:
        return np.zeros_like(similarities)
    return ((similarities - chance) / (1 - chance)).astype(np.float32)


def convex_combination(
    matches: NDArray[np.float32], similarities: NDArray[np.float32], dense_weight: float
) -> NDArray[np.float32]:
    """``(match + weight * similarity above chance) / (1 + weight)``: 1 is the best possible.

    Args:
        matches: BM25 divided by the highest possible, 0 to 1.
        similarities: Cosines, in the same order.
        dense_weight: What a similarity counts for against a match, not negative.
    """
    combined = matches + np.float32(dense_weight) * above_chance(similarities)
    return (combined / np.float32(1 + dense_weight)).astype(np.float32)


def reciprocal_rank_fusion(
    rankings: Sequence[NDArray[np.intp]],
    weights: Sequence[float],
    size: int,
    k: int = K,
) -> NDArray[np.float32]:
    """``sum of weight / (k + rank)`` over the rankings that hold a position, ranks from 1.

    Args:
        rankings: Positions, best first, each at most once in a ranking. What a ranking does not
            hold gets nothing from it.
        weights: One a ranking, not negative.
        size: How many positions there are.
        k: The constant of the paper.

    Returns:
        Scores, shape ``(size,)``, divided by the highest possible one: 1 is first in every ranking.
    """
    fused = np.zeros(size, dtype=np.float64)
    for ranking, weight in zip(rankings, weights, strict=True):
        fused[ranking] += weight / (k + 1 + np.arange(len(ranking)))
    highest = sum(weights) / (k + 1)
    return (fused / highest if highest else fused).astype(np.float32)
