"""The graph comes out the same when the endpoint answers badly, refuses, or has no time."""

from __future__ import annotations

import json
import random
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.end_to_end.cast import chronicle, graph_rows, names_and_ties
from tests.end_to_end.world import World
from tests.loopback import Answer, LoopbackServer
from tests.loopback.graph import answer_about_a_graph
from tests.waiting import until

SECTIONS = 24


@pytest.fixture
def keeper(world: World, server: LoopbackServer) -> World:
    """A character without documents, at an endpoint that knows the graph's prompts."""
    server.answer = answer_about_a_graph
    world.done("create", "Keeper")
    world.write("one.md", chronicle(SECTIONS))
    return world


def ingest(world: World, *words: str, home: str = "home"):
    path = world.folder / "documents" / "one.md"
    if not (world.folder / home / "offbook.db").exists():
        world.done("create", "Keeper", "--home", world.folder / home)
    flags = ("--method", "rolerag", "--json", "--home", world.folder / home)
    return world.done("ingest", "Keeper", path, *flags, *words).json


def stored(world: World, home: str = "home"):
    return graph_rows(world.folder / home / "offbook.db")


@pytest.mark.parametrize("seed", [1, *(pytest.param(n, marks=pytest.mark.long) for n in (2, 3))])
def test_malformed_answers_and_failures_leave_no_trace(keeper, server, seed):
    ingest(keeper, home="well")
    server.clear()
    # Whichever call meets which fault: none meets so many that it is put aside.
    keeper.set("answers.retries=8", "limits.retries=8")
    draw = random.Random(seed)
    bad = ["half_json", "rubbish", "empty", "429", "500"]
    # One in ten meets a fault, and one of each kind is met for sure.
    faults = [draw.choice(bad) if draw.random() < 0.1 else "ok" for _ in range(400)]
    faults[:10] = ["ok", "half_json", "ok", "rubbish", "429", "ok", "empty", "500", "ok", "ok"]
    server.script(*faults)
    told = ingest(keeper)
    met = Counter(request.fault for request in server.requests)
    assert all(met[fault] for fault in bad)
    (row,) = told["documents"]
    assert (row["status"], row["quarantined"]) == ("added", 0)
    assert stored(keeper) == stored(keeper, "well")


def test_a_chunk_that_is_always_refused_is_put_aside_and_the_rest_is_done(keeper, server):
    server.poison = "storm number 35."
    told = ingest(keeper)
    (row,) = told["documents"]
    assert row["status"] == "partial"
    assert any("put aside: extract" in message for message in row["messages"])
    rows = stored(keeper)
    assert [(kind, status) for kind, _, status in rows["open"] if kind == "extract"] == [
        ("extract", "quarantined")
    ]
    extracted = {chunk for chunk, *_ in rows["raw entities"]}
    assert len(extracted) == SECTIONS - 1
    assert rows["groups"]
    server.poison = ""
    server.clear()
    again = ingest(keeper)
    assert again["documents"][0]["status"] == "unchanged"
    assert not stored(keeper)["open"]
    assert sum("Extraction" in json.dumps(body) for body in server.chat_bodies) == 1


def test_a_refusal_in_words_is_never_a_description(keeper, server):
    def sorry(body):
        asked = json.dumps(body)
        if ("MergedEntity" in asked and "Ebbe" in asked) or "Write the paragraph" in asked:
            return Answer("I'm sorry, but I cannot help with that.")
        return answer_about_a_graph(body)

    server.answer = sorry
    told = ingest(keeper)
    assert told["documents"][0]["status"] == "partial"
    rows = stored(keeper)
    assert all("sorry" not in str(row) for name in ("groups", "answers") for row in rows[name])
    assert ("profile", "keeper", "quarantined") in rows["open"]
    found = keeper.done("recall", "Keeper", "Who is Ebbe?", "--method", "rolerag", "--json").json
    assert [left["kind"] for left in found["skipped"]] == ["profile"]
    assert "sorry" not in json.dumps(found["context"])
    server.answer = answer_about_a_graph
    ingest(keeper)
    ingest(keeper, home="well")
    assert names_and_ties(stored(keeper)) == names_and_ties(stored(keeper, "well"))


def test_a_reason_with_half_a_character_can_be_kept(keeper):
    def answer(body):
        good = answer_about_a_graph(body)
        return Answer(good.text.replace('"reason":"', '"reason":"\\ud83d\\u0000'))

    ingest(keeper, home="well")
    keeper.server.answer = answer
    ingest(keeper)
    assert stored(keeper) == stored(keeper, "well")


def let_go_when_there_are(requests: int, server: LoopbackServer) -> None:
    until(lambda: server.count() >= requests, f"{requests} requests")
    server.release()


def test_a_server_with_little_room_is_not_overrun(keeper, server: LoopbackServer):
    keeper.write("one.md", chronicle(120))
    keeper.set("limits.concurrency=16", "embed.model=builtin")
    keeper.set("graph.window=0", "graph.who_is_who=false", "graph.join_words=0")
    server.latency_seconds = 0.1
    server.most_at_once = 8
    server.hold()
    with ThreadPoolExecutor() as beside:
        beside.submit(let_go_when_there_are, 16, server)
        told = ingest(keeper)
    assert told["documents"][0]["quarantined"] == 0
    # The first calls, as many as are allowed at once, teach how many there is room for: none of
    # them is answered before all of them are there.
    later = server.requests[16:]
    refused = [r for r in later if r.fault == "429"]
    assert len(later) > 100, "there is something to measure"
    assert len(refused) <= 0.03 * len(later), f"{len(refused)} of {len(later)}"
