"""RoleRAG at an endpoint: what a question costs, what waits for what, what it prints."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import pytest

from tests.end_to_end.world import World
from tests.graph.rules_model import extract
from tests.loopback import LoopbackServer, schema_in
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
        return extract(
            SimpleNamespace(sections=[SimpleNamespace(passage=text) for text in passage])
        ).model_dump_json()
    if fields == {"context", "entities"}:
        return json.dumps(ANALYSIS)
    if fields == {"entities"}:
        return json.dumps({"entities": ANALYSIS["entities"]})
    return default_answer(body)


@pytest.fixture
def ada(world: World, server: LoopbackServer) -> World:
    """Ada Byrne, with a graph that the endpoint made."""
    server.answer = answer
    world.set("method=rolerag", "graph.threshold=1")
    world.done("create", "Ada Byrne")
    world.done("ingest", "ada-byrne", world.write("a.md", STORY))
    world.done("ingest", "ada-byrne", world.write("b.md", LATER))
    server.clear()
    return world


def test_a_question_costs_two_calls_one_after_the_other_and_the_vectors_beside(ada, server):
    server.gather(2)
    shape = ada.done("ask", "ada-byrne", QUESTION, "--json").json
    usage = shape["usage"]
    assert (usage["calls"], usage["round_trips"], usage["embed_calls"]) == (2, 2, 1)
    assert set(usage["by_task"]) == {"analyse_question", "reply"}
    vectors, first, second = sorted(server.requests, key=lambda r: (r.finished, r.started))
    if vectors.path.endswith("/chat/completions"):
        vectors, first = first, vectors
    assert vectors.path.endswith("/embeddings")
    assert vectors.started < first.finished
    assert first.started < vectors.finished
    assert second.started >= first.finished
