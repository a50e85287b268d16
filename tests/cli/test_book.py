"""`cast` and `create --from`: who is in a book, and one of them made."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.app import casting, test_speakers
from tests.end_to_end.world import World
from tests.loopback import LoopbackServer

ROCK = object()
"""Stands for the path of the book."""
ROW = {
    "name",
    "aliases",
    "gender",
    "mentions",
    "lines",
    "by_model",
    "first",
    "last",
    "most",
    "meets",
    "appears",
}


@pytest.fixture
def rock(offline: World, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file with a book, in an empty home."""
    casting.use_it(monkeypatch)
    monkeypatch.delenv("OFFBOOK_METHOD")
    return offline.write("rock.md", casting.BOOK)


def test_a_cast_is_a_table_or_rows(offline: World, rock: Path):
    shown = offline.done("cast", rock, "-n", "1")
    assert shown.out.startswith("Ada Byrne")
    assert "Chapter 1 to Chapter 3" in shown.out
    assert "and 3 more" in shown.err
    rows = offline.done("cast", rock, "--json").json
    assert [set(row) for row in rows] == [ROW] * 4
    nobody = offline.done("cast", offline.write("no.txt", "nobody is here"))
    assert (nobody.out, "nobody is named" in nobody.err) == ("", True)


def test_one_of_a_book_is_made_and_asked(offline: World, rock: Path):
    made = offline.done("create", "--from", rock, "Ada Byrne")
    assert "created 'Ada Byrne' (id ada-byrne)" in made.err
    assert "would add" not in made.err, "offline nothing costs"
    assert "Tom Reeve slept" in offline.done("ask", "ada-byrne", "Who slept?").out
    other = offline.done("create", "--from", "rock", "Tom Reeve", "--json").json
    assert (other["id"], other["book"], "estimate" in other) == ("tom-reeve", "rock", False)
    refused = offline.run("forget", "ada-byrne", "rock.md", "-y")
    assert (refused.code, "--for-all" in refused.err) == (2, True)
    offline.done("forget", "ada-byrne", "rock.md", "--for-all", "-y")
    assert offline.done("show", "tom-reeve", "documents").out == ""


def test_a_model_says_who_speaks_once_its_price_was_told(offline: World):
    quay = offline.write("quay.md", test_speakers.BOOK)
    offline.done("create", "--from", quay, "Ada Byrne")
    refused = offline.run("cast", "quay", "--speakers", "model")
    assert (refused.code, "no model is configured" in refused.err) == (2, True)
    with LoopbackServer(answer=test_speakers.answer_of) as server:
        offline.set("chat.model=m", f"chat.base_url={server.base_url}")
        told = offline.done("cast", "quay", "--speakers", "model")
        assert (server.count(), "(--yes): 3 calls with about" in told.err) == (0, True)
        assert "by a model" not in told.out
        settled = offline.done("cast", quay, "--speakers", "model", "--yes", "--json")
        assert server.count() == 3
    assert "a model says who speaks 13 of 40 quotations" in settled.err
    assert settled.json[0]["by_model"] == 13
    assert "(13 by a model)" in offline.done("cast", "quay").out


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["create", "--from", ROCK, "Tom"], "'Tom Reeve'"),
        (["create", "--from", ROCK, "Zeb"], "offbook cast "),
        (["create", "--from", ROCK], "create --from BOOK NAME"),
        (["create", "--from", ROCK, "Ada", "--card", "x.json"], "create --from BOOK NAME"),
        (["create", "--from", "stone.epub", "Ada"], "no file 'stone.epub'"),
        (["cast", "stone.epub"], "no file 'stone.epub'"),
    ],
)
def test_what_cannot_be_told_ends_with_2_and_makes_nobody(offline: World, rock, words, told: str):
    outcome = offline.run(*(str(rock) if word is ROCK else word for word in words))
    assert (outcome.code, told in outcome.err) == (2, True), outcome.err
    assert offline.done("list").out == ""
