"""What people thought of samples, and how much they agreed: the human-study table.

Takes: ratings by sample and rater, None where one is missing.  Gives: mean, standard deviation and
median as the paper averages them, and Cronbach's alpha.
Paper: AMADEUS (003), section 5.3 and table 2: mu = E(E(S)), sigma = E(sigma(S)), Mdn = E(Mdn(S)),
over raters within a sample, then over samples. The paper does not say which deviation: ours is the
population's. Alpha has the raters as items (Cronbach 1951).
"""

from __future__ import annotations

import statistics as plain
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from offbook.evaluation.metrics.statistics import Estimate, estimate, resampled

if TYPE_CHECKING:
    from offbook.evaluation.metrics.statistics import Floats

Ratings = Sequence[Sequence[float | None]]
"""Shape (samples, raters); None is a missing rating."""


@dataclass(frozen=True, slots=True)
class HumanStudy:
    """The four columns of table 2; n counts samples, and so does missing."""

    mean: Estimate
    deviation: Estimate
    median: Estimate
    alpha: Estimate


def human_study(ratings: Ratings) -> HumanStudy:
    """Table 2 of the paper.

    Args:
        ratings: Shape (samples, raters). A sample counts with the raters it has; one with fewer
            than two has no deviation.

    Raises:
        ValueError: the samples have not all as many raters.
    """
    _check_shape(ratings)
    present = [[value for value in sample if value is not None] for sample in ratings]
    return HumanStudy(
        mean=estimate([plain.fmean(each) if each else None for each in present]),
        deviation=estimate([plain.pstdev(each) if len(each) > 1 else None for each in present]),
        median=estimate([float(plain.median(each)) if each else None for each in present]),
        alpha=cronbach_alpha(ratings),
    )


def cronbach_alpha(ratings: Ratings) -> Estimate:
    """Cronbach's alpha: k / (k - 1) * (1 - sum of raters' variances / variance of their sum).

    Args:
        ratings: Shape (samples, raters), k raters. Samples that lack a rating are left out and
            counted as missing.

    Undefined with fewer than two raters or two whole samples, and where the sum does not vary.

    Raises:
        ValueError: the samples have not all as many raters.
    """
    import numpy as np

    _check_shape(ratings)
    whole = [[value for value in sample if value is not None] for sample in ratings]
    whole = [each for each, sample in zip(whole, ratings, strict=True) if len(each) == len(sample)]
    missing = len(ratings) - len(whole)
    if len(whole) < 2 or len(whole[0]) < 2:
        return Estimate(None, len(whole), missing)
    table = np.array(whole, dtype=np.float64)
    table -= table.mean(axis=0)  # keeps the difference of two sums of squares exact enough
    raters = table.shape[1]

    def statistic(weights: Floats) -> Floats:
        own = _variances(weights, table).sum(axis=1)
        total = _variances(weights, table.sum(axis=1, keepdims=True))[:, 0]
        found = np.full(len(weights), np.nan)
        varies = total > 1e-12
        found[varies] = raters / (raters - 1) * (1 - own[varies] / total[varies])
        return found

    return resampled(statistic, len(whole), n=len(whole), missing=missing)


def _variances(weights: Floats, columns: Floats) -> Floats:
    """Population variance of each column; shape (resamples, columns)."""
    n = weights.sum(axis=1, keepdims=True)
    variances: Floats = (weights @ columns**2) / n - ((weights @ columns) / n) ** 2
    return variances


def _check_shape(ratings: Ratings) -> None:
    raters = {len(sample) for sample in ratings}
    if len(raters) > 1:
        raise ValueError(f"samples with {sorted(raters)} raters; a missing rating is None")
