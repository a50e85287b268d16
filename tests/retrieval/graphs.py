"""Graphs made by hand, for tests of what a question finds in them.

Takes: entities and relations.  Gives: an index whose vectors are what a test says.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from offbook.graph.assembly import Graph, Relation
from offbook.retrieval.graph_index import EntityVectors, GraphIndex
from offbook.retrieval.search import LexicalIndex, encode_terms
from offbook.types import Entity, Source

DIMENSION = 4


def axis(number: int, other: int | None = None, share: float = 0.0) -> NDArray[np.float32]:
    """A unit vector along one axis, leaning towards another by ``share`` as its cosine."""
    row = np.zeros(DIMENSION, dtype=np.float32)
    row[number] = 1.0 if other is None else np.sqrt(1 - share**2)
    if other is not None:
        row[other] = share
    return row


def person(name: str, description: str = "", *aliases: str, kind: str = "character") -> Entity:
    """An entity whose id is its name, mentioned in chunk ``c``."""
    told = description or f"{name} is told of."
    return Entity(name, name, kind, told, aliases, (f"{name}-1",), (Source("d", "c", 0, 5),))


def tie(source: str, target: str, strength: float = 5, description: str = "") -> Relation:
    """A relation between entities by their names."""
    told = description or f"{source} knows {target}."
    return Relation(source, target, told, strength, (Source("d", "c", 0, 5),))


def index(
    entities: Sequence[Entity] = (),
    relations: Sequence[Relation] = (),
    vectors: Mapping[str, NDArray[np.float32]] | None = None,
    texts: Sequence[str] = (),
    character: str = "Ada Byrne",
) -> GraphIndex:
    """An index; ``vectors`` by the entity's id, ``texts`` are chunks ``t0``, ``t1`` ..."""
    at = {entity.id: place for place, entity in enumerate(entities)}
    given = vectors or {}
    matrix = np.array(list(given.values()), dtype=np.float32).reshape(len(given), DIMENSION)
    owners = np.array([at[name] for name in given], dtype=np.intp)
    return GraphIndex(
        character,
        Graph(tuple(entities), tuple(relations)),
        EntityVectors(matrix, owners, len(entities)),
        LexicalIndex.from_blobs(
            [f"t{n}" for n in range(len(texts))], [encode_terms(text) for text in texts]
        ),
    )
