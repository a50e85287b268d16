"""The graph as a value: what normalization and merging have found, put together.

Takes: groups, relations and merged descriptions.  Gives: entities and relations with their sources.
The same function serves the whole story and any point of it (``graph.point_in_time``).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from offbook.graph.merging import (
    Merge,
    Merged,
    RawGraph,
    chosen_name,
    entity_merge,
    outcome,
    plain_name,
    plain_type,
    relation_merge,
)
from offbook.types import Entity, Graph, Relation, Source

if TYPE_CHECKING:
    from offbook.types import Chunk, RawEntity, RawRelation


def build_graph(
    graph: RawGraph,
    merged: Mapping[str, Merged],
    chunks: Mapping[str, Chunk],
    aliases: Mapping[int, Sequence[str]] | None = None,
) -> Graph:
    """Entities in the order of their first mention, relations in the order of theirs.

    Args:
        graph: Groups and their relations.
        merged: ``Merge.key`` -> the merged description. What has none, because it was put aside
            or is asked about at a point in time, shows its descriptions one after the other.
        chunks: The chunks by id.
        aliases: Number of a group -> names that a person gave it and no text has.
    """
    entities = [
        build_entity(graph, number, merged, chunks, (aliases or {}).get(number, ()))
        for number in range(len(graph.groups))
    ]
    relations = [_relation(graph, ends, entities, merged, chunks) for ends in graph.edges]
    return Graph(tuple(entities), tuple(relations))


def entity_id(name: str, kind: str, description: str, mentions: Iterable[str]) -> str:
    """Names the content: another description or another member makes another id."""
    told = "\0".join([name, kind, description, *mentions])
    return hashlib.blake2b(told.encode("utf-8", "surrogatepass"), digest_size=10).hexdigest()


def build_entity(
    graph: RawGraph,
    number: int,
    merged: Mapping[str, Merged],
    chunks: Mapping[str, Chunk],
    given: Sequence[str],
) -> Entity:
    """The entity that a group becomes; ``given`` are its names by a person's word."""
    mentions = graph.groups[number]
    merge = entity_merge(graph, number)
    found = outcome(merge, merged) if len(merge.descriptions) > 1 else None
    name = plain_name(mentions)
    if found is not None:
        name = chosen_name(found.name, merge.names, name)
    description = _description(merge, found)
    kind = plain_type(mentions)
    ids = tuple(mention.id for mention in mentions)
    names = dict.fromkeys([*merge.names, *given])
    return Entity(
        id=entity_id(name, kind, description, ids),
        name=name,
        type=kind,
        description=description,
        aliases=tuple(other for other in names if other != name),
        mentions=ids,
        sources=tuple(dict.fromkeys(_mention_source(m, chunks) for m in mentions)),
    )


def _relation(
    graph: RawGraph,
    ends: tuple[int, int],
    entities: Sequence[Entity],
    merged: Mapping[str, Merged],
    chunks: Mapping[str, Chunk],
) -> Relation:
    stated = graph.edges[ends]
    merge = relation_merge(graph, ends)
    found = outcome(merge, merged) if len(merge.descriptions) > 1 else None
    return Relation(
        source=entities[ends[0]].id,
        target=entities[ends[1]].id,
        description=_description(merge, found),
        strength=max(relation.strength for relation in stated),
        sources=tuple(dict.fromkeys(_chunk_source(r, chunks) for r in stated)),
    )


def _description(merge: Merge, found: Merged | None) -> str:
    return found.description if found is not None else " ".join(merge.descriptions)


def _mention_source(mention: RawEntity, chunks: Mapping[str, Chunk]) -> Source:
    """Where a mention stands; its chunk where it was not found in the text."""
    chunk = chunks[mention.chunk]
    if mention.start is None or mention.end is None:
        return Source(chunk.document, chunk.id, chunk.start, chunk.end)
    return Source(chunk.document, chunk.id, chunk.start + mention.start, chunk.start + mention.end)


def _chunk_source(relation: RawRelation, chunks: Mapping[str, Chunk]) -> Source:
    chunk = chunks[relation.chunk]
    return Source(chunk.document, chunk.id, chunk.start, chunk.end)
