"""A killed indexing goes on where it stopped, and nobody can tell from what it made."""

from __future__ import annotations

import json
import math
import sqlite3
from collections import Counter

import pytest

from tests.end_to_end.cast import chronicle, graph_rows
from tests.end_to_end.test_kill import kill, settled, until
from tests.end_to_end.world import World
from tests.loopback import LoopbackServer
from tests.loopback.compared import answer_of_any

SECTIONS = 14
IN_FLIGHT = 2


@pytest.fixture
def keeper(world: World, server: LoopbackServer) -> World:
    """A character without documents; few calls at a time, so that a kill meets the middle."""
    server.answer = answer_of_any
    few = f"limits.concurrency={IN_FLIGHT}", "graph.window=0"
    world.set(*few, "embed.model=builtin", "raptor.size=2")
    world.done("create", "Keeper")
    world.write("one.md", chronicle(SECTIONS))
    return world


def asked(server: LoopbackServer) -> list[str]:
    """Every question that was put, as it was put."""
    return [json.dumps(body["messages"]) for body in server.chat_bodies]


def stored_answers(world: World) -> int:
    connection = sqlite3.connect(world.home / "offbook.db")
    try:
        (count,) = connection.execute("SELECT count(*) FROM call_cache").fetchone()
    finally:
        connection.close()
    return int(count)


@pytest.mark.long
@pytest.mark.parametrize(
    ("method", "share"),
    [("rolerag", 0.3), ("rolerag", 0.6), ("rolerag", 0.9), ("raptor", 0.6), ("lightrag", 0.6)],
)
def test_a_killed_indexing_repeats_no_call_that_was_answered(keeper, server, method, share):
    source = keeper.folder / "documents" / "one.md"
    words = ("ingest", "Keeper", source, "--method", method)
    home = keeper.folder / "undisturbed"
    keeper.done("create", "Keeper", "--home", home)
    keeper.done(*words, "--home", home)
    whole = len(asked(server))
    server.clear()
    enough = math.ceil(share * whole)
    server.hold(enough)
    process = keeper.start(*words)
    until(lambda: server.answered >= enough and server.in_flight > 0, process)
    until(lambda: stored_answers(keeper) >= enough - IN_FLIGHT, process)
    kill(process)
    settled(server)
    server.release()
    before, kept = asked(server), stored_answers(keeper)
    assert kept >= len(before) - 2 * IN_FLIGHT, "what was answered is stored"
    # The last call may be out already; its answer is not there.
    assert kept < whole, "it was killed before its end"
    told = keeper.done(*words, "--json").json
    again = {text: count for text, count in Counter(asked(server)).items() if count > 1}
    assert sum(again.values()) - len(again) <= len(before) - kept, "only what was not stored"
    # In each place one question is out, and the answer to the one before may be on its way in.
    assert len(again) <= 2 * IN_FLIGHT
    assert told["usage"]["calls"] == len(asked(server)) - len(before)
    assert graph_rows(keeper.home / "offbook.db") == graph_rows(home / "offbook.db")
