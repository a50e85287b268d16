"""The tree of summaries over the chunks of a character, brought up to date.

Takes: chunks with their vectors.  Gives: summaries of clusters, level upon level, in the store,
each with the chunks beneath it and a vector. Clusters whose members are as they were keep their
summary; the outcome is the same as if all that remains had been summarized at once.
Paper: RAPTOR (Sarthi et al. 2024, arXiv 2401.18059), section 3.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Final

from offbook.errors import AnswerError, InputRefused
from offbook.ingestion.entity_vectors import embed_missing
from offbook.ingestion.reports import Steps
from offbook.ingestion.summary_tree import clusters_of, in_reading_order, stored_leaves
from offbook.language.encodings import token_counter
from offbook.models.side_by_side import run_all
from offbook.prompts.ask import ask
from offbook.prompts.cluster_summary import SUMMARIZE_CLUSTER
from offbook.stores import characters, chunks, jobs, summaries, vectors
from offbook.stores.grouped_writes import GroupedWrites

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from sqlalchemy import Connection

    from offbook.ingestion.reports import ProgressListener
    from offbook.ingestion.summary_tree import Cluster, Node
    from offbook.pipeline import Stage
    from offbook.stores.summaries import Summary

JOB: Final = jobs.SUMMARIZE
"""The kind of the jobs that note a cluster without a summary, or a summary without a vector."""


@dataclass(slots=True)
class TreeBuilding:
    """One run.

    Args:
        stage: The store, the extractor, the embedder and the settings.
        character: Id of the character.
        progress: Told after every summary.
    """

    stage: Stage
    character: str
    progress: ProgressListener
    _known: dict[str, Summary] = field(default_factory=dict)
    _aside: dict[str, tuple[str, str]] = field(default_factory=dict)
    _document_of: dict[str, str] = field(default_factory=dict)
    _name: str = ""
    _writes: GroupedWrites = field(init=False)

    def __post_init__(self) -> None:
        self._writes = GroupedWrites(self.stage.store)

    async def run(self) -> None:
        """Summarize the clusters that are new, level after level.

        Raises:
            EmbedderMismatch: the stored vectors are from another embedder.
            ModelError: the endpoint failed for good; what arrived is stored.
            BudgetReached: likewise.
        """
        nodes = await self.stage.store.read(self._leaves)
        kept: list[str] = []
        for level in range(1, self.stage.settings.raptor.levels + 1):
            groups = clusters_of(nodes, self.stage.settings.raptor, level)
            several = [group for group in groups if len(group.nodes) > 1]
            if not several:
                break
            await self._summarize(several, level)
            made = [group for group in several if group.id in self._known]
            vector_of = await self._embed([group.id for group in made])
            kept += [group.id for group in made]
            count = token_counter(self.stage.settings.tokens.encoding)
            nodes = in_reading_order(
                [
                    *(group.nodes[0] for group in groups if len(group.nodes) == 1),
                    *(g.node(self._known[g.id], vector_of.get(g.id), count) for g in made),
                ]
            )
        await self.stage.store.write(lambda conn: self._finish(conn, kept))

    def _leaves(self, conn: Connection) -> list[Node]:
        active = vectors.active_set(conn, self.character)
        if active is not None:
            vectors.check_embedder(active, self.character, self.stage.embedder.name)
        settings = self.stage.settings
        self._name = characters.require(conn, self.character).name
        self._known = {summary.id: summary for summary in summaries.list_all(conn, self.character)}
        found = chunks.list_chunks(conn, self.character, chunking=settings.raptor.splitter)
        self._document_of = {chunk.id: chunk.document for chunk in found}
        count = token_counter(settings.tokens.encoding)
        return stored_leaves(conn, self.character, settings.raptor, count)

    async def _summarize(self, groups: Sequence[Cluster], level: int) -> None:
        """Ask about the clusters that have no summary yet, all at once."""
        pending = [group for group in groups if group.id not in self._known]
        steps = Steps(f"summarizing level {level}", self.progress)
        steps.begin(len(pending))
        await run_all([partial(self._ask, group, steps) for group in pending])

    async def _ask(self, group: Cluster, steps: Steps) -> None:
        """Ask about one cluster, and keep the answer or put it aside."""
        seen = {self._document_of[chunk] for chunk in group.chunks}
        try:
            answer = await ask(
                self.stage.extractor,
                SUMMARIZE_CLUSTER,
                group.inputs(self._name),
                documents=frozenset(f"{self.character}/{document}" for document in seen),
                retries=self.stage.settings.answers.retries,
            )
        except (AnswerError, InputRefused) as error:
            what = f"{len(group.nodes)} passages that are alike have no summary: {error.message}"
            self._aside[group.id] = self._document_of[group.chunks[0]], what
        else:
            made = group.summary(_clean(answer.summary))
            await self._writes.write(lambda conn: summaries.put(conn, self.character, [made]))
            self._known[made.id] = made
        steps.add(1)

    async def _embed(self, ids: Sequence[str]) -> dict[str, NDArray[np.float32]]:
        """The vectors of summaries; of one that the embedder refuses there is none."""
        texts = {name: self._known[name].text for name in ids}
        stage = self.stage
        batch = stage.settings.embed.batch
        refused = await embed_missing(
            stage.store, stage.embedder, self.character, "summary", texts, batch
        )
        for name, why in refused:
            document = self._document_of[self._known[name].chunks[0]]
            self._aside[name] = document, f"a summary has no vector: {why}"
        found, matrix = await stage.store.read(
            lambda conn: vectors.load_matrix(conn, self.character, "summary")
        )
        wanted = set(ids)
        return {name: row for name, row in zip(found, matrix, strict=True) if name in wanted}

    def _finish(self, conn: Connection, kept: Sequence[str]) -> None:
        """Delete what is of no cluster any more, and note what stayed open."""
        stays = set(kept)
        summaries.remove(conn, self.character, [name for name in self._known if name not in stays])
        jobs.remove_kind(conn, self.character, JOB)
        for subject, (document, why) in self._aside.items():
            jobs.enqueue(conn, self.character, JOB, [subject], document=document)
            jobs.quarantine(conn, self.character, JOB, [subject], why)
        shape = self.stage.settings.raptor.shape()
        of = summaries.built_from(self._document_of, shape)
        summaries.note_built(conn, self.character, of)


def _clean(text: str) -> str:
    """On one line, and what every database can keep."""
    kept = " ".join(text.replace("\0", "\ufffd").split())
    return kept.encode("utf-8", "replace").decode("utf-8")
