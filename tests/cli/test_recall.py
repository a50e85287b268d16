"""`recall`: what a question brings back, without a reply."""

from __future__ import annotations

from tests.cli.shapes import RECALL, misfit
from tests.end_to_end.world import World


def test_the_document_has_the_shape_of_the_contract(ada: World):
    shape = ada.done("recall", "ada-byrne", "Who taught you to trim the lamp?", "--json").json
    assert misfit(shape, RECALL) is None
    assert "reply" not in shape
    assert "Tom" in shape["context"][0]["text"]
    scores = [item["score"] for item in shape["context"]]
    assert scores == sorted(scores, reverse=True)


def test_it_is_what_the_reply_rests_on(ada: World):
    words = ["ada-byrne", "Who taught you to trim the lamp?", "--json"]
    recalled, asked = ada.done("recall", *words).json, ada.done("ask", *words).json
    assert {k: v for k, v in recalled.items() if k != "usage"} == {
        k: v for k, v in asked.items() if k not in ("usage", "reply", "remembered")
    }


def test_for_a_person_it_is_data(ada: World):
    outcome = ada.done("recall", "ada-byrne", "Who taught you to trim the lamp?")
    assert "ada-md[" in outcome.out
    assert outcome.err == ""


def test_what_is_found_and_not_used_is_said(ada: World):
    words = ["recall", "ada-byrne", "Who taught you?", "--set", "context.min_score=0.9"]
    shape = ada.done(*words, "--json").json
    assert misfit(shape, RECALL) is None
    assert shape["context"] == []
    assert len(shape["skipped"]) == 3
    assert "context.min_score" in shape["skipped"][0]["why"]
    assert "skipped: knowledge" in ada.done(*words).out


def test_k_and_mode_are_settings(ada: World):
    words = ["recall", "ada-byrne", "Who taught you?", "--json", "--set"]
    assert len(ada.done(*words, "naive.k=1").json["context"]) <= 1
    lexical = ada.done(*words, "retrieval.mode=lexical").json["context"]
    assert lexical
    assert "Tom" in lexical[0]["text"]
    assert ada.done(*words, "retrieval.mode=dense").json["context"]
