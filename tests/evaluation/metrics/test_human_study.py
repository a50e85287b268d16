"""The human-study table."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from offbook.evaluation.metrics.human_study import cronbach_alpha, human_study
from tests.evaluation.metrics.whole import is_inside

FEW = settings(max_examples=25, deadline=None)
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


def test_alpha_by_hand():
    # Variances 2/3 and 2/3 (population), of the sums 4, 2 and 6: 8/3. 2 * (1 - (4/3) / (8/3)) = 1.
    assert cronbach_alpha([[2, 2], [1, 1], [3, 3]]).mean == pytest.approx(1)
    # Variances 2/3 and 2/9, of the sums 2, 4 and 5: 14/9. 2 * (1 - (8/9) / (14/9)) = 6/7.
    assert cronbach_alpha([[1, 1], [2, 2], [3, 2]]).mean == pytest.approx(6 / 7)


def test_raters_who_contradict_each_other_have_no_alpha():
    assert cronbach_alpha([[1, 5], [5, 1], [3, 3]]).mean is None


@pytest.mark.parametrize("table", [[], [[1, 2, 3]], [[1], [2]], [[3, 3], [3, 3]]])
def test_alpha_is_undefined_where_nothing_varies_or_can_be_compared(table):
    assert cronbach_alpha(table).mean is None


def test_samples_that_lack_a_rating_are_counted():
    found = cronbach_alpha([[1, 1], [2, 2], [3, 2], [None, 5]])
    assert found.mean == pytest.approx(6 / 7)
    assert (found.n, found.missing) == (3, 1)


def test_alpha_has_an_interval():
    generator = np.random.default_rng(8)
    quality = generator.normal(3, 1, 60)
    table = (quality[:, None] + generator.normal(0, 0.7, (60, 11))).tolist()
    found = cronbach_alpha(table)
    assert is_inside(found)
    assert found.mean == pytest.approx(independent_alpha(table))


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


def test_no_samples_no_numbers():
    found = human_study([])
    assert [found.mean.mean, found.median.mean, found.deviation.mean] == [None] * 3


def test_a_table_with_a_gap_instead_of_none_is_said():
    with pytest.raises(ValueError, match="samples with \\[1, 2\\] raters"):
        human_study([[1, 2], [1]])
