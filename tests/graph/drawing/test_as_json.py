"""The JSON holds everything, in the shape that docs/graph.md describes."""

from __future__ import annotations

import json

from offbook.graph.drawing.as_json import write_json
from tests.graph.drawing import graphs


def read(made: graphs.Made):
    return json.loads(write_json(made.graph, "Mara Quill", made.quotes))


def test_the_shape_is_as_documented():
    made = graphs.small()
    found = read(made)
    assert list(found) == ["format", "version", "character", "documents", "nodes", "relations"]
    assert (found["format"], found["version"]) == ("offbook-graph", 1)
    assert found["documents"] == [{"id": "id of lighthouse.md", "name": "lighthouse.md"}]
    mara = found["nodes"][0]
    assert mara | {"sources": []} == {
        "id": "e1",
        "name": "Mara Quill",
        "type": "character",
        "description": "Keeper of the lighthouse at Skerry Point; proud, and slow to forgive.",
        "aliases": ["the Lamplighter", "Auntie Quill"],
        "mentions": 4,
        "sources": [],
    }
    assert mara["sources"][0] == {
        "document": "id of lighthouse.md",
        "chunk": "c-0",
        "start": 0,
        "end": 10,
        "sentence": "Mara Quill keeps the lighthouse of Skerry Point.",
    }
    assert found["relations"][0] | {"sources": []} == {
        "source": "e1",
        "target": "e2",
        "description": "sister, who has not forgiven him",
        "strength": 9,
        "sources": [],
    }
    assert found["relations"][2]["sources"][0]["sentence"].startswith("Her brother Tobias left")


def test_nothing_is_left_out_and_the_order_is_kept():
    for made in (graphs.small(), graphs.hostile(), graphs.chinese(), graphs.single()):
        found = read(made)
        assert [node["id"] for node in found["nodes"]] == [e.id for e in made.entities]
        assert [tuple(n["aliases"]) for n in found["nodes"]] == [e.aliases for e in made.entities]
        assert [len(n["sources"]) for n in found["nodes"]] == [
            len(e.sources) for e in made.entities
        ]
        ends = [(relation["source"], relation["target"]) for relation in found["relations"]]
        assert ends == [(relation.source, relation.target) for relation in made.relations]


def test_offsets_lead_to_the_name_in_the_text():
    made = graphs.chinese()
    for node in read(made)["nodes"]:
        assert node["sources"]
        for source in node["sources"]:
            name = graphs.CHINESE[source["start"] : source["end"]]
            assert name in [node["name"], *node["aliases"]]
            assert name in source["sentence"]


def test_letters_of_any_script_are_written_as_they_are():
    made = graphs.chinese()
    assert "林黛玉" in write_json(made.graph, "林黛玉", made.quotes)


def test_an_empty_graph_is_a_document_too():
    found = read(graphs.empty())
    assert (found["nodes"], found["relations"]) == ([], [])
