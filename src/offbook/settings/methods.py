"""The settings of each method: what it retrieves, and how much.

Takes: values from ``loading``.  Gives: one frozen section a method, from which ``model`` is made.
"""

from __future__ import annotations

from typing import Any, Literal

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
    strips: int = Field(
        0, ge=0, le=100, description="strips that one call chooses of all passages; 0: by grades"
    )
    rewrite: bool = Field(
        False, description="search the second source by keywords that a model writes: one call more"
    )
    knowledge_share: float = Field(3.0, gt=0, description="share of the budget: what was graded")
    second_share: float = Field(2.0, gt=0, description="share of the budget: the second source")


class AdaptiveSettings(Section):
    """Retrieval as the question's complexity asks for it (Adaptive-RAG)."""

    splitter: ChunkingName = Field("acts", description="the chunking that is searched")
    k: int = Field(3, ge=1, le=100, description="chunks that a retrieval adds")
    steps: int = Field(
        3, ge=1, le=10, description="retrievals for a complex question, at most; one call between"
    )
    most: int = Field(0, ge=0, le=1000, description="chunks of all retrievals; 0: no limit")
    search_by: Literal["missing", "thought"] = Field(
        "missing", description="a further step searches for what is missing, or by the last thought"
    )
    own_knowledge: bool = Field(
        False, description="what needs no retrieval is answered from the model's own knowledge"
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


class RoleragSettings(Section):
    """Boundary-aware recall from the graph (paper 001, section 3.4)."""

    hyde: Literal["joint", "separate"] = Field(
        "joint", description="hypothetical context and entities in one call, or in two"
    )
    k: int = Field(3, ge=1, le=50, description="entities found by vector for a name not found")
    threshold: float = Field(
        0.55, ge=-1, le=1, description="the cosine that such an entity has to exceed"
    )
    parts_of_names: bool = Field(
        True, description="a person is found by a given or family name, before those by vector"
    )
    unmentioned: Literal["in", "out"] = Field(
        "in", description="what the model says is known and nothing mentions; out: as in the paper"
    )
    neighbours: int = Field(
        10, ge=1, le=100, description="neighbours of the character that answer a general question"
    )
    source_chunks: int = Field(
        2, ge=0, le=50, description="chunks beside the graph; 0: the graph alone, as in the paper"
    )
    profile_share: float = Field(2.0, gt=0, description="share of the budget: who they are")
    entity_share: float = Field(4.0, gt=0, description="share of the budget: entities")
    relation_share: float = Field(2.0, gt=0, description="share of the budget: relations")
    chunk_share: float = Field(3.0, gt=0, description="share of the budget: chunks")
    outside_share: float = Field(1.0, gt=0, description="share of the budget: what is unknown")


GuidedSelection = Literal["live", "indexed", "off"]


class AmadeusSettings(Section):
    """Guided selection and the attribute extractor (paper 003, section 4)."""

    splitter: ChunkingName = Field("acts", description="the chunking that is searched")
    k: int = Field(3, ge=1, le=100, description="most similar chunks, given as knowledge")
    gs: GuidedSelection = Field(
        "live",
        description="chunks are judged for each question, or once at ingestion, or not at all",
    )
    ae: bool = Field(
        True, description="infer beliefs, values and traits from what was selected: one call"
    )
    n: int = Field(30, ge=1, le=1000, description="chunks that guided selection looks at, at most")
    m: int = Field(2, ge=1, le=100, description="chunks that it selects; m + 1 where it finds none")
    window: int = Field(30, ge=1, le=1000, description="chunks that are judged side by side")
    profile: bool = Field(True, description="give the one-paragraph summary")
    profile_share: float = Field(2.0, gt=0, description="share of the budget: who they are")
    knowledge_share: float = Field(4.0, gt=0, description="share of the budget: most similar")
    selected_share: float = Field(3.0, gt=0, description="share of the budget: selected")
    attribute_share: float = Field(2.0, gt=0, description="share of the budget: attributes")


class EmotionalSettings(Section):
    """Memories that are near in meaning and were felt alike (paper 004, section II-B)."""

    strategy: Literal["ordinary", "C-A", "C-M", "S-S", "S-E"] = Field(
        "S-S", description="how meaning and emotion are combined"
    )
    k: int = Field(10, ge=1, le=200, description="memories recalled")
    pool: int = Field(
        2, ge=1, le=50, description="S-S and S-E: the first step keeps this many times k"
    )
    distance: Literal["euclidean", "cosine"] = Field("euclidean", description="of meaning")
    centred: bool = Field(
        True, description="count emotions from neutral; the paper's cosine ignores intensity"
    )
    mood: float = Field(
        0.25, ge=0, le=1, description="weight of the character's mood beside the question's emotion"
    )
    profile_share: float = Field(1.0, gt=0, description="share of the budget: who they are")
    memory_share: float = Field(4.0, gt=0, description="share of the budget: memories")


class EnsembleSettings(Section):
    """Boundary, entities, passages and memories together; the rest by the settings of its method.

    Guided selection and attributes are off: a study of 28 questions saw no loss without them, and
    they are 31 of the 33 calls of a turn.
    """

    k: int | None = Field(
        None,
        ge=1,
        le=100,
        description="most similar chunks, given as knowledge; default: 5, or where replies cost"
        " nothing 20, as far as they fit half of the budget",
    )
    gs: GuidedSelection = Field(
        "off",
        description="chunks are judged for each question, or once at ingestion, or not at all",
    )
    ae: bool = Field(
        False, description="infer beliefs, values and traits from what was selected: one call"
    )
    entities: int = Field(
        5, ge=0, le=100, description="entities; those that the question names, however many"
    )
    relations: int = Field(4, ge=0, le=100, description="relations that say something new")
    hops: int = Field(
        0,
        ge=0,
        le=100,
        description="chunks two steps from the question over the graph (PageRank), beside the"
        " similar ones, and as many relations between whom it meets on the way",
    )
    memories: int = Field(
        6, ge=0, le=100, description="memories that the question means; 2 more for a feeling"
    )
    memory_score: float = Field(
        0.0,
        ge=-1,
        le=1,
        description="least relevance of a memory; 0: as much as any (a few memories may have less)",
    )
    passage_score: float | None = Field(
        None,
        ge=-1,
        le=1,
        description="least score of a similar chunk that is shown; default: 0, as like as any"
        " (`hybrid`), or where replies cost nothing -1",
    )
    likeness: float = Field(
        2.5,
        ge=-10,
        le=100,
        description="of entities that the question does not name: standard deviations above what"
        " chance gives among the character's own entities, by the configured embedder",
    )
    wait_seconds: float = Field(
        4.0,
        ge=0,
        le=3_600,
        description="how long a turn waits for the small call on boundary, query and feelings,"
        " before it goes on without; 0: no such call",
    )
    profile_share: float = Field(2.0, gt=0, description="share of the budget: who they are")
    entity_share: float = Field(3.0, gt=0, description="share of the budget: entities")
    relation_share: float = Field(1.0, gt=0, description="share of the budget: relations")
    knowledge_share: float = Field(4.0, gt=0, description="share of the budget: chunks")
    attribute_share: float = Field(2.0, gt=0, description="share of the budget: attributes")
    memory_share: float = Field(2.0, gt=0, description="share of the budget: memories")
    outside_share: float = Field(1.0, gt=0, description="share of the budget: what is unknown")
