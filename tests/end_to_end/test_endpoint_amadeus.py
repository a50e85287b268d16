"""AMADEUS at an endpoint: what a question costs, what waits for what, faults, what is printed."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

import pytest

from tests.cli.shapes import ATTRIBUTES, misfit
from tests.end_to_end.world import World
from tests.loopback import LoopbackServer, schema_in
from tests.loopback.answers import default_answer

YEARS = 40
STORY = "# Ada Byrne\n\n" + "\n\n".join(
    f"## Year {n}\n\nIn year {n} Ada Byrne {'waited for' if n % 7 == 3 else 'saw'} ship {n}."
    for n in range(YEARS)
)
QUESTION = "Are you patient?"


def answer(body: Mapping[str, Any]) -> Any:
    """Passages that speak of waiting reveal patience; all else gets the least that fits."""
    fields = set((schema_in(body) or {}).get("properties", {}))
    told = body["messages"][-1]["content"]
    passages = re.findall(r"<passage>\n(.*?)\n</passage>", told, re.S)
    waits = any("waited" in passage for passage in passages)
    if fields == {"reveals"}:
        return json.dumps({"reveals": waits})
    if fields == {"reveals", "attributes"}:
        shown = [{"kind": "psychological_trait", "text": f"Patient: {passages[0]}"}]
        return json.dumps({"reveals": waits, "attributes": shown if waits else []})
    if fields == {"belief_and_values", "psychological_traits"}:
        return json.dumps({"belief_and_values": "", "psychological_traits": "She is patient."})
    return default_answer(body)


@pytest.fixture
def ada(world: World, server: LoopbackServer) -> World:
    """Ada Byrne, each year of whom is a chunk."""
    server.answer = answer
    world.set("method=amadeus", "amadeus.splitter=markdown")
    world.done("create", "Ada Byrne")
    world.done("ingest", "ada-byrne", world.write("a.md", STORY))
    server.clear()
    return world


@pytest.fixture
def indexed(ada: World, server: LoopbackServer) -> World:
    """The same, with what every chunk reveals judged at ingestion."""
    ada.set("amadeus.gs=indexed")
    ada.done("ingest", "ada-byrne")
    server.clear()
    return ada


def test_live_three_calls_wait_for_one_another(ada, server):
    server.gather(16, path="/chat/completions")
    ada.set("limits.concurrency=16", "amadeus.m=30")
    usage = ada.done("ask", "ada-byrne", QUESTION, "--json").json["usage"]
    assert usage["by_task"]["reveals_trait"]["calls"] == 30
    assert usage["calls"] == 32
    assert usage["round_trips"] == 3
    assert server.peak_in_flight == 16


def test_indexed_two_calls_wait_for_one_another(indexed: World):
    usage = indexed.done("ask", "ada-byrne", QUESTION, "--json").json["usage"]
    assert set(usage["by_task"]) == {"extract_attributes", "reply"}
    assert (usage["calls"], usage["round_trips"], usage["embed_calls"]) == (2, 2, 1)


def test_attributes_are_shown_with_their_places(indexed: World):
    rows = indexed.done("show", "ada-byrne", "attributes", "--json").json
    assert misfit(rows, ATTRIBUTES) is None
    assert len(rows) == len([n for n in range(YEARS) if n % 7 == 3])
    for row in rows:
        (source,) = row["sources"]
        assert STORY[source["start"] : source["end"]].strip() in row["text"]
    out = indexed.done("show", "ada-byrne", "attributes").out
    assert out.startswith("psychological trait: Patient: ")
    assert out.count("\n") == len(rows)
