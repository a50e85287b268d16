"""Runs that are killed, refused, interrupted, out of budget: nothing lost, nothing asked twice."""

from __future__ import annotations

import json
import signal
import sqlite3
from collections import Counter
from pathlib import Path

import pytest

from tests.end_to_end.test_kill import kill, settled, until
from tests.end_to_end.world import World, ended
from tests.loopback import LoopbackServer

CONCURRENCY = 4


@pytest.fixture
def keeper(world: World) -> World:
    """A character, and questions in a file."""
    world.set(f"limits.concurrency={CONCURRENCY}", "embed.model=builtin")
    world.done("create", "Keeper")
    return world


def asked(world: World, questions: int = 12) -> tuple[str | Path, ...]:
    rows = [{"id": f"q{n}", "question": f"Is this question number {n}?"} for n in range(questions)]
    file = world.write("questions.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    words = ("eval", "run", "file", "--path", file, "-c", "Keeper", "-m", "vanilla")
    return (*words, "--metric", "ke", "--json")


def bodies(server: LoopbackServer) -> Counter[str]:
    """What was asked, each with how often."""
    return Counter(json.dumps(body["messages"]) for body in server.chat_bodies)


def cells(world: World) -> int:
    """How many replies are stored."""
    connection = sqlite3.connect(world.home / "offbook.db")
    try:
        (count,) = connection.execute("SELECT count(*) FROM evaluation_cells").fetchone()
    finally:
        connection.close()
    return int(count)


@pytest.mark.long
def test_a_killed_run_goes_on_and_asks_at_most_what_was_in_flight_again(
    keeper: World, server: LoopbackServer
):
    server.hold(9)
    words = asked(keeper)
    process = keeper.start(*words)
    until(lambda: server.answered == 9 and server.in_flight > 0, process)
    kill(process)
    settled(server)
    server.release()
    told = keeper.done(*words)
    assert "going on with file-1" in told.err
    assert told.json["cells"] == {"planned": 12, "stored": 12, "failed": 0}
    again = sum(count - 1 for count in bodies(server).values())
    # One that was answered and not yet stored counts as in flight.
    assert again <= 2 * CONCURRENCY
    assert len(bodies(server)) == 24
    before = server.count()
    assert keeper.done(*words).json["now"] == {"asked": 0, "rated": 0, "missing": 0}
    assert server.count() == before


@pytest.mark.long
def test_an_interrupted_run_ends_with_130_and_keeps_all(keeper: World, server: LoopbackServer):
    server.hold(6)
    words = asked(keeper)
    process = keeper.start(*words)
    until(lambda: server.in_flight > 0 and cells(keeper) > 0, process)
    process.send_signal(signal.SIGINT)
    outcome = ended(process)
    assert outcome.code == 130
    assert "what was done is kept" in outcome.err
    settled(server)
    server.release()
    line = keeper.done("eval", "list", "--json").json["runs"][0]
    assert line["status"] == "stopped"
    assert line["cells"] > 0
    assert keeper.done(*words).json["run"]["status"] == "finished"


@pytest.mark.parametrize("fault", ["401", "404"])
def test_an_endpoint_that_refuses_for_good_ends_with_4_and_keeps_all(
    keeper: World, server: LoopbackServer, fault: str
):
    words = asked(keeper)
    server.script(*["ok"] * 8)
    server.always(fault)
    outcome = keeper.run(*words)
    assert outcome.code == 4
    # Those in flight meet the same, and so do those that had taken a place already.
    assert server.count() <= 8 + 2 * CONCURRENCY
    kept = keeper.done("eval", "list", "--json").json["runs"][0]
    assert (kept["status"], kept["cells"] > 0) == ("failed", True)
    server.always(None)
    found = keeper.done(*words).json
    assert (found["run"]["id"], found["cells"]["stored"]) == ("file-1", 12)
    assert max(bodies(server).values()) <= 2


@pytest.mark.long
def test_two_processes_do_not_work_on_one_run(keeper: World, server: LoopbackServer):
    server.hold()
    words = asked(keeper)
    process = keeper.start(*words)
    until(lambda: server.count() > 0, process)
    other = keeper.run(*words)
    assert other.code == 2
    assert "works on the run 'file-1'" in other.error["message"]
    server.release()
    assert ended(process).code == 0
    settled(server)
    assert max(bodies(server).values()) == 1
