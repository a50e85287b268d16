"""The graph of a character, brought up to date with its documents and a person's word.

Every answer is kept by what was asked: an addition, a deletion or an edit costs what it touches,
and the outcome is the same as if all that remains had been indexed at once. Source: ours.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeVar

from offbook.graph.assembly import (
    build_entity,
    describe_character,
    given_aliases,
    load_story,
    size_of,
    stored_merges,
)
from offbook.graph.entity_normalization import Ledger, normalize
from offbook.graph.merging import Merge, Merged, merge_all, merges_of, raw_graph
from offbook.graph.verdicts import Component, Split
from offbook.ingestion.embedding import (
    check_active,
    embed_missing,
    entity_text,
    mention_matrix,
    without_vector,
)
from offbook.ingestion.extraction import Extraction, unextracted
from offbook.ingestion.reports import Steps, put_aside, unheard
from offbook.models.batching import Asking
from offbook.prompts.who_is_who import WhoIsWho
from offbook.stores import characters, chunks, graph, jobs
from offbook.stores.graph import EntityGroup

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from offbook.graph.assembly import GraphSize
    from offbook.graph.merging import RawGraph
    from offbook.graph.point_in_time import Story
    from offbook.graph.who_is_who import Window
    from offbook.ingestion.embedding import Texts
    from offbook.ingestion.reports import ProgressListener
    from offbook.protocols import Store
    from offbook.runtime import Runtime
    from offbook.stores.connection import Connection
    from offbook.stores.graph import AnswerKind, GraphAnswer
    from offbook.types import Chunk, Decision, Entity, RawEntity


T = TypeVar("T")


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
        super().__init__(decisions, stored_splits(answers), stored_who_is_who(answers))
        self.merged = stored_merges(answers)
        self.judging, self.merging = Steps("judging", progress), Steps("merging", progress)
        self._character, self._store = character, store

    def expect(self, pairs: int) -> None:
        """Begin to count."""
        self.judging.begin(pairs)

    async def keep_decisions(self, made: Sequence[Decision]) -> None:
        """Store decisions on pairs."""
        await self._put(made, lambda decision: decision.evidence, graph.put_decisions)
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
        await self._put(answers, lambda one: one.chunks, graph.put_answers)
        await super().keep_splits(made)

    async def keep_settled(self, made: Sequence[tuple[Window, WhoIsWho]]) -> None:
        """Store answers to who is who."""
        answers = [_answer(graph.WHO_IS_WHO, one, each.model_dump()) for one, each in made]
        await self._put(answers, lambda one: one.chunks, graph.put_answers)
        await super().keep_settled(made)

    async def record(self, made: Sequence[Decision]) -> None:
        """Store what the answers to who is who come to, and remove what they came to before."""
        before = {each.id: each for each in self.decisions.values()}
        await super().record(made)
        gone = [identity for identity in before if identity not in self.decisions]
        fresh = [each for each in made if self.decisions[each.id] is each]
        new = [each for each in fresh if not _is_as_before(each, before.get(each.id))]
        await self._store.write(graph.remove_decisions, self._character, gone)
        await self._put(new, lambda decision: decision.evidence, graph.put_decisions)

    async def keep_merged(self, made: Sequence[tuple[Merge, Merged]]) -> None:
        """Store merged descriptions."""
        answers = [
            _answer(graph.MERGE, merge, {"name": merged.name, "description": merged.description})
            for merge, merged in made
        ]
        await self._put(answers, lambda one: one.chunks, graph.put_answers)
        self.merged.update({merge.key: merged for merge, merged in made})
        self.merging.add(len(made))

    async def _put(
        self,
        made: Sequence[T],
        chunks_of: Callable[[T], Sequence[str]],
        put: Callable[[Connection, str, Sequence[T]], object],
    ) -> None:
        """Store what was answered, but for what rests on a text that is forgotten.

        A process that stood still for long has lost its lease, and does not know it.
        """

        def put_what_is_left(conn: Connection) -> None:
            gone = chunks.missing(
                conn, self._character, (c for one in made for c in chunks_of(one))
            )
            put(conn, self._character, [one for one in made if gone.isdisjoint(chunks_of(one))])

        await self._store.write(put_what_is_left)


def _is_as_before(made: Decision, before: Decision | None) -> bool:
    """Whether a decision is stored already, whenever that was."""
    return before is not None and replace(before, created=made.created) == made


def _answer(
    kind: AnswerKind, question: Component | Merge | Window, answer: dict[str, object]
) -> GraphAnswer:
    return graph.GraphAnswer(kind, question.key, answer, question.chunks)


def stored_splits(answers: Sequence[GraphAnswer]) -> dict[str, Split]:
    """Return the verdicts on groups among what is stored, by ``Component.key``."""
    return {
        one.key: Split(tuple(map(tuple, one.answer["parts"])), one.answer["reason"])
        for one in answers
        if one.kind == graph.SPLIT
    }


def stored_who_is_who(answers: Sequence[GraphAnswer]) -> dict[str, WhoIsWho]:
    """Return the answers to who is who among what is stored, by ``Window.key``."""
    return {
        one.key: WhoIsWho.model_validate(one.answer)
        for one in answers
        if one.kind == graph.WHO_IS_WHO
    }


def begin_extraction(
    conn: Connection, runtime: Runtime, character: str
) -> tuple[str, Story, list[Chunk]]:
    """Read name, chunks, and the chunks to extract.

    Raises:
        EmbedderMismatch: vectors could not be compared; that is known before a call.
    """
    check_active(conn, character, runtime.embedder)
    name = characters.require(conn, character).name
    story = load_story(conn, character)
    return name, story, unextracted(conn, character, story.chunks.values())


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


Open = tuple[str, str, str]
"""What stayed open: its subject, the chunk that it concerns, and why."""


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
    _open: list[Open] = field(init=False, default_factory=list)

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
        store, character = self.runtime.store, self.character
        name, story, pending = await store.read(begin_extraction, self.runtime, character)
        asking = asking_about(self.runtime, character, name, story)
        # 1 -- entities and relations of every chunk ---------------------------------------------
        if extract:
            every = tuple(story.chunks.values())
            await Extraction(self.runtime, character, every, pending, asking, self.progress).run()
        mentions = await store.read(graph.list_raw_entities, character)
        # 2 -- their vectors ---------------------------------------------------------------------
        matrix = await self._embed(mentions)
        # 3 -- who is the same -------------------------------------------------------------------
        ledger = await store.read(self._ledger)
        groups = await self._group(mentions, matrix, asking, ledger)
        # 4 -- one name and one description each; the summary beside it --------------------------
        called = (await store.read(characters.require, character)).settings.get(characters.NAMES)
        self.described.set_result(describe_character(groups, name, called or ()))
        raw = raw_graph(groups, await store.read(graph.list_relations, character))
        self.size = size_of(raw, ledger.persons)
        await self._merge(raw, asking, ledger)
        # 5 -- stored ----------------------------------------------------------------------------
        aliases = given_aliases(groups, ledger.persons)
        entities = [
            build_entity(raw, number, ledger.merged, story.chunks, aliases.get(number, ()))
            for number in range(len(groups))
        ]
        await store.write(lambda conn: self._store(conn, entities, story))
        await self._embed_entities(entities, mentions, matrix)

    async def _embed(self, mentions: Sequence[RawEntity]) -> NDArray[np.float32] | None:
        """Embed what has no vector yet, and return the vectors of all."""
        texts = _texts(mentions)
        _, refused = await embed_missing(self.runtime, self.character, {"raw_entity": texts})
        self._open += [
            (one.id, one.chunk, without_vector(texts[one.id], refused[one.id]))
            for one in mentions
            if one.id in refused
        ]
        return await self.runtime.store.read(mention_matrix, self.character, mentions)

    async def _group(
        self,
        mentions: Sequence[RawEntity],
        matrix: NDArray[np.float32] | None,
        asking: Asking,
        ledger: StoredLedger,
    ) -> list[list[RawEntity]]:
        """Group the mentions that are one and the same."""
        settings = self.runtime.settings.graph
        normalized = await normalize(mentions, matrix, settings, asking, ledger)
        ledger.judging.end()
        self._open += [_open_link(mentions, rows, why) for rows, why in normalized.aside]
        return [[mentions[row] for row in rows] for rows in normalized.groups]

    async def _merge(self, raw: RawGraph, asking: Asking, ledger: StoredLedger) -> None:
        """Have the descriptions merged that are not merged yet."""
        merges = merges_of(raw, self.runtime.settings.graph.join_words)
        ledger.merging.begin(sum(merge.key not in ledger.merged for merge in merges))
        left = await merge_all(merges, ledger.merged, asking, ledger.keep_merged)
        ledger.merging.end()
        self._open += [_open_merge(one.item, one.reason) for one in left]

    async def _embed_entities(
        self,
        entities: Sequence[Entity],
        mentions: Sequence[RawEntity],
        matrix: NDArray[np.float32] | None,
    ) -> None:
        """Embed the entities; one that is mentioned once has the vector of the mention already."""
        known: dict[str, NDArray[np.float32]] = {}
        if matrix is not None:
            texts = _texts(mentions)
            known = {texts[m.id]: row for m, row in zip(mentions, matrix, strict=True) if row.any()}
        missing: Texts = {"entity": _texts(entities)}
        await embed_missing(self.runtime, self.character, missing, known=known)

    def _ledger(self, conn: Connection) -> StoredLedger:
        decisions = graph.list_decisions(conn, self.character)
        answers = graph.list_answers(conn, self.character)
        store = self.runtime.store
        return StoredLedger(store, self.character, decisions, answers, self.progress)

    def _store(self, conn: Connection, entities: Sequence[Entity], story: Story) -> None:
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
        rows = [(subject, story.chunks[chunk].document, why) for subject, chunk, why in self._open]
        put_aside(conn, self.character, jobs.GRAPH, rows)


def _texts(of: Sequence[RawEntity | Entity]) -> dict[str, str]:
    """What is embedded of each, by id."""
    return {one.id: entity_text(one.name, one.description) for one in of}


def _open_link(mentions: Sequence[RawEntity], rows: Sequence[int], why: str) -> Open:
    """Name a question about who is the same that stayed open, for the report."""
    names = dict.fromkeys(mentions[row].name for row in rows)
    what = "whether they are the same stayed open: " + ", ".join(map(repr, names))
    first = mentions[rows[0]]
    return f"link {first.id}", first.chunk, f"{what}; {why}"


def _open_merge(merge: Merge, why: str) -> Open:
    """Name descriptions that stand side by side, for the report."""
    what = f"the descriptions of {' and '.join(map(repr, merge.names[:2]))} are not merged"
    return f"merge {merge.key}", merge.chunks[0], f"{what}: {why}"
