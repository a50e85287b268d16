"""How a method uses characters' chunks."""

from __future__ import annotations

import numpy as np
import pytest

from offbook.evaluation.metrics.retrieval import CharacterUse, over_characters, similarity_table
from tests.evaluation.metrics.whole import ends, is_inside

NOTHING = CharacterUse(0, 0, 0, (), {})


def test_of_nothing_there_is_no_rate():
    assert NOTHING.usage_rate is None
    both = over_characters([NOTHING])
    assert str(both.usage_rate) == "- (n = 0, 1 missing)"
    assert str(both.failure_rate) == "- (n = 0)"


def test_characters_weigh_the_same_and_questions_too():
    one = CharacterUse(1, 2, 1, (True,), {0: 1, 1: 1})
    other = CharacterUse(3, 10, 1, (False,) * 3, {0: 9, 3: 1})
    both = over_characters([one, other, NOTHING])
    assert both.usage_rate.mean == pytest.approx((0.5 + 0.1) / 2)
    assert (both.usage_rate.n, both.usage_rate.missing) == (2, 1)
    assert both.failure_rate.mean == pytest.approx(1 / 4)
    assert both.failure_rate.n == 4
    assert both.duplication == {0: 10, 1: 1, 3: 1}
    assert both.questions == 4
    assert both.characters == 3


def test_means_and_population_variances_are_summed_over_characters():
    generator = np.random.default_rng(4)
    cosines = {name: generator.normal(0.5, 0.1, (30, 3)) for name in "abc"}
    found = similarity_table({name: each.tolist() for name, each in cosines.items()})
    assert found.characters["a"].mean == pytest.approx(cosines["a"].mean())
    assert found.characters["a"].variance == pytest.approx(cosines["a"].var())
    assert found.sum_of_means.mean == pytest.approx(sum(c.mean() for c in cosines.values()))
    assert found.sum_of_variances.mean == pytest.approx(sum(c.var() for c in cosines.values()))
    assert found.sum_of_means.n == 270
    for each in (found.sum_of_means, found.sum_of_variances):
        assert is_inside(each)
    spread = np.sqrt(sum(c.mean(axis=1).var() / 30 for c in cosines.values()))
    low, high = ends(found.sum_of_means)
    assert high - low == pytest.approx(2 * 1.96 * spread, rel=0.25)


def test_small_variances_are_not_lost_beside_large_means():
    cosines = [[0.9 + place * 1e-7] for place in range(3)]
    found = similarity_table({"a": cosines})
    expected = np.var([each[0] for each in cosines])
    assert found.sum_of_variances.mean == pytest.approx(expected, rel=1e-6)
    assert ends(found.sum_of_variances)[0] >= 0


def test_one_question_has_no_interval():
    found = similarity_table({"a": [[0.2, 0.4, 0.6]], "b": [[0.1], [0.2]]})
    assert found.sum_of_means.mean == pytest.approx(0.55)
    assert found.sum_of_means.interval is None


def test_a_sum_over_characters_needs_each_of_them():
    found = similarity_table({"a": [[0.2], [0.4]], "b": [[]]})
    assert found.characters["b"].mean is None
    assert found.sum_of_means.mean is None
    assert (found.sum_of_means.n, found.sum_of_means.missing) == (2, 1)
    assert similarity_table({}).sum_of_variances.mean is None
