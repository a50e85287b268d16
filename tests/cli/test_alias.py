"""`alias`: a person's word on who is who; `show` of the graph before and after."""

from __future__ import annotations

import pytest

from tests.cli.shapes import ALIAS, ALIASES, DECISIONS, ENTITIES, RELATIONS, misfit
from tests.end_to_end.world import World

STORY = """\
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
    offline.done("ingest", "ada", offline.write("story.md", STORY))
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


def test_rows_are_names_with_their_places(known: World):
    entities = known.done("show", "ada", "entities", "--json").json
    (rock,) = [row for row in entities if row["name"] == "Skerry Rock"]
    assert [STORY[s["start"] : s["end"]] for s in rock["sources"]] == ["Skerry Rock"]
    called = {row["name"] for row in entities}
    relations = known.done("show", "ada", "relations", "--json").json
    assert {name for row in relations for name in (row["source"], row["target"])} <= called
    assert all(1 <= row["strength"] <= 10 for row in relations)
    aliases = known.done("show", "ada", "aliases", "--json").json
    assert {"alias": "Ada", "name": "Ada Byrne"} in aliases
    for row in known.done("show", "ada", "decisions", "--json").json:
        spoken = {name for entity in names(known) for name in entity}
        assert {row["a"], row["b"]} <= spoken
        assert row["reason"]


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


def test_what_a_rule_decided_is_overruled(known: World):
    (row,) = [
        row
        for row in known.done("show", "ada", "decisions", "--json").json
        if {row["a"], row["b"]} == {"Ada", "Ada Byrne"}
    ]
    outcome = known.done("alias", "ada", "undo", row["id"])
    assert f"overruled {row['id']}" in outcome.err
    assert not any({"Ada", "Ada Byrne"} <= entity for entity in names(known))


def test_a_decision_that_the_graph_does_not_follow_is_marked(known: World):
    rows = known.done("show", "ada", "decisions", "--json").json
    assert rows
    assert all(row["holds"] for row in rows)
    known.done("alias", "ada", "remove", "Ada", "Ada Byrne")
    (word, *rest) = known.done("show", "ada", "decisions", "--json").json
    assert (word["by"], word["holds"]) == ("person", True)
    judged = [row for row in rest if {row["a"], row["b"]} == {"Ada", "Ada Byrne"}]
    assert [(row["same"], row["holds"]) for row in judged] == [(True, False)]
    (line,) = [
        line
        for line in known.done("show", "ada", "decisions").out.splitlines()
        if line.startswith(judged[0]["id"])
    ]
    assert line.endswith("(but now they are two)")


def test_for_a_person_it_says_who_bears_the_names_now(known: World):
    outcome = known.done("alias", "ada", "add", "Skerry Rock", "the Skerries")
    assert outcome.out == ""
    assert "no text has the name 'the Skerries'" in outcome.err
    assert "'Skerry Rock' is 'the Skerries'" in outcome.err
    assert "  Skerry Rock, also the Skerries\n" in outcome.err
    again = known.done("alias", "ada", "add", "the skerries", "skerry rock")
    assert "stood already" in again.err
    found = known.done("recall", "ada", "What are the Skerries?", "--json").json
    assert "Skerry Rock (the Skerries)" in [item["title"] for item in found["context"]]


def test_what_is_refused_leaves_the_graph_as_it_is(known: World):
    before = names(known)
    for words, kind in (
        (["remove", "Ada", "Tomas Byrn"], "unknown_name"),
        (["add", "Zzz", "Qqq"], "unknown_name"),
        (["add", "Ada", "ADA"], "usage"),
        (["undo", "nothing"], "unknown_name"),
    ):
        outcome = known.run("alias", "ada", *words, "--json")
        assert (outcome.code, outcome.error["kind"]) == (2, kind)
        assert outcome.error["hint"]
    assert "'Thomas Byrne'" in known.run("alias", "ada", "remove", "Ada", "Tomas Byrn").err
    assert names(known) == before


def test_a_character_without_a_graph_is_told_how_to_build_one(ada: World):
    ada.set("method=naive")
    for words in (
        ["alias", "ada-byrne", "add", "Ada", "Tom"],
        ["show", "ada-byrne", "entities"],
        ["show", "ada-byrne", "decisions"],
    ):
        outcome = ada.run(*words, "--json")
        assert (outcome.code, outcome.error["kind"]) == (2, "index_missing")
        assert "offbook ingest ada-byrne --method rolerag" in outcome.error["hint"]
