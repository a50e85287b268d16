"""What chunks state of entities and relations, ready for questions: no name is normalized.

Takes: raw entities and relations with their vectors.  Gives: nodes and edges. Entities of exactly
equal names are one node, and nothing else is. Loaded once and kept until the revision changes.
Paper: LightRAG (Guo et al. 2024, arXiv 2410.05779), section 3.1, deduplication. Nothing is stored
but the vectors; descriptions are put together for the question (``dual_level``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np

from offbook.errors import IndexMissing
from offbook.graph.loading import load_story
from offbook.graph.merging import raw_graph
from offbook.retrieval.graph_index import check_extracted
from offbook.retrieval.kept_indexes import KeptIndexes
from offbook.stores import graph as graph_rows
from offbook.stores import jobs, vectors
from offbook.types import Source

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from sqlalchemy import Connection

    from offbook.graph.point_in_time import Story
    from offbook.protocols import Store
    from offbook.stores.vectors import Kind
    from offbook.types import Character, Position, RawEntity, RawRelation

METHOD: Final = "lightrag"
KEPT_INDICES: Final = 4
"""Indices kept in memory for each store; the one not used for longest goes first."""


@dataclass(frozen=True, slots=True)
class Statement:
    """What one chunk says of an entity or a relation; ``row`` is that of its vector, if any."""

    text: str
    source: Source
    row: int | None


@dataclass(frozen=True, slots=True)
class EntityNode:
    """An entity: all that is told under one name, in reading order."""

    name: str
    statements: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class RelationEdge:
    """A relation from one node to another: all that is told of it, in reading order."""

    source: int
    target: int
    statements: tuple[Statement, ...]
    strength: float


@dataclass(frozen=True, slots=True)
class Owners:
    """Whose vectors the rows of a matrix are: ``owners[i]`` has the row ``rows[i]``."""

    rows: NDArray[np.intp]
    owners: NDArray[np.intp]
    size: int

    @classmethod
    def of(cls, told: Sequence[Sequence[Statement]]) -> Owners:
        """The rows of what is told of each node, or of each edge."""
        pairs = [
            (statement.row, owner)
            for owner, statements in enumerate(told)
            for statement in statements
            if statement.row is not None
        ]
        found = np.array(pairs, dtype=np.intp).reshape(-1, 2)
        return cls(found[:, 0], found[:, 1], len(told))

    def best(self, scores: NDArray[np.float32]) -> NDArray[np.float32]:
        """The best score of each owner; minus infinity where it has no row."""
        found = np.full(self.size, -np.inf, dtype=np.float32)
        np.maximum.at(found, self.owners, scores[self.rows])
        return found


@dataclass(slots=True)
class MentionIndex:
    """Nodes and edges, named by their positions.

    Args:
        nodes: In the order of their first mention.
        edges: In the order of theirs.
        node_rows: Vectors of mentions.
        edge_rows: Vectors of relations as chunks state them.
    """

    nodes: Sequence[EntityNode]
    edges: Sequence[RelationEdge]
    node_rows: NDArray[np.float32]
    edge_rows: NDArray[np.float32]
    node_owners: Owners = field(init=False)
    edge_owners: Owners = field(init=False)
    _touching: dict[int, list[int]] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self.node_owners = Owners.of([node.statements for node in self.nodes])
        self.edge_owners = Owners.of([edge.statements for edge in self.edges])
        for place, edge in enumerate(self.edges):
            for end in dict.fromkeys((edge.source, edge.target)):
                self._touching.setdefault(end, []).append(place)

    def touching(self, node: int) -> list[int]:
        """The edges of a node, in either direction, strongest first."""
        found = self._touching.get(node, ())
        return sorted(found, key=lambda place: (-self.edges[place].strength, place))


_kept: Final[KeptIndexes[tuple[str, Position | None], MentionIndex]] = KeptIndexes(KEPT_INDICES)


async def mention_index(store: Store, character: Character, until: Position | None) -> MentionIndex:
    """The mentions of a character, at the end of its story or at a point in it.

    Raises:
        IndexMissing: chunks are not extracted, or vectors are missing.
    """

    async def load() -> MentionIndex:
        return await store.read(lambda conn: load_mention_index(conn, character, until))

    return await _kept.get(store, (character.id, until), character.revision, load)


def load_mention_index(
    conn: Connection, character: Character, until: Position | None
) -> MentionIndex:
    """Read mentions and relations with their vectors.

    Raises:
        IndexMissing: chunks are not extracted, or vectors are missing.
    """
    check_mentions(conn, character)
    story = load_story(conn, character.id)
    mentions = graph_rows.list_raw_entities(conn, character.id)
    relations = graph_rows.list_relations(conn, character.id)
    if until is not None:
        mentions = [mention for mention in mentions if story.known(mention.chunk, until)]
        relations = [relation for relation in relations if story.known(relation.chunk, until)]
    of_mentions, node_rows = vectors.load_matrix(conn, character.id, "raw_entity")
    of_relations, edge_rows = vectors.load_matrix(conn, character.id, "relation")
    raw = raw_graph(by_exact_name(mentions), relations)
    told = _Told(story, _rows(of_mentions), _rows(of_relations))
    nodes = [
        EntityNode(
            group[0].name,
            (
                *(told.mention(mention) for mention in group),
                *(told.relation(relation, of_node=True) for relation in raw.inner.get(n, ())),
            ),
        )
        for n, group in enumerate(raw.groups)
    ]
    edges = [
        RelationEdge(
            *ends, tuple(map(told.relation, stated)), max(relation.strength for relation in stated)
        )
        for ends, stated in raw.edges.items()
    ]
    return MentionIndex(nodes, edges, node_rows, edge_rows)


def by_exact_name(mentions: Sequence[RawEntity]) -> list[list[RawEntity]]:
    """Mentions of exactly equal names together, in the order of their first."""
    found: dict[str, list[RawEntity]] = {}
    for mention in mentions:
        found.setdefault(mention.name, []).append(mention)
    return list(found.values())


def check_mentions(conn: Connection, character: Character) -> None:
    """Refuse to answer from mentions that are there only in part.

    What the model or the embedder refuses is no part of it; that was reported.

    Raises:
        IndexMissing: the hint is the command that goes on.
    """
    check_extracted(conn, character, METHOD)
    aside = {
        job.subject
        for kind in (jobs.MENTIONS, jobs.GRAPH)
        for job in jobs.list_jobs(conn, character.id, kind=kind, statuses={"quarantined"})
    }
    kinds: dict[Kind, list[str]] = {
        "raw_entity": [row.id for row in graph_rows.list_raw_entities(conn, character.id)],
        "relation": [row.id for row in graph_rows.list_relations(conn, character.id)],
    }
    active = vectors.active_set(conn, character.id)
    for kind, ids in kinds.items():
        found = ids
        if active is not None:
            found = vectors.missing_ids(conn, character.id, active.id, kind)
        if lacking := len(set(found) - aside):
            what = "mentions" if kind == "raw_entity" else "relations"
            raise IndexMissing(
                f"{lacking} of {len(ids)} {what} of {character.name!r} have no vector yet",
                f"go on with: offbook ingest {character.id} --method {METHOD}",
            )


def _rows(ids: Sequence[str]) -> dict[str, int]:
    return {name: row for row, name in enumerate(ids)}


@dataclass(frozen=True, slots=True)
class _Told:
    """Makes statements of what is stored."""

    story: Story
    mention_rows: Mapping[str, int]
    relation_rows: Mapping[str, int]

    def mention(self, mention: RawEntity) -> Statement:
        """What a chunk says of an entity, and where it names it."""
        chunk = self.story.chunks[mention.chunk]
        start, end = chunk.start, chunk.end
        if mention.start is not None and mention.end is not None:
            start, end = chunk.start + mention.start, chunk.start + mention.end
        source = Source(chunk.document, chunk.id, start, end)
        return Statement(mention.description, source, self.mention_rows.get(mention.id))

    def relation(self, relation: RawRelation, *, of_node: bool = False) -> Statement:
        """What a chunk says of a relation; of one within a node, whose vectors are others."""
        chunk = self.story.chunks[relation.chunk]
        row = None if of_node else self.relation_rows.get(relation.id)
        source = Source(chunk.document, chunk.id, chunk.start, chunk.end)
        return Statement(relation.description, source, row)
