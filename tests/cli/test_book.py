"""`cast` and `create --from`: who is in a book, and one of them made."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.app import casting
from tests.end_to_end.world import World

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
