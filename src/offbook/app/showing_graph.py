"""What is inside a character's graph, as rows: names in the place of ids.

Takes: a character and the part to show.  Gives: the JSON shapes of the contract.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from offbook.app.deciding import listed_decisions
from offbook.graph.equal_names import name_key
from offbook.graph.loading import load_graph

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from offbook.app.deciding import Listed
    from offbook.types import Entity, Graph, Source


def rows(conn: Connection, character: str, part: str) -> list[dict[str, Any]]:
    """The rows of ``entities``, ``relations``, ``aliases`` or ``decisions``."""
    if part == "decisions":
        return [_decision(listed) for listed in listed_decisions(conn, character)]
    graph = load_graph(conn, character)
    if part == "entities":
        return [_entity(entity) for entity in graph.entities]
    return _relations(graph) if part == "relations" else _aliases(graph)


def _entity(entity: Entity) -> dict[str, Any]:
    return {
        "name": entity.name,
        "type": entity.type,
        "description": entity.description,
        "aliases": list(entity.aliases),
        "mentions": len(entity.mentions),
        "sources": _sources(entity.sources),
    }


def _relations(graph: Graph) -> list[dict[str, Any]]:
    names = {entity.id: entity.name for entity in graph.entities}
    return [
        {
            "source": names[relation.source],
            "target": names[relation.target],
            "description": relation.description,
            "strength": relation.strength,
            "sources": _sources(relation.sources),
        }
        for relation in graph.relations
    ]


def _aliases(graph: Graph) -> list[dict[str, str]]:
    """Every name beside the canonical one; a name of several entities with each of them."""
    borne = Counter(
        key for entity in graph.entities for key in {name_key(name) for name in entity.names} if key
    )
    return [
        {"alias": alias, "name": entity.name}
        for entity in graph.entities
        for alias in entity.names
        if alias != entity.name or borne[name_key(alias)] > 1
    ]


def _decision(listed: Listed) -> dict[str, Any]:
    decision = listed.decision
    return asdict(decision) | {"evidence": list(decision.evidence), "holds": listed.holds}


def _sources(sources: Sequence[Source]) -> list[dict[str, Any]]:
    return [asdict(source) for source in sources]
