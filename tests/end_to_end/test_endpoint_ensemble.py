"""The ensemble at an endpoint: three waits, what a question costs, what is printed, `/why`."""

from __future__ import annotations

import json
import re
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
ENTITIES = [
    {"name": "Tom Keane", "type": "character", "known": True, "specific": True, "reason": "r"},
    {
        "name": "telephone",
        "type": "object",
        "known": False,
        "specific": False,
        "reason": "It came later.",
    },
]
FIRST = {"analyse_question", "reveals_trait", "score_emotions"}


def answer(body: Mapping[str, Any]) -> Any:
    """Rules for extraction, the entities above, and yes for what speaks of waiting."""
    fields = set((schema_in(body) or {}).get("properties", {}))
    told = body["messages"][-1]["content"]
    passages = re.findall(r"<passage>\n(.*?)\n</passage>", told, re.S)
    if fields == {"entities", "relations"}:
        sections = [SimpleNamespace(passage=passage) for passage in passages]
        return extract(SimpleNamespace(sections=sections)).model_dump_json()
    if fields == {"context", "entities"}:
        return json.dumps({"context": "Tom Keane did.", "entities": ENTITIES})
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
    world.set("amadeus.splitter=markdown", "ensemble.gs=live", "ensemble.ae=true")
    world.done("create", "Ada Byrne")
    world.done("ingest", "ada-byrne", world.write("a.md", STORY))
    world.done("remember", "ada-byrne", world.write("told.jsonl", json.dumps(TOLD) + "\n"))
    server.clear()
    return world


def test_three_calls_wait_for_one_another(ada, server):
    server.gather(5, path="/chat/completions")
    usage = ada.done("ask", "ada-byrne", QUESTION, "--json").json["usage"]
    assert usage["round_trips"] == 3
    assert set(usage["by_task"]) == {*FIRST, "extract_attributes", "reply"}
    assert usage["by_task"]["reveals_trait"]["calls"] == 3
    assert usage["embed_calls"] == 1
    assert server.peak_in_flight == 5
