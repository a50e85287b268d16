"""The graph as JSON, for programs; its shape is in docs/graph.md."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from offbook.graph.assembly import Graph
from offbook.graph.drawing.quotes import Quotes
from offbook.types import Source


def write_json(graph: Graph, character_name: str, quotes: Quotes) -> str:
    """The graph with every source and its sentence; fields are added, never renamed."""
    names = {entity.id: entity.names for entity in graph.entities}
    document = {
        "format": "offbook-graph",
        "version": 1,
        "character": character_name,
        "documents": [{"id": key, "name": name} for key, name in quotes.names.items()],
        "nodes": [
            {
                "id": entity.id,
                "name": entity.name,
                "type": entity.type,
                "description": entity.description,
                "aliases": list(entity.aliases),
                "mentions": len(entity.mentions),
                "sources": _sources(quotes, entity.sources, entity.names),
            }
            for entity in graph.entities
        ],
        "relations": [
            {
                "source": relation.source,
                "target": relation.target,
                "description": relation.description,
                "strength": relation.strength,
                "sources": _sources(
                    quotes, relation.sources, names[relation.source], names[relation.target]
                ),
            }
            for relation in graph.relations
        ],
    }
    return json.dumps(document, ensure_ascii=False, indent=1) + "\n"


def _sources(
    quotes: Quotes, sources: Sequence[Source], *subjects: Sequence[str]
) -> list[dict[str, Any]]:
    return [
        {
            "document": source.document,
            "chunk": source.chunk,
            "start": source.start,
            "end": source.end,
            "sentence": quotes.quote(source, *subjects).text,
        }
        for source in sources
    ]
