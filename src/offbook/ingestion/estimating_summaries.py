"""What building the tree of summaries of a character would cost, without a call.

Takes: the documents as they would be stored.  Gives: calls and tokens, and what would be embedded
of summaries. The tree is walked as the building would: clusters that are summarized already cost
nothing, and where no vector is stored one by chance stands in, which gives about as many clusters
as a real one.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from offbook.ingestion.estimated_chunks import chunks_of
from offbook.ingestion.summary_tree import clusters_of, in_reading_order, leaves
from offbook.language.encodings import token_counter
from offbook.models.caching import call_key
from offbook.prompts.ask import request_of
from offbook.prompts.cluster_summary import SUMMARIZE_CLUSTER
from offbook.settings.model import BUILTIN
from offbook.stores import call_cache, summaries, vectors
from offbook.types import TaskUsage

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from sqlalchemy import Connection

    from offbook.ingestion.summary_tree import Cluster, Node
    from offbook.pipeline import Stage
    from offbook.stores.summaries import Summary
    from offbook.types import Character, Chunk, Document
    from offbook.wire import ChatRequest

ANSWER_TOKENS: Final = 170
"""About what a summary of 120 words has, with its notation."""
_STAND_IN: Final = "word " * 160
"""As long as a summary."""


@dataclass(frozen=True, slots=True)
class TreeEstimate:
    """What a tree would cost.

    Args:
        usage: Of the summaries that are not there yet.
        embedded: Texts about as long as the summaries of each level that have no vector yet.
    """

    usage: TaskUsage
    embedded: Sequence[Sequence[str]]


@dataclass(slots=True)
class _Walk:
    """What is known on the way up, and what was counted."""

    stage: Stage
    name: str
    known: dict[str, Summary]
    vector_of: dict[str, NDArray[np.float32]]
    requests: list[ChatRequest] = field(default_factory=list)
    embedded: list[list[str]] = field(default_factory=list)

    def climb(self, nodes: Sequence[Node]) -> None:
        """Count the clusters of all levels that have no summary."""
        raptor = self.stage.settings.raptor
        for level in range(1, raptor.levels + 1):
            groups = clusters_of([self.with_vector(node) for node in nodes], raptor, level)
            if all(len(group.nodes) == 1 for group in groups):
                return
            self.embedded.append([])
            nodes = in_reading_order(
                group.nodes[0] if len(group.nodes) == 1 else self.one(group) for group in groups
            )

    def one(self, group: Cluster) -> Node:
        """The summary of a cluster, real or about as long."""
        summary = self.known.get(group.id)
        if summary is None:
            self.requests.append(request_of(SUMMARIZE_CLUSTER, group.inputs(self.name)))
            summary = group.summary(_STAND_IN)
        if summary.id not in self.vector_of:
            self.embedded[-1].append(summary.text)
        count = token_counter(self.stage.settings.tokens.encoding)
        return group.node(summary, self.vector_of.get(summary.id), count)

    def with_vector(self, node: Node) -> Node:
        """The node; without a vector, with one by chance, always the same."""
        if node.vector is not None:
            return node
        import numpy as np

        digest = hashlib.blake2b(node.id.encode("utf-8", "surrogatepass"), digest_size=8).digest()
        width = next((len(vector) for vector in self.vector_of.values()), 8)
        chance = np.random.default_rng(int.from_bytes(digest))
        return replace(node, vector=chance.standard_normal(width, np.float32))


async def estimate_summaries(
    stage: Stage, character: Character, documents: Sequence[Document]
) -> TreeEstimate:
    """The calls that building the tree from these documents would make now.

    Args:
        stage: The extractor, the settings and the store.
        character: Whose documents they are.
        documents: As they would be stored; the ids of chunks depend on their content only.
    """
    name = stage.settings.raptor.splitter
    found = await chunks_of(documents, name, stage.settings)
    walk = await stage.store.read(lambda conn: _walk(conn, stage, character, name))
    await _complete(walk, found)
    order = {document.id: place for place, document in enumerate(documents)}
    count = token_counter(stage.settings.tokens.encoding)
    nodes = leaves(list(found.values()), order, walk.vector_of, count)
    await asyncio.to_thread(walk.climb, nodes)
    asked = await stage.store.read(lambda conn: _unanswered(conn, stage, walk.requests))
    prompt_tokens = sum(count(message.content) for r in asked for message in r.messages)
    usage = TaskUsage(len(asked), prompt_tokens, len(asked) * ANSWER_TOKENS)
    return TreeEstimate(usage, walk.embedded)


def _walk(conn: Connection, stage: Stage, character: Character, splitter: str) -> _Walk:
    known = {summary.id: summary for summary in summaries.list_all(conn, character.id)}
    vector_of: dict[str, NDArray[np.float32]] = {}
    for ids, matrix in (
        vectors.load_matrix(conn, character.id, "chunk", splitter),
        vectors.load_matrix(conn, character.id, "summary"),
    ):
        vector_of |= dict(zip(ids, matrix, strict=True))
    return _Walk(stage, character.name, known, vector_of)


async def _complete(walk: _Walk, found: dict[str, Chunk]) -> None:
    """The vectors that the embedded embedder makes without a call."""
    missing = [chunk for name, chunk in found.items() if name not in walk.vector_of]
    if walk.stage.settings.embed.model == BUILTIN and missing:
        texts = [chunk.text_with_headings for chunk in missing]
        made = await walk.stage.embedder.embed(texts, "document")
        walk.vector_of |= {c.id: row for c, row in zip(missing, made, strict=True)}


def _unanswered(
    conn: Connection, stage: Stage, requests: Sequence[ChatRequest]
) -> list[ChatRequest]:
    """Those whose answer is not in the cache of calls."""
    model = stage.extractor
    return [
        request
        for request in requests
        if call_cache.get(conn, call_key(model.base_url, model.name, request)) is None
    ]
