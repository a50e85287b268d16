"""A decision on each candidate has a reason of its own, where the answer tells them apart."""

from __future__ import annotations

import pytest

from offbook.prompts.same_entity import ComparisonAnswer


def reasons(told: str, candidates: int) -> list[str]:
    answer = ComparisonAnswer(item=1, same=[], reason=told)
    return [answer.reason_of(number, candidates) for number in range(1, candidates + 1)]


@pytest.mark.parametrize(
    "told",
    [
        "1: same post and wife; 2: his brother; 3: a ship",
        "1: same post and wife, 2: his brother, 3: a ship",
        "[1] same post and wife; [2] his brother; [3] a ship",
        "1. same post and wife. 2. his brother. 3. a ship",
        "1) same post and wife;\n2) his brother;\n3) a ship",
        "[1] - same post and wife; [2] - his brother; [3] - a ship",
    ],
)
def test_each_candidate_has_the_reason_behind_its_number(told):
    assert [reason.rstrip(".") for reason in reasons(told, 3)] == [
        "same post and wife",
        "his brother",
        "a ship",
    ]


@pytest.mark.parametrize(
    "told", ["same post and wife", "1: same post and wife", "[1] same post and wife"]
)
def test_the_reason_of_a_single_candidate_needs_no_number(told):
    assert reasons(told, 1) == ["same post and wife"]


def test_what_is_said_of_several_together_is_marked_as_such():
    assert reasons("different people", 2) == ["of all 2: different people"] * 2
    assert reasons("2 of them: born in 1770", 2) == ["of all 2: 2 of them: born in 1770"] * 2


def test_a_number_that_is_no_candidates_stays_part_of_a_reason():
    told = "1: both are 9: a number; 2: Opus 3. 1: his brother"
    assert reasons(told, 2) == ["both are 9: a number", "Opus 3. 1: his brother"]


def test_a_candidate_that_the_numbers_pass_over_has_what_was_said_of_all():
    assert reasons("1: same post; 3: a ship", 3) == [
        "same post",
        "of all 3: 1: same post; 3: a ship",
        "a ship",
    ]
