"""`ask` and `recall`: one reply, and what it rests on, or would rest on."""

from __future__ import annotations

import io
import sys

import pytest

from tests.cli.shapes import ASK, RECALL, misfit
from tests.cli.texts import ADA, GULLS
from tests.end_to_end.world import World


def test_the_document_has_the_shape_of_the_contract(ada: World):
    shape = ada.done("ask", "Ada Byrne", "Who taught you to trim the lamp?", "--json").json
    assert misfit(shape, ASK) is None
    assert (shape["character"], shape["method"]) == ("Ada Byrne", "naive")
    assert shape["question"] == "Who taught you to trim the lamp?"
    assert "Tom" in shape["reply"]
    assert (shape["boundary"], shape["emotion"], shape["mood"]) == (None, None, None)


def test_sources_are_offsets_into_the_document(ada: World):
    shape = ada.done("ask", "ada-byrne", "Who taught you to trim the lamp?", "--json").json
    sources = [(item, source) for item in shape["context"] for source in item["sources"]]
    assert sources
    for item, source in sources:
        assert source["document"] == "ada-md"
        assert ADA[source["start"] : source["end"]] == item["text"]


def test_the_reply_alone_is_data(ada: World):
    outcome = ada.done("ask", "ada-byrne", "Who taught you to trim the lamp?")
    assert "Tom" in outcome.out
    assert outcome.out.count("\n") == 1
    assert outcome.err == "offline: quoting; for conversation set a model: offbook setup\n"
    assert ada.done("ask", "ada-byrne", "Who are you?", "--json").err == ""


def test_a_dash_is_what_stands_on_standard_input(ada: World, monkeypatch):
    for command in ("ask", "recall"):
        monkeypatch.setattr(sys, "stdin", io.StringIO("Who taught you to trim the lamp?\n"))
        shape = ada.done(command, "ada-byrne", "-", "--json").json
        assert shape["question"] == "Who taught you to trim the lamp?"


@pytest.mark.parametrize("method", ["vanilla", "profile", "naive"])
def test_every_method_answers(ada: World, method):
    ada.done("ingest", "ada-byrne", "--method", method)
    shape = ada.done("ask", "ada-byrne", "Who are you?", "--method", method, "--json").json
    assert misfit(shape, ASK) is None
    assert shape["method"] == method
    kinds = {item["kind"] for item in shape["context"]}
    expected = {"vanilla": set(), "profile": {"profile"}, "naive": {"knowledge"}}
    assert kinds <= expected[method]
    assert bool(kinds) is (method != "vanilla")


def test_an_option_of_the_command_goes_before_set(ada: World):
    words = ("recall", "ada-byrne", "Who are you?", "--method", "vanilla", "--json")
    assert ada.done("--set", "method=naive", *words).json["method"] == "vanilla"


@pytest.mark.parametrize("question", ["", "   ", "\n", "who \udcff?"])
def test_a_question_that_says_nothing_is_refused(ada: World, question):
    for command in ("ask", "recall"):
        outcome = ada.run(command, "ada-byrne", question, "--json")
        assert (outcome.code, outcome.error["kind"]) == (2, "usage")


@pytest.mark.parametrize("question", ["谁教你的？", "누가 가르쳤나?", "?!", "🌊", "x" * 20_000])
def test_any_question_is_answered(ada: World, question):
    assert ada.done("ask", "ada-byrne", question, "--json").json["reply"]


def test_an_endpoint_without_a_model_is_not_used_and_that_is_said(ada: World):
    outcome = ada.done("ask", "ada-byrne", "Who taught you?", "--base-url", "http://127.0.0.1:9/v1")
    assert "Tom" in outcome.out
    assert "warning: chat.base_url (from flag) is not used" in outcome.err
    named = ["--base-url", "http://127.0.0.1:9/v1", "--model", "offline"]
    assert "warning" not in ada.done("ask", "ada-byrne", "Who taught you?", *named).err


# -- an index that is missing ----------------------------------------------------------------------


@pytest.mark.parametrize("command", ["ask", "recall"])
def test_without_documents_the_command_that_builds_is_named(offline: World, command):
    offline.done("create", "Ada")
    outcome = offline.run(command, "ada", "Who?", "--json")
    assert (outcome.code, outcome.error["kind"]) == (2, "index_missing")
    assert "offbook ingest ada FILE..." in outcome.error["hint"]
    assert "--estimate" in outcome.error["hint"]


@pytest.mark.parametrize("command", ["ask", "recall"])
def test_a_missing_profile_names_the_command_and_its_estimate(ada: World, command):
    outcome = ada.run(command, "ada-byrne", "Who?", "--method", "profile", "--json")
    assert (outcome.code, outcome.error["kind"]) == (2, "index_missing")
    hint = outcome.error["hint"]
    assert hint == "build it: offbook ingest ada-byrne --method profile (no calls)"
    ada.done(*hint.partition("offbook ")[2].partition(" (")[0].split())
    ada.done(command, "ada-byrne", "Who?", "--method", "profile")


def test_the_estimate_of_a_model_is_calls_and_tokens(ada: World):
    flags = ["--method", "profile", "--model", "m", "--base-url", "http://127.0.0.1:9/v1"]
    outcome = ada.run("ask", "ada-byrne", "Who?", *flags, "--json")
    assert (outcome.code, outcome.error["kind"]) == (2, "index_missing")
    hint = outcome.error["hint"]
    assert "--base-url http://127.0.0.1:9/v1 --model m --method profile" in hint
    assert "1 call with about" in hint
    assert "no price is set" in hint
    priced = ["--set", "prices.m.prompt=1", "--set", "prices.m.completion=2"]
    assert "USD" in ada.run("ask", "ada-byrne", "Who?", *flags, *priced, "--json").error["hint"]


def test_no_key_stands_in_the_command_that_is_named(ada: World):
    secret = "sk-3f9d1c70b2"
    outcome = ada.run(
        *("ask", "ada-byrne", "Who?", "--method", "profile", "--model", "m", "--json"),
        *("--base-url", "http://127.0.0.1:9/v1", "--set", f"chat.api_key={secret}"),
    )
    assert outcome.code == 2
    assert secret not in outcome.out + outcome.err


# -- sessions and users ----------------------------------------------------------------------------


def test_without_a_session_nothing_is_kept(ada: World):
    ada.done("ask", "ada-byrne", "Do you know the word quincunx?")
    assert ada.leaks("quincunx") == []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (["--session", "s", "--user", "kim"], ["--session", "s", "--user", "lee"]),
        (["--session", "s", "--user", "kim"], ["--session", "s"]),
        (["--session", "kim/s"], ["--session", "s", "--user", "kim"]),
        (["--session", "b/s", "--user", "a"], ["--session", "s", "--user", "a/b"]),
        (["--session", "a%2Fs"], ["--session", "a/s"]),
    ],
)
def test_people_see_nothing_of_one_another(ada: World, one, other):
    first = ["ask", "ada-byrne", "What happened to Tom?"]
    follow = ["ask", "ada-byrne", "When did he drown?", "--json"]
    lonely = ada.done(*follow, "--session", "fresh").json["context"]
    ada.done(*first, *one)
    assert ada.done(*follow, *other).json["context"] == lonely
    assert ada.done(*follow, *one).json["context"] != lonely


def test_a_recall_has_the_shape_of_the_contract(ada: World):
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


def test_a_strategy_that_is_none_is_wrong_usage(ada: World):
    for words in (["recall"], ["ask"]):
        outcome = ada.run(*words, "ada-byrne", "Who taught you?", "--strategy", "S-X", "--json")
        assert (outcome.code, outcome.error["kind"]) == (2, "unknown_name")
        assert "'S-X'" in outcome.error["message"]
        assert "ordinary, C-A, C-M, S-S, S-E" in outcome.error["hint"]


@pytest.fixture
def story(ada: World) -> World:
    """Ada, with a second document."""
    ada.done("ingest", "ada-byrne", ada.write("gulls.md", GULLS))
    return ada


@pytest.mark.parametrize("command", ["ask", "recall"])
def test_passages_after_the_point_are_not_found(story: World, command):
    words = [command, "ada-byrne", "Which gull has a name?", "--json"]
    assert "Bishop" in str(story.done(*words).json["context"])
    early = story.done(*words, "--as-of", "ada.md").json
    assert "Bishop" not in str(early)
    assert early["as_of"] == "ada.md"


def test_a_chunk_is_cut_at_the_point(story: World):
    at = ADA.index("Tom drowned")
    words = ["recall", "ada-byrne", "What happened to Tom?", "--json", "--as-of", f"ada.md@{at}"]
    shape = story.done(*words).json
    assert "taught her to trim" in str(shape["context"])
    assert "drowned" not in str(shape)
    for item in shape["context"]:
        for source in item["sources"]:
            assert ADA[source["start"] : source["end"]] == item["text"]
            assert source["end"] <= at


def test_an_unknown_point_is_refused_with_the_nearest(story: World):
    outcome = story.run("ask", "ada-byrne", "Who?", "--as-of", "adda.md")
    assert outcome.code == 2
    assert "no point 'adda.md'" in outcome.err
    assert "did you mean 'ada.md'?" in outcome.err
    assert outcome.err.count("\n") == 1
