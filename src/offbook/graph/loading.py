"""The graph of a character from the store, whole or as it was known at a point.

Takes: a connection and a character.  Gives: the graph; no call is made. At a point, descriptions
are those of the mentions up to there, one after the other (methods.md 5).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from offbook.graph.building import build_graph
from offbook.graph.equal_names import name_key
from offbook.graph.merging import Merged, raw_graph
from offbook.graph.point_in_time import Story, groups_at
from offbook.stores import chunks, documents, graph, graph_answers
from offbook.types import Graph

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from offbook.graph.merging import RawGraph
    from offbook.types import Decision, Position, RawEntity

CHUNKING = "graph"
"""The chunking that extraction runs on."""


def load_graph(conn: Connection, character: str, until: Position | None = None) -> Graph:
    """The graph of a character; empty where none was built.

    Args:
        conn: The connection.
        character: Id of the character.
        until: The point of the story; None: its end.
    """
    story = load_story(conn, character)
    groups = load_groups(conn, character)
    decisions = graph.list_decisions(conn, character)
    relations = graph.list_relations(conn, character)
    merged: Mapping[str, Merged] = {}
    if until is None:
        merged = load_merged(conn, character)
    else:
        groups = groups_at(groups, decisions, story, until)
        relations = [r for r in relations if story.known(r.chunk, until)]
    given = given_aliases(groups, decisions) if until is None else {}
    return build_graph(raw_graph(groups, relations), merged, story.chunks, given)


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
    given = given_aliases(raw.groups, persons)
    names = (
        {mention.name for mention in group}.union(given.get(number, ()))
        for number, group in enumerate(raw.groups)
    )
    return GraphSize(len(raw.groups), len(raw.edges), sum(len(called) - 1 for called in names))


def load_story(conn: Connection, character: str) -> Story:
    """The chunks that the graph is made from, in the order of the story."""
    found = chunks.list_chunks(conn, character, chunking=CHUNKING)
    infos = documents.list_all(conn, character)
    ordinals = {info.id: place for place, info in enumerate(infos)}
    return Story({chunk.id: chunk for chunk in found}, ordinals)


def load_groups(conn: Connection, character: str) -> list[list[RawEntity]]:
    """The stored groups in the order of their first mention, mentions in reading order."""
    home = graph.group_of(conn, character)
    found: dict[str, list[RawEntity]] = {}
    for mention in graph.list_raw_entities(conn, character):
        if mention.id in home:
            found.setdefault(home[mention.id], []).append(mention)
    return list(found.values())


def load_merged(conn: Connection, character: str) -> dict[str, Merged]:
    """Merged descriptions by ``Merge.key``."""
    return {
        answer.key: Merged(answer.answer["name"], answer.answer["description"])
        for answer in graph_answers.list_all(conn, character)
        if answer.kind == graph_answers.MERGE
    }


def given_aliases(
    groups: Sequence[Sequence[RawEntity]], decisions: Sequence[Decision]
) -> dict[int, list[str]]:
    """Names that a person gave an entity and that no text has, by the number of the group."""
    homes: dict[str, int] = {}
    for number, group in enumerate(groups):
        for mention in group:
            homes.setdefault(name_key(mention.name), number)
    found: dict[int, list[str]] = {}
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
            found.setdefault(number, []).append(name)
            homes[name_key(name)] = number
        if len(left) == len(waiting):
            break
        waiting = left
    return found
