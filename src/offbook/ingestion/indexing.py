"""The indexes that a method needs, made side by side as far as they do not rest on one another."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from offbook.errors import BudgetReached, ModelError, OffbookError, StoreFailed, UnknownName
from offbook.graph.assembly import graph_size
from offbook.ingestion.documents import refresh_voice
from offbook.ingestion.embedding import embed_chunks
from offbook.ingestion.extraction import index_terms
from offbook.ingestion.graph_index import GraphBuilding
from offbook.ingestion.mentions import index_mentions
from offbook.ingestion.profile import write_profile
from offbook.ingestion.reports import unheard
from offbook.ingestion.story import index_story
from offbook.ingestion.traits import index_traits
from offbook.models.batching import failed_around, run_all
from offbook.models.beside import calls_first
from offbook.stores import characters

if TYPE_CHECKING:
    from offbook.graph.assembly import GraphSize
    from offbook.ingestion.reports import ProgressListener
    from offbook.models.batching import Job
    from offbook.runtime import Runtime
    from offbook.types import IndexRequirements


async def build_indexes(
    runtime: Runtime, character: str, needs: IndexRequirements, progress: ProgressListener
) -> GraphSize:
    """Make what is needed and not there yet.

    Returns:
        The size of the graph that there is.

    Raises:
        EmbedderMismatch: the stored vectors are from another embedder.
        ModelError: an endpoint failed for good; what was done is kept.
        BudgetReached: likewise.
    """
    indexing = _Indexing(runtime, character, needs, progress)
    try:
        try:
            await run_all(indexing.jobs())
        except (ModelError, BudgetReached):
            await indexing.save_passages()
            raise
        if needs.mentions and needs.graph:
            await index_mentions(runtime, character, progress, extract=False)
    except BaseException:
        # A new document has taken the old voice away, and the failure what was to make the new one.
        with suppress(StoreFailed, UnknownName):
            await refresh_voice(runtime.store, character)
        raise
    if indexing.building.size is not None:
        return indexing.building.size
    return await runtime.store.read(graph_size, character)


class _Indexing:
    """The jobs of one run; see :func:`build_indexes`."""

    def __init__(
        self,
        runtime: Runtime,
        character: str,
        needs: IndexRequirements,
        progress: ProgressListener,
    ) -> None:
        self.building = GraphBuilding(runtime, character, progress)
        self._runtime, self._character = runtime, character
        self._needs, self._progress = needs, progress
        self._voice_is_stored = asyncio.Event()
        self._embedder_fails = False

    def jobs(self) -> list[Job]:
        """What is done side by side."""
        needs, runtime = self._needs, self._runtime
        character, progress = self._character, self._progress
        mentions = partial(index_mentions, runtime, character, progress)
        work: list[tuple[bool, Job]] = [
            (True, self._learn_voice_and_terms),
            (needs.graph, self.building.run),
            (needs.mentions and not needs.graph, mentions),
            (needs.profile, self._summarize_character),
            (needs.story, partial(index_story, runtime, character, progress)),
            (needs.traits, partial(index_traits, runtime, character, progress)),
            (needs.vectors or needs.summaries, self._embed_and_summarize),
        ]
        return [job for is_needed, job in work if is_needed]

    async def _first_calls(self) -> None:
        """Let the first calls go out first, where models are asked."""
        if self._needs.graph or self._needs.mentions or self._needs.traits:
            await calls_first()

    async def _learn_voice_and_terms(self) -> None:
        await self._first_calls()
        await refresh_voice(self._runtime.store, self._character)
        self._voice_is_stored.set()
        await index_terms(self._runtime.store, self._character)

    async def _summarize_character(self) -> None:
        # The profile is noted with the documents that it rests on, as the voice is.
        await self._voice_is_stored.wait()
        runtime = self._runtime
        described = self.building.described if self._needs.graph else None
        await write_profile(
            runtime.store, runtime.extractor, self._character, runtime.settings, described
        )

    async def save_passages(self) -> None:
        """Make vectors after the failure of a first ingestion: from passages it can reply."""
        character = await self._runtime.store.read(characters.require, self._character)
        if characters.is_being_read(character) and not self._embedder_fails:
            self._progress = unheard
            with suppress(OffbookError):
                await self._embed()

    async def _embed(self) -> None:
        needs = self._needs
        if not needs.vectors:
            return
        try:
            await embed_chunks(self._runtime, self._character, needs.chunkings, self._progress)
        except ModelError:
            # What fails beside it ends it, too, with the same error: that is not the embedder's.
            self._embedder_fails = not failed_around()
            raise

    async def _embed_and_summarize(self) -> None:
        await self._first_calls()
        needs = self._needs
        await self._embed()
        if needs.summaries:
            # Here and not above: without it a first call need not wait for NumPy.
            from offbook.ingestion.summary_tree import TreeBuilding

            await TreeBuilding(self._runtime, self._character, self._progress).run()
