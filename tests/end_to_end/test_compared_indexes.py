"""raptor and lightrag through an endpoint: faults, what is forgotten, and what it costs."""

from __future__ import annotations

import json
import sqlite3
from typing import Any

import pytest

from tests.end_to_end.cast import chronicle
from tests.end_to_end.world import World
from tests.loopback import LoopbackServer
from tests.loopback.compared import answer_of_any

SECTIONS = 16
METHODS = ("raptor", "lightrag")
MARKER = "Quixwarble"
SECRET = (
    f"# The secret\n\n## A\n\nAna met {MARKER} at night.\n\n## B\n\n{MARKER} told Bo of a storm.\n"
)
QUERIES = (
    "SELECT id, level, text, members FROM summaries ORDER BY id",
    "SELECT summary_id, chunk_id FROM summary_chunks ORDER BY 1, 2",
    "SELECT built_from FROM summary_trees",
    "SELECT subject_id, vector FROM summary_vectors ORDER BY 1",
    "SELECT id, chunk_id, name, description, start FROM raw_entities ORDER BY 1",
    "SELECT id, chunk_id, source, target, description, strength FROM relations ORDER BY 1",
    "SELECT subject_id, vector FROM relation_vectors ORDER BY 1",
    "SELECT subject_id, vector FROM raw_entity_vectors ORDER BY 1",
    "SELECT kind, subject, status FROM jobs WHERE status != 'done' ORDER BY 1, 2",
)


@pytest.fixture
def keeper(world: World, server: LoopbackServer) -> World:
    """A character without documents, at an endpoint that knows all prompts."""
    server.answer = answer_of_any
    world.set("embed.model=builtin", "raptor.size=2", "limits.retries=2")
    world.done("create", "Keeper")
    world.write("one.md", chronicle(SECTIONS))
    return world


def rows(world: World, home: str = "home") -> list[Any]:
    """What is stored of trees and mentions."""
    connection = sqlite3.connect(world.folder / home / "offbook.db")
    try:
        return [connection.execute(query).fetchall() for query in QUERIES]
    finally:
        connection.close()


def ingest(world: World, method: str, *words: str, home: str = "home") -> Any:
    if not (world.folder / home / "offbook.db").exists():
        world.done("create", "Keeper", "--home", world.folder / home)
    path = world.folder / "documents" / "one.md"
    flags = ("--method", method, "--json", "--home", world.folder / home)
    return world.done("ingest", "Keeper", path, *flags, *words).json


@pytest.mark.parametrize("method", METHODS)
def test_no_file_of_the_home_holds_a_word_of_what_is_forgotten(keeper, server, method):
    ingest(keeper, method)
    before = rows(keeper)
    path = keeper.write("secret.md", SECRET)
    keeper.done("ingest", "Keeper", path, "--method", method)
    keeper.done("ask", "Keeper", "Who met Ana at night?", "--method", method)
    path.unlink()
    assert keeper.leaks(MARKER)
    server.clear()
    told = keeper.done("forget", "Keeper", "secret.md", "--json", "-y").json
    assert keeper.leaks(MARKER) == []
    assert told["cached_calls"] >= 1
    assert rows(keeper) == before, "it is as if it had never been"
    if method == "lightrag":
        assert server.count("/chat/completions") == 0
    assert all(MARKER not in json.dumps(body) for body in server.chat_bodies)


def test_forgetting_summarizes_what_was_touched_and_says_how_to_go_on(keeper, server):
    ingest(keeper, "raptor")
    keeper.done("ingest", "Keeper", keeper.write("secret.md", SECRET), "--method", "raptor")
    (keeper.folder / "documents" / "secret.md").unlink()
    # What was summarized without it is in the cache; here the model has to be asked again.
    connection = sqlite3.connect(keeper.home / "offbook.db")
    with connection:
        connection.execute("DELETE FROM call_cache")
    connection.close()
    server.clear()
    server.always("404")
    outcome = keeper.run("forget", "Keeper", "secret.md", "--json", "-y")
    assert outcome.code == 4
    assert "'secret.md' is forgotten" in outcome.error["message"]
    assert "the tree of summaries is not up to date" in outcome.error["message"]
    assert "--method raptor" in outcome.error["hint"]
    assert keeper.leaks(MARKER) == []
    assert keeper.run("ask", "Keeper", "Who?", "--method", "raptor").code == 2
    server.always(None)
    server.clear()
    ingest(keeper, "raptor")
    again = server.count("/chat/completions")
    ingest(keeper, "raptor", home="well")
    assert 0 < again < server.count("/chat/completions") - again
    assert rows(keeper) == rows(keeper, "well")
