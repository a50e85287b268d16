"""How far raters agree beyond chance: a judge with people, or people with one another.

Takes: ratings of the same units, None where one is missing.  Gives: Cohen's kappa (plain or with
quadratic weights) and Krippendorff's alpha (nominal, ordinal, interval), with intervals.
Paper: none of ours; Cohen 1960 and 1968, Krippendorff 2011 ("Computing Krippendorff's
Alpha-Reliability"). Both are undefined where chance alone leaves nothing to disagree on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Final, Literal

from offbook.evaluation.metrics.statistics import DRAWS, SEED, Estimate, resampled

if TYPE_CHECKING:
    from offbook.evaluation.metrics.statistics import Floats, Integers

Weighting = Literal["plain", "quadratic"]
"""Whether any difference is as bad as any other, or grows with its square."""

Level = Literal["nominal", "ordinal", "interval"]
"""What may be said of two ratings: that they differ, which is more, by how much."""

_UNITS_AND_RATERS: Final = 2


def cohen_kappa(
    first: Sequence[float | None],
    second: Sequence[float | None],
    weighting: Weighting = "plain",
    *,
    draws: int = DRAWS,
    seed: int = SEED,
) -> Estimate:
    """Cohen's kappa of two raters: 1 - observed / expected disagreement.

    Args:
        first: Ratings of one rater, one a unit.
        second: Those of the other, of the same units.
        weighting: ``quadratic`` for ratings on a scale of points.
        draws: Resamples of units.
        seed: Of the draw.

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
        found: Floats = 1 - _divided((weights @ observed) / n, expected)
        return found

    return resampled(statistic, len(pairs), n=len(pairs), missing=missing, draws=draws, seed=seed)


def krippendorff_alpha(
    ratings: Sequence[Sequence[float | None]],
    level: Level = "ordinal",
    *,
    draws: int = DRAWS,
    seed: int = SEED,
) -> Estimate:
    """Krippendorff's alpha of any number of raters: 1 - observed / expected disagreement.

    Args:
        ratings: Shape (units, raters); None is missing. The order of raters does not matter.
        level: How two ratings are compared.
        draws: Resamples of units.
        seed: Of the draw.

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
    coincidences = _Coincidences.of(owners, codes, len(values))
    metric = _METRICS[level]

    def statistic(weights: Floats) -> Floats:
        return np.array([coincidences.alpha(row, values, metric) for row in weights])

    return resampled(
        statistic, len(pairable), n=len(pairable), missing=missing, draws=draws, seed=seed
    )


class _Coincidences:
    """Which values meet in which unit, kept sparse: a judge may rate 20,000 units in percent.

    Args:
        units: The unit of each meeting.
        cells: ``value * values + other value`` of each meeting.
        shares: How much each counts: 1 / (ratings of the unit - 1) for each ordered pair.
        values: How many distinct values there are.
    """

    def __init__(self, units: Integers, cells: Integers, shares: Floats, values: int) -> None:
        self._units, self._cells, self._shares, self._values = units, cells, shares, values

    @classmethod
    def of(cls, owners: Integers, codes: Integers, values: int) -> _Coincidences:
        """From the unit and the value's code of each rating; ratings of a unit are adjacent."""
        import numpy as np

        sizes = np.bincount(owners)
        units, cells, shares = [], [], []
        for unit, own in enumerate(np.split(codes, np.cumsum(sizes)[:-1])):
            pairs = own[:, None] * values + own[None, :]
            apart = pairs[~np.eye(len(own), dtype=bool)]
            units.append(np.full(len(apart), unit))
            cells.append(apart)
            shares.append(np.full(len(apart), 1 / (len(own) - 1)))
        return cls(np.concatenate(units), np.concatenate(cells), np.concatenate(shares), values)

    def alpha(
        self, weights: Floats, values: Floats, metric: Callable[[Floats, Floats], Floats]
    ) -> float:
        """Alpha where each unit counts ``weights`` times; NaN where it is undefined."""
        import numpy as np

        size = self._values
        counted = weights[self._units] * self._shares
        table = np.bincount(self._cells, counted, minlength=size * size).reshape(size, size)
        margins = table.sum(axis=1)
        distances = metric(values, margins)
        observed = (table * distances).sum()
        expected = margins @ distances @ margins / (margins.sum() - 1)
        return float(1 - observed / expected) if expected > 0 else float("nan")


def _distances(values: Floats, is_plain: bool) -> Floats:
    """Disagreement of each value with each; shape (values, values)."""
    apart: Floats = values[:, None] - values[None, :]
    return (apart != 0).astype(float) if is_plain else apart**2


def _nominal(values: Floats, _margins: Floats) -> Floats:
    return _distances(values, is_plain=True)


def _interval(values: Floats, _margins: Floats) -> Floats:
    return _distances(values, is_plain=False)


def _ordinal(_values: Floats, margins: Floats) -> Floats:
    """Squared distance of ranks: all ratings in between, and half of those at the two ends."""
    ranks: Floats = margins.cumsum() - margins / 2
    return _distances(ranks, is_plain=False)


_METRICS: Final[Mapping[Level, Callable[[Floats, Floats], Floats]]] = {
    "nominal": _nominal,
    "ordinal": _ordinal,
    "interval": _interval,
}


def _divided(above: Floats, below: Floats) -> Floats:
    """NaN where there is nothing to divide by."""
    import numpy as np

    found: Floats = np.divide(above, below, out=np.full(len(above), np.nan), where=below > 0)
    return found
