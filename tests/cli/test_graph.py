"""`graph` and `alias`: who is who, drawn and corrected."""

from __future__ import annotations

import asyncio
import json

import pytest

from tests.app.homes import opened
from tests.cli.shapes import ALIAS, ALIASES, DECISIONS, ENTITIES, RELATIONS, misfit
from tests.end_to_end.world import World
from tests.graph.world import GraphWorld

STORY = "Ana Bell meets Bo Dunn. Bo Dunn fears Ana Bell.\n\nCora Finn left Port Ansel.\n"


@pytest.fixture
def keeper(offline: World) -> World:
    """A home with a character whose graph is built."""

    async def build() -> None:
        async with await opened(offline.folder) as book:
            world = await GraphWorld(book.store).create()
            await world.put("story.md", STORY)

    asyncio.run(build())
    return offline


def test_the_page_is_written_and_said(keeper: World):
    outcome = keeper.done("graph", "keeper", "-o", "keeper.html")
    assert outcome.out == ""
    assert outcome.err.startswith("drew the graph of 'keeper' (")
    assert outcome.err.endswith(" to keeper.html\n")
    page = (keeper.folder / "keeper.html").read_text("utf-8")
    assert page.startswith("<!doctype html>")
    assert "Ana Bell" in page


def test_json_says_what_was_drawn_and_where(keeper: World):
    file = keeper.folder / "out.GraphML"
    found = keeper.done("graph", "keeper", "--output", file, "--json").json
    assert set(found) == {"id", "name", "file", "format", "entities", "relations"}
    assert (found["file"], found["format"]) == (str(file), "graphml")
    keeper.done("graph", "keeper", "-o", "out.json")
    drawn = json.loads((keeper.folder / "out.json").read_text("utf-8"))
    assert found["entities"] == len(drawn["nodes"]) > 2
    assert found["relations"] == len(drawn["relations"]) > 0


BYRNES = """\
# Ada Byrne

Ada Byrne keeps the lighthouse on Skerry Rock. Her brother Tom taught Ada to trim the lamp.

## Later

Thomas Byrne drowned in 1880. Miss Byrne kept the lamp that Tom had left to her.
"""


@pytest.fixture
def known(offline: World) -> World:
    """Ada, whose graph is built by the embedded rules."""
    offline.set("method=rolerag")
    offline.done("create", "Ada")
    offline.done("ingest", "ada", offline.write("story.md", BYRNES))
    return offline


def names(world: World) -> list[set[str]]:
    """The names of each entity."""
    rows = world.done("show", "ada", "entities", "--json").json
    return [{row["name"], *row["aliases"]} for row in rows]


@pytest.mark.parametrize(
    ("part", "shape"),
    [
        ("entities", ENTITIES),
        ("relations", RELATIONS),
        ("aliases", ALIASES),
        ("decisions", DECISIONS),
    ],
)
def test_the_graph_is_shown_in_the_shapes_of_the_contract(known: World, part, shape):
    rows = known.done("show", "ada", part, "--json").json
    assert rows
    assert misfit(rows, shape) is None
    shown = known.done("show", "ada", part).out
    assert shown.count("\n") == len(rows)
    assert max(map(len, shown.splitlines())) < 300


def test_a_word_is_recorded_and_taken_back(known: World):
    before = names(known)
    made = known.done("alias", "ada", "remove", "Ada", "Ada Byrne", "--json").json
    assert misfit(made, ALIAS) is None
    assert (made["character"], made["status"], made["same"]) == ("Ada", "recorded", False)
    assert not any({"Ada", "Ada Byrne"} <= entity for entity in names(known))
    (row, *_) = known.done("show", "ada", "decisions", "--json").json
    assert (row["by"], row["id"], row["evidence"]) == ("person", made["id"], made["evidence"])
    undone = known.done("alias", "ada", "undo", made["id"])
    assert undone.out == ""
    assert "taken back: 'Ada' is not 'Ada Byrne'" in undone.err
    assert names(known) == before


def test_for_a_person_it_says_who_bears_the_names_now(known: World):
    outcome = known.done("alias", "ada", "add", "Skerry Rock", "the Skerries")
    assert outcome.out == ""
    assert "no text has the name 'the Skerries'" in outcome.err
    assert "'Skerry Rock' is 'the Skerries'" in outcome.err
    assert "  Skerry Rock, also the Skerries\n" in outcome.err
    again = known.done("alias", "ada", "add", "the skerries", "skerry rock")
    assert "already recorded" in again.err
    found = known.done("recall", "ada", "What are the Skerries?", "--json").json
    assert "Skerry Rock (the Skerries)" in [item["title"] for item in found["context"]]
