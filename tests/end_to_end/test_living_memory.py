"""Living memory over the wire: kills, processes side by side, and what is waited for."""

from __future__ import annotations

import json
import signal
import sqlite3
from collections.abc import Mapping
from typing import Any

import pytest

from offbook.text.emotion_names import EMOTIONS
from tests.end_to_end.test_kill import until
from tests.end_to_end.world import World, ended
from tests.loopback import LoopbackServer
from tests.loopback.answers import default_answer
from tests.waiting import PATIENCE_SECONDS

SAID = "My brother drowned in the gale."


def feeling(body: Mapping[str, Any]) -> Any:
    """Every item is felt alike; anything else is answered as ever."""
    form = body.get("response_format") or {}
    if "anticipation" not in json.dumps(form):
        return default_answer(body)
    items = body["messages"][-1]["content"].count("\n[")
    levels = dict.fromkeys(EMOTIONS, 3) | {"sadness": 8}
    return json.dumps({"items": [{"item": n, **levels} for n in range(1, items + 1)]})


@pytest.fixture
def ada(world: World, server: LoopbackServer) -> World:
    """A character without documents, whose memories are recalled."""
    server.answer = feeling
    world.set("method=emotional", "memory.grace_seconds=0.1")
    world.done("create", "Ada")
    return world


def stored(world: World) -> dict[str, list[tuple[Any, ...]]]:
    """Turns, memories and open jobs."""
    connection = sqlite3.connect(world.home / "offbook.db")
    try:
        return {
            "turns": connection.execute("SELECT id, said FROM turns").fetchall(),
            "memories": connection.execute(
                "SELECT turn_id, said, emotion, id FROM memory_fragments"
            ).fetchall(),
            "jobs": connection.execute("SELECT subject FROM jobs").fetchall(),
        }
    finally:
        connection.close()


def learned(world: World) -> int:
    """Emotions and vectors of memories."""
    connection = sqlite3.connect(world.home / "offbook.db")
    try:
        tables = ("memory_fragments WHERE emotion IS NOT NULL", "memory_vectors")
        counts = [connection.execute(f"SELECT count(*) FROM {t}").fetchone() for t in tables]
    finally:
        connection.close()
    return sum(count for (count,) in counts)


@pytest.mark.long
def test_killed_between_reply_and_memory_a_turn_is_there_once(ada: World, server):
    # The question is felt, embedded and answered; then the turn is scored and embedded.
    server.hold(3)
    ada.set("memory.grace_seconds=60")
    process = ada.start("ask", "ada", SAID, "--session", "s")
    until(lambda: server.count() >= 5, process)
    with process:
        process.send_signal(signal.SIGKILL)
        out, _ = process.communicate(timeout=PATIENCE_SECONDS)
    assert out, "the reply was there before anything was scored"
    found = stored(ada)
    assert len(found["turns"]) == len(found["memories"]) == len(found["jobs"]) == 1
    assert found["memories"][0][0] == found["turns"][0][0]
    assert found["memories"][0][2] is None
    server.release()
    ada.done("ask", "ada", "And what did you do then?", "--session", "s")
    found = stored(ada)
    assert len(found["turns"]) == len(found["memories"]) == 2
    assert all(row[2] is not None for row in found["memories"])
    assert found["jobs"] == []


@pytest.mark.long
@pytest.mark.parametrize("calls", [1, 2, 3])
def test_killed_before_the_reply_nothing_of_the_turn_is_there(ada: World, server, calls):
    # The question is felt and embedded side by side, and then answered.
    server.hold(calls // 3 * 2)
    process = ada.start("ask", "ada", SAID, "--session", "s")
    until(lambda: server.count() >= calls, process)
    with process:
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=PATIENCE_SECONDS)
    found = stored(ada)
    assert found == {"turns": [], "memories": [], "jobs": []}


@pytest.mark.long
def test_two_processes_that_talk_with_one_character_lose_nothing(ada: World, server):
    server.latency_seconds = 0.02
    lines = [f"Tell me of lamp {number}, keeper.\n" for number in range(5)]
    processes = [
        ada.start("chat", "ada", "--session", "s", "--user", user) for user in ("kim", "lee", "kim")
    ]
    for outcome in [ended(process, "".join(lines)) for process in processes]:
        assert outcome.code == 0, outcome
    found = stored(ada)
    assert len(found["turns"]) == 15
    assert len(found["memories"]) == len({row[3] for row in found["memories"]}) == 15
    ada.done("remember", "ada")
    assert all(row[2] is not None for row in stored(ada)["memories"])
    assert stored(ada)["jobs"] == []


@pytest.mark.long
def test_remember_goes_on_where_it_was_killed(ada: World, server):
    rows = [{"said": f"Question {n}?", "answered": f"Answer {n}."} for n in range(40)]
    file = ada.write("m.jsonl", "\n".join(map(json.dumps, rows)))
    ada.set("memory.batch=5", "embed.batch=5", "limits.concurrency=2")
    server.hold(4)
    process = ada.start("remember", "ada", file)
    until(lambda: server.answered == 4 and server.in_flight > 0, process)
    # What was answered is stored, or about to be.
    until(lambda: learned(ada) >= 4 * 5, process)
    with process:
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=PATIENCE_SECONDS)
    killed = stored(ada)["memories"]
    assert len(killed) == 40, "they are stored before anything is scored"
    server.release()
    report = ada.done("remember", "ada", file, "--json").json
    assert (report["added"], report["known"], report["waiting"]) == (0, 40, 0)
    assert report["scored"] + report["embedded"] <= 80 - 4 * 5 + 2 * 5, "those in flight, no others"
    assert all(row[2] is not None for row in stored(ada)["memories"])
    assert server.count("/chat/completions") <= 8 + 2
    assert server.count("/embeddings") <= 8 + 2
