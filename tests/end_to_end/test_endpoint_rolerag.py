"""RoleRAG at an endpoint: what a question costs, what waits for what, what it prints."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import pytest

from tests.cli.shapes import ASK, RECALL, misfit
from tests.end_to_end.world import World
from tests.graph.rules_model import extract
from tests.loopback import schema_in
from tests.loopback.answers import default_answer

STORY = (
    "# Ada Byrne\n\nAda Byrne keeps the light on Skerry Rock. Tom Keane taught her to trim it."
    " Ada Byrne is a friend of Maud Dolan.\n"
)
LATER = "# Later\n\nJem Quill owned a sloop, and Nora Hart bought it.\n"
ANALYSIS = {
    "context": "Tom Keane did.",
    "entities": [
        {"name": "tom keane", "type": "character", "known": True, "specific": True, "reason": "r"},
        {
            "name": "telephone",
            "type": "object",
            "known": False,
            "specific": False,
            "reason": "It came later.",
        },
    ],
}
QUESTION = "Did Tom Keane own a telephone?"


def answer(body: Mapping[str, Any]) -> Any:
    """Rules for extraction, the analysis above for questions, and the least for all else."""
    schema = schema_in(body)
    fields = set((schema or {}).get("properties", {}))
    if fields == {"entities", "relations"}:
        passage = re.findall(r"<passage>\n(.*?)\n</passage>", body["messages"][-1]["content"], re.S)
        return extract(SimpleNamespace(passage=passage[-1])).model_dump_json()
    if fields == {"context", "entities"}:
        return json.dumps(ANALYSIS)
    if fields == {"entities"}:
        return json.dumps({"entities": ANALYSIS["entities"]})
    return default_answer(body)


@pytest.fixture
def ada(world: World) -> World:
    """Ada Byrne, with a graph that the endpoint made."""
    assert world.server is not None
    world.server.answer = answer
    world.set("method=rolerag", "graph.threshold=1")
    world.done("create", "Ada Byrne")
    world.done("ingest", "ada-byrne", world.write("a.md", STORY))
    world.done("ingest", "ada-byrne", world.write("b.md", LATER))
    world.server.clear()
    return world


def test_a_question_costs_two_calls_one_after_the_other_and_the_vectors_beside(ada: World):
    assert ada.server is not None
    ada.server.gather(2)
    shape = ada.done("ask", "ada-byrne", QUESTION, "--json").json
    usage = shape["usage"]
    assert (usage["calls"], usage["round_trips"], usage["embed_calls"]) == (2, 2, 1)
    assert set(usage["by_task"]) == {"analyse_question", "reply"}
    vectors, first, second = sorted(ada.server.requests, key=lambda r: (r.finished, r.started))
    if vectors.path.endswith("/chat/completions"):
        vectors, first = first, vectors
    assert vectors.path.endswith("/embeddings")
    assert vectors.started < first.finished
    assert first.started < vectors.finished
    assert second.started >= first.finished


def test_the_first_word_waits_for_two_calls_only(ada: World):
    assert ada.server is not None
    outcome = ada.process("chat", "ada-byrne", stdin=QUESTION + "\n")
    assert outcome.code == 0
    assert [bool(body.get("stream")) for body in ada.server.chat_bodies] == [False, True]
    assert ada.server.count("/embeddings") == 1


def test_the_same_question_is_analysed_once(ada: World):
    ada.done("ask", "ada-byrne", QUESTION)
    usage = ada.done("ask", "ada-byrne", QUESTION, "--json").json["usage"]
    assert (usage["calls"], usage["cached_calls"]) == (1, 1)


@pytest.mark.parametrize(("command", "expected"), [("recall", RECALL), ("ask", ASK)])
def test_the_document_has_the_shape_of_the_contract(ada: World, command, expected):
    shape = ada.done(command, "ada-byrne", QUESTION, "--json").json
    assert misfit(shape, expected) is None
    assert shape["boundary"] == {
        "verdict": "partly",
        "reasons": [{"entity": "telephone", "reason": "It came later."}],
    }
    assert {item["kind"] for item in shape["context"]} == {
        "profile", "entity", "knowledge", "out_of_scope",
    }  # fmt: skip
    assert all(item["sources"] for item in shape["context"])
    assert shape["as_of"] is None


def test_for_a_person_the_boundary_is_told(ada: World):
    out = ada.done("recall", "ada-byrne", QUESTION).out
    assert "boundary: partly" in out
    assert "telephone: It came later." in out


def test_an_answer_that_cannot_be_used_leaves_the_verdict_open(ada: World):
    assert ada.server is not None
    ada.server.answer = lambda body: "Nonsense." if schema_in(body) else "So it is."
    shape = ada.done("ask", "ada-byrne", QUESTION, "--json").json
    assert shape["boundary"] is None
    assert "not judged" in shape["skipped"][-1]["why"]
    assert shape["reply"] == "So it is."


def test_an_endpoint_that_is_down_is_no_verdict(ada: World):
    assert ada.server is not None
    ada.server.always("401")
    assert ada.run("ask", "ada-byrne", QUESTION, "--json").code == 4


def test_forgetting_a_document_forgets_the_analyses_that_saw_its_text(ada: World):
    ada.done("ask", "ada-byrne", QUESTION, "--session", "evening")
    assert ada.done("forget", "ada-byrne", "b.md", "--json").json["cached_calls"] >= 1


def test_faithful_asks_twice(ada: World):
    ada.set("rolerag.hyde=separate", "rolerag.source_chunks=0")
    shape = ada.done("ask", "ada-byrne", QUESTION, "--json").json
    assert shape["usage"]["round_trips"] == 3
    assert set(shape["usage"]["by_task"]) == {
        "hypothetical_context", "question_entities", "reply",
    }  # fmt: skip


@pytest.mark.parametrize("command", ["ask", "recall"])
def test_at_a_point_the_rest_of_the_story_is_unknown(ada: World, command):
    words = [command, "ada-byrne", "Did Nora Hart buy the sloop?", "--json", "--as-of"]
    early = ada.done(*words, "a.md").json
    assert misfit(early, RECALL) is None
    assert early["as_of"] == "a.md"
    assert "Hart" not in str([i for i in early["context"] if i["kind"] != "out_of_scope"])
    late = ada.done(*words, "b.md#Later").json
    assert "Nora Hart" in [item["title"] for item in late["context"]]


def test_without_the_graph_the_command_that_builds_it_is_named(world: World):
    assert world.server is not None
    world.server.answer = answer
    world.done("create", "Ada Byrne")
    world.done("ingest", "ada-byrne", world.write("a.md", STORY), "--method", "naive")
    outcome = world.run("ask", "ada-byrne", "Who?", "--method", "rolerag", "--json")
    assert outcome.code == 2
    assert outcome.error["kind"] == "index_missing"
    assert "build it: offbook ingest ada-byrne" in outcome.error["hint"]
    assert "--method rolerag" in outcome.error["hint"]
    assert world.run("chat", "ada-byrne", "--method", "rolerag").code == 2
