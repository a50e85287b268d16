"""The graph of a character, brought up to date with its documents and a person's word.

Every answer is kept by what was asked: an addition, a deletion or an edit costs what it touches,
and the outcome is the same as if all that remains had been indexed at once (methods.md 1).
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Literal

from offbook.graph.assembly import (
    build_entity,
    describe_character,
    given_aliases,
    load_story,
    size_of,
    stored_merges,
)
from offbook.graph.candidates import Rules
from offbook.graph.entity_normalization import Ledger, normalize
from offbook.graph.merging import Merge, Merged, merge_all, merges_of, raw_graph
from offbook.graph.verdicts import Component, Split
from offbook.ingestion.embedding import embed_missing, entity_text, mention_matrix, without_vector
from offbook.ingestion.extraction import Extraction, unextracted
from offbook.ingestion.reports import Steps, put_aside, unheard
from offbook.models.batching import Asking, run_all
from offbook.stores import characters, chunks, graph, jobs, vectors
from offbook.types import EntityGroup

if TYPE_CHECKING:
    from offbook.graph.assembly import GraphSize
    from offbook.graph.point_in_time import Story
    from offbook.ingestion.reports import ProgressListener
    from offbook.protocols import Store
    from offbook.runtime import Runtime
    from offbook.settings.model import GraphSettings
    from offbook.stores.connection import Connection
    from offbook.stores.graph import GraphAnswer
    from offbook.types import Chunk, Decision, Entity, RawEntity


class StoredLedger(Ledger):
    """Decisions, verdicts and merged descriptions go into the database as they arrive."""

    def __init__(
        self,
        store: Store,
        character: str,
        decisions: Sequence[Decision],
        answers: Sequence[GraphAnswer],
        progress: ProgressListener = unheard,
    ) -> None:
        super().__init__(decisions, stored_splits(answers))
        self.merged = stored_merges(answers)
        self.judging, self.merging = Steps("judging", progress), Steps("merging", progress)
        self._character, self._store = character, store

    def expect(self, pairs: int) -> None:
        """Begin to count."""
        self.judging.begin(pairs)

    async def keep_decisions(self, made: Sequence[Decision]) -> None:
        """Store decisions on pairs."""

        def put(conn: Connection) -> None:
            gone = chunks.missing(conn, self._character, (c for one in made for c in one.evidence))
            left = [one for one in made if gone.isdisjoint(one.evidence)]
            graph.put_decisions(conn, self._character, left)

        await self._store.write(put)
        await super().keep_decisions(made)
        self.judging.add(len(made))

    async def keep_splits(self, made: Sequence[tuple[Component, Split]]) -> None:
        """Store verdicts on groups, with the names for who reads them."""
        answers = []
        for component, split in made:
            names = [member.name for member in component.members]
            parts = [list(part) for part in split.parts]
            answer = {"names": names, "parts": parts, "reason": split.reason}
            answers.append(_answer(graph.SPLIT, component, answer))
        await self._put(answers)
        await super().keep_splits(made)

    async def keep_merged(self, made: Sequence[tuple[Merge, Merged]]) -> None:
        """Store merged descriptions."""
        await self._put(
            [
                _answer(
                    graph.MERGE,
                    merge,
                    {"name": merged.name, "description": merged.description},
                )
                for merge, merged in made
            ]
        )
        self.merged.update({merge.key: merged for merge, merged in made})
        self.merging.add(len(made))

    async def _put(self, answers: Sequence[GraphAnswer]) -> None:
        """Store answers, but for those about a text that is forgotten.

        A process that stood still for long has lost its lease, and does not know it.
        """

        def put(conn: Connection) -> None:
            gone = chunks.missing(conn, self._character, (c for one in answers for c in one.chunks))
            left = [one for one in answers if gone.isdisjoint(one.chunks)]
            graph.put_answers(conn, self._character, left)

        await self._store.write(put)


def _answer(
    kind: Literal["split", "merge"], question: Component | Merge, answer: dict[str, object]
) -> GraphAnswer:
    return graph.GraphAnswer(kind, question.key, answer, question.chunks)


def stored_splits(answers: Sequence[GraphAnswer]) -> dict[str, Split]:
    """Return the verdicts on groups among what is stored, by ``Component.key``."""
    return {
        one.key: Split(tuple(map(tuple, one.answer["parts"])), one.answer["reason"])
        for one in answers
        if one.kind == graph.SPLIT
    }


def normalization_rules(settings: GraphSettings) -> Rules:
    """Return how candidates are found, by the settings."""
    return Rules(
        k=settings.k,
        threshold=settings.threshold,
        same_type=settings.same_type,
        by_name=settings.by_name,
        homonyms=settings.homonyms,
        once=settings.once,
    )


def asking_about(runtime: Runtime, character: str, name: str, story: Story) -> Asking:
    """Return the extractor, as it is asked about the chunks of a character called ``name``."""

    def documents(chunk_ids: Iterable[str]) -> frozenset[str]:
        ids = {story.chunks[chunk].document for chunk in chunk_ids}
        return frozenset(f"{character}/{document}" for document in ids)

    settings = runtime.settings
    return Asking(
        runtime.extractor,
        name,
        documents,
        settings.answers.retries,
        side_by_side=settings.limits.concurrency,
    )


@dataclass(slots=True)
class GraphBuilding:
    """One run.

    Args:
        runtime: The store, the extractor, the embedder and the settings.
        character: Id of the character.
        progress: Called after every step.

    Attributes:
        size: What has become of it, after a run.
        described: What the graph says of the character, as soon as the groups are known: its
            summary is written beside the merging of descriptions.
    """

    runtime: Runtime
    character: str
    progress: ProgressListener
    size: GraphSize | None = field(init=False, default=None)
    described: asyncio.Future[str] = field(init=False, default_factory=asyncio.Future)

    async def run(self, *, extract: bool = True) -> None:
        """Bring the graph up to date.

        Args:
            extract: Whether chunks that were not extracted yet are extracted; not so after a
                deletion or a person's word, which add no text.

        Raises:
            EmbedderMismatch: the stored vectors are from another embedder.
            ModelError: the endpoint failed for good; what was done is kept.
            BudgetReached: likewise.
        """
        store, settings = self.runtime.store, self.runtime.settings.graph
        name, story, pending = await store.read(self._begin)
        asking = asking_about(self.runtime, self.character, name, story)
        # 1 -- entities and relations of every chunk ---------------------------------------------
        if extract and pending:
            extraction = Extraction(store, self.character, pending, asking, settings, self.progress)
            await extraction.begin()
            await run_all([partial(extraction.extract, chunk) for chunk in pending])
        mentions = await store.read(lambda conn: graph.list_raw_entities(conn, self.character))
        # 2 -- their vectors ---------------------------------------------------------------------
        texts = {one.id: entity_text(one.name, one.description) for one in mentions}
        _, refused = await embed_missing(self.runtime, self.character, {"raw_entity": texts})
        stayed_open = [
            (one.id, one.chunk, without_vector(texts[one.id], refused[one.id]))
            for one in mentions
            if one.id in refused
        ]
        matrix = await store.read(lambda conn: mention_matrix(conn, self.character, mentions))
        # 3 -- who is the same -------------------------------------------------------------------
        ledger = await store.read(self._ledger)
        rules = normalization_rules(settings)
        normalized = await normalize(
            mentions, matrix, rules, asking, ledger, verified=settings.verify
        )
        ledger.judging.end()
        stayed_open += [_open_link(mentions, rows, why) for rows, why in normalized.aside]
        groups = [[mentions[row] for row in rows] for rows in normalized.groups]
        # 4 -- one name and one description each; the summary beside it --------------------------
        relations = await store.read(lambda conn: graph.list_relations(conn, self.character))
        raw = raw_graph(groups, relations)
        self.described.set_result(describe_character(groups, name))
        self.size = size_of(raw, ledger.persons)
        merges = merges_of(raw)
        ledger.merging.begin(sum(merge.key not in ledger.merged for merge in merges))
        left = await merge_all(merges, ledger.merged, asking, ledger.keep_merged)
        ledger.merging.end()
        stayed_open += [_open_merge(one.item, one.reason) for one in left]
        # 5 -- stored ----------------------------------------------------------------------------
        aliases = given_aliases(groups, ledger.persons)
        entities = [
            build_entity(raw, number, ledger.merged, story.chunks, aliases.get(number, ()))
            for number in range(len(groups))
        ]
        await store.write(lambda conn: self._store(conn, entities, story, stayed_open))
        known = {}
        if matrix is not None:  # who is mentioned once has the vector of the mention already
            known = {texts[m.id]: row for m, row in zip(mentions, matrix, strict=True) if row.any()}
        texts = {one.id: entity_text(one.name, one.description) for one in entities}
        await embed_missing(self.runtime, self.character, {"entity": texts}, known=known)

    def _begin(self, conn: Connection) -> tuple[str, Story, list[Chunk]]:
        """Read name, chunks, and the chunks to extract.

        Refused before a call where vectors could not be compared.
        """
        active = vectors.active_set(conn, self.character)
        if active is not None:
            vectors.check_embedder(active, self.character, self.runtime.embedder.name)
        name = characters.require(conn, self.character).name
        story = load_story(conn, self.character)
        return name, story, unextracted(conn, self.character, story.chunks.values())

    def _ledger(self, conn: Connection) -> StoredLedger:
        decisions = graph.list_decisions(conn, self.character)
        answers = graph.list_answers(conn, self.character)
        store = self.runtime.store
        return StoredLedger(store, self.character, decisions, answers, self.progress)

    def _store(
        self,
        conn: Connection,
        entities: Sequence[Entity],
        story: Story,
        stayed_open: Sequence[tuple[str, str, str]],
    ) -> None:
        """Store what has changed, remove what is no entity any more, note what stayed open."""
        old = {group.id: group for group in graph.list_groups(conn, self.character)}
        new = {
            one.id: EntityGroup(
                one.id, one.name, one.type, one.description, tuple(sorted(one.mentions))
            )
            for one in entities
        }
        graph.remove_groups(conn, self.character, [name for name in old if name not in new])
        changed = [group for name, group in new.items() if old.get(name) != group]
        graph.put_groups(conn, self.character, changed)
        jobs.remove_kind(conn, self.character, jobs.GRAPH)
        put_aside(
            conn,
            self.character,
            jobs.GRAPH,
            [(subject, story.chunks[chunk].document, why) for subject, chunk, why in stayed_open],
        )


def _open_link(
    mentions: Sequence[RawEntity], rows: Sequence[int], why: str
) -> tuple[str, str, str]:
    """Name a question about who is the same that stayed open, for the report."""
    names = dict.fromkeys(mentions[row].name for row in rows)
    what = "whether they are the same stayed open: " + ", ".join(map(repr, names))
    first = mentions[rows[0]]
    return f"link {first.id}", first.chunk, f"{what}; {why}"


def _open_merge(merge: Merge, why: str) -> tuple[str, str, str]:
    """Name descriptions that stand side by side, for the report."""
    what = f"the descriptions of {' and '.join(map(repr, merge.names[:2]))} are not merged"
    return f"merge {merge.key}", merge.chunks[0], f"{what}: {why}"
