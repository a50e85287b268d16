"""Settings of the published methods that ours are compared with.

Takes: values from the layers of ``loading``.  Gives: a section for each method; ``model`` holds
them with all others.
"""

from __future__ import annotations

from typing import Any

from pydantic import Field

from offbook.settings.section import ChunkingName, Section


class NaiveSettings(Section):
    """Naive RAG: the top-k chunks."""

    k: int = Field(3, ge=1, le=100, description="chunks retrieved (3 in paper 003, 1 in 001)")
    splitter: ChunkingName = Field("acts", description="the chunking that is searched")


class CragSettings(Section):
    """Corrective retrieval: chunks are graded, and a second source stands in (CRAG)."""

    splitter: ChunkingName = Field("acts", description="the chunking that is searched")
    k: int = Field(5, ge=1, le=100, description="chunks retrieved; each is graded, one call each")
    strip: int = Field(
        2, ge=1, le=20, description="sentences of a strip, of which the relevant ones are kept"
    )
    searcher: str = Field(
        "documents",
        min_length=1,
        description="the second source: `documents`, or one that a package registers",
    )
    second: int = Field(3, ge=0, le=100, description="passages asked of the second source")
    knowledge_share: float = Field(3.0, gt=0, description="share of the budget: what was graded")
    second_share: float = Field(2.0, gt=0, description="share of the budget: the second source")


class AdaptiveSettings(Section):
    """Retrieval as the question's complexity asks for it (Adaptive-RAG)."""

    splitter: ChunkingName = Field("acts", description="the chunking that is searched")
    k: int = Field(3, ge=1, le=100, description="chunks that a retrieval adds")
    steps: int = Field(
        3, ge=1, le=10, description="retrievals for a complex question, at most; one call between"
    )


class RaptorSettings(Section):
    """A tree of cluster summaries, all levels searched together (RAPTOR)."""

    splitter: ChunkingName = Field("acts", description="the chunking that the tree stands on")
    k: int = Field(20, ge=1, le=200, description="nodes of all levels that are retrieved, at most")
    size: int = Field(
        6, ge=2, le=100, description="about how many nodes a cluster has; twice as many at most"
    )
    cluster_tokens: int = Field(
        3_500, ge=100, description="tokens that are summarized in one call, at most"
    )
    levels: int = Field(5, ge=1, le=20, description="levels of summaries above the chunks, at most")

    def shape(self) -> dict[str, Any]:
        """What decides which summaries there are."""
        return self.model_dump(exclude={"k"})


class LightragSettings(Section):
    """Entities and relations by keywords of two levels, and what is next to them (LightRAG)."""

    k: int = Field(10, ge=1, le=200, description="entities, and relations, found by keywords")
    neighbours: int = Field(
        10, ge=0, le=200, description="entities, and relations, one step from these; strongest ties"
    )
    description_tokens: int = Field(
        150, ge=20, description="tokens of descriptions that are put together for one of them"
    )
    source_chunks: int = Field(
        3, ge=0, le=50, description="chunks that most of what was found is from"
    )
    entity_share: float = Field(1.0, gt=0, description="share of the budget: entities")
    relation_share: float = Field(1.0, gt=0, description="share of the budget: relations")
    chunk_share: float = Field(1.0, gt=0, description="share of the budget: chunks")
