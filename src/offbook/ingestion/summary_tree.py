"""The shape of a tree of summaries: its nodes, the clusters of a level, what the next one holds.

Takes: chunks and summaries with their vectors.  Gives: clusters; no call is made, so that an
estimate walks the same way as the building.
Paper: RAPTOR (Sarthi et al. 2024, arXiv 2401.18059), section 3. A node is in one cluster, not in
several; a cluster of one is not summarized, and its node goes up as it is.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from offbook.ingestion.clustering import Limits, clusters
from offbook.prompts.cluster_summary import ClusterInputs
from offbook.stores import chunks, documents, summaries, vectors

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from sqlalchemy import Connection

    from offbook.language.encodings import TokenCounter
    from offbook.settings.compared import RaptorSettings
    from offbook.stores.summaries import Summary
    from offbook.types import Chunk


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """A chunk, or a summary of others.

    Args:
        id: Of the chunk or the summary.
        anchor: The chunk beneath it that stands for it: a summary that is written anew because a
            passage was added keeps its anchor, and with it mostly its place in the levels above.
        level: 0 for a chunk.
        text: What is summarized of it.
        tokens: Its length.
        place: Where its first chunk stands in the story: document and offset.
        chunks: Ids of the chunks beneath it.
        vector: Its vector; None where there is none.
    """

    id: str
    anchor: str
    level: int
    text: str
    tokens: int
    place: tuple[int, int]
    chunks: tuple[str, ...]
    vector: NDArray[np.float32] | None


@dataclass(frozen=True, slots=True, eq=False)
class Cluster:
    """Nodes that become one, in reading order."""

    nodes: tuple[Node, ...]

    @property
    def id(self) -> str:
        """Names the members and their order: what is summarized already is known by it."""
        told = json.dumps([node.id for node in self.nodes])
        return hashlib.blake2b(told.encode("utf-8", "surrogatepass"), digest_size=10).hexdigest()

    @property
    def chunks(self) -> tuple[str, ...]:
        """Ids of the chunks beneath it, in reading order of the members."""
        return tuple(chunk for node in self.nodes for chunk in node.chunks)

    def inputs(self, character: str) -> ClusterInputs:
        """What the prompt is told."""
        return ClusterInputs(character, tuple(node.text for node in self.nodes))

    def summary(self, text: str) -> Summary:
        """The summary, as it is stored."""
        level = 1 + max(node.level for node in self.nodes)
        members = tuple(node.id for node in self.nodes)
        return summaries.Summary(self.id, level, text, members, self.chunks)

    def node(
        self, summary: Summary, vector: NDArray[np.float32] | None, count: TokenCounter
    ) -> Node:
        """The summary as a node of the next level."""
        return Node(
            id=self.id,
            anchor=min((node.anchor for node in self.nodes), key=_order),
            level=summary.level,
            text=summary.text,
            tokens=count(summary.text),
            place=self.nodes[0].place,
            chunks=self.chunks,
            vector=vector,
        )


def _order(anchor: str) -> bytes:
    """An order that has nothing to do with where texts stand."""
    return hashlib.blake2b(anchor.encode("utf-8", "surrogatepass"), digest_size=8).digest()


def clusters_of(nodes: Sequence[Node], settings: RaptorSettings, level: int) -> list[Cluster]:
    """The clusters of a level in reading order; nodes without a vector are in none.

    Args:
        nodes: Of the level below, in reading order.
        settings: How large clusters are.
        level: The level of the summaries to be made.
    """
    import numpy as np

    told = [(node, node.vector) for node in nodes if node.vector is not None]
    if not told:
        return []
    rows = clusters(
        [node.anchor for node, _ in told],
        np.stack([vector for _, vector in told]),
        [node.tokens for node, _ in told],
        Limits(settings.size, settings.cluster_tokens),
        salt=level,
    )
    return [Cluster(tuple(told[row][0] for row in cell)) for cell in rows]


def in_reading_order(nodes: Iterable[Node]) -> list[Node]:
    """Nodes by where their first chunk stands."""
    return sorted(nodes, key=lambda node: (node.place, node.id))


def leaves(
    found: Sequence[Chunk],
    order: Mapping[str, int],
    vector_of: Mapping[str, NDArray[np.float32]],
    count: TokenCounter,
) -> list[Node]:
    """Chunks as nodes, in reading order; those of signs only are none.

    Args:
        found: The chunks.
        order: Document id -> its place in the story.
        vector_of: Chunk id -> its vector.
        count: Counts tokens.
    """
    return in_reading_order(
        Node(
            id=chunk.id,
            anchor=chunk.id,
            level=0,
            text=chunk.text_with_headings,
            tokens=count(chunk.text_with_headings),
            place=(order[chunk.document], chunk.start),
            chunks=(chunk.id,),
            vector=vector_of.get(chunk.id),
        )
        for chunk in found
        if any(map(str.isalnum, chunk.text))
    )


def stored_leaves(
    conn: Connection, character: str, settings: RaptorSettings, count: TokenCounter
) -> list[Node]:
    """The stored chunks as nodes."""
    order = {info.id: n for n, info in enumerate(documents.list_all(conn, character))}
    found = chunks.list_chunks(conn, character, chunking=settings.splitter)
    ids, matrix = vectors.load_matrix(conn, character, "chunk", settings.splitter)
    return leaves(found, order, dict(zip(ids, matrix, strict=True)), count)
