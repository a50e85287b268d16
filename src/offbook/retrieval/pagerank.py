"""What lies two steps from a question: PageRank over entities and passages, begun at the question.

Takes: a character's graph, the words of a question, the passages like it.  Gives: the passages that
a walk from there comes to most, and relations between those whom it meets; no call is made.
Source: HippoRAG 2 (Gutiérrez, Shu, Qi, Zhou, Su 2025, From RAG to Memory), section 3: phrases and
passages in one graph, facts and passages like the question as seeds. Ours: facts are found by
their words, so that no call and no vector more is needed, and the character's own node is left
out: all that is told touches it, so a walk through it ends anywhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Final

import numpy as np

from offbook.retrieval.search import inverse_document_frequency
from offbook.text.words import search_terms

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from offbook.graph.assembly import Relation
    from offbook.retrieval.graph_index import GraphIndex

RESTART: Final = 0.5
"""The chance to begin again at each step: the damping of HippoRAG 2, so half of all walks end after
one step and a quarter after two."""
PASSAGE_WEIGHT: Final = 0.05
"""Of a passage among the seeds beside an entity: HippoRAG 2's."""
_FACTS: Final = 5
"""Facts whose ends are seeds: HippoRAG 2's."""
_STEPS: Final = 24
"""After these less than 1e-7 of the walk is still on its way."""


@dataclass(frozen=True, slots=True)
class Reached:
    """What a walk comes to, best first: ids of chunks, and relations between whom it meets."""

    chunks: tuple[str, ...] = ()
    relations: tuple[Relation, ...] = ()


def walk(
    index: GraphIndex, words: str, named: Iterable[int], similar: Mapping[str, float]
) -> Reached:
    """Walk from what a question means over the graph.

    Args:
        index: The graph.
        words: The question, with what else it is searched by.
        named: The entities that it names, by their positions.
        similar: Ids of the graph's chunks that are like it -> score, at least 0.

    Returns:
        All chunks and relations that the walk meets. Nothing where the question names nobody and
        no fact shares a word with it: likeness alone is what a search has found already.
    """
    entities = index.graph.entities
    seeds = dict.fromkeys((place for place in named if place != index.own), 1.0)
    for relation, score in _facts(index, words):
        for end in map(index.position, (relation.source, relation.target)):
            if end is not None and end != index.own:
                seeds[end] = max(seeds.get(end, 0.0), score)
    if not seeds:
        return Reached()
    mentions = [dict.fromkeys(source.chunk for source in entity.sources) for entity in entities]
    chunks = list(dict.fromkeys(chunk for held in mentions for chunk in held))
    nodes = {chunk: len(entities) + place for place, chunk in enumerate(chunks)}
    start = np.zeros(len(entities) + len(chunks))
    for place, score in seeds.items():
        # Whom many passages speak of says little about which one is meant.
        start[place] = score / max(1, len(mentions[place]))
    likest = max(similar.values(), default=0.0)
    for chunk, score in similar.items():
        if chunk in nodes and likest > 0:
            start[nodes[chunk]] = PASSAGE_WEIGHT * score / likest
    edges = [
        (place, nodes[chunk], 1.0)
        for place, held in enumerate(mentions)
        if place != index.own
        for chunk in held
    ]
    edges += _ties(index)
    visits = _visits(edges, start / start.sum())
    order = sorted(chunks, key=lambda chunk: -visits[nodes[chunk]])
    return Reached(
        tuple(chunk for chunk in order if visits[nodes[chunk]] > 0),
        tuple(_between(index, visits[: len(entities)])),
    )


def _facts(index: GraphIndex, words: str) -> list[tuple[Relation, float]]:
    """The relations that share the rarest words with a question, each with a score up to 1."""
    relations = index.graph.relations
    terms = [
        {
            *search_terms(relation.description),
            *search_terms(index.name_of(relation.source)),
            *search_terms(index.name_of(relation.target)),
        }
        for relation in relations
    ]
    asked = set(search_terms(words)).difference(*map(search_terms, _own_names(index)))
    rarity = {}
    for term in asked:
        if holding := sum(term in held for held in terms):
            rarity[term] = inverse_document_frequency(len(relations), holding)
    scored = [
        (relation, sum(rarity[term] for term in held & rarity.keys()))
        for relation, held in zip(relations, terms, strict=True)
    ]
    best = sorted((pair for pair in scored if pair[1] > 0), key=lambda pair: -pair[1])[:_FACTS]
    return [(relation, score / best[0][1]) for relation, score in best]


def _own_names(index: GraphIndex) -> Sequence[str]:
    return () if index.own is None else index.entity(index.own).names


def _ties(index: GraphIndex) -> Iterator[tuple[int, int, float]]:
    """Yield the relations of all but the character, as edges; parallel ones add up."""
    for relation in index.graph.relations:
        one, other = map(index.position, (relation.source, relation.target))
        if one is None or other is None or one == other or index.own in (one, other):
            continue
        yield one, other, 1.0


def _visits(
    edges: Sequence[tuple[int, int, float]], start: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The share of all walks that is at each node, by power iteration over both directions."""
    if not edges:
        return start
    one, other, weight = (np.array(column) for column in zip(*edges, strict=True))
    source, target = np.concatenate([one, other]), np.concatenate([other, one])
    weights = np.concatenate([weight, weight])
    out = np.bincount(source, weights, len(start))
    shares = weights / out[source]
    visits = start
    for _ in range(_STEPS):
        moved = np.bincount(target, visits[source] * shares, len(start))
        visits = RESTART * start + (1 - RESTART) * moved
    return visits


_MET: Final = 6
"""Entities that the walk meets most, whose relations are shown."""


def _between(index: GraphIndex, visits: NDArray[np.float64]) -> Iterable[Relation]:
    """The relations between two of those whom the walk meets most, best first."""
    met = [place for place in np.argsort(-visits, kind="stable")[:_MET].tolist() if visits[place]]
    pairs = sorted(combinations(met, 2), key=lambda pair: -visits[pair[0]] * visits[pair[1]])
    return (tie for one, other in pairs for tie in index.between(one, other))
