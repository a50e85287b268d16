"""Facets: what a question about a person is about, and what words show."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from offbook.retrieval.facets import beliefs, facets, facets_of_question, showing
from offbook.text.words import search_terms
from tests.tables import cases

_SHARED = Path(__file__).resolve().parents[2] / ".." / "shared" / "data"


def asked(question: str) -> list[str]:
    """The facets that a question asks for most."""
    found = facets_of_question(search_terms(question))
    return [name for name, share in found.items() if share == 1.0]


@pytest.mark.parametrize(("question", "name"), cases(__file__, "a question asks for a facet"))
def test_a_question_asks_for_a_facet(question, name):
    assert name in facets_of_question(search_terms(question))


def test_a_plain_fact_asks_for_none():
    assert facets_of_question(search_terms("In which year were you born?")) == {}
    assert facets_of_question([]) == {}


def test_a_word_of_many_facets_says_less_of_each():
    alone = facets_of_question(search_terms("Are you punctual, and do you take risks?"))
    assert set(alone) >= {"punctuality", "caution"}
    assert asked("Are you punctual?") == ["punctuality"]
    assert all(0 < share <= 1 for share in alone.values())


def test_every_facet_is_asked_for_and_shown_by_something():
    names = [facet.name for facet in facets()]
    assert len(set(names)) == len(names) > 40
    assert all(facet.asked and facet.shown for facet in facets())
    assert beliefs() <= set(names)
    assert {name for shown in showing().values() for name in shown} == set(names)


def test_to_be_called_patient_shows_patience():
    (term,) = search_terms("patient")
    assert "patience" in showing()[term]


@pytest.mark.skipif(not _SHARED.exists(), reason="needs ../shared/data")
def test_the_items_of_an_inventory_ask_for_something():
    rows = json.loads((_SHARED / "ipip/ipip_neo_120.json").read_text("utf-8"))
    items = [row["text"] for row in (rows if isinstance(rows, list) else rows["items"])]
    told = [bool(facets_of_question(search_terms(item))) for item in items]
    assert sum(told) / len(told) > 0.6
