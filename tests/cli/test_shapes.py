"""The checker of shapes finds what is wrong, so that the tests that use it can fail."""

from typing import Any

import pytest

from tests.cli.shapes import ASK, DOCUMENTS, ERROR, USAGE, misfit

GOOD_USAGE: dict[str, Any] = {
    "calls": 0,
    "cached_calls": 0,
    "round_trips": 0,
    "prompt_tokens": 0,
    "completion_tokens": 0,
    "embed_calls": 0,
    "cost_usd": None,
    "seconds": 0.5,
    "by_task": {},
}


def test_what_fits_fits():
    assert misfit(GOOD_USAGE | {"more": 1}, USAGE) is None
    assert misfit([], DOCUMENTS) is None


@pytest.mark.parametrize(
    ("value", "shape", "where"),
    [
        (GOOD_USAGE | {"calls": True}, USAGE, "$.calls"),
        (GOOD_USAGE | {"calls": "0"}, USAGE, "$.calls"),
        (GOOD_USAGE | {"cost_usd": "0"}, USAGE, "$.cost_usd"),
        ({}, ASK, "$ lacks"),
        ([{}], DOCUMENTS, "$[0] lacks"),
        ({}, DOCUMENTS, "not a list"),
        ([], ERROR, "not an object"),
        ("other", {"in", "out"}, "not one of"),
    ],
)
def test_what_does_not_fit_is_named(value, shape, where):
    assert where in str(misfit(value, shape))
