"""The measuring itself: what counts as selected, and what two ways agree on."""

from __future__ import annotations

import importlib
from pathlib import Path
from types import ModuleType

import pytest

from offbook import demo

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


@pytest.fixture
def traits(monkeypatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    return importlib.import_module("quality_traits")


async def test_the_demo_is_measured_offline(traits, tmp_path):
    from offbook import Offbook

    asked = traits.load(None)[:2]
    home = str(tmp_path)
    async with await Offbook.open(home=home, method="amadeus", amadeus__gs="indexed") as book:
        report = await traits.measure(book, asked)
    shape = report.as_json()
    assert shape["n"] == 2
    assert set(shape) >= {"live", "indexed", "similar", "reachable", "agreement"}
    assert shape["reachable"]["chunks"] == 30
    assert shape["similar"]["chunks"] == shape["live"]["chunks"]


def test_the_held_out_questions_quote_the_persona_document(traits):
    asked = traits.load(BENCHMARKS / "traits_held_out.jsonl")
    known = {one.question for one in traits.load(None)}
    assert len(asked) == 12
    assert known.isdisjoint(one.question for one in asked)
    document = demo.persona_text()
    assert all(sentence in document for one in asked for sentence in one.evidence)
