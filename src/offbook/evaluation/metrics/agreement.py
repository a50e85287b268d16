"""How far raters agree beyond chance: a judge with people, or people with one another.

Cohen's kappa (1960, 1968), Krippendorff's alpha (2011, "Computing Krippendorff's
Alpha-Reliability"), Cronbach's alpha (1951, raters as items); each is undefined where chance alone
leaves nothing to disagree on.
Paper: AMADEUS (003), section 5.3 and table 2: mu = E(E(S)), sigma = E(sigma(S)), Mdn = E(Mdn(S)),
over raters within a sample, then over samples. Which deviation it is the paper does not say: ours
is the population's.
"""

from __future__ import annotations

import statistics as plain
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from offbook.evaluation.metrics.statistics import Estimate, estimate, resampled

if TYPE_CHECKING:
    from offbook.evaluation.metrics.statistics import Floats, Integers


Weighting = Literal["plain", "quadratic"]
"""Whether any difference is as bad as any other, or grows with its square."""

Level = Literal["nominal", "ordinal", "interval"]
"""What may be said of two ratings: that they differ, which is more, by how much."""

Metric = Callable[["Floats", "Floats"], "Floats"]
"""Disagreement of each value with each, from the values and how often each was given."""

_UNITS_AND_RATERS: Final = 2


def cohen_kappa(
    first: Sequence[float | None],
    second: Sequence[float | None],
    weighting: Weighting = "plain",
) -> Estimate:
    """Cohen's kappa of two raters: 1 - observed / expected disagreement.

    A unit that one of them did not rate is left out and counted as missing.

    Raises:
        ValueError: there are not as many ratings of one as of the other.
    """
    import numpy as np

    pairs = [(a, b) for a, b in zip(first, second, strict=True) if a is not None and b is not None]
    missing = len(first) - len(pairs)
    if not pairs:
        return Estimate(None, 0, missing)
    table = np.array(sorted(pairs), dtype=np.float64)
    values, codes = np.unique(table, return_inverse=True)
    codes = codes.reshape(table.shape)
    distances = _distances(values, weighting == "plain")
    observed = distances[codes[:, 0], codes[:, 1]]
    chosen = [np.eye(len(values))[codes[:, rater]] for rater in range(_UNITS_AND_RATERS)]

    def statistic(weights: Floats) -> Floats:
        n = weights.sum(axis=1)
        margins = [(weights @ each) / n[:, None] for each in chosen]
        expected = ((margins[0] @ distances) * margins[1]).sum(axis=1)
        kappas: Floats = 1 - _divided((weights @ observed) / n, expected)
        return kappas

    return resampled(statistic, len(pairs), n=len(pairs), missing=missing)


def krippendorff_alpha(
    ratings: Sequence[Sequence[float | None]],
    level: Level = "ordinal",
) -> Estimate:
    """Krippendorff's alpha of any number of raters: 1 - observed / expected disagreement.

    ``ratings``: shape (units, raters); None is missing. The order of raters does not matter.

    A unit with fewer than two ratings cannot be paired: it is left out and counted as missing.
    """
    import numpy as np

    present = [sorted(value for value in unit if value is not None) for unit in ratings]
    pairable = sorted(unit for unit in present if len(unit) >= _UNITS_AND_RATERS)
    missing = len(ratings) - len(pairable)
    if not pairable:
        return Estimate(None, 0, missing)
    values, codes = np.unique(np.concatenate(pairable), return_inverse=True)
    owners = np.repeat(np.arange(len(pairable)), [len(unit) for unit in pairable])
    alpha = _alpha(owners, codes, values, _METRICS[level])
    return resampled(
        lambda weights: np.array([alpha(row) for row in weights]),
        len(pairable),
        n=len(pairable),
        missing=missing,
    )


def _alpha(
    owners: Integers, codes: Integers, values: Floats, metric: Metric
) -> Callable[[Floats], float]:
    """Alpha by how often each unit counts; NaN where it is undefined.

    ``owners`` and ``codes``: the unit and the value's code of each rating, those of a unit
    adjacent. Which values meet in which unit is kept sparse: a judge may rate 20,000 in percent.
    """
    import numpy as np

    size = len(values)
    units, cells, shares = [], [], []
    for unit, of_unit in enumerate(np.split(codes, np.cumsum(np.bincount(owners))[:-1])):
        pairs = of_unit[:, None] * size + of_unit[None, :]
        apart = pairs[~np.eye(len(of_unit), dtype=bool)]
        units.append(np.full(len(apart), unit))
        cells.append(apart)
        shares.append(np.full(len(apart), 1 / (len(of_unit) - 1)))
    all_units, all_cells, share = map(np.concatenate, (units, cells, shares))

    def alpha(weights: Floats) -> float:
        counted = weights[all_units] * share
        table = np.bincount(all_cells, counted, minlength=size * size).reshape(size, size)
        margins = table.sum(axis=1)
        distances = metric(values, margins)
        observed = (table * distances).sum()
        expected = margins @ distances @ margins / (margins.sum() - 1)
        return float(1 - observed / expected) if expected > 0 else float("nan")

    return alpha


def _distances(values: Floats, is_plain: bool) -> Floats:
    """Disagreement of each value with each; shape (values, values)."""
    apart: Floats = values[:, None] - values[None, :]
    return (apart != 0).astype(float) if is_plain else apart**2


def _ordinal(_values: Floats, margins: Floats) -> Floats:
    """Squared distance of ranks: all ratings in between, and half of those at the two ends."""
    ranks: Floats = margins.cumsum() - margins / 2
    return _distances(ranks, is_plain=False)


_METRICS: Final[Mapping[Level, Metric]] = {
    "nominal": lambda values, _: _distances(values, is_plain=True),
    "ordinal": _ordinal,
    "interval": lambda values, _: _distances(values, is_plain=False),
}


def _divided(above: Floats, below: Floats) -> Floats:
    """NaN where there is nothing to divide by."""
    import numpy as np

    quotients: Floats = np.divide(above, below, out=np.full(len(above), np.nan), where=below > 0)
    return quotients


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
        of_raters = _variances(weights, table).sum(axis=1)
        total = _variances(weights, table.sum(axis=1, keepdims=True))[:, 0]
        alphas = np.full(len(weights), np.nan)
        varies = total > 1e-12
        alphas[varies] = raters / (raters - 1) * (1 - of_raters[varies] / total[varies])
        return alphas

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
