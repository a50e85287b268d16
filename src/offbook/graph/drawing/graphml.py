"""The graph as GraphML 1.0 (http://graphml.graphdrawing.org), for networkx, Gephi, yEd, Cytoscape.

GraphML knows no lists: aliases, sources and sentences stand one a line. ``weight`` repeats
``strength``, and ``label`` repeats ``name``, under the names that those programs look for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final
from xml.sax.saxutils import escape, quoteattr

from offbook.graph.assembly import Graph, Relation
from offbook.graph.drawing.quotes import Quotes
from offbook.types import Entity, Source

_NODE: Final = {
    "label": "string",
    "name": "string",
    "type": "string",
    "description": "string",
    "aliases": "string",
    "mentions": "int",
    "sources": "string",
    "sentences": "string",
}
_EDGE: Final = {
    "description": "string",
    "strength": "double",
    "weight": "double",
    "sources": "string",
    "sentences": "string",
}
_NO_XML: Final = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_HEAD: Final = """<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns"
  xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
  xsi:schemaLocation="http://graphml.graphdrawing.org/xmlns
  http://graphml.graphdrawing.org/xmlns/1.0/graphml.xsd">
"""


def write_graphml(graph: Graph, character_name: str, quotes: Quotes) -> str:
    """The graph, directed, with all attributes; what XML cannot hold becomes U+FFFD."""
    return "".join(_parts(graph, character_name, quotes))


def _parts(graph: Graph, character_name: str, quotes: Quotes) -> Iterator[str]:
    names = {entity.id: entity.names for entity in graph.entities}
    yield _HEAD
    yield '<key id="character" for="graph" attr.name="character" attr.type="string"/>\n'
    for owner, keys in (("node", _NODE), ("edge", _EDGE)):
        for name, kind in keys.items():
            key = f'id="{owner}_{name}" for="{owner}" attr.name="{name}" attr.type="{kind}"'
            yield f"<key {key}/>\n"
    yield '<graph edgedefault="directed">\n'
    yield _data("character", character_name)
    for entity in graph.entities:
        yield f"<node id={_attribute(entity.id)}>\n"
        yield from _node(entity, quotes)
        yield "</node>\n"
    for number, relation in enumerate(graph.relations):
        ends = f"source={_attribute(relation.source)} target={_attribute(relation.target)}"
        yield f'<edge id="r{number}" {ends}>\n'
        yield from _edge(relation, quotes, names[relation.source], names[relation.target])
        yield "</edge>\n"
    yield "</graph>\n</graphml>\n"


def _node(entity: Entity, quotes: Quotes) -> Iterator[str]:
    yield _data("node_label", entity.name)
    yield _data("node_name", entity.name)
    yield _data("node_type", entity.type)
    yield _data("node_description", entity.description)
    yield _data("node_aliases", _lines(entity.aliases))
    yield _data("node_mentions", str(len(entity.mentions)))
    yield from _provenance("node", entity.sources, quotes, entity.names)


def _edge(relation: Relation, quotes: Quotes, *subjects: Sequence[str]) -> Iterator[str]:
    yield _data("edge_description", relation.description)
    yield _data("edge_strength", repr(float(relation.strength)))
    yield _data("edge_weight", repr(float(relation.strength)))
    yield from _provenance("edge", relation.sources, quotes, *subjects)


def _provenance(
    owner: str, sources: Sequence[Source], quotes: Quotes, *subjects: Sequence[str]
) -> Iterator[str]:
    places = [f"{quotes.names[s.document]}[{s.start}:{s.end}]" for s in sources]
    yield _data(f"{owner}_sources", _lines(places))
    sentences = dict.fromkeys(quotes.quote(source, *subjects).text for source in sources)
    yield _data(f"{owner}_sentences", _lines(list(sentences)))


def _lines(texts: Sequence[str]) -> str:
    """One text a line, whatever white space it holds."""
    return "\n".join(" ".join(text.split()) for text in texts)


def _data(key: str, text: str) -> str:
    # A bare carriage return would be read back as a line feed.
    return f'<data key="{key}">{escape(_NO_XML.sub("�", text), {chr(13): "&#13;"})}</data>\n'


def _attribute(text: str) -> str:
    return quoteattr(_NO_XML.sub("�", text))
