"""A character's graph, ready for questions: names, vectors, neighbours, and the texts' words.

Takes: a graph and the stored vectors.  Gives: look-ups that make no call. Loaded once and kept
until the character's revision changes; where a part is known the entities are compared by the
vectors of the mentions in it, since an entity's own vector was made from all of them.
Paper: RoleRAG (001), section 3.4, with the retrieval f_k(V, n) of section 3.1.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Final

import numpy as np

from offbook.errors import IndexMissing
from offbook.graph.assembly import CHUNKING, Graph, character_node, load_graph
from offbook.names.person import is_person
from offbook.names.story import Reach
from offbook.prompts.extraction import ENTITY_TYPES
from offbook.retrieval.beyond import last_year_of, mentions
from offbook.retrieval.name_table import NameTable
from offbook.retrieval.passages import check_split, text_of
from offbook.retrieval.point import known_parts, order_of
from offbook.retrieval.search import ANALYZER, IndexCache, LexicalIndex, encode_terms
from offbook.stores import chunks as chunk_rows
from offbook.stores import documents, jobs
from offbook.stores import graph as graph_rows
from offbook.stores import vectors as vector_rows
from offbook.stores.characters import NAMES
from offbook.text.words import search_terms

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from offbook.graph.assembly import Relation
    from offbook.protocols import Store
    from offbook.stores.connection import Connection
    from offbook.types import Character, Entity

FEW: Final = 8
"""Fewer entities do not say what likeness chance gives."""
KEPT_GRAPHS: Final = 4
"""Graphs kept in memory for each store; the one not used for longest goes first."""


@dataclass(frozen=True, slots=True)
class EntityVectors:
    """Vectors of entities; an entity may have several, of which the nearest counts.

    Args:
        matrix: One unit vector a row.
        owners: The entity of each row, as its position in the graph.
        size: How many entities there are.
    """

    matrix: NDArray[np.float32]
    owners: NDArray[np.intp]
    size: int

    def scores(self, vector: NDArray[np.float32]) -> NDArray[np.float32]:
        """The cosine of each entity with a unit vector; -1 for one without a vector."""
        best = np.full(self.size, -1.0, dtype=np.float32)
        if len(self.owners) and self.matrix.shape[1] == len(vector):
            np.maximum.at(best, self.owners, self.matrix @ vector)
        return best


@dataclass(slots=True)
class GraphIndex:
    """Look-ups in one graph; entities are named by their position in ``graph.entities``.

    Args:
        character: The name of the character.
        graph: Its graph.
        vectors: Of the entities.
        texts: The words of the texts that the graph was made from.
        last_year: The last year that the character can have seen, where its texts tell it.
        called: The names by which its book calls the character, where it is of one.
    """

    character: str
    graph: Graph
    vectors: EntityVectors
    texts: LexicalIndex
    last_year: int | None = None
    called: tuple[str, ...] = ()
    names: NameTable = field(init=False)
    own: int | None = field(init=False)
    _ties: dict[int, list[tuple[int | None, Relation]]] = field(init=False, default_factory=dict)
    """Of each entity its relations with the other end, strongest first."""
    _positions: dict[str, int] = field(init=False)

    def __post_init__(self) -> None:
        entities = self.graph.entities
        self._positions = {entity.id: place for place, entity in enumerate(entities)}
        self.names = NameTable(
            (name, place) for place, entity in enumerate(entities) for name in entity.names
        )
        for relation in sorted(self.graph.relations, key=lambda each: -each.strength):
            source, target = map(self._positions.get, (relation.source, relation.target))
            for one, other in {source: target, target: source}.items():
                if one is not None:
                    self._ties.setdefault(one, []).append((other, relation))
        node = character_node(entities, self.character, self.called)
        self.own = None if node is None else self._positions[node.id]

    def entity(self, position: int) -> Entity:
        """The entity at a position."""
        return self.graph.entities[position]

    def position(self, identity: str) -> int | None:
        """The position of the entity with an id; None where the graph has no such entity."""
        return self._positions.get(identity)

    def name_of(self, identity: str) -> str:
        """The name of the entity with an id; the id itself where the graph has no such entity."""
        place = self._positions.get(identity)
        return identity if place is None else self.entity(place).name

    def bearing(self, part: str) -> list[int]:
        """The people who may be called by a part of their name."""
        return [place for place in self.names.bearing(part) if is_person(self.entity(place).type)]

    def describing(self, name: str) -> list[int]:
        """The entities whose descriptions mention a name that is no part of their own."""
        terms = set(search_terms(name))
        return [
            place
            for place, entity in enumerate(self.graph.entities)
            if mentions(entity.description, name)
            and all(terms.isdisjoint(search_terms(other)) for other in entity.names)
        ]

    def similar(
        self, vector: NDArray[np.float32], k: int, threshold: float
    ) -> list[tuple[int, float]]:
        """The ``k`` entities nearest to a vector whose cosine exceeds the threshold, best first.

        The character itself is none of them: what is most like it is no sign that it knows of it.
        """
        scores = self.vectors.scores(vector)
        if self.own is not None:
            scores[self.own] = -1.0
        ranking = np.argsort(-scores, kind="stable")[:k]
        return [
            (place, float(scores[place])) for place in ranking.tolist() if scores[place] > threshold
        ]

    def above_chance(self, vector: NDArray[np.float32]) -> NDArray[np.float32]:
        """How far above chance each entity is like a question, in standard deviations.

        ``z = (cos - m) / s``, with mean and deviation of the question's cosines with all entities
        of this graph: what chance gives differs by embedder and language (0.1 for one, 0.7 for
        another; spreads from 0.03 to 0.2), and the character's own bank tells it at no cost. Fewer
        than ``FEW`` do not tell it: they all count as far above. Without a vector: 0.
        """
        scores = self.vectors.scores(vector)
        others = scores[[place for place in np.unique(self.vectors.owners) if place != self.own]]
        above = np.zeros(len(scores), np.float32)
        if len(others) and (spread := float(others.std(dtype=np.float64))) > 0:
            above = ((scores - others.mean(dtype=np.float64)) / spread).astype(np.float32)
        if len(others) < FEW:
            above = np.full(len(scores), np.inf, np.float32)
        above[scores == -1.0] = 0.0
        if self.own is not None:
            above[self.own] = 0.0
        return above

    def touching(self, position: int) -> list[Relation]:
        """The relations of an entity, in either direction, strongest first."""
        return [relation for _, relation in self._ties.get(position, ())]

    def between(self, one: int, other: int) -> list[Relation]:
        """The relations of two entities, in either direction, strongest first."""
        return [relation for end, relation in self._ties.get(one, ()) if end == other]

    def neighbours(
        self, type_: str, most: int, types: Sequence[str] = ENTITY_TYPES
    ) -> list[tuple[int, float]]:
        """The character's neighbours of a type with their strength, strongest first.

        A question's types are those of the paper: where it is none of those that were configured
        (``types``), others that were configured in its place are meant as well, whichever they
        are. Empty where the graph has no node of the character.
        """
        fitting = {type_}
        if type_ not in types:
            fitting |= {entity.type for entity in self.graph.entities}.difference(ENTITY_TYPES)
        strengths: dict[int, float] = {}
        for place, relation in self._ties.get(self.own, ()) if self.own is not None else ():
            if place is None or place == self.own:
                continue
            if self.entity(place).type in fitting:
                strengths.setdefault(place, relation.strength)
        return list(strengths.items())[:most]


_kept: Final[IndexCache[tuple[str, Reach | None], GraphIndex]] = IndexCache(KEPT_GRAPHS)


async def graph_index(store: Store, character: Character, reach: Reach | None) -> GraphIndex:
    """The graph of a character, that of all texts or of what is known of them.

    Raises:
        IndexMissing: no graph was built, or it is not complete.
    """
    load = partial(store.read, load_graph_index, character, reach)
    return await _kept.get(store, (character.id, reach), character.revision, load)


def load_graph_index(conn: Connection, character: Character, reach: Reach | None) -> GraphIndex:
    """Read the graph with its vectors and the words of its texts.

    Raises:
        IndexMissing: no graph was built, or it is not complete.
    """
    check_graph(conn, character)
    graph = load_graph(conn, character.id, reach)
    infos = documents.list_all(conn, character.id)
    stored = [documents.require(conn, character.id, info.id) for info in infos]
    known = Reach() if reach is None else reach
    texts = [
        document.text[start:end]
        for ordinal, document in enumerate(stored)
        for start, end in known.parts(document.id, ordinal, 0, document.chars)
    ]
    return GraphIndex(
        character.name,
        graph,
        _vectors(conn, character.id, graph, reach),
        _terms(conn, character.id, reach),
        last_year_of(character.name, [*texts, character.profile or ""]),
        tuple(character.settings.get(NAMES, ())),
    )


def check_graph(conn: Connection, character: Character) -> None:
    """Refuse to answer from a graph that was not built, or only in part.

    A chunk that the model refuses is no part of it; that was reported.

    Raises:
        IndexMissing: the hint is the command that builds it.
    """
    check_extracted(conn, character, "rolerag")
    if alone := graph_rows.count_ungrouped(conn, character.id):
        raise IndexMissing(
            f"the graph of {character.name!r} is not finished: {alone} mentions have no entity",
            f"build it: offbook ingest {character.id} --method rolerag",
        )


def check_extracted(conn: Connection, character: Character, method: str) -> None:
    """Refuse to answer where passages would be passed over that nobody extracted.

    A chunk that the model refuses has no mentions; that was reported.

    Raises:
        IndexMissing: the hint is the command that goes on.
    """
    check_split(conn, character, CHUNKING)
    read = {
        job.subject
        for job in jobs.list_jobs(
            conn, character.id, kind=jobs.EXTRACT, statuses={"done", "quarantined"}
        )
    }
    chunks = chunk_rows.list_chunks(conn, character.id, chunking=CHUNKING)
    lacking = [c for c in chunks if c.id not in read and any(map(str.isalnum, c.text))]
    if lacking:
        raise IndexMissing(
            f"{len(lacking)} of {len(chunks)} chunks of {character.name!r} are not in its graph",
            f"build it: offbook ingest {character.id} --method {method}",
        )


def _vectors(conn: Connection, character: str, graph: Graph, reach: Reach | None) -> EntityVectors:
    """One vector an entity; without one, or at a point in time, those of its mentions."""
    owners: list[int] = []
    parts: list[NDArray[np.float32]] = []
    lacking = dict(enumerate(graph.entities))
    if reach is None:
        ids, matrix = vector_rows.load_matrix(conn, character, "entity")
        rows = {name: row for row, name in enumerate(ids)}
        having = [place for place, entity in enumerate(graph.entities) if entity.id in rows]
        owners += having
        parts.append(matrix[[rows[graph.entities[place].id] for place in having]])
        lacking = {place: entity for place, entity in lacking.items() if entity.id not in rows}
    if lacking:
        ids, matrix = vector_rows.load_matrix(conn, character, "raw_entity")
        rows = {name: row for row, name in enumerate(ids)}
        pairs = [(place, rows[m]) for place, e in lacking.items() for m in e.mentions if m in rows]
        owners += [place for place, _ in pairs]
        parts.append(matrix[[row for _, row in pairs]])
    parts = [part for part in parts if len(part)]
    matrix = np.concatenate(parts) if parts else np.empty((0, 0), dtype=np.float32)
    return EntityVectors(matrix, np.array(owners, dtype=np.intp), len(graph.entities))


def _terms(conn: Connection, character: str, reach: Reach | None) -> LexicalIndex:
    if reach is None:
        stored = chunk_rows.list_terms(conn, character, CHUNKING)
        made = [row for row in stored if row.analyzer == ANALYZER]
        if len(made) == chunk_rows.count(conn, character, CHUNKING):
            ids, blobs = [row.chunk for row in made], [row.terms for row in made]
            return LexicalIndex.from_blobs(ids, blobs)
    pairs = list(_encoded(conn, character, reach))
    return LexicalIndex.from_blobs([name for name, _ in pairs], [blob for _, blob in pairs])


def _encoded(conn: Connection, character: str, reach: Reach | None) -> Iterator[tuple[str, bytes]]:
    order = order_of(conn, character)
    for chunk in chunk_rows.list_chunks(conn, character, chunking=CHUNKING):
        parts = [chunk] if reach is None else known_parts(chunk, order, reach)
        if parts:
            yield chunk.id, encode_terms(text_of(parts))
