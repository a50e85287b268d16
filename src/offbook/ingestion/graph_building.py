"""The graph of a character is brought up to date with its documents and a person's word.

Takes: the chunks that are stored.  Gives: raw entities, decisions, groups, vectors in the store.
Every answer is kept by what was asked: an addition, a deletion or an edit costs what it touches,
and the outcome is the same as if all that remains had been indexed at once (methods.md 1).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from offbook.graph.building import build_graph
from offbook.graph.candidates import Rules
from offbook.graph.character_node import character_node
from offbook.graph.entity_normalization import Ledger, normalize
from offbook.graph.loading import given_aliases, load_story
from offbook.graph.merging import Merge, Merged, merge_all, merges_of, raw_graph
from offbook.graph.verification import Component, Split
from offbook.ingestion.entity_vectors import embed_missing
from offbook.ingestion.extracting import Extracting
from offbook.models.asking import Asking
from offbook.models.side_by_side import run_all
from offbook.stores import characters, graph, graph_answers, jobs, vectors
from offbook.types import EntityGroup

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from sqlalchemy import Connection

    from offbook.graph.merging import RawGraph
    from offbook.graph.point_in_time import Story
    from offbook.ingestion.reports import ProgressListener
    from offbook.pipeline import Stage
    from offbook.protocols import Store
    from offbook.settings.model import GraphSettings
    from offbook.types import Decision, Graph, RawEntity

JOB: Final = "graph"
"""The kind of the jobs that note a question about the graph that stayed open."""

WriteSummary = Callable[[str], Awaitable[object]]
"""Has the character's summary written, given what the graph says of the character."""


class StoredLedger(Ledger):
    """Decisions and verdicts go into the database as they arrive."""

    def __init__(
        self,
        store: Store,
        character: str,
        decisions: Sequence[Decision],
        answers: Sequence[graph_answers.GraphAnswer],
    ) -> None:
        splits = {a.key: _split(a) for a in answers if a.kind == graph_answers.SPLIT}
        super().__init__(decisions, splits)
        self._store, self._character = store, character

    async def keep_decisions(self, made: Sequence[Decision]) -> None:
        """Store decisions on pairs."""
        await self._store.write(lambda conn: graph.put_decisions(conn, self._character, made))
        await super().keep_decisions(made)

    async def keep_splits(self, made: Sequence[tuple[Component, Split]]) -> None:
        """Store verdicts on groups, with the names for who reads them."""
        answers = [_answer_of(component, split) for component, split in made]
        await self._store.write(lambda conn: graph_answers.put(conn, self._character, answers))
        await super().keep_splits(made)


def _answer_of(component: Component, split: Split) -> graph_answers.GraphAnswer:
    answer = {
        "names": [member.name for member in component.members],
        "parts": [list(part) for part in split.parts],
        "reason": split.reason,
    }
    return graph_answers.GraphAnswer(graph_answers.SPLIT, component.key, answer, component.chunks)


def _split(answer: graph_answers.GraphAnswer) -> Split:
    parts = tuple(tuple(part) for part in answer.answer["parts"])
    return Split(parts, answer.answer["reason"])


def normalization_rules(settings: GraphSettings) -> Rules:
    """How candidates are found, by the settings."""
    return Rules(
        k=settings.k,
        threshold=settings.threshold,
        same_type=settings.same_type,
        by_name=settings.by_name,
        homonyms=settings.homonyms,
        once=settings.once,
    )


@dataclass(slots=True)
class GraphBuilding:
    """One run.

    Args:
        stage: The store, the extractor, the embedder and the settings.
        character: Id of the character.
        progress: Told of every step.
    """

    stage: Stage
    character: str
    progress: ProgressListener
    _merged: dict[str, Merged] = field(default_factory=dict)

    async def run(self, write_summary: WriteSummary | None = None, *, extract: bool = True) -> None:
        """Bring the graph up to date.

        Args:
            write_summary: Called beside the merging of descriptions.
            extract: Whether chunks that were not extracted yet are extracted; not so after a
                deletion or a person's word, which add no text.

        Raises:
            EmbedderMismatch: the stored vectors are from another embedder.
            ModelError: the endpoint failed for good; what was done is kept.
            BudgetReached: likewise.
        """
        name = (await self.stage.store.read(lambda c: characters.require(c, self.character))).name
        story = await self.stage.store.read(lambda conn: load_story(conn, self.character))
        asking = self._asking(name, story)
        # 1 -- entities and relations of every chunk ---------------------------------------------
        if extract:
            await Extracting(
                self.stage.store, asking, self.character, self.stage.settings.graph, self.progress
            ).run()
        entities = await self.stage.store.read(lambda c: graph.list_raw_entities(c, self.character))
        relations = await self.stage.store.read(lambda c: graph.list_relations(c, self.character))
        # 2 -- their vectors ---------------------------------------------------------------------
        open_questions = await self._embed_raw(entities)
        matrix = await self.stage.store.read(lambda conn: self._matrix(conn, entities))
        # 3 -- who is the same -------------------------------------------------------------------
        ledger = await self.stage.store.read(self._ledger)
        rules = normalization_rules(self.stage.settings.graph)
        normalized = await normalize(
            entities, matrix, rules, asking, ledger, verified=self.stage.settings.graph.verify
        )
        open_questions += [
            (entities[rows[0]].id, entities[rows[0]].chunk, why) for rows, why in normalized.aside
        ]
        groups = [[entities[row] for row in rows] for rows in normalized.groups]
        # 4 -- one name and one description each; the summary beside it --------------------------
        raw = raw_graph(groups, relations)
        open_questions += await self._merge(raw, asking, name, story, write_summary)
        built = self._built(raw, story, ledger.persons)
        # 5 -- kept --------------------------------------------------------------------------------
        await self.stage.store.write(lambda conn: self._keep(conn, built, story, open_questions))
        await self._embed_entities(built)

    def _asking(self, name: str, story: Story) -> Asking:
        def documents(chunk_ids: Iterable[str]) -> frozenset[str]:
            ids = {story.chunks[chunk].document for chunk in chunk_ids}
            return frozenset(f"{self.character}/{document}" for document in ids)

        return Asking(self.stage.extractor, name, documents, self.stage.settings.answers.retries)

    async def _embed_raw(self, entities: Sequence[RawEntity]) -> list[tuple[str, str, str]]:
        texts = {entity.id: embedded(entity.name, entity.description) for entity in entities}
        chunk_of = {entity.id: entity.chunk for entity in entities}
        batch = self.stage.settings.embed.batch
        refused = await embed_missing(
            self.stage.store, self.stage.embedder, self.character, "raw_entity", texts, batch
        )
        return [(subject, chunk_of[subject], why) for subject, why in refused]

    def _matrix(
        self, conn: Connection, entities: Sequence[RawEntity]
    ) -> NDArray[np.float32] | None:
        """The vectors in reading order; what has none is like nothing."""
        import numpy as np

        ids, stored = vectors.load_matrix(conn, self.character, "raw_entity")
        if not ids:
            return None
        places = {subject: place for place, subject in enumerate(ids)}
        matrix = np.zeros((len(entities), stored.shape[1]), dtype=np.float32)
        for row, entity in enumerate(entities):
            place = places.get(entity.id)
            if place is not None:
                matrix[row] = stored[place]
        return matrix

    def _ledger(self, conn: Connection) -> StoredLedger:
        decisions = graph.list_decisions(conn, self.character)
        answers = graph_answers.list_all(conn, self.character)
        self._merged = {
            a.key: Merged(a.answer["name"], a.answer["description"])
            for a in answers
            if a.kind == graph_answers.MERGE
        }
        return StoredLedger(self.stage.store, self.character, decisions, answers)

    async def _merge(
        self,
        raw: RawGraph,
        asking: Asking,
        name: str,
        story: Story,
        write_summary: WriteSummary | None,
    ) -> list[tuple[str, str, str]]:
        """Merge descriptions; what stayed open, as (subject, chunk, why)."""
        aside: list[tuple[str, str, str]] = []

        async def merge() -> None:
            left = await merge_all(merges_of(raw), self._merged, asking, self._keep_merged)
            aside.extend((f"merge {o.item.key}", o.item.chunks[0], o.reason) for o in left)

        async def summarize() -> None:
            if write_summary is not None:
                node = character_node(build_graph(raw, {}, story.chunks).entities, name)
                await write_summary(node.description if node is not None else "")

        await run_all([merge, summarize])
        return aside

    async def _keep_merged(self, made: Sequence[tuple[Merge, Merged]]) -> None:
        answers = [
            graph_answers.GraphAnswer(
                graph_answers.MERGE,
                merge.key,
                {"name": merged.name, "description": merged.description},
                merge.chunks,
            )
            for merge, merged in made
        ]
        await self.stage.store.write(lambda conn: graph_answers.put(conn, self.character, answers))
        self._merged.update({merge.key: merged for merge, merged in made})

    def _built(self, raw: RawGraph, story: Story, persons: Sequence[Decision]) -> Graph:
        return build_graph(raw, self._merged, story.chunks, given_aliases(raw.groups, persons))

    def _keep(
        self,
        conn: Connection,
        built: Graph,
        story: Story,
        open_questions: Sequence[tuple[str, str, str]],
    ) -> None:
        """Put the groups in the place of the old ones, and note what stayed open."""
        old = {group.id: group for group in graph.list_groups(conn, self.character)}
        new = {
            entity.id: EntityGroup(
                entity.id,
                entity.name,
                entity.type,
                entity.description,
                tuple(sorted(entity.mentions)),
            )
            for entity in built.entities
        }
        graph.remove_groups(conn, self.character, [name for name in old if name not in new])
        graph.put_groups(
            conn, self.character, [group for name, group in new.items() if old.get(name) != group]
        )
        stale = jobs.list_jobs(conn, self.character, kind=JOB)
        jobs.remove_subjects(conn, self.character, [job.subject for job in stale])
        for subject, chunk, why in open_questions:
            document = story.chunks[chunk].document
            jobs.enqueue(conn, self.character, JOB, [subject], document=document)
            jobs.quarantine(conn, self.character, JOB, [subject], why)

    async def _embed_entities(self, built: Graph) -> None:
        texts = {e.id: embedded(e.name, e.description) for e in built.entities}
        batch = self.stage.settings.embed.batch
        await embed_missing(
            self.stage.store, self.stage.embedder, self.character, "entity", texts, batch
        )


def embedded(name: str, description: str) -> str:
    """What is embedded of an entity (Algorithm 1, line 3)."""
    return f"{name}: {description}" if description else name
