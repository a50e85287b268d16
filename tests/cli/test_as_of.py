"""``--as-of``: a question at a point in the story, whatever the method."""

from __future__ import annotations

import pytest

from tests.cli.texts import ADA, GULLS
from tests.end_to_end.world import World


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


def test_the_voice_is_of_the_text_before(story: World):
    out = story.done("ask", "ada-byrne", "Who taught you?", "--as-of", "ada.md@120", "--json").json
    assert "does not argue" not in out["reply"]


@pytest.mark.parametrize("mode", ["lexical", "dense", "hybrid"])
def test_in_every_mode(story: World, mode):
    words = ["recall", "ada-byrne", "Which gull has a name?", "--json", "--as-of", "ada.md"]
    shape = story.done(*words, "--set", f"retrieval.mode={mode}").json
    assert "Bishop" not in str(shape)


def test_a_profile_of_the_whole_story_does_not_speak_of_later_things(story: World):
    story.done("ingest", "ada-byrne", "--method", "profile")
    words = ["recall", "ada-byrne", "Who are you?", "--method", "profile", "--json"]
    early = story.done(*words, "--as-of", "ada.md#Ada Byrne, How she came to the rock").json
    (item,) = early["context"]
    assert "Tom drowned" in item["text"]
    assert "gulls" not in item["text"]
    assert "does not argue" not in item["text"]
    assert {source["document"] for source in item["sources"]} == {"ada-md"}


def test_an_unknown_point_is_refused_with_the_nearest(story: World):
    outcome = story.run("ask", "ada-byrne", "Who?", "--as-of", "adda.md")
    assert outcome.code == 2
    assert "no point 'adda.md'" in outcome.err
    assert "did you mean 'ada.md'?" in outcome.err
    assert outcome.err.count("\n") == 1


def test_a_conversation_stays_at_its_point(story: World):
    outcome = story.process("chat", "ada-byrne", "--as-of", "ada.md", stdin="What of the gulls?\n")
    assert outcome.code == 0
    assert "Bishop" not in outcome.out
    assert "--as-of ada.md" in outcome.err
    assert story.run("chat", "ada-byrne", "--as-of", "nowhere").code == 2
