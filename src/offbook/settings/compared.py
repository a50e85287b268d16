"""Settings of the published methods that ours are compared with.

Takes: values from the layers of ``loading``.  Gives: a section for each method; ``model`` holds
them with all others.
"""

from __future__ import annotations

from pydantic import Field

from offbook.settings.section import ChunkingName, Section


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
