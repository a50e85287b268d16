"""`forget`: a document leaves the whole home folder; what rests on it is told."""

from __future__ import annotations

import pytest

from tests.cli.shapes import FORGET, misfit
from tests.cli.texts import GULLS
from tests.end_to_end.world import World

MARKER = "Quixwarble"
SECRET = f"Ada Byrne hides the key of the oil store under the stone of {MARKER}.\n"


@pytest.fixture
def told(ada: World) -> World:
    """Ada, who was told where the key is and then asked, with a session and without."""
    path = ada.write("secret.md", SECRET)
    ada.done("ingest", "ada-byrne", path)
    ada.done("ingest", "ada-byrne", "--method", "profile")
    path.unlink()
    return ada


def test_every_byte_of_it_is_gone(told: World):
    told.done("ask", "ada-byrne", "Where is the key of the oil store?")
    told.done("recall", "ada-byrne", "Where is the key of the oil store?")
    assert told.leaks(MARKER)
    report = told.done("forget", "ada-byrne", "secret.md", "--json", "-y").json
    assert misfit(report, FORGET) is None
    assert (report["character"], report["document"]) == ("Ada Byrne", "secret.md")
    assert (report["chunks"], report["turns"], report["memories"]) == (1, 0, 0)
    assert told.leaks(MARKER) == []
    assert told.leaks(MARKER.lower()) == []


def test_what_turns_recalled_goes_and_their_words_stay_unless_asked(told: World):
    asked = ["ask", "ada-byrne", "Where is the key of the oil store?", "--session", "evening"]
    assert MARKER in told.done(*asked).out
    outcome = told.done("forget", "ada-byrne", "secret.md", "-y")
    assert "1 turn and 1 memory that rested on it keep their own words" in outcome.err
    assert "--with-memories" in outcome.err
    words = b"".join(path.read_bytes() for path in told.home.iterdir()).count(MARKER.encode())
    assert words == 2, "the reply, in its turn and in the memory of it"


def test_with_memories_the_turns_go_too(told: World):
    asked = ["ask", "ada-byrne", "Where is the key of the oil store?", "--session", "evening"]
    told.done(*asked)
    told.done("ask", "ada-byrne", "Who taught you?", "--session", "evening", "--user", "kim")
    report = told.done("forget", "ada-byrne", "secret.md", "--with-memories", "--json", "-y").json
    assert report["turns"] == 1
    assert told.leaks(MARKER) == []


def test_the_others_answer_as_if_it_had_never_been(ada: World):
    before = ada.rows()
    ada.done("ingest", "ada-byrne", ada.write("gulls.txt", GULLS))
    assert "Bishop" in ada.done("ask", "ada-byrne", "What do you call one of the gulls?").out
    ada.done("forget", "ada-byrne", "gulls.txt", "-y")
    assert ada.rows() == before
    assert "Bishop" not in ada.done("recall", "ada-byrne", "What of the gulls?").out


def test_an_unknown_document_names_the_nearest(ada: World):
    outcome = ada.run("forget", "ada-byrne", "adda.md", "--json", "-y")
    assert (outcome.code, outcome.error["kind"]) == (2, "unknown_name")
    assert "'ada.md'" in outcome.error["hint"]
    assert "documents" in ada.run("forget", "ada-byrne", "zzz", "-y").err
