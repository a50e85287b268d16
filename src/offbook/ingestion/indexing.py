"""The indexes that a method needs, made side by side as far as they do not rest on one another.

Takes: what a method needs, and the chunks that are stored.  Gives: graph, mentions, terms, vectors,
the profile, the voice, what chunks reveal and the tree of summaries, as far as each is needed, in
the store.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from offbook.ingestion.embedding import Embedding
from offbook.ingestion.graph_building import GraphBuilding
from offbook.ingestion.mention_indexing import MentionIndexing
from offbook.ingestion.storing import refresh_voice
from offbook.ingestion.summarizing import write_profile
from offbook.ingestion.term_indexing import index_terms
from offbook.ingestion.trait_indexing import TraitIndexing
from offbook.models.beside import calls_first
from offbook.models.side_by_side import run_all

if TYPE_CHECKING:
    from offbook.ingestion.reports import ProgressListener
    from offbook.models.side_by_side import Job
    from offbook.pipeline import Stage
    from offbook.protocols import Store
    from offbook.types import Needs


async def build_indexes(
    stage: Stage, character: str, needs: Needs, progress: ProgressListener
) -> None:
    """Make what is needed and not there yet.

    Raises:
        EmbedderMismatch: the stored vectors are from another embedder.
        ModelError: an endpoint failed for good; what was done is kept.
        BudgetReached: likewise.
    """
    building = stage, character, progress
    settings, store = stage.settings, stage.store
    beside = _Beside(store, character, calls=needs.graph or needs.mentions or needs.traits)

    async def summary(described: str = "") -> None:
        await beside.heard.wait()  # both are noted with the documents that they rest on
        await write_profile(store, stage.extractor, character, settings, described)

    async def of_entities() -> None:
        if needs.graph:
            await GraphBuilding(*building).run(summary if needs.profile else None)
        if needs.mentions:
            await MentionIndexing(*building).run(extract=not needs.graph)

    async def of_chunks() -> None:
        await beside.begun()
        if needs.vectors:
            most = settings.embed.batch, settings.limits.concurrency
            embedding = Embedding(store, stage.embedder, character, *most, progress)
            await embedding.run(needs.chunkings)
        if needs.summaries:  # clusters are told by the vectors
            # Here and not above: without it a first call need not wait for NumPy.
            from offbook.ingestion.tree_building import TreeBuilding

            await TreeBuilding(*building).run()

    work: list[tuple[bool, Job]] = [
        (True, beside.of_voice),
        (True, beside.of_terms),
        (needs.graph or needs.mentions, of_entities),
        (needs.profile and not needs.graph, summary),
        (needs.traits, TraitIndexing(*building).run),
        (needs.vectors or needs.summaries, of_chunks),
    ]
    await run_all(job for needed, job in work if needed)


@dataclass(slots=True)
class _Beside:
    """What is worked out here while models answer, where any are asked.

    Args:
        store: Where documents and chunks are.
        character: Id of the character.
        calls: Whether models are asked meanwhile.
    """

    store: Store
    character: str
    calls: bool
    heard: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when the voice is there."""

    async def begun(self) -> None:
        """The first calls are on their way."""
        if self.calls:
            await calls_first()

    async def of_voice(self) -> None:
        await self.begun()
        await refresh_voice(self.store, self.character)
        self.heard.set()

    async def of_terms(self) -> None:
        await self.begun()
        await index_terms(self.store, self.character)
