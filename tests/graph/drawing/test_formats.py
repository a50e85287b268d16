"""GraphML loads in networkx, JSON is as docs/graph.md says, suffixes tell the formats."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path
from typing import Any

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from offbook.errors import UsageError
from offbook.graph.assembly import Graph, Relation
from offbook.graph.drawing.as_json import write_json
from offbook.graph.drawing.formats import writer_for
from offbook.graph.drawing.graphml import write_graphml
from offbook.graph.drawing.quotes import Quotes
from offbook.types import Document, Entity
from tests.graph.drawing import graphs


@pytest.mark.parametrize(
    ("name", "begins"),
    [("a.html", "<!doctype html>"), ("a.b.GraphML", "<?xml"), ("a.JSON", "{")],
)
def test_a_known_suffix_finds_its_writer(name, begins):
    made = graphs.small()
    assert writer_for(Path(name))(made.graph, "Mara", made.quotes).startswith(begins)


@pytest.mark.parametrize("name", ["a", "a.png", ".html", "html", "a.html.gz"])
def test_another_one_is_refused_and_the_three_are_named(name):
    with pytest.raises(UsageError) as caught:
        writer_for(Path(name))
    assert repr(name) in caught.value.message
    assert caught.value.hint == "let it end in .html, .graphml or .json"


NO_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def load(text: str) -> Any:
    return nx.read_graphml(io.BytesIO(text.encode()))


def loaded(made: graphs.Made) -> Any:
    return load(write_graphml(made.graph, "Mara Quill", made.quotes))


def test_networkx_reads_every_attribute():
    found = loaded(graphs.small())
    assert found.is_directed()
    assert found.graph["character"] == "Mara Quill"
    mara = found.nodes["e1"]
    assert {key: mara[key] for key in ("label", "name", "type", "mentions")} == {
        "label": "Mara Quill",
        "name": "Mara Quill",
        "type": "character",
        "mentions": 4,
    }
    assert mara["aliases"].splitlines() == ["the Lamplighter", "Auntie Quill"]
    assert mara["description"].startswith("Keeper of the lighthouse")
    assert mara["sources"].splitlines()[0] == "lighthouse.md[0:10]"
    assert mara["sentences"].splitlines()[0] == "Mara Quill keeps the lighthouse of Skerry Point."
    edge = found.edges["e6", "e1"]
    assert edge["description"] == "pays her in paraffin and promises"
    assert edge["strength"] == edge["weight"] == 4.5
    assert edge["sources"] == f"lighthouse.md[0:{len(graphs.LIGHTHOUSE)}]"
    assert "pays Mara in paraffin" in edge["sentences"]


@pytest.mark.parametrize("make", [graphs.small, graphs.single, graphs.empty, graphs.chinese])
def test_nothing_is_left_out(make):
    made = make()
    found = loaded(made)
    assert list(found.nodes) == [entity.id for entity in made.entities]
    assert sorted(found.edges) == sorted((r.source, r.target) for r in made.relations)


def test_markup_and_control_characters_in_the_text_stay_text():
    found = loaded(graphs.hostile())
    assert found.nodes["</script>"]["name"] == graphs.HOSTILE_NAME
    assert found.nodes["</script>"]["aliases"] == graphs.HOSTILE_ALIAS
    # XML readers fold white space in attributes unless it is written as a character reference.
    assert set(found.nodes) == {"</script>", "'\"&\r\n\t", "%zz#"}
    described = found.nodes["%zz#"]["description"]
    assert described == graphs.CLOSING + "\ufffd\ufffd\ufffd"


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=60))
def test_any_text_is_read_back(text):
    entity = Entity("a", text, text, text, (text,))
    relation = Relation("a", "a", text, 1)
    made = Graph((entity,), (relation,))
    found = load(write_graphml(made, text, Quotes([Document("d", "d", "", "")])))
    expected = NO_XML.sub("\ufffd", text)
    assert found.nodes["a"]["name"] == expected
    assert found.nodes["a"]["description"] == expected
    assert found.edges["a", "a"]["description"] == expected
    assert found.nodes["a"]["aliases"] == NO_XML.sub("\ufffd", " ".join(text.split()))


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
    made_ones = graphs.small, graphs.hostile, graphs.chinese, graphs.single, graphs.empty
    for made in (make() for make in made_ones):
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
    assert "林黛玉" in write_json(made.graph, "林黛玉", made.quotes), "letters are as they are"
    for node in read(made)["nodes"]:
        assert node["sources"]
        for source in node["sources"]:
            name = graphs.CHINESE[source["start"] : source["end"]]
            assert name in [node["name"], *node["aliases"]]
            assert name in source["sentence"]
