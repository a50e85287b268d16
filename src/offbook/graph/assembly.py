"""The graph as a value: entities and relations with their sources, the character's node, its size.

The same functions serve the whole story and any point of it, where descriptions are those of the
mentions up to there, one after the other.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from offbook.graph.merging import (
    Merge,
    Merged,
    RawGraph,
    chosen_name,
    distinct,
    entity_merge,
    outcome,
    plain_name,
    plain_type,
    raw_graph,
    relation_merge,
)
from offbook.graph.point_in_time import Story, groups_at
from offbook.names.identity import name_key
from offbook.stores import chunks, documents, graph
from offbook.types import Entity, Source

if TYPE_CHECKING:
    from offbook.names.story import Reach
    from offbook.stores.connection import Connection
    from offbook.stores.graph import GraphAnswer
    from offbook.types import Chunk, Decision, RawEntity, RawRelation


@dataclass(frozen=True, slots=True)
class Relation:
    """A directed edge of the graph; ``source`` and ``target`` are ids of entities.

    ``strength`` is the greatest that any chunk states, 1 to 10.
    """

    source: str
    target: str
    description: str
    strength: float
    sources: tuple[Source, ...] = ()


@dataclass(frozen=True, slots=True)
class Graph:
    """The graph of a character: who and what there is, and how they relate."""

    entities: tuple[Entity, ...] = ()
    relations: tuple[Relation, ...] = ()


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
    content = "\0".join([name, kind, description, *mentions])
    return hashlib.blake2b(content.encode("utf-8", "surrogatepass"), digest_size=10).hexdigest()


def build_entity(
    graph: RawGraph,
    number: int,
    merged: Mapping[str, Merged],
    chunks: Mapping[str, Chunk],
    aliases: Sequence[str],
) -> Entity:
    """The entity that a group becomes; ``aliases`` are its names by a person's word."""
    mentions = graph.groups[number]
    merge = entity_merge(graph, number)
    merger = outcome(merge, merged) if len(merge.descriptions) > 1 else None
    name = plain_name(mentions)
    if merger is not None:
        name = chosen_name(merger.name, merge.names, name)
    description = _description(merge, merger)
    kind = plain_type(mentions)
    ids = tuple(mention.id for mention in mentions)
    names = dict.fromkeys([*merge.names, *aliases])
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
    merger = outcome(merge, merged) if len(merge.descriptions) > 1 else None
    return Relation(
        source=entities[ends[0]].id,
        target=entities[ends[1]].id,
        description=_description(merge, merger),
        strength=max(relation.strength for relation in stated),
        sources=tuple(dict.fromkeys(_chunk_source(r, chunks) for r in stated)),
    )


def _description(merge: Merge, merger: Merged | None) -> str:
    return merger.description if merger is not None else " ".join(merge.descriptions)


def _mention_source(mention: RawEntity, chunks: Mapping[str, Chunk]) -> Source:
    """Where a mention stands; its chunk where it was not found in the text."""
    chunk = chunks[mention.chunk]
    if mention.start is None or mention.end is None:
        return Source(chunk.document, chunk.id, chunk.start, chunk.end)
    return Source(chunk.document, chunk.id, chunk.start + mention.start, chunk.start + mention.end)


def _chunk_source(relation: RawRelation, chunks: Mapping[str, Chunk]) -> Source:
    chunk = chunks[relation.chunk]
    return Source(chunk.document, chunk.id, chunk.start, chunk.end)


_NOBODYS: Final = frozenset({"location", "time", "event", "organization"})
"""Types of the paper that a character is not; types that were configured may be anybody's."""


def character_node(
    entities: Sequence[Entity], name: str, called: Sequence[str] = ()
) -> Entity | None:
    """The entity of this name; else the most mentioned one that has all words of it, or some.

    A persona is called "Beethoven" and its texts say "Ludwig van Beethoven", or the other way
    round. Of a book the one that has most of the names by which the book calls it goes before.
    """
    candidates = [(e.names, e.type, len(e.mentions)) for e in entities]
    place = _place(candidates, name, called)
    return entities[place] if place is not None else None


def describe_character(
    groups: Sequence[Sequence[RawEntity]], name: str, called: Sequence[str] = ()
) -> str:
    """What the mentions of the character say of it, before they are merged; else nothing."""
    candidates = [([m.name for m in group], plain_type(group), len(group)) for group in groups]
    place = _place(candidates, name, called)
    if place is None:
        return ""
    return " ".join(distinct([mention.description for mention in groups[place]]))


def _place(
    candidates: Sequence[tuple[Sequence[str], str, int]], name: str, called: Sequence[str]
) -> int | None:
    """The place of the character among names, type and number of mentions of each."""
    key = name_key(name)
    wanted, given = set(key.split()), {*map(name_key, called)} - {""}
    best: tuple[tuple[int, int, int, int], int] | None = None
    for place, (names, kind, mentions) in enumerate(candidates):
        keys = set(map(name_key, names))
        alike = max((_likeness(key, wanted, other) for other in keys), default=0)
        shared = len(keys & given)
        rank = (shared, alike, mentions, -place)
        if (shared or alike) and kind not in _NOBODYS and (best is None or rank > best[0]):
            best = rank, place
    return best[1] if best is not None else None


def _likeness(key: str, wanted: set[str], other: str) -> int:
    """2 for the very name, 1 where one holds all words of the other, else 0."""
    if not key or not other:
        return 0
    words = set(other.split())
    return 2 if key == other else int(wanted <= words or words <= wanted)


CHUNKING = "graph"
"""The chunking that extraction runs on."""


def load_graph(conn: Connection, character: str, reach: Reach | None = None) -> Graph:
    """The graph of a character; empty where none was built.

    Args:
        conn: The connection.
        character: Id of the character.
        reach: What of the texts is known; None: all.
    """
    story = load_story(conn, character)
    groups = load_groups(conn, character)
    decisions = graph.list_decisions(conn, character)
    relations = graph.list_relations(conn, character)
    merged: Mapping[str, Merged] = {}
    if reach is None:
        merged = stored_merges(graph.list_answers(conn, character))
    else:
        groups = groups_at(groups, decisions, story, reach)
        relations = [r for r in relations if story.known(r.chunk, reach)]
    aliases = given_aliases(groups, decisions) if reach is None else {}
    return build_graph(raw_graph(groups, relations), merged, story.chunks, aliases)


class GraphSize(NamedTuple):
    """Entities, relations, and names beside the canonical ones."""

    entities: int
    relations: int
    aliases: int


def graph_size(conn: Connection, character: str) -> GraphSize:
    """The size of the stored graph; what it says is not read."""
    groups = load_groups(conn, character)
    raw = raw_graph(groups, graph.list_relations(conn, character))
    return size_of(raw, graph.list_decisions(conn, character, by=graph.PERSON))


def size_of(raw: RawGraph, persons: Sequence[Decision]) -> GraphSize:
    """The size of a graph, given what persons have decided."""
    aliases = given_aliases(raw.groups, persons)
    names = (
        {mention.name for mention in group}.union(aliases.get(number, ()))
        for number, group in enumerate(raw.groups)
    )
    return GraphSize(len(raw.groups), len(raw.edges), sum(len(called) - 1 for called in names))


def load_story(conn: Connection, character: str) -> Story:
    """The chunks that the graph is made from, in the order of the story."""
    rows = chunks.list_chunks(conn, character, chunking=CHUNKING)
    infos = documents.list_all(conn, character)
    ordinals = {info.id: place for place, info in enumerate(infos)}
    return Story({chunk.id: chunk for chunk in rows}, ordinals)


def load_groups(conn: Connection, character: str) -> list[list[RawEntity]]:
    """The stored groups in the order of their first mention, mentions in reading order."""
    home = graph.group_of(conn, character)
    members: dict[str, list[RawEntity]] = {}
    for mention in graph.list_raw_entities(conn, character):
        if mention.id in home:
            members.setdefault(home[mention.id], []).append(mention)
    return list(members.values())


def stored_merges(answers: Sequence[GraphAnswer]) -> dict[str, Merged]:
    """Return the merged descriptions among what is stored, by ``Merge.key``."""
    return {
        one.key: Merged(one.answer["name"], one.answer["description"])
        for one in answers
        if one.kind == graph.MERGE
    }


def given_aliases(
    groups: Sequence[Sequence[RawEntity]], decisions: Sequence[Decision]
) -> dict[int, list[str]]:
    """Names that a person gave an entity and that no text has, by the number of the group."""
    homes: dict[str, int] = {}
    for number, group in enumerate(groups):
        for mention in group:
            homes.setdefault(name_key(mention.name), number)
    aliases: dict[int, list[str]] = {}
    waiting = [d for d in decisions if d.by == "person" and d.same]
    while waiting:
        left = []
        for decision in waiting:
            a, b = homes.get(name_key(decision.a)), homes.get(name_key(decision.b))
            if a is not None and b is None:
                number, name = a, decision.b
            elif b is not None and a is None:
                number, name = b, decision.a
            else:
                left.append(decision)
                continue
            aliases.setdefault(number, []).append(name)
            homes[name_key(name)] = number
        if len(left) == len(waiting):
            break
        waiting = left
    return aliases
