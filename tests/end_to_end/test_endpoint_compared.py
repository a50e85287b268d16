"""CRAG and Adaptive-RAG at an endpoint: waits, cost, faults, a kill, what is forgotten."""

from __future__ import annotations

import json
import re
import sqlite3
from collections import Counter
from collections.abc import Mapping
from typing import Any

import pytest

from tests.end_to_end.test_kill import kill, settled, until
from tests.end_to_end.world import World
from tests.loopback import LoopbackServer, schema_in
from tests.loopback.answers import default_answer

YEARS = 12
STORY = "# Ada Byrne\n\n" + "\n\n".join(
    f"## Year {n}\n\nIn year {n} Ada Byrne trimmed lamp {n}. Tom counted {n} ships."
    for n in range(YEARS)
)
LATER = "# Later\n\nAfter that Maud Dolan sold the lamp to a sailor.\n"
QUESTION = "Who trimmed lamp 7?"
K = 8


def answer(body: Mapping[str, Any]) -> Any:
    """Lamp 7 is correct; a question takes two steps; all else gets the least that fits."""
    fields = set((schema_in(body) or {}).get("properties", {}))
    told = body["messages"][-1]["content"]
    if fields == {"relevant", "grade"}:
        right = re.search(r"^\[(\d+)\].*lamp 7\.", told, re.M)
        if right:
            return json.dumps({"relevant": [int(right[1])], "grade": "correct"})
        return json.dumps({"relevant": [], "grade": "incorrect"})
    if fields == {"retrievals"}:
        return json.dumps({"retrievals": "none" if "Hello" in told else "several"})
    if fields == {"enough", "search"}:
        enough = "Maud" in told
        return json.dumps({"enough": enough, "search": "" if enough else "Maud Dolan sold"})
    return default_answer(body)


@pytest.fixture
def ada(world: World, server: LoopbackServer) -> World:
    """Ada Byrne, each year of whom is a chunk, and a document on what came later."""
    server.answer = answer
    world.set("naive.splitter=markdown", "crag.splitter=markdown", "adaptive.splitter=markdown")
    world.set(f"crag.k={K}", "embed.model=builtin")
    world.done("create", "Ada Byrne")
    world.done("ingest", "ada-byrne", world.write("a.md", STORY), world.write("b.md", LATER))
    server.clear()
    return world


def ask(world: World, method: str, question: str = QUESTION, *words: str) -> Any:
    return world.done("ask", "ada-byrne", question, "--method", method, "--json", *words).json


def cached(world: World) -> Counter[str]:
    """How many stored calls there are of each prompt."""
    connection = sqlite3.connect(world.home / "offbook.db")
    try:
        return Counter(prompt for (prompt,) in connection.execute("SELECT prompt FROM call_cache"))
    finally:
        connection.close()


def test_crag_grades_side_by_side_and_two_calls_wait_for_one_another(ada, server):
    server.gather(K)
    shape = ask(ada, "crag")
    usage = shape["usage"]
    assert (usage["calls"], usage["round_trips"]) == (K + 1, 2)
    assert usage["by_task"]["grade_passage"]["calls"] == K
    assert server.peak_in_flight == K
    assert [item["text"] for item in shape["context"]] == [
        "In year 7 Ada Byrne trimmed lamp 7. Tom counted 7 ships."
    ]
    assert len(shape["skipped"]) == K - 1


def test_adaptive_waits_once_for_the_route_and_once_a_step(ada: World):
    ada.set("adaptive.k=1")
    usage = ask(ada, "adaptive")["usage"]
    assert {name: task["calls"] for name, task in usage["by_task"].items()} == {
        "classify_question": 1, "next_step": 2, "reply": 1,
    }  # fmt: skip
    assert usage["round_trips"] == 4
    usage = ask(ada, "adaptive", "Hello!")["usage"]
    assert (usage["calls"], usage["round_trips"], usage["embed_calls"]) == (2, 2, 0)


# -- faults -----------------------------------------------------------------------------------


def test_a_chunk_that_is_always_refused_is_told_and_the_rest_goes_on(ada, server):
    server.poison = "lamp 7. Tom"
    shape = ask(ada, "crag")
    why = [skipped["why"] for skipped in shape["skipped"] if skipped["title"].endswith("Year 7")]
    assert len(why) == 1
    assert why[0].startswith("not graded: ")
    assert sum("graded incorrect" in skipped["why"] for skipped in shape["skipped"]) == K - 1
    assert cached(ada) == {"grade_passage.v1": K - 1}
    server.poison = ""
    again = ask(ada, "crag")
    assert again["usage"]["by_task"]["grade_passage"]["calls"] == 1
    assert "lamp 7" in again["context"][0]["text"]


# -- a kill -----------------------------------------------------------------------------------


def put(world: World) -> Counter[str]:
    """Every question that was put, as it was put."""
    assert world.server is not None
    return Counter(json.dumps(body["messages"]) for body in world.server.chat_bodies)


@pytest.mark.long
def test_a_killed_question_asked_again_repeats_no_stored_grade(ada, server):
    ada.set("limits.concurrency=2")
    server.hold(4)
    process = ada.start("ask", "ada-byrne", QUESTION, "--method", "crag", "--json")
    until(lambda: cached(ada)["grade_passage.v1"] >= 3, process)
    kill(process)
    settled(server)
    before, kept = put(ada), cached(ada)["grade_passage.v1"]
    assert 3 <= kept < K
    assert kept >= before.total() - 4, "what was answered is stored"
    server.release()
    usage = ask(ada, "crag")["usage"]
    assert usage["cached_calls"] == kept
    assert usage["by_task"]["grade_passage"]["calls"] == K - kept
    repeated = put(ada).total() - len(put(ada))
    assert repeated == before.total() - kept, "only what was not stored"


@pytest.mark.long
def test_a_killed_step_asked_again_repeats_neither_route_nor_steps(ada, server):
    ada.set("adaptive.k=1")
    server.hold(2)
    process = ada.start("ask", "ada-byrne", QUESTION, "--method", "adaptive", "--json")
    until(lambda: cached(ada)["next_step.v1"] >= 1, process)
    kill(process)
    settled(server)
    kept = cached(ada)
    server.release()
    usage = ask(ada, "adaptive")["usage"]
    assert usage["cached_calls"] == kept.total() >= 2
    assert "classify_question" not in usage["by_task"]


# -- what is forgotten ------------------------------------------------------------------------


def test_forgetting_a_document_forgets_the_grades_that_held_its_text(ada: World):
    ada.set("crag.k=13")
    ask(ada, "crag")
    assert cached(ada) == {"grade_passage.v1": YEARS + 1}
    told = ada.done("forget", "ada-byrne", "b.md", "--json", "-y").json
    assert told["cached_calls"] == 1
    assert cached(ada) == {"grade_passage.v1": YEARS}
    usage = ask(ada, "crag")["usage"]
    assert (usage["calls"], usage["cached_calls"]) == (1, YEARS)
    assert ada.leaks("Maud Dolan") == ["documents/b.md"]
