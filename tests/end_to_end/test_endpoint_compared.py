"""CRAG and Adaptive-RAG at an endpoint: waits, cost, faults, a kill, what is forgotten."""

from __future__ import annotations

import json
import re
import sqlite3
from collections import Counter
from collections.abc import Mapping
from typing import Any

import pytest

from tests.cli.shapes import ASK, RECALL, misfit
from tests.end_to_end.test_kill import kill, settled, until
from tests.end_to_end.world import World
from tests.loopback import schema_in
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
def ada(world: World) -> World:
    """Ada Byrne, each year of whom is a chunk, and a document on what came later."""
    assert world.server is not None
    world.server.answer = answer
    world.set("naive.splitter=markdown", "crag.splitter=markdown", "adaptive.splitter=markdown")
    world.set(f"crag.k={K}", "embed.model=builtin")
    world.done("create", "Ada Byrne")
    world.done("ingest", "ada-byrne", world.write("a.md", STORY), world.write("b.md", LATER))
    world.server.clear()
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


def test_crag_grades_side_by_side_and_two_calls_wait_for_one_another(ada: World):
    assert ada.server is not None
    ada.server.gather(K)
    shape = ask(ada, "crag")
    usage = shape["usage"]
    assert (usage["calls"], usage["round_trips"]) == (K + 1, 2)
    assert usage["by_task"]["grade_passage"]["calls"] == K
    assert ada.server.peak_in_flight == K
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


@pytest.mark.parametrize("method", ["crag", "adaptive"])
def test_the_same_question_is_judged_once(ada: World, method):
    first = ask(ada, method)["usage"]
    again = ask(ada, method)["usage"]
    assert (again["calls"], again["cached_calls"]) == (1, first["calls"] - 1)


@pytest.mark.parametrize("method", ["crag", "adaptive"])
def test_the_document_has_the_shape_of_the_contract(ada: World, method):
    assert misfit(ask(ada, method), ASK) is None
    shape = ada.done("recall", "ada-byrne", QUESTION, "--method", method, "--json").json
    assert misfit(shape, RECALL) is None
    assert (shape["boundary"], shape["emotion"]) == (None, None)
    assert shape["context"]
    texts = {"a-md": STORY, "b-md": LATER}
    for item in shape["context"]:
        (source,) = item["sources"]
        assert texts[source["document"]][source["start"] : source["end"]] == item["text"]


@pytest.mark.parametrize("method", ["crag", "adaptive"])
def test_ingestion_is_estimated_without_a_call_and_costs_none(ada: World, method):
    assert ada.server is not None
    more = ada.write("c.md", "# More\n\nShe has a cat.\n")
    words = ("ingest", "ada-byrne", more, "--method", method, "--json")
    estimate = ada.done(*words, "--estimate").json
    assert (estimate["calls"], estimate["by_task"], ada.server.requests) == (0, {}, [])
    ada.set("embed.model=e")
    ada.done("create", "Bea")
    estimate = ada.done("ingest", "bea", more, "--method", method, "--json", "--estimate").json
    assert estimate["by_task"] == {}
    assert ada.server.requests == []


@pytest.mark.parametrize("method", ["crag", "adaptive"])
def test_without_the_chunks_the_command_that_builds_them_is_named(ada: World, method):
    outcome = ada.run(
        "ask", "ada-byrne", QUESTION, "--method", method, "--json",
        "--set", f"{method}.splitter=fixed",
    )  # fmt: skip
    assert outcome.code == 2
    assert outcome.error["kind"] == "index_missing"
    assert f"--method {method}" in outcome.error["hint"]


@pytest.mark.parametrize("command", ["ask", "recall"])
@pytest.mark.parametrize("method", ["crag", "adaptive"])
def test_at_a_point_the_rest_of_the_story_is_unknown(ada: World, method, command):
    assert ada.server is not None
    words = (command, "ada-byrne", "Who sold the lamp?", "--method", method, "--json", "--as-of")
    shape = ada.done(*words, "a.md#Year 2").json
    assert shape["as_of"] == "a.md#Year 2"
    told = json.dumps([*shape["context"], *ada.server.chat_bodies])
    assert "year 2 " in told
    assert not re.search(r"year (?:3|11) |Maud Dolan sold the lamp to", told)


# -- faults -----------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["crag", "adaptive"])
def test_one_bad_answer_is_asked_for_again(ada: World, method):
    assert ada.server is not None
    words = ("--method", method, "--json")
    expected = ada.done("recall", "ada-byrne", QUESTION, *words).json
    for times, fault in enumerate(("half_json", "rubbish", "empty", "length", "429", "500"), 1):
        ada.server.clear()
        ada.server.script(fault)
        # The same words, and yet another question to the cache.
        shape = ada.done("recall", "ada-byrne", QUESTION + "?" * times, *words).json
        assert [request.fault for request in ada.server.requests].count(fault) == 1
        assert shape["context"] == expected["context"]
        assert shape["skipped"] == expected["skipped"]


def test_a_grade_that_names_no_part_or_one_that_is_not_there_is_no_grade(ada: World):
    assert ada.server is not None
    grades = iter(({"relevant": [9], "grade": "correct"}, {"relevant": [], "grade": "correct"}))

    def odd(body: Mapping[str, Any]) -> Any:
        told = body["messages"][-1]["content"]
        found = next(grades, None) if "lamp 7." in told and schema_in(body) else None
        return json.dumps(found) if found else answer(body)

    ada.server.answer = odd
    shape = ask(ada, "crag")
    assert shape["usage"]["by_task"]["grade_passage"]["calls"] == K + 2
    assert "lamp 7" in shape["context"][0]["text"]


def test_a_chunk_that_is_always_refused_is_told_and_the_rest_goes_on(ada: World):
    assert ada.server is not None
    ada.server.poison = "lamp 7. Tom"
    shape = ask(ada, "crag")
    why = [skipped["why"] for skipped in shape["skipped"] if skipped["title"].endswith("Year 7")]
    assert len(why) == 1
    assert why[0].startswith("not graded: ")
    assert sum("graded incorrect" in skipped["why"] for skipped in shape["skipped"]) == K - 1
    assert cached(ada) == {"grade_passage.v1": K - 1}
    ada.server.poison = ""
    again = ask(ada, "crag")
    assert again["usage"]["by_task"]["grade_passage"]["calls"] == 1
    assert "lamp 7" in again["context"][0]["text"]


def test_a_route_that_cannot_be_had_is_told_and_nothing_is_made_up(ada: World):
    assert ada.server is not None
    ada.server.answer = lambda body: "Nonsense." if schema_in(body) else "So it is."
    shape = ask(ada, "adaptive")
    assert shape["reply"] == "So it is."
    assert "not judged" in shape["skipped"][-1]["why"]
    assert cached(ada) == {}


@pytest.mark.parametrize("method", ["crag", "adaptive"])
def test_an_endpoint_that_is_down_is_no_finding(ada: World, method):
    assert ada.server is not None
    ada.server.always("401")
    assert ada.run("ask", "ada-byrne", QUESTION, "--method", method, "--json").code == 4
    assert cached(ada) == {}


def test_a_budget_stops_before_the_call_that_goes_over_it_and_keeps_the_grades(ada: World):
    assert ada.server is not None
    ada.set("limits.concurrency=1")
    words = ("ask", "ada-byrne", QUESTION, "--method", "crag", "--json")
    assert ada.run(*words, "--set", "limits.budget_calls=3").code == 1
    assert (len(ada.server.chat_bodies), cached(ada)["grade_passage.v1"]) == (3, 3)
    assert ask(ada, "crag")["usage"]["cached_calls"] == 3


# -- a kill -----------------------------------------------------------------------------------


def put(world: World) -> Counter[str]:
    """Every question that was put, as it was put."""
    assert world.server is not None
    return Counter(json.dumps(body["messages"]) for body in world.server.chat_bodies)


def test_a_killed_question_asked_again_repeats_no_stored_grade(ada: World):
    assert ada.server is not None
    ada.set("limits.concurrency=2")
    ada.server.hold(4)
    process = ada.start("ask", "ada-byrne", QUESTION, "--method", "crag", "--json")
    until(lambda: cached(ada)["grade_passage.v1"] >= 3, process)
    kill(process)
    settled(ada.server)
    before, kept = put(ada), cached(ada)["grade_passage.v1"]
    assert 3 <= kept < K
    assert kept >= before.total() - 4, "what was answered is stored"
    ada.server.release()
    usage = ask(ada, "crag")["usage"]
    assert usage["cached_calls"] == kept
    assert usage["by_task"]["grade_passage"]["calls"] == K - kept
    repeated = put(ada).total() - len(put(ada))
    assert repeated == before.total() - kept, "only what was not stored"


def test_a_killed_step_asked_again_repeats_neither_route_nor_steps(ada: World):
    assert ada.server is not None
    ada.set("adaptive.k=1")
    ada.server.hold(2)
    process = ada.start("ask", "ada-byrne", QUESTION, "--method", "adaptive", "--json")
    until(lambda: cached(ada)["next_step.v1"] >= 1, process)
    kill(process)
    settled(ada.server)
    kept = cached(ada)
    ada.server.release()
    usage = ask(ada, "adaptive")["usage"]
    assert usage["cached_calls"] == kept.total() >= 2
    assert "classify_question" not in usage["by_task"]


# -- what is forgotten ------------------------------------------------------------------------


def test_forgetting_a_document_forgets_the_grades_that_held_its_text(ada: World):
    ada.set("crag.k=13")
    ask(ada, "crag")
    assert cached(ada) == {"grade_passage.v1": YEARS + 1}
    told = ada.done("forget", "ada-byrne", "b.md", "--json").json
    assert told["cached_calls"] == 1
    assert cached(ada) == {"grade_passage.v1": YEARS}
    usage = ask(ada, "crag")["usage"]
    assert (usage["calls"], usage["cached_calls"]) == (1, YEARS)
    assert ada.leaks("Maud Dolan") == ["documents/b.md"]


def test_forgetting_a_document_forgets_the_steps_that_saw_its_text(ada: World):
    ada.set("adaptive.k=1")
    ask(ada, "adaptive")
    assert cached(ada) == {"classify_question.v1": 1, "next_step.v1": 2}
    assert ada.done("forget", "ada-byrne", "b.md", "--json").json["cached_calls"] == 1
    assert cached(ada) == {"classify_question.v1": 1, "next_step.v1": 1}
    assert ada.done("forget", "ada-byrne", "a.md", "--json").json["cached_calls"] == 1
    assert cached(ada) == {"classify_question.v1": 1}, "it held no text of a document"
