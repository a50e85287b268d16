"""Estimates that must be whole, taken apart."""

from __future__ import annotations

from offbook.evaluation.metrics.statistics import Estimate


def there(value: float | None) -> float:
    """A number that must be there."""
    assert value is not None
    return value


def ends(found: Estimate) -> tuple[float, float]:
    """An interval that must be there."""
    assert found.interval is not None
    return found.interval


def is_inside(found: Estimate) -> bool:
    """Whether the number lies inside of its interval."""
    low, high = ends(found)
    return low < there(found.mean) < high
