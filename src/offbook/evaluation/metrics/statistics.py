"""Means that always come with their n, what is missing, and a 95 % interval.

With clusters, whole characters are drawn instead of single questions.
Paper: none; ours. A missing rating is excluded and counted, never replaced.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Integers = NDArray[np.int64]

DRAWS: Final = 2_000
"""Resamples of a bootstrap."""

SEED: Final = 20_091
"""Where every bootstrap starts, so that scoring again gives the same interval."""

_LOW, _HIGH = 2.5, 97.5
_BLOCK_CELLS: Final = 1_000_000  # drawn indices held at once: 8 MB, at any number of cells
_MOST_DISTINCT: Final = 64


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number with what it rests on; it cannot be printed without.

    ``mean`` is the number (most are means; of a sum or an alpha it is the value), None where
    nothing could be computed. ``n`` is how many values it rests on, ``missing`` how many there
    should have been besides. ``low`` and ``high`` bound the 95 % interval; None where there is
    none: with one value, or one character where characters are drawn.
    """

    mean: float | None
    n: int
    missing: int = 0
    low: float | None = None
    high: float | None = None

    def __post_init__(self) -> None:
        if (self.low is None) != (self.high is None):
            raise ValueError(f"half an interval: {self.low!r} to {self.high!r}")
        if self.n < 0 or self.missing < 0:
            raise ValueError(f"negative count: n {self.n!r}, missing {self.missing!r}")
        if self.mean is None and self.low is not None:
            raise ValueError("an interval around no number")

    @property
    def interval(self) -> tuple[float, float] | None:
        """The two ends of the 95 % interval, or None."""
        return None if self.low is None or self.high is None else (self.low, self.high)

    def __neg__(self) -> Estimate:
        """The same the other way round: of ``a - b`` that of ``b - a``."""
        mean, low, high = (None if v is None else -v for v in (self.mean, self.high, self.low))
        return Estimate(mean, self.n, self.missing, low, high)

    def __str__(self) -> str:
        return format(self)

    def __format__(self, spec: str) -> str:
        """The number, its interval, n and what is missing; ``spec`` is for each of the numbers."""
        spec = spec or ".3f"
        counted = f"n = {self.n}" + (f", {self.missing} missing" if self.missing else "")
        if self.mean is None:
            return f"- ({counted})"
        ends = self.interval
        within = "no interval" if ends is None else f"{ends[0]:{spec}} to {ends[1]:{spec}}"
        return f"{self.mean:{spec}} [{within}] ({counted})"

    def as_json(self) -> dict[str, Any]:
        """A plain dictionary of all five."""
        return asdict(self)


def estimate(
    values: Iterable[float | None],
    clusters: Iterable[Hashable] | None = None,
) -> Estimate:
    """Mean of the values that are there, with its interval.

    ``clusters``: what each value belongs to (its character): whole clusters are then drawn with
    replacement, which is right where questions of one character resemble one another.

    Raises:
        ValueError: a value is not finite, or there are not as many clusters as values.
    """
    listed = list(values)
    present = [value for value in listed if value is not None]
    _check_finite(present)
    missing = len(listed) - len(present)
    if not present:
        return Estimate(None, 0, missing)
    if clusters is None:
        sums, counts = present, [1] * len(present)
    else:
        sums, counts = _by_cluster(listed, list(clusters))
    low, high = _interval_of_mean(sums, counts) or (None, None)
    return Estimate(math.fsum(present) / len(present), len(present), missing, low, high)


def paired_difference(
    first: Mapping[Any, float | None],
    second: Mapping[Any, float | None],
    cluster_of: Callable[[Any], Hashable] | None = None,
) -> Estimate:
    """Mean of ``first - second`` over the questions that both have a rating for.

    A question that only one of them was asked, or has no rating for, is counted as missing.
    """
    keys = list(dict.fromkeys([*first, *second]))
    differences: list[float | None] = []
    for key in keys:
        one, other = first.get(key), second.get(key)
        differences.append(None if one is None or other is None else one - other)
    clusters = None if cluster_of is None else [cluster_of(key) for key in keys]
    return estimate(differences, clusters)


def resampled(
    statistic: Callable[[Floats], Floats],
    units: int,
    *,
    n: int,
    missing: int = 0,
) -> Estimate:
    """A statistic that is no mean of single values, with its bootstrap interval.

    ``statistic``: of weights, shape (resamples, units): how often each unit counts. It gives one
    number a resample, NaN where the statistic is undefined. ``units``: what is drawn: characters,
    samples or questions. Their order decides the draw.
    """
    import numpy as np

    if units == 0:
        return Estimate(None, n, missing)
    whole = float(statistic(np.ones((1, units)))[0])
    if math.isnan(whole):
        return Estimate(None, n, missing)
    if units == 1:
        return Estimate(whole, n, missing)
    drawn = np.concatenate([statistic(weights) for weights in draw_weights(units)])
    drawn = drawn[~np.isnan(drawn)]
    if not len(drawn):
        return Estimate(whole, n, missing)
    low, high = np.percentile(drawn, [_LOW, _HIGH])
    return Estimate(whole, n, missing, float(low), float(high))


def draw_weights(units: int, seed: int = SEED) -> Iterator[Floats]:
    """How often each unit is drawn, in blocks of resamples.

    Yields arrays of shape (resamples of the block, units); each row sums to ``units``.
    """
    import numpy as np

    generator = np.random.default_rng(seed)
    block = max(1, _BLOCK_CELLS // units)
    for start in range(0, DRAWS, block):
        rows = min(block, DRAWS - start)
        picks = generator.integers(0, units, (rows, units)) + np.arange(rows)[:, None] * units
        counted = np.bincount(picks.ravel(), minlength=rows * units)
        yield counted.reshape(rows, units).astype(np.float64)


def _check_finite(values: Sequence[float]) -> None:
    for value in values:
        if not math.isfinite(value):
            raise ValueError(f"{value!r} is no rating; a missing one is None")


def _by_cluster(
    values: Sequence[float | None], clusters: Sequence[Hashable]
) -> tuple[list[float], list[int]]:
    """Sum and count of the values that are there, for each cluster that has any."""
    grouped: defaultdict[Hashable, list[float]] = defaultdict(list)
    for value, cluster in zip(values, clusters, strict=True):
        if value is not None:
            grouped[cluster].append(value)
    return [math.fsum(each) for each in grouped.values()], [len(each) for each in grouped.values()]


def _interval_of_mean(sums: Sequence[float], counts: Sequence[int]) -> tuple[float, float] | None:
    """Ends of the interval of sum of sums / sum of counts, units drawn with replacement."""
    import numpy as np

    if len(sums) < 2:
        return None
    # Sorted, so that the order in which cells finished does not show in the interval.
    units, times = np.unique(np.column_stack([sums, counts]), axis=0, return_counts=True)
    if len(units) > _MOST_DISTINCT:
        drawn = _means_by_picking(np.repeat(units, times, axis=0))
    else:
        # Ratings have few distinct values: how often each is drawn is all that matters, and is
        # drawn at once, whatever the number of cells.
        chances = times / times.sum()
        weights = np.random.default_rng(SEED).multinomial(times.sum(), chances, size=DRAWS)
        drawn = (weights @ units[:, 0]) / (weights @ units[:, 1])
    low, high = np.percentile(drawn, [_LOW, _HIGH])
    return float(low), float(high)


def _means_by_picking(units: Floats) -> Floats:
    """Means of resamples; ``units`` has columns sum and count."""
    import numpy as np

    generator = np.random.default_rng(SEED)
    block = max(1, _BLOCK_CELLS // len(units))
    means = []
    for start in range(0, DRAWS, block):
        picks = generator.integers(0, len(units), (min(block, DRAWS - start), len(units)))
        means.append(units[picks, 0].sum(axis=1) / units[picks, 1].sum(axis=1))
    return np.concatenate(means)
