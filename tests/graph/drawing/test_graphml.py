"""The GraphML loads in networkx with everything that the graph holds."""

from __future__ import annotations

import io
import re
from typing import Any

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from offbook.graph.drawing.graphml import write_graphml
from offbook.graph.drawing.quotes import Quotes
from offbook.types import Document, Entity, Graph, Relation
from tests.graph.drawing import graphs

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


def test_two_relations_between_the_same_two_are_kept():
    made = graphs.single()
    made.relation("only", "only", "sings to himself", 3)
    descriptions = {d["description"] for _, _, d in loaded(made).edges(data=True)}
    assert descriptions == {"talks to himself", "sings to himself"}


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
