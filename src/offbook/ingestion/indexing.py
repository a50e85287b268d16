"""The indexes that a method needs, made side by side as far as they do not rest on one another.

Takes: what a method needs, and the chunks that are stored.  Gives: graph, mentions, vectors, the
profile, what chunks reveal and the tree of summaries, as far as each is needed, in the store.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from offbook.ingestion.embedding import Embedding
from offbook.ingestion.graph_building import GraphBuilding
from offbook.ingestion.mention_indexing import MentionIndexing
from offbook.ingestion.summarizing import write_profile
from offbook.ingestion.trait_indexing import TraitIndexing
from offbook.models.side_by_side import run_all

if TYPE_CHECKING:
    from offbook.ingestion.reports import ProgressListener
    from offbook.models.side_by_side import Job
    from offbook.pipeline import Stage
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
    summary = partial(write_profile, store, stage.extractor, character, settings)

    async def of_entities() -> None:
        if needs.graph:
            await GraphBuilding(*building).run(summary if needs.profile else None)
        if needs.mentions:
            await MentionIndexing(*building).run(extract=not needs.graph)

    async def of_chunks() -> None:
        if needs.vectors:
            most = settings.embed.batch, settings.limits.concurrency
            embedding = Embedding(store, stage.embedder, character, *most, progress)
            await embedding.run(needs.chunkings)
        if needs.summaries:  # clusters are told by the vectors
            # Here and not above: without it a first call need not wait for NumPy.
            from offbook.ingestion.tree_building import TreeBuilding

            await TreeBuilding(*building).run()

    work: list[tuple[bool, Job]] = [
        (needs.graph or needs.mentions, of_entities),
        (needs.profile and not needs.graph, summary),
        (needs.traits, TraitIndexing(*building).run),
        (needs.vectors or needs.summaries, of_chunks),
    ]
    await run_all(job for needed, job in work if needed)
