"""The shapes that the contract promises."""

from __future__ import annotations

import json

import pytest

from offbook.ingestion.reports import (
    DocumentReport,
    Estimate,
    IngestReport,
    Progress,
    Steps,
    counted,
    unheard,
)
from offbook.types import TaskUsage, Usage


def test_a_report_has_the_keys_of_the_contract():
    row = DocumentReport("a-md", "a.md", "added", 3)
    report = IngestReport("Ada", "ada", "naive", (row,), ("x.bin",), 0, 0, 0, Usage())
    shape = json.loads(json.dumps(report.as_json()))
    keys = {"character", "method", "documents", "entities", "relations", "aliases", "usage"}
    assert keys <= shape.keys()
    assert {"id", "name", "status", "chunks", "quarantined"} <= shape["documents"][0].keys()
    assert shape["unknown_files"] == ["x.bin"]


def test_an_estimate_has_the_keys_of_the_contract():
    shape = Estimate(1, 2, 3, None, 4, {"profile": TaskUsage(1, 2, 3)}).as_json()
    assert {"calls", "prompt_tokens", "completion_tokens", "cost_usd", "by_task"} <= shape.keys()
    assert shape["by_task"] == {"profile": {"calls": 1, "prompt_tokens": 2, "completion_tokens": 3}}


@pytest.mark.parametrize(
    ("estimate", "told"),
    [
        (Estimate(), "no calls"),
        (Estimate(embed_calls=1), "1 embedding call, no price is set"),
        (
            Estimate(2, 30, 4, 0.5, 3),
            "2 calls with about 30 prompt and 4 completion tokens, 3 embedding calls, 0.5000 USD",
        ),
    ],
)
def test_an_estimate_in_words(estimate, told):
    assert estimate.in_words() == told


def test_numbers_and_nouns_agree():
    assert [counted(n, "call") for n in (0, 1, 2)] == ["0 calls", "1 call", "2 calls"]
    unheard(None)  # type: ignore[arg-type]


def test_steps_are_told_as_they_come_and_the_end_in_any_case():
    told: list[Progress] = []
    steps = Steps("judging", told.append)
    steps.begin(3)
    steps.add(2)
    steps.end()
    steps.end()
    assert [(event.stage, event.done, event.total) for event in told] == [
        ("judging", 0, 3),
        ("judging", 2, 3),
        ("judging", 3, 3),
    ]


def test_a_stage_without_steps_is_silent():
    told: list[Progress] = []
    steps = Steps("merging", told.append)
    steps.begin(0)
    steps.add(1)
    steps.end()
    assert told == []
