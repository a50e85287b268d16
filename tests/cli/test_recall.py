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


def test_a_strategy_that_is_none_is_wrong_usage(ada: World):
    for words in (["recall"], ["ask"]):
        outcome = ada.run(*words, "ada-byrne", "Who taught you?", "--strategy", "S-X", "--json")
        assert (outcome.code, outcome.error["kind"]) == (2, "unknown_name")
        assert "'S-X'" in outcome.error["message"]
        assert "ordinary, C-A, C-M, S-S, S-E" in outcome.error["hint"]


def test_without_memories_it_is_said_how_to_add_some(ada: World):
    words = ["recall", "ada-byrne", "Were you afraid?", "--method", "emotional", "--json"]
    (skipped,) = ada.done(*words).json["skipped"]
    assert skipped["kind"] == "memory"
    assert "offbook remember ada-byrne FILE.jsonl" in skipped["why"]
    (earlier,) = ada.done(*words, "--as-of", "ada.md").json["skipped"]
    assert "before this point" in earlier["why"]


def test_a_temperament_that_is_none_says_what_is_allowed(ada: World):
    for told in ("bliss=3", "joy=11", "cheerful"):
        words = ["--set", f"mood.temperament={told}"]
        outcome = ada.run("recall", "ada-byrne", "Who taught you?", *words)
        assert outcome.code == 3
        assert "joy, acceptance, fear" in outcome.err
        assert "from 1 to 10" in outcome.err
        assert "pattern" not in outcome.err


def test_a_recall_in_a_conversation_has_its_mood(ada: World):
    words = ["recall", "ada-byrne", "How do you feel?", "--json"]
    ada.done("ask", "ada-byrne", "My brother drowned, alas, and I weep!", "--session", "evening")
    assert ada.done(*words).json["mood"] is None
    assert set(ada.done(*words, "--session", "evening").json["mood"]) >= {"joy", "sadness"}
