"""The indexes that a method needs, made side by side as far as they do not rest on one another.

Takes: what a method needs, and the chunks that are stored.  Gives: graph, mentions, terms, vectors,
the profile, the voice, what chunks reveal and the tree of summaries, as far as each is needed, in
the store.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from offbook.errors import StoreFailed, UnknownName
from offbook.graph.loading import graph_size
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
    from offbook.graph.loading import GraphSize
    from offbook.ingestion.reports import ProgressListener
    from offbook.models.side_by_side import Job
    from offbook.pipeline import Stage
    from offbook.types import Needs


async def build_indexes(
    stage: Stage, character: str, needs: Needs, progress: ProgressListener
) -> GraphSize:
    """Make what is needed and not there yet.

    Returns:
        The size of the graph that there is.

    Raises:
        EmbedderMismatch: the stored vectors are from another embedder.
        ModelError: an endpoint failed for good; what was done is kept.
        BudgetReached: likewise.
    """
    made = _Indexing(stage, character, needs, progress)
    work: list[tuple[bool, Job]] = [
        (True, made.of_voice),
        (True, made.of_terms),
        (needs.graph or needs.mentions, made.of_entities),
        (needs.profile and not needs.graph, made.summary),
        (needs.traits, TraitIndexing(stage, character, progress).run),
        (needs.vectors or needs.summaries, made.of_chunks),
    ]
    try:
        await run_all(job for needed, job in work if needed)
    except BaseException:
        # A new document has taken the old voice away, and the failure what was to make the new one.
        with suppress(StoreFailed, UnknownName):
            await refresh_voice(stage.store, character)
        raise
    if made.size is not None:
        return made.size
    return await stage.store.read(lambda conn: graph_size(conn, character))


@dataclass(slots=True)
class _Indexing:
    """What is made side by side; arguments as those of :func:`build_indexes`."""

    stage: Stage
    character: str
    needs: Needs
    progress: ProgressListener
    size: GraphSize | None = field(init=False, default=None)
    _heard: asyncio.Event = field(default_factory=asyncio.Event)

    async def of_voice(self) -> None:
        """How the character speaks."""
        await self._begun()
        await refresh_voice(self.stage.store, self.character)
        self._heard.set()

    async def of_terms(self) -> None:
        """What chunks are found by."""
        await self._begun()
        await index_terms(self.stage.store, self.character)

    async def summary(self, described: Awaitable[str] | None = None) -> None:
        """The profile; it is noted with the documents that it rests on, as the voice is."""
        await self._heard.wait()
        stage = self.stage
        asked = stage.store, stage.extractor, self.character, stage.settings
        await write_profile(*asked, described)

    async def of_entities(self) -> None:
        """The graph, and where entities are mentioned."""
        building = self.stage, self.character, self.progress
        if self.needs.graph:
            making = GraphBuilding(*building)
            await making.run(self.summary if self.needs.profile else None)
            self.size = making.size
        if self.needs.mentions:
            await MentionIndexing(*building).run(extract=not self.needs.graph)

    async def of_chunks(self) -> None:
        """The vectors of chunks, and the summaries of what is alike by them."""
        await self._begun()
        stage, settings = self.stage, self.stage.settings
        if self.needs.vectors:
            most = settings.embed.batch, settings.limits.concurrency
            embedding = Embedding(stage.store, stage.embedder, self.character, *most, self.progress)
            await embedding.run(self.needs.chunkings)
        if self.needs.summaries:
            # Here and not above: without it a first call need not wait for NumPy.
            from offbook.ingestion.tree_building import TreeBuilding

            await TreeBuilding(stage, self.character, self.progress).run()

    async def _begun(self) -> None:
        """The first calls are on their way, where models are asked."""
        if self.needs.graph or self.needs.mentions or self.needs.traits:
            await calls_first()
