"""The indexes that a method needs, made side by side as far as they do not rest on one another."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from offbook.errors import StoreFailed, UnknownName
from offbook.graph.assembly import graph_size
from offbook.ingestion.documents import refresh_voice
from offbook.ingestion.embedding import embed_chunks
from offbook.ingestion.extraction import index_terms
from offbook.ingestion.graph_index import GraphBuilding
from offbook.ingestion.mentions import index_mentions
from offbook.ingestion.profile import write_profile
from offbook.ingestion.traits import index_traits
from offbook.models.batching import run_all
from offbook.models.beside import calls_first

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
    store = runtime.store
    building = GraphBuilding(runtime, character, progress)
    voice_is_stored = asyncio.Event()

    # The first calls go out first, where models are asked.
    is_asking = needs.graph or needs.mentions or needs.traits
    first_calls = calls_first if is_asking else partial(asyncio.sleep, 0)

    async def learn_voice_and_terms() -> None:
        await first_calls()
        await refresh_voice(store, character)
        voice_is_stored.set()
        await index_terms(store, character)

    async def summarize_character() -> None:
        # The profile is noted with the documents that it rests on, as the voice is.
        await voice_is_stored.wait()
        described = building.described if needs.graph else None
        await write_profile(store, runtime.extractor, character, runtime.settings, described)

    async def embed_and_summarize() -> None:
        await first_calls()
        if needs.vectors:
            await embed_chunks(runtime, character, needs.chunkings, progress)
        if needs.summaries:
            # Here and not above: without it a first call need not wait for NumPy.
            from offbook.ingestion.summary_tree import TreeBuilding

            await TreeBuilding(runtime, character, progress).run()

    work: list[tuple[bool, Job]] = [
        (True, learn_voice_and_terms),
        (needs.graph, building.run),
        (
            needs.mentions and not needs.graph,
            partial(index_mentions, runtime, character, progress),
        ),
        (needs.profile, summarize_character),
        (needs.traits, partial(index_traits, runtime, character, progress)),
        (needs.vectors or needs.summaries, embed_and_summarize),
    ]
    try:
        await run_all(job for is_needed, job in work if is_needed)
        if needs.mentions and needs.graph:
            await index_mentions(runtime, character, progress, extract=False)
    except BaseException:
        # A new document has taken the old voice away, and the failure what was to make the new one.
        with suppress(StoreFailed, UnknownName):
            await refresh_voice(store, character)
        raise
    if building.size is not None:
        return building.size
    return await store.read(lambda conn: graph_size(conn, character))
