"""`graph`: the file, its formats, and what is refused."""

from __future__ import annotations

import asyncio
import json

import pytest

from tests.app.homes import opened
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


@pytest.mark.parametrize("name", ["keeper.png", "keeper", "keeper.htm"])
def test_an_unknown_suffix_is_bad_input_and_the_three_are_named(keeper: World, name):
    outcome = keeper.run("graph", "keeper", "-o", name, "--json")
    assert (outcome.code, outcome.error["kind"]) == (2, "usage")
    assert repr(name) in outcome.error["message"]
    assert all(suffix in outcome.error["hint"] for suffix in (".html", ".graphml", ".json"))
    assert not (keeper.folder / name).exists()


@pytest.mark.parametrize("target", ["missing/a.html", "folder.html"])
def test_a_place_where_no_file_can_be_is_bad_input(keeper: World, target):
    (keeper.folder / "folder.html").mkdir()
    outcome = keeper.run("graph", "keeper", "-o", target)
    assert outcome.code == 2
    assert outcome.err.count("\n") == 1


def test_a_file_that_cannot_be_written_is_a_failure(keeper: World, monkeypatch):
    def refused(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("pathlib.Path.replace", refused)
    outcome = keeper.run("graph", "keeper", "-o", "keeper.html", "--json")
    assert (outcome.code, outcome.error["kind"]) == (1, "store_failed")
    assert "Permission denied" in outcome.error["message"]
    assert list(keeper.folder.glob("*keeper*")) == []
    assert list(keeper.folder.glob(".keeper*")) == []


def test_an_unknown_character_is_bad_input_and_the_nearest_is_named(keeper: World):
    outcome = keeper.run("graph", "keepr", "-o", "a.html", "--json")
    assert (outcome.code, outcome.error["kind"]) == (2, "unknown_name")
    assert "keeper" in outcome.error["hint"]


def test_without_a_graph_the_command_that_builds_it_is_named(ada: World):
    outcome = ada.run("graph", "ada-byrne", "-o", "a.html", "--json")
    assert (outcome.code, outcome.error["kind"]) == (2, "index_missing")
    assert outcome.error["hint"] == "build it: offbook ingest ada-byrne --method rolerag"
    assert not (ada.folder / "a.html").exists()


def test_without_a_file_the_usage_is_said(keeper: World):
    outcome = keeper.run("graph", "keeper")
    assert outcome.code == 2
    assert "--output" in outcome.err
