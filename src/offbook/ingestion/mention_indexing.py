"""What chunks state of entities and relations, with vectors, before names are normalized.

Takes: the chunks that are stored.  Gives: raw entities and relations, and a vector each, in the
store. The extraction is that of the graph: who has the one does not pay for the other.
Paper: LightRAG (Guo et al. 2024, arXiv 2410.05779), section 3.1, without its summaries of
descriptions; the model is asked for no further keys of relations.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Final

from offbook.graph.loading import load_story
from offbook.ingestion.entity_vectors import embed_missing, embedded, unembedded
from offbook.ingestion.extracting import Extracting, unextracted
from offbook.ingestion.graph_building import asking_about
from offbook.ingestion.later_writes import LaterWrites
from offbook.ingestion.reports import Steps
from offbook.models.side_by_side import run_all
from offbook.stores import characters, graph, jobs, vectors

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from offbook.graph.point_in_time import Story
    from offbook.ingestion.reports import ProgressListener
    from offbook.pipeline import Stage
    from offbook.stores.vectors import Kind
    from offbook.types import Chunk, RawRelation

JOB: Final = jobs.MENTIONS
"""The kind of the jobs that note a mention or relation without a vector."""


def embedded_relation(relation: RawRelation) -> str:
    """What is embedded of a relation: its ends and what is said of them."""
    return embedded(f"{relation.source}, {relation.target}", relation.description)


@dataclass(slots=True)
class MentionIndexing:
    """One run.

    Args:
        stage: The store, the extractor, the embedder and the settings.
        character: Id of the character.
        progress: Told of every step.
    """

    stage: Stage
    character: str
    progress: ProgressListener
    _refused: list[tuple[str, str, str]] = field(default_factory=list)
    _story: Story = field(init=False)

    async def run(self, *, extract: bool = True) -> None:
        """Extract and embed what is missing.

        Args:
            extract: Whether chunks that were not extracted yet are; not so right after a graph
                was built, which has done it.

        Raises:
            EmbedderMismatch: the stored vectors are from another embedder.
            ModelError: the endpoint failed for good; what was done is kept.
            BudgetReached: likewise.
        """
        store = self.stage.store
        name, pending = await store.read(self._begin)
        # 1 -- entities and relations of every chunk ---------------------------------------------
        if extract:
            asking = asking_about(self.stage, self.character, name, self._story)
            settings = self.stage.settings.graph
            async with LaterWrites(store) as later:
                told = pending, later, asking, self.character, settings, self.progress
                await Extracting(*told).run()
        mentions = await store.read(lambda conn: graph.list_raw_entities(conn, self.character))
        relations = await store.read(lambda conn: graph.list_relations(conn, self.character))
        # 2 -- a vector each -----------------------------------------------------------------------
        chunk_of = {m.id: m.chunk for m in mentions} | {r.id: r.chunk for r in relations}
        entity_texts = {row.id: embedded(row.name, row.description) for row in mentions}
        relation_texts = {row.id: embedded_relation(row) for row in relations}
        await run_all(
            [
                partial(self._embed, "raw_entity", "embedding mentions", entity_texts),
                partial(self._embed, "relation", "embedding relations", relation_texts),
            ]
        )
        await store.write(lambda conn: self._note(conn, chunk_of))

    def _begin(self, conn: Connection) -> tuple[str, list[Chunk]]:
        """The character's name, and the chunks to extract.

        Refused before the first call where vectors cannot be compared.
        """
        active = vectors.active_set(conn, self.character)
        if active is not None:
            vectors.check_embedder(active, self.character, self.stage.embedder.name)
        self._story = load_story(conn, self.character)
        pending = unextracted(conn, self.character, self._story.chunks.values())
        return characters.require(conn, self.character).name, pending

    async def _embed(self, kind: Kind, step: str, texts: Mapping[str, str]) -> None:
        steps = Steps(step, self.progress)
        steps.begin(len(texts))
        stage = self.stage
        refused = await embed_missing(
            stage.store,
            stage.embedder,
            self.character,
            kind,
            texts,
            stage.settings.embed.batch,
            steps=steps,
        )
        steps.end()
        self._refused += [(name, texts[name], why) for name, why in refused]

    def _note(self, conn: Connection, chunk_of: Mapping[str, str]) -> None:
        """Put aside what the embedder refuses: it is found by what it is connected with alone."""
        jobs.remove_kind(conn, self.character, JOB)
        for subject, text, why in self._refused:
            document = self._story.chunks[chunk_of[subject]].document
            jobs.enqueue(conn, self.character, JOB, [subject], document=document)
            jobs.quarantine(conn, self.character, JOB, [subject], unembedded(text, why))
