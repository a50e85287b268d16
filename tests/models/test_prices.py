"""A budget refuses the call that would go over it."""

from __future__ import annotations

import pytest

from offbook.errors import BudgetReached, ConfigurationError
from offbook.models.prices import Budget, Price


def test_a_price_is_for_a_million_tokens():
    assert Price(2.0, 8.0).of(500_000, 250_000) == 3.0


def test_calls_are_counted_before_they_are_made():
    budget = Budget(calls=2)
    for _ in range(2):
        budget.settle("m", budget.reserve("m", 10, None), 10, 5)
    with pytest.raises(BudgetReached, match="2 calls"):
        budget.reserve("m", 10, None)


def test_a_budget_of_no_calls_allows_none():
    with pytest.raises(BudgetReached):
        Budget(calls=0).reserve("m", 1, None)


def test_money_in_flight_counts():
    budget = Budget(usd=0.0025, prices={"m": Price(1.0, 1.0)})
    first = budget.reserve("m", 500, 500)
    second = budget.reserve("m", 500, 500)
    with pytest.raises(BudgetReached, match=r"0\.0020 in flight"):
        budget.reserve("m", 500, 500)
    budget.settle("m", first, 500, 100)
    budget.settle("m", second, 0, 0)
    assert budget.reserve("m", 500, 500) == pytest.approx(0.001)


def test_an_answer_without_a_limit_counts_as_the_longest_so_far():
    budget = Budget(usd=1.0, prices={"m": Price(0.0, 1.0)})
    assert budget.reserve("m", 10, None) == pytest.approx(512e-6)
    budget.settle("m", 512e-6, 10, 900)
    assert budget.reserve("m", 10, None) == pytest.approx(900e-6)


def test_what_an_earlier_stretch_has_spent_counts():
    budget = Budget(calls=3, usd=1.0, prices={"m": Price(0.0, 1.0)})
    budget.went_before(2, 0.5)
    with pytest.raises(BudgetReached, match=r"0\.5000 spent"):
        budget.reserve("m", 10, 500_001)
    budget.reserve("m", 10, 500_000)
    with pytest.raises(BudgetReached, match="3 calls"):
        budget.reserve("m", 10, 0)


def test_money_without_a_price_is_refused():
    with pytest.raises(ConfigurationError, match="'m' has no price") as caught:
        Budget(usd=1.0, prices={"other": Price(1, 1)}).check_price("m")
    assert "prices.m.prompt" in caught.value.hint


def test_without_a_budget_nothing_is_refused():
    budget = Budget()
    for _ in range(1000):
        reserved = budget.reserve("m", 10**9, None)
        assert reserved == 0.0
        budget.settle("m", reserved, 10**9, 0)
