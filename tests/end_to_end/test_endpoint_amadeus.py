"""AMADEUS at an endpoint: what a question costs, what waits for what, faults, what is printed."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

import pytest

from tests.cli.shapes import ASK, ATTRIBUTES, RECALL, misfit
from tests.end_to_end.world import World
from tests.loopback import schema_in
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
def ada(world: World) -> World:
    """Ada Byrne, each year of whom is a chunk."""
    assert world.server is not None
    world.server.answer = answer
    world.set("method=amadeus", "amadeus.splitter=markdown")
    world.done("create", "Ada Byrne")
    world.done("ingest", "ada-byrne", world.write("a.md", STORY))
    world.server.clear()
    return world


@pytest.fixture
def indexed(ada: World) -> World:
    """The same, with what every chunk reveals judged at ingestion."""
    ada.set("amadeus.gs=indexed")
    ada.done("ingest", "ada-byrne")
    assert ada.server is not None
    ada.server.clear()
    return ada


def chosen(shape: Mapping[str, Any]) -> set[str]:
    """Chunks that the attributes were inferred from."""
    items = [item for item in shape["context"] if item["kind"] == "attribute"]
    return {source["chunk"] for item in items for source in item["sources"]}


def test_live_three_calls_wait_for_one_another(ada: World):
    assert ada.server is not None
    ada.server.gather(16, path="/chat/completions")
    ada.set("limits.concurrency=16", "amadeus.m=30")
    usage = ada.done("ask", "ada-byrne", QUESTION, "--json").json["usage"]
    assert usage["by_task"]["reveals_trait"]["calls"] == 30
    assert usage["calls"] == 32
    assert usage["round_trips"] == 3
    assert ada.server.peak_in_flight == 16


def test_windows_wait_for_one_another(ada: World):
    assert ada.server is not None
    ada.server.gather(10, 10, 10, path="/chat/completions")
    ada.set("amadeus.m=30", "amadeus.window=10")
    usage = ada.done("ask", "ada-byrne", QUESTION, "--json").json["usage"]
    assert (usage["calls"], usage["round_trips"]) == (32, 5)


def test_a_full_slot_asks_no_more(ada: World):
    ada.set("amadeus.window=5")
    shape = ada.done("ask", "ada-byrne", "Who waited for ship 3, ship 10 and ship 17?", "--json")
    assert shape.json["usage"]["by_task"]["reveals_trait"]["calls"] < 30
    assert len(chosen(shape.json)) == 2


def test_indexed_two_calls_wait_for_one_another(indexed: World):
    usage = indexed.done("ask", "ada-byrne", QUESTION, "--json").json["usage"]
    assert set(usage["by_task"]) == {"extract_attributes", "reply"}
    assert (usage["calls"], usage["round_trips"], usage["embed_calls"]) == (2, 2, 1)


def test_live_and_indexed_agree_where_the_model_does(indexed: World):
    stored = chosen(indexed.done("recall", "ada-byrne", QUESTION, "--json").json)
    live = indexed.done("recall", "ada-byrne", QUESTION, "--json", "--set", "amadeus.gs=live").json
    assert chosen(live) == stored
    assert len(stored) == 2


def test_the_first_word_waits_for_the_judgements_and_the_attributes_only(ada: World):
    assert ada.server is not None
    outcome = ada.process("chat", "ada-byrne", stdin=QUESTION + "\n")
    assert outcome.code == 0
    streamed = [bool(body.get("stream")) for body in ada.server.chat_bodies]
    assert streamed == [False] * (len(streamed) - 1) + [True]


def test_the_same_question_is_judged_once(ada: World):
    first = ada.done("ask", "ada-byrne", QUESTION, "--json").json["usage"]
    again = ada.done("ask", "ada-byrne", QUESTION, "--json").json["usage"]
    assert again["calls"] == 1
    # Stored answers come in rank order, so that the slot may be full sooner.
    assert 2 < again["cached_calls"] < first["calls"]


@pytest.mark.parametrize(("command", "expected"), [("recall", RECALL), ("ask", ASK)])
def test_the_document_has_the_shape_of_the_contract(ada: World, command, expected):
    shape = ada.done(command, "ada-byrne", QUESTION, "--json").json
    assert misfit(shape, expected) is None
    assert [item["kind"] for item in shape["context"]].count("attribute") == 1
    assert all(item["sources"] for item in shape["context"])
    assert (shape["boundary"], shape["emotion"]) == (None, None)


def test_one_malformed_answer_is_asked_for_again(ada: World):
    assert ada.server is not None
    ada.set("amadeus.m=30")
    ada.server.script(*["ok"] * 6, "half_json")
    shape = ada.done("recall", "ada-byrne", QUESTION, "--json").json
    assert shape["usage"]["by_task"]["reveals_trait"]["calls"] == 31
    assert shape["skipped"] == []


def test_one_refused_chunk_is_told_and_the_rest_goes_on(ada: World):
    assert ada.server is not None
    ada.set("amadeus.m=30")
    ada.server.script(*["ok"] * 6, "context_length")
    shape = ada.done("recall", "ada-byrne", QUESTION, "--json").json
    (skipped,) = shape["skipped"]
    assert skipped["why"].startswith("not judged")
    assert chosen(shape)


def test_a_rate_limit_is_waited_out(ada: World):
    assert ada.server is not None
    ada.set("amadeus.m=30")
    ada.server.script(*["ok"] * 4, *["429"] * 5)
    shape = ada.done("recall", "ada-byrne", QUESTION, "--json").json
    assert shape["skipped"] == []
    assert shape["usage"]["by_task"]["reveals_trait"]["calls"] == 35


def test_an_endpoint_that_is_down_is_no_finding(ada: World):
    assert ada.server is not None
    ada.server.always("401")
    assert ada.run("ask", "ada-byrne", QUESTION, "--json").code == 4


def test_the_estimate_is_what_judging_costs(ada: World):
    assert ada.server is not None
    ada.set("amadeus.gs=indexed")
    told = ada.done("ingest", "ada-byrne", "--estimate", "--json").json
    assert told["by_task"]["index_traits"]["calls"] == YEARS
    assert ada.server.chat_bodies == []
    done = ada.done("ingest", "ada-byrne", "--json").json["usage"]
    assert done["calls"] == told["calls"]
    spent = done["by_task"]["index_traits"]
    assert told["prompt_tokens"] == pytest.approx(spent["prompt_tokens"], rel=0.05)
    again = ada.done("ingest", "ada-byrne", "--estimate", "--json").json
    assert again["calls"] == 0


def test_without_judgements_the_command_and_its_price_are_named(ada: World):
    ada.set("amadeus.gs=indexed")
    for words in (("ask", "ada-byrne", QUESTION, "--json"), ("show", "ada-byrne", "attributes")):
        outcome = ada.run(*words)
        assert outcome.code == 2
        assert "offbook ingest ada-byrne" in outcome.out + outcome.err
        assert "amadeus.gs=indexed" in outcome.out + outcome.err
    assert f"{YEARS} calls" in ada.run("ask", "ada-byrne", QUESTION, "--json").error["hint"]
    assert ada.run("chat", "ada-byrne").code == 2


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


def test_what_a_forgotten_document_revealed_is_gone(indexed: World):
    indexed.done("ingest", "ada-byrne", indexed.write("b.md", "# Later\n\nAda waited for Nora.\n"))
    assert "Nora" in indexed.done("show", "ada-byrne", "attributes").out
    indexed.done("forget", "ada-byrne", "b.md")
    assert "Nora" not in indexed.done("show", "ada-byrne", "attributes").out
    assert indexed.leaks("waited for Nora") == ["documents/b.md"]


def test_a_journey_keeps_the_judgements(indexed: World):
    rows = indexed.done("show", "ada-byrne", "attributes", "--json").json
    indexed.done("export", "ada-byrne", indexed.folder / "ada.offbook")
    indexed.done("delete", "ada-byrne", "--yes")
    indexed.done("import", indexed.folder / "ada.offbook")
    assert indexed.done("show", "ada-byrne", "attributes", "--json").json == rows
