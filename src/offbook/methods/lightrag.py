"""LightRAG: a graph in which every name is a node, searched at two levels.

Takes: a question.  Gives: entities by what it names, relations by what it is about, and the chunks
that most of them is from. One step is taken from what the keywords find, along the strongest ties.
Paper: LightRAG (Guo et al. 2024, arXiv 2410.05779), sections 3.1 and 3.2. Entities of exactly equal
names are one node, and nothing else is. Of several descriptions of one entity those that are most
like the keywords are put together for the question, up to a length; the paper has a model
summarize them. Relations are found by keywords of their own where extraction gave them any
(``graph.keywords``), and by their ends and descriptions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Final

import numpy as np

from offbook.errors import AnswerError, IndexMissing, InputRefused
from offbook.graph.assembly import load_story
from offbook.graph.merging import distinct, raw_graph
from offbook.models.failures import why_without
from offbook.prompts.ask import ask
from offbook.prompts.retrieval import QUESTION_KEYWORDS, Keywords, KeywordsInputs
from offbook.retrieval.graph_index import check_extracted
from offbook.retrieval.passages import check_embedder
from offbook.retrieval.search import IndexCache, top_positions
from offbook.stores import graph as graph_rows
from offbook.stores import jobs, vectors
from offbook.types import ContextItem, IndexRequirements, Skipped, Source

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from offbook.graph.point_in_time import Story
    from offbook.methods.knowledge import Knowledge
    from offbook.names.story import Reach
    from offbook.protocols import Store
    from offbook.settings import SettingsModel
    from offbook.settings.methods import LightragSettings
    from offbook.stores.connection import Connection
    from offbook.stores.vectors import Kind
    from offbook.text.encodings import TokenCounter
    from offbook.types import Character, RawEntity, RawRelation, Recall


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
class NameToEntities:
    """Whose vectors the rows of a matrix are: ``owners[i]`` has the row ``rows[i]``."""

    rows: NDArray[np.intp]
    owners: NDArray[np.intp]
    size: int

    @classmethod
    def of(cls, statements_by_owner: Sequence[Sequence[Statement]]) -> NameToEntities:
        """The rows of what is told of each node, or of each edge."""
        pairs = [
            (statement.row, owner)
            for owner, statements in enumerate(statements_by_owner)
            for statement in statements
            if statement.row is not None
        ]
        matrix = np.array(pairs, dtype=np.intp).reshape(-1, 2)
        return cls(matrix[:, 0], matrix[:, 1], len(statements_by_owner))

    def best(self, scores: NDArray[np.float32]) -> NDArray[np.float32]:
        """The best score of each owner; minus infinity where it has no row."""
        best_scores = np.full(self.size, -np.inf, dtype=np.float32)
        np.maximum.at(best_scores, self.owners, scores[self.rows])
        return best_scores


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
    node_owners: NameToEntities = field(init=False)
    edge_owners: NameToEntities = field(init=False)
    _touching: dict[int, list[int]] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self.node_owners = NameToEntities.of([node.statements for node in self.nodes])
        self.edge_owners = NameToEntities.of([edge.statements for edge in self.edges])
        for place, edge in enumerate(self.edges):
            for end in dict.fromkeys((edge.source, edge.target)):
                self._touching.setdefault(end, []).append(place)

    def touching(self, node: int) -> list[int]:
        """The edges of a node, in either direction, strongest first."""
        places = self._touching.get(node, ())
        return sorted(places, key=lambda place: (-self.edges[place].strength, place))


_kept: Final[IndexCache[tuple[str, Reach | None], MentionIndex]] = IndexCache(KEPT_INDICES)


async def mention_index(store: Store, character: Character, reach: Reach | None) -> MentionIndex:
    """The mentions of a character, those in all texts or in what is known of them.

    Raises:
        IndexMissing: chunks are not extracted, or vectors are missing.
    """
    load = partial(store.read, load_mention_index, character, reach)
    return await _kept.get(store, (character.id, reach), character.revision, load)


def load_mention_index(conn: Connection, character: Character, reach: Reach | None) -> MentionIndex:
    """Read mentions and relations with their vectors.

    Raises:
        IndexMissing: chunks are not extracted, or vectors are missing.
    """
    check_mentions(conn, character)
    story = load_story(conn, character.id)
    mentions = graph_rows.list_raw_entities(conn, character.id)
    relations = graph_rows.list_relations(conn, character.id)
    if reach is not None:
        mentions = [mention for mention in mentions if story.known(mention.chunk, reach)]
        relations = [relation for relation in relations if story.known(relation.chunk, reach)]
    of_mentions, node_rows = vectors.load_matrix(conn, character.id, "raw_entity")
    of_relations, edge_rows = vectors.load_matrix(conn, character.id, "relation")
    raw = raw_graph(by_exact_name(mentions), relations)
    statements = _Told(story, _rows(of_mentions), _rows(of_relations))
    nodes = [
        EntityNode(
            group[0].name,
            (
                *(statements.mention(mention) for mention in group),
                *(statements.relation(relation, of_node=True) for relation in raw.inner.get(n, ())),
            ),
        )
        for n, group in enumerate(raw.groups)
    ]
    edges = [
        RelationEdge(
            *ends,
            tuple(map(statements.relation, stated)),
            max(relation.strength for relation in stated),
        )
        for ends, stated in raw.edges.items()
    ]
    return MentionIndex(nodes, edges, node_rows, edge_rows)


def by_exact_name(mentions: Sequence[RawEntity]) -> list[list[RawEntity]]:
    """Mentions of exactly equal names together, in the order of their first."""
    by_name: dict[str, list[RawEntity]] = {}
    for mention in mentions:
        by_name.setdefault(mention.name, []).append(mention)
    return list(by_name.values())


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
        lacking_ids = ids
        if active is not None:
            lacking_ids = vectors.missing_ids(conn, character.id, active.id, kind)
        if lacking := len(set(lacking_ids) - aside):
            what = "mentions" if kind == "raw_entity" else "relations"
            raise IndexMissing(
                f"{lacking} of {len(ids)} {what} of {character.name!r} have no vector yet",
                f"continue with: offbook ingest {character.id} --method {METHOD}",
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


@dataclass(frozen=True, slots=True)
class FoundMentions:
    """What was found, best first.

    Args:
        entities: As context.
        relations: As context.
        chunks: Id of a chunk -> the best score of what is from it, the chunks of most first.
    """

    entities: list[ContextItem] = field(default_factory=list)
    relations: list[ContextItem] = field(default_factory=list)
    chunks: dict[str, float] = field(default_factory=dict)


def find_mentions(
    index: MentionIndex,
    low: NDArray[np.float32] | None,
    high: NDArray[np.float32] | None,
    settings: LightragSettings,
    count: TokenCounter,
) -> FoundMentions:
    """Find entities like the low-level keywords, relations like the high-level ones, and more."""
    search = _Search(index, settings, _scores(index.node_rows, low), _scores(index.edge_rows, high))
    search.by_keywords()
    search.one_step()
    return search.found(count)


def _scores(
    matrix: NDArray[np.float32], vector: NDArray[np.float32] | None
) -> NDArray[np.float32] | None:
    """The cosine of each row; None where there is nothing to compare."""
    if vector is None or matrix.shape[0] == 0 or not vector.any():
        return None
    scores: NDArray[np.float32] = matrix @ vector
    return scores


@dataclass(slots=True)
class _Search:
    """One search; ``nodes`` and ``edges`` are what was found, best first, with scores."""

    index: MentionIndex
    settings: LightragSettings
    node_scores: NDArray[np.float32] | None
    edge_scores: NDArray[np.float32] | None
    nodes: dict[int, float] = field(default_factory=dict)
    edges: dict[int, float] = field(default_factory=dict)

    def by_keywords(self) -> None:
        """Those that are most like the keywords themselves."""
        index, k = self.index, self.settings.k
        self.nodes = _best(index.node_owners, self.node_scores, k)
        self.edges = _best(index.edge_owners, self.edge_scores, k)

    def one_step(self) -> None:
        """Ends of the relations, ties of the entities, and the entities at their other ends."""
        index, most = self.index, self.settings.neighbours
        beside: dict[int, float] = {}
        for place, score in self.edges.items():
            for end in (index.edges[place].source, index.edges[place].target):
                beside.setdefault(end, score)
        ties: dict[int, float] = {}
        for node, score in self.nodes.items():
            for tie in index.touching(node):
                if tie not in self.edges:
                    ties.setdefault(tie, score)
        named = self.nodes.keys() | beside.keys()

        # Between two that were found already, then by strength: as many as may be.
        def rank(tie: int) -> tuple[int, float, int]:
            edge = index.edges[tie]
            return -((edge.source in named) + (edge.target in named)), -edge.strength, tie

        for tie in sorted(ties, key=rank)[:most]:
            self.edges[tie] = ties[tie]
            for end in (index.edges[tie].source, index.edges[tie].target):
                beside.setdefault(end, ties[tie])
        new = [node for node in beside if node not in self.nodes]
        self.nodes.update({node: beside[node] for node in new[:most]})

    def found(self, count: TokenCounter) -> FoundMentions:
        """All that was found as context, and the chunks that it is from."""
        index, most = self.index, self.settings.description_tokens
        mentions = FoundMentions()
        votes: dict[str, int] = {}
        for node, score in self.nodes.items():
            entity = index.nodes[node]
            text, sources = _told(entity.statements, self.node_scores, most, count)
            item = ContextItem("entity", entity.name, text or entity.name, score, sources)
            mentions.entities.append(item)
        for place, score in self.edges.items():
            edge = index.edges[place]
            text, sources = _told(edge.statements, self.edge_scores, most, count)
            ends = f"{index.nodes[edge.source].name} → {index.nodes[edge.target].name}"
            mentions.relations.append(ContextItem("relation", ends, text or ends, score, sources))
        for item in [*mentions.entities, *mentions.relations]:
            for chunk in dict.fromkeys(source.chunk for source in item.sources):
                votes[chunk] = votes.get(chunk, 0) + 1
                mentions.chunks[chunk] = max(item.score, mentions.chunks.get(chunk, item.score))
        ranked = sorted(mentions.chunks, key=lambda chunk: (-votes[chunk], -mentions.chunks[chunk]))
        mentions.chunks.update({chunk: mentions.chunks.pop(chunk) for chunk in ranked})
        return mentions


def _best(owners: NameToEntities, scores: NDArray[np.float32] | None, k: int) -> dict[int, float]:
    """The ``k`` best by position, of which a statement is most like the keywords."""
    if scores is None:
        return {}
    best_scores = owners.best(scores)
    ranking = top_positions(best_scores, k).tolist()
    return {
        place: float(best_scores[place]) for place in ranking if np.isfinite(best_scores[place])
    }


def _told(
    statements: Sequence[Statement],
    scores: NDArray[np.float32] | None,
    most: int,
    count: TokenCounter,
) -> tuple[str, tuple[Source, ...]]:
    """What is told, in reading order, within a length; and where."""

    def likeness(place: int) -> float:
        row = statements[place].row
        return 0.0 if scores is None or row is None else float(scores[row])

    chosen: list[int] = []
    left = most
    for place in sorted(range(len(statements)), key=lambda place: (-likeness(place), place)):
        cost = count(statements[place].text)
        if cost <= left or not chosen:
            chosen.append(place)
            left -= cost
    telling = [statements[place] for place in sorted(chosen)]
    text = " ".join(distinct([statement.text for statement in telling]))
    return text, tuple(dict.fromkeys(statement.source for statement in telling))


class LightRag:
    """Dual-level retrieval from a graph in which every name is a node."""

    name = "lightrag"

    def needs(self, settings: SettingsModel) -> IndexRequirements:
        """Entities and relations as chunks state them, with their vectors."""
        del settings
        return IndexRequirements(("graph",), vectors=False, mentions=True)

    async def recall(self, knowledge: Knowledge, question: str) -> Recall:
        """What the graph says at both levels, and the chunks that it is from."""
        settings = knowledge.settings.lightrag
        check_embedder(knowledge.character, knowledge.embedder)
        index = await mention_index(knowledge.store, knowledge.character, knowledge.reach)
        # 1 -- keywords of two levels ----------------------------------------------------------
        full = knowledge.in_full(question)
        keywords, left = await _keywords(knowledge, full)
        low, high = await _vectors(knowledge, keywords, full)
        # 2 -- entities, relations, and one step further ---------------------------------------
        mentions = find_mentions(index, low, high, settings, knowledge.count)
        if not mentions.entities and not mentions.relations:
            why = "nothing that the texts mention is like what is asked"
            left.append(Skipped("entity", "entities and relations", why))
        # 3 -- the chunks that most of it is from ----------------------------------------------
        ids = list(mentions.chunks)[: settings.source_chunks]
        passages = await knowledge.chunks(ids)
        chunks = [replace(p, score=mentions.chunks[p.sources[0].chunk]) for p in passages]
        # 4 -- within a budget that is divided -------------------------------------------------
        kinds = {
            "entities": (settings.entity_share, mentions.entities),
            "relations": (settings.relation_share, mentions.relations),
            "chunks": (settings.chunk_share, chunks),
        }
        return knowledge.divided_recall(self.name, question, kinds, skipped=left)


async def _keywords(knowledge: Knowledge, question: str) -> tuple[Keywords | None, list[Skipped]]:
    """The keywords of the question; or why there are none, and it is searched by as it stands."""
    inputs = KeywordsInputs(knowledge.character.name, question)
    model, most = knowledge.extractor_for("lightrag"), knowledge.settings.answers.retries
    try:
        return await ask(model, QUESTION_KEYWORDS, inputs, retries=most), []
    except (AnswerError, InputRefused) as error:
        why = f"none were found, the question itself is searched by: {why_without(error)}"
        return None, [Skipped("entity", "the keywords", why)]


async def _vectors(
    knowledge: Knowledge, keywords: Keywords | None, question: str
) -> tuple[NDArray[np.float32] | None, NDArray[np.float32] | None]:
    """The vectors of both levels, in one request; None for a level without keywords.

    A question without any is searched by as it stands. Where that says nothing ("Who are you?"),
    it is about whom it is put to.
    """
    low = ", ".join(filter(str.strip, keywords.low_level)) if keywords else ""
    high = ", ".join(filter(str.strip, keywords.high_level)) if keywords else ""
    if low or high:
        texts = [text for text in dict.fromkeys((low, high)) if text]
        matrix = await knowledge.embedder.embed(texts, "query")
        made = dict(zip(texts, matrix, strict=True))
        return made.get(low), made.get(high)
    whole, of_name = await knowledge.embedder.embed([question, knowledge.character.name], "query")
    return (whole, whole) if whole.any() else (of_name, None)
