"""Dual-level retrieval: entities by what a question names, relations by what it is about.

Takes: mentions, and the vectors of the keywords of both levels.  Gives: entities, relations and
chunks, best first.
Paper: LightRAG (Guo et al. 2024, arXiv 2410.05779), section 3.2. One step is taken from what the
keywords find, along the strongest ties. Of several descriptions of one entity those that are most
like the keywords are put together, up to a length; the paper has a model summarize them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

import numpy as np

from offbook.graph.merging import distinct
from offbook.retrieval.dense import top_positions
from offbook.types import ContextItem

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from offbook.language.encodings import TokenCounter
    from offbook.retrieval.mention_index import MentionIndex, Owners, Statement
    from offbook.settings.compared import LightragSettings

Level = Literal["low", "high"]


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
    """Entities like the low-level keywords, relations like the high-level ones, and one step more.

    Args:
        index: What is told.
        low: The vector of the low-level keywords; None: there are none.
        high: That of the high-level ones.
        settings: How many, and how long.
        count: Counts tokens.
    """
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
        ranked = sorted(
            ties, key=lambda tie: (-self._ends_in(tie, named), -self._strength(tie), tie)
        )
        for tie in ranked[:most]:
            self.edges[tie] = ties[tie]
            for end in (index.edges[tie].source, index.edges[tie].target):
                beside.setdefault(end, ties[tie])
        new = [node for node in beside if node not in self.nodes]
        self.nodes.update({node: beside[node] for node in new[:most]})

    def _ends_in(self, tie: int, nodes: Sequence[int] | set[int]) -> int:
        edge = self.index.edges[tie]
        return (edge.source in nodes) + (edge.target in nodes)

    def _strength(self, tie: int) -> float:
        return self.index.edges[tie].strength

    def found(self, count: TokenCounter) -> FoundMentions:
        """All that was found as context, and the chunks that it is from."""
        index, most = self.index, self.settings.description_tokens
        found = FoundMentions()
        votes: dict[str, int] = {}
        for node, score in self.nodes.items():
            entity = index.nodes[node]
            text, told = _told(entity.statements, self.node_scores, most, count)
            sources = tuple(dict.fromkeys(statement.source for statement in told))
            item = ContextItem("entity", entity.name, text or entity.name, score, sources)
            found.entities.append(item)
        for place, score in self.edges.items():
            edge = index.edges[place]
            text, told = _told(edge.statements, self.edge_scores, most, count)
            ends = f"{index.nodes[edge.source].name} → {index.nodes[edge.target].name}"
            sources = tuple(dict.fromkeys(statement.source for statement in told))
            found.relations.append(ContextItem("relation", ends, text or ends, score, sources))
        for item in [*found.entities, *found.relations]:
            for chunk in dict.fromkeys(source.chunk for source in item.sources):
                votes[chunk] = votes.get(chunk, 0) + 1
                found.chunks[chunk] = max(item.score, found.chunks.get(chunk, item.score))
        ranked = sorted(found.chunks, key=lambda chunk: (-votes[chunk], -found.chunks[chunk]))
        found.chunks.update({chunk: found.chunks.pop(chunk) for chunk in ranked})
        return found


def _best(owners: Owners, scores: NDArray[np.float32] | None, k: int) -> dict[int, float]:
    """The ``k`` best by position, of which a statement is most like the keywords."""
    if scores is None:
        return {}
    found = owners.best(scores)
    ranking = top_positions(found, k).tolist()
    return {at: float(found[at]) for at in ranking if np.isfinite(found[at])}


def _told(
    statements: Sequence[Statement],
    scores: NDArray[np.float32] | None,
    most: int,
    count: TokenCounter,
) -> tuple[str, list[Statement]]:
    """What is told, in reading order, within a length; and the statements that it is from."""

    def likeness(at: int) -> float:
        row = statements[at].row
        return 0.0 if scores is None or row is None else float(scores[row])

    chosen: list[int] = []
    left = most
    for at in sorted(range(len(statements)), key=lambda at: (-likeness(at), at)):
        cost = count(statements[at].text)
        if cost <= left or not chosen:
            chosen.append(at)
            left -= cost
    told = [statements[at] for at in sorted(chosen)]
    return " ".join(distinct([statement.text for statement in told])), told
