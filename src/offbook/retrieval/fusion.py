"""Reciprocal rank fusion: one ranking out of several, by ranks alone.

Takes: rankings (positions, best first) and a weight for each.  Gives: one score a position, higher
is better.  Paper: Cormack, Clarke, Buettcher 2009 (SIGIR), equation 1, k = 60; weights are ours.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

K: Final = 60
"""How little the first ranks differ; the value of the paper."""


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
    scores: NDArray[np.float32] = (fused / highest if highest else fused).astype(np.float32)
    return scores
