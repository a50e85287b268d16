"""Agreement beyond chance."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from offbook.evaluation.metrics.agreement import (
    Weighting,
    cohen_kappa,
    cronbach_alpha,
    human_study,
    krippendorff_alpha,
)
from tests.evaluation.metrics.whole import is_inside, there

FEW = settings(max_examples=25)
N = None
OBSERVERS = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, N, N, N],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, N, 3],
    [N, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, N],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, N],
]
"""Reliability data of Krippendorff 2011, example D: four observers, twelve units."""

UNITS = [list(unit) for unit in zip(*OBSERVERS, strict=True)]


@pytest.mark.parametrize(
    ("level", "alpha"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)]
)
def test_alpha_of_the_published_example(level, alpha):
    found = krippendorff_alpha(UNITS, level)
    assert round(there(found.mean), 3) == alpha
    assert (found.n, found.missing) == (11, 1)
    assert is_inside(found)


def alpha_by_pairs(units, level):
    """From the definition: mean disagreement within units over that of all pairs of ratings."""
    pairable = [[v for v in unit if v is not None] for unit in units]
    pairable = [unit for unit in pairable if len(unit) > 1]
    values = [value for unit in pairable for value in unit]

    def apart(a, b):
        if level == "nominal":
            return float(a != b)
        if level == "interval":
            return float((a - b) ** 2)
        low, high = sorted((a, b))
        between = sum(low <= value <= high for value in values)
        return (between - (values.count(a) + values.count(b)) / 2) ** 2

    observed = sum(
        apart(a, b) / (len(unit) - 1)
        for unit in pairable
        for a, b in itertools.permutations(unit, 2)
    )
    expected = sum(apart(a, b) for a, b in itertools.permutations(values, 2)) / (len(values) - 1)
    return 1 - observed / expected if expected else None


MATRICES = st.lists(
    st.lists(st.none() | st.integers(1, 5), min_size=3, max_size=3), min_size=1, max_size=10
)


@FEW
@given(MATRICES, st.sampled_from(["nominal", "ordinal", "interval"]))
def test_alpha_is_that_of_its_definition(units, level):
    pairable = sum(sum(v is not None for v in unit) > 1 for unit in units)
    found = krippendorff_alpha(units, level)
    assert (found.n, found.missing) == (pairable, len(units) - pairable)
    expected = alpha_by_pairs(units, level) if pairable else None
    assert found.mean == (None if expected is None else pytest.approx(expected))


@pytest.mark.parametrize("units", [[], [[1, N]], [[N, N]], [[2, 2], [2, 2]]])
def test_alpha_is_undefined_where_nothing_can_be_compared(units):
    assert krippendorff_alpha(units).mean is None


def kappa_by_table(first, second, is_plain):
    """From the table of counts, as textbooks have it: weights of agreement, scale of 1 to 5."""
    table = np.zeros((5, 5))
    for a, b in zip(first, second, strict=True):
        table[a - 1, b - 1] += 1
    table /= table.sum()
    grid = np.subtract.outer(np.arange(5), np.arange(5))
    weights = (grid == 0).astype(float) if is_plain else 1 - grid**2 / 16
    observed = (weights * table).sum()
    chance = (weights * np.outer(table.sum(axis=1), table.sum(axis=0))).sum()
    return None if chance > 1 - 1e-12 else (observed - chance) / (1 - chance)


@FEW
@given(st.lists(st.tuples(st.integers(1, 5), st.integers(1, 5)), min_size=1), st.booleans())
def test_kappa_is_that_of_the_table(pairs, is_plain):
    first, second = zip(*pairs, strict=True)
    weighting: Weighting = "plain" if is_plain else "quadratic"
    found = cohen_kappa(first, second, weighting)
    expected = kappa_by_table(first, second, is_plain)
    assert found.mean == (None if expected is None else pytest.approx(expected))
    assert cohen_kappa(second, first, weighting).mean == (
        None if expected is None else pytest.approx(expected)
    )


def test_units_that_one_did_not_rate_are_counted():
    found = cohen_kappa([1, 2, None, 3], [1, 2, 3, None])
    assert (found.mean, found.n, found.missing) == (1, 2, 2)


def test_kappa_is_undefined_where_both_always_say_the_same():
    assert cohen_kappa([1, 1], [1, 1]).mean is None
    assert cohen_kappa([], []).mean is None
    assert cohen_kappa([None], [1]).missing == 1


TABLES = st.integers(2, 5).flatmap(
    lambda raters: st.lists(
        st.lists(st.integers(1, 5), min_size=raters, max_size=raters), min_size=2, max_size=12
    )
)


def independent_alpha(table):
    """By the covariance matrix of the raters, which is another way to the same number."""
    covariances = np.cov(np.array(table, dtype=float), rowvar=False)
    k = len(covariances)
    total = covariances.sum()
    return None if total < 1e-9 else k / (k - 1) * (1 - np.trace(covariances) / total)


@FEW
@given(TABLES)
def test_alpha_is_that_of_the_covariances(table):
    found, expected = cronbach_alpha(table), independent_alpha(table)
    assert found.mean == (None if expected is None else pytest.approx(expected))
    assert found.n == len(table)


@pytest.mark.parametrize("table", [[], [[1, 2, 3]], [[1], [2]], [[3, 3], [3, 3]]])
def test_alpha_is_undefined_where_nothing_varies_or_can_be_compared(table):
    assert cronbach_alpha(table).mean is None


def test_each_sample_is_summed_up_over_its_raters_and_then_averaged():
    table: list[list[float | None]] = [
        [1, 2, 5],
        [4, 4, 4],
        [None, 2, 5],
        [None, None, 3],
        [None, None, None],
    ]
    found = human_study(table)
    assert found.mean.mean == pytest.approx((8 / 3 + 4 + 3.5 + 3) / 4)
    assert found.median.mean == pytest.approx((2 + 4 + 3.5 + 3) / 4)
    assert found.deviation.mean == pytest.approx((np.std([1, 2, 5]) + 0 + 1.5) / 3)
    assert (found.mean.n, found.mean.missing) == (4, 1)
    assert (found.deviation.n, found.deviation.missing) == (3, 2)
    assert (found.alpha.n, found.alpha.missing) == (2, 3)


def test_a_table_with_a_gap_instead_of_none_is_said():
    with pytest.raises(ValueError, match="samples with \\[1, 2\\] raters"):
        human_study([[1, 2], [1]])
