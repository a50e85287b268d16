"""The ensemble at an endpoint: one small call and the reply, what it costs, a late answer."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import pytest

from offbook.text.emotion_names import EMOTIONS
from tests.end_to_end.world import World
from tests.graph.rules_model import extract
from tests.loopback import LoopbackServer, schema_in
from tests.loopback.answers import default_answer

STORY = "# Ada Byrne\n\n" + "\n\n".join(
    (
        "## The rock\n\nAda Byrne keeps the light on Skerry Rock.",
        "## The lamp\n\nTom Keane taught Ada Byrne to trim the lamp.",
        "## The boat\n\nAda Byrne waited nine years for the boat.",
    )
)
TOLD = {"said": "Tom Keane taught you the lamp.", "answered": "He did, and I was glad of it."}
QUESTION = "Did Tom Keane own a telephone?"
UNDERSTOOD = {
    "query": "Tom Keane's telephone",
    "unknown": [{"name": "telephone", "reason": "It came later."}],
    "premise": "",
    "feelings": [{"emotion": "anticipation", "strength": 4}],
}


def answer(body: Mapping[str, Any]) -> Any:
    """Rules for extraction, the entities above, and yes for what speaks of waiting."""
    fields = set((schema_in(body) or {}).get("properties", {}))
    told = body["messages"][-1]["content"]
    passages = re.findall(r"<passage>\n(.*?)\n</passage>", told, re.S)
    if fields == {"entities", "relations"}:
        sections = [SimpleNamespace(passage=passage) for passage in passages]
        return extract(SimpleNamespace(sections=sections)).model_dump_json()
    if fields == set(UNDERSTOOD):
        return json.dumps(UNDERSTOOD)
    if fields == {"reveals"}:
        return json.dumps({"reveals": "waited" in told})
    if fields == {"reveals", "attributes"}:
        shown = [{"kind": "psychological_trait", "text": "She waits."}]
        waits = "waited" in passages[-1]
        return json.dumps({"reveals": waits, "attributes": shown if waits else []})
    if fields == {"belief_and_values", "psychological_traits"}:
        return json.dumps({"belief_and_values": "", "psychological_traits": "She is patient."})
    if fields == {"items"} and '"joy"' in json.dumps(schema_in(body)):
        numbers = [int(number) for number in re.findall(r"^\[(\d+)\]", told, re.M)]
        scores = [{"item": n, **dict.fromkeys(EMOTIONS, 4)} for n in dict.fromkeys(numbers or [1])]
        return json.dumps({"items": scores})
    return default_answer(body)


@pytest.fixture
def ada(world: World, server: LoopbackServer) -> World:
    """Ada Byrne with a graph, chunks and a memory; nothing but the endpoint is configured."""
    server.answer = answer
    world.set("method=ensemble", "graph.threshold=1", "ensemble.memory_score=-1")
    world.set("amadeus.splitter=markdown")
    world.done("create", "Ada Byrne")
    world.done("ingest", "ada-byrne", world.write("a.md", STORY))
    world.done("remember", "ada-byrne", world.write("told.jsonl", json.dumps(TOLD) + "\n"))
    server.clear()
    return world


def small(server: LoopbackServer) -> list[Mapping[str, Any]]:
    """The bodies of the small calls."""
    bodies = [request.body for request in server.requests if "chat" in request.path]
    return [b for b in bodies if "query" in (schema_in(b) or {}).get("properties", {})]


def test_two_calls_wait_for_one_another_and_the_vectors_are_made_beside(ada, server):
    asked = ada.done("ask", "ada-byrne", QUESTION, "--json").json
    usage = asked["usage"]
    assert usage["round_trips"] == 2
    assert {name: task["calls"] for name, task in usage["by_task"].items()} == {
        "understand_question": 1,
        "reply": 1,
    }
    assert usage["embed_calls"] == 1
    (body,) = small(server)
    assert body["max_tokens"] == 200
    assert asked["boundary"]["verdict"] == "partly"
    assert asked["emotion"]["anticipation"] == 4


def test_with_all_of_its_parts_four_calls_wait(ada, server):
    ada.set("ensemble.gs=live", "ensemble.ae=true")
    usage = ada.done("ask", "ada-byrne", QUESTION, "--json").json["usage"]
    assert usage["round_trips"] == 4
    parts = {"understand_question", "reveals_trait", "extract_attributes", "reply"}
    assert set(usage["by_task"]) == parts


def test_a_greeting_costs_the_reply_alone(ada, server):
    usage = ada.done("ask", "ada-byrne", "Good evening!", "--json").json["usage"]
    assert (usage["calls"], usage["embed_calls"], usage["round_trips"]) == (1, 0, 1)


def test_a_late_answer_is_not_waited_for_and_why_says_so(ada, server):
    def slow(body: Mapping[str, Any]) -> Any:
        if "query" in (schema_in(body) or {}).get("properties", {}):
            time.sleep(1.5)
        return answer(body)

    server.answer = slow
    ada.set("ensemble.wait_seconds=0.2")
    asked = ada.done("ask", "ada-byrne", QUESTION, "--json").json
    assert asked["reply"]
    assert asked["boundary"] is None
    assert "knowledge" in {item["kind"] for item in asked["context"]}
    assert any("no answer within 0.2 seconds" in each["why"] for each in asked["skipped"])


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("I would rather not.", "not judged: "),
        ('{"query": "x"}', "passed over: "),
        ('{"query": "x", "unk', "passed over: "),
    ],
)
def test_an_unusable_answer_costs_no_second_call(ada, server, said, why):
    def broken(body: Mapping[str, Any]) -> Any:
        fields = (schema_in(body) or {}).get("properties", {})
        return said if "query" in fields else answer(body)

    server.answer = broken
    asked = ada.done("ask", "ada-byrne", QUESTION, "--json").json
    assert asked["reply"]
    assert asked["usage"]["by_task"]["understand_question"]["calls"] == 1
    assert asked["boundary"] is None
    assert any(each["why"].startswith(why) for each in asked["skipped"])
