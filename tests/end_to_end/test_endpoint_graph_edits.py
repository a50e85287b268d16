"""Edits of a character with a graph, through an endpoint: forget, alias, reembed, export."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.end_to_end.world import World
from tests.loopback import LoopbackServer
from tests.loopback.answers import Answer
from tests.loopback.graph import answer_about_a_graph, asked_for

MARKER = "Quixwarble"
STORY = {
    "one.md": "Ana Bell met Bo Carter. Ana Bell left Cora Dunn.\n",
    "two.md": "Ana met Cora. Bo Carter fears Ana Bell.\n",
    "secret.md": f"Ana Bell hid the key from Bo Carter under {MARKER}. Ana told Cora Dunn.\n",
}
PARTS = ("entities", "relations", "aliases", "decisions")


@pytest.fixture
def keeper(world: World, server: LoopbackServer) -> World:
    """A character whose graph is built from three documents, one of which has a secret."""
    server.answer = answer_about_a_graph
    world.set("method=rolerag", "limits.retries=0", "graph.same_type=false")
    world.done("create", "Keeper")
    paths = [world.write(name, text) for name, text in STORY.items()]
    world.done("ingest", "Keeper", *paths)
    server.clear()
    return world


def asked(server: LoopbackServer) -> list[str]:
    """Names of the prompts since the server was last cleared; empty for the summary."""
    return [asked_for(body) for body in server.chat_bodies]


def shown(world: World) -> dict[str, Any]:
    return {part: world.done("show", "Keeper", part, "--json").json for part in PARTS}


# -- forget --------------------------------------------------------------------------------------


def test_no_file_of_the_home_holds_a_word_of_what_is_forgotten(keeper, server):
    def told(body):
        """A model whose reasons quote what it was shown."""
        answer = answer_about_a_graph(body)
        if asked_for(body) != "who_is_who":
            return answer
        shape = json.loads(answer.text)
        items = [line for line in body["messages"][-1]["content"].splitlines() if line[:1] == "["]
        for group in shape["same"]:
            group["reason"] = f"it says {items[group['names'][0] - 1]}"
        return Answer(json.dumps(shape))

    server.answer = told
    more = f"Cora Dunn is {MARKER}. {MARKER} met Bo. {MARKER} met Ana Bell.\n"
    keeper.done("ingest", "Keeper", keeper.write("more.md", more))
    keeper.done("recall", "Keeper", f"Who is {MARKER}?")
    (keeper.folder / "documents" / "secret.md").unlink()
    (keeper.folder / "documents" / "more.md").unlink()
    assert MARKER in json.dumps(shown(keeper))
    assert keeper.leaks(MARKER)
    keeper.done("forget", "Keeper", "secret.md", "-y")
    report = keeper.done("forget", "Keeper", "more.md", "--json", "-y").json
    assert report["cached_calls"] >= 2
    assert report["messages"] == []
    for word in (MARKER, MARKER.lower(), "hid the key"):
        assert keeper.leaks(word) == []
    assert MARKER not in json.dumps(shown(keeper))
    for sentence in (MARKER, "hid the key"):
        assert all(sentence not in json.dumps(body) for body in server.chat_bodies[-1:])


def test_forgetting_costs_a_merge_for_what_lost_a_mention_and_the_summary(keeper, server):
    outcome = keeper.done("forget", "Keeper", "secret.md", "-y")
    groups = [row for row in shown(keeper)["entities"] if "one-md" in str(row["sources"])]
    calls = [name for name in asked(server) if name]
    assert asked(server).count("") == 1
    assert len(set(calls)) == len(calls) <= len(groups), "one of each kind for all together"
    assert set(calls) <= {"merge_entities", "merge_relations", "verify_group", "who_is_who"}
    assert f"brought the indexes up to date: {len(calls) + 1} calls" in outcome.err
    server.clear()
    keeper.done("ingest", "Keeper")
    assert server.count() == 0


def test_what_is_left_is_what_would_have_been_built_without_it(keeper, server, tmp_path):
    keeper.done("forget", "Keeper", "secret.md", "-y")
    left = shown(keeper)
    keeper.done("create", "Other")
    paths = [keeper.folder / "documents" / name for name in ("one.md", "two.md")]
    keeper.done("ingest", "Other", *paths)
    for part in ("entities", "relations", "aliases"):
        assert left[part] == keeper.done("show", "Other", part, "--json").json
    assert len(left["decisions"]) >= 1


def test_a_budget_stops_the_calls_and_not_the_deletion(keeper, server):
    outcome = keeper.run("forget", "Keeper", "secret.md", "--set", "limits.budget_calls=1", "-y")
    assert outcome.code == 1
    assert "'secret.md' is forgotten" in outcome.err
    rows = keeper.done("show", "Keeper", "documents", "--json").json
    assert [row["name"] for row in rows] == ["one.md", "two.md"]


# -- alias ---------------------------------------------------------------------------------------


# -- reembed -------------------------------------------------------------------------------------


def vectors(world: World, table: str) -> dict[str, bytes]:
    import sqlite3

    connection = sqlite3.connect(world.home / "offbook.db")
    try:
        return dict(connection.execute(f"SELECT subject_id, vector FROM {table}_vectors"))
    finally:
        connection.close()


KINDS = ("chunk", "raw_entity", "entity")


def test_all_vectors_are_made_anew_before_the_switch(keeper, server, monkeypatch):
    before = {kind: vectors(keeper, kind) for kind in KINDS}
    assert all(before.values())
    graph = shown(keeper)
    keeper.set("embed.model=other")
    assert keeper.run("ingest", "Keeper").code == 3
    server.dimension = 12
    server.clear()
    report = keeper.done("reembed", "Keeper", "--json").json
    after = {kind: vectors(keeper, kind) for kind in KINDS}
    for kind in KINDS:
        assert after[kind].keys() == before[kind].keys()
        assert {len(vector) for vector in after[kind].values()} == {12 * 4}
    assert report["vectors"] == sum(len(found) for found in after.values())
    assert shown(keeper) == graph
    assert server.count("/chat/completions") == 0
    keeper.done("recall", "Keeper", "Who is Ana Bell?")
