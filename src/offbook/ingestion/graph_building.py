"""The graph of a character is brought up to date with its documents and a person's word.

Takes: the chunks that are stored.  Gives: raw entities, decisions, groups, vectors in the store.
Every answer is kept by what was asked: an addition, a deletion or an edit costs what it touches,
and the outcome is the same as if all that remains had been indexed at once (methods.md 1).
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Final

from offbook.graph.candidates import Rules
from offbook.graph.character_node import told_of_character
from offbook.graph.entity_normalization import Ledger, Normalized, normalize
from offbook.graph.loading import given_aliases, load_story, size_of
from offbook.graph.merging import Merge, Merged, merge_all, merges_of, raw_graph
from offbook.graph.verification import Component, Split
from offbook.ingestion.entity_keeping import EntityKeeping
from offbook.ingestion.extracting import Extracting, unextracted
from offbook.ingestion.later_writes import LaterWrites
from offbook.ingestion.raw_vectors import RawVectors
from offbook.ingestion.reports import Steps, unheard
from offbook.models.asking import Asking
from offbook.models.beside import calls_first
from offbook.models.side_by_side import run_all
from offbook.stores import characters, chunks, graph, graph_answers, jobs, vectors
from offbook.types import RawRelation

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from sqlalchemy import Connection

    from offbook.graph.loading import GraphSize
    from offbook.graph.merging import RawGraph
    from offbook.graph.point_in_time import Story
    from offbook.ingestion.reports import ProgressListener
    from offbook.models.side_by_side import Job
    from offbook.pipeline import Stage
    from offbook.settings.model import GraphSettings
    from offbook.types import Chunk, Decision, RawEntity

JOB: Final = jobs.GRAPH
"""The kind of the jobs that note a question about the graph that stayed open."""

WriteSummary = Callable[[Awaitable[str]], Awaitable[object]]
"""Has the character's summary written; it can wait for what the graph says of the character."""


class StoredLedger(Ledger):
    """Decisions and verdicts go into the database while others are asked for."""

    def __init__(
        self,
        later: LaterWrites,
        character: str,
        decisions: Sequence[Decision],
        answers: Sequence[graph_answers.GraphAnswer],
        progress: ProgressListener = unheard,
    ) -> None:
        super().__init__(decisions, stored_splits(answers))
        self._later, self._character = later, character
        self.judging = Steps("judging", progress)

    def expect(self, pairs: int) -> None:
        """Begin to count."""
        self.judging.begin(pairs)

    async def keep_decisions(self, made: Sequence[Decision]) -> None:
        """Store decisions on pairs."""
        self._later.add_rows(self._put_decisions, made)
        await super().keep_decisions(made)
        self.judging.add(len(made))

    async def keep_splits(self, made: Sequence[tuple[Component, Split]]) -> None:
        """Store verdicts on groups, with the names for who reads them."""
        answers = [_answer_of(component, split) for component, split in made]
        self._later.add_rows(self._put_splits, answers)
        await super().keep_splits(made)

    def _put_decisions(self, conn: Connection, made: Sequence[Decision]) -> None:
        gone = chunks.missing(conn, self._character, (c for one in made for c in one.evidence))
        left = [one for one in made if gone.isdisjoint(one.evidence)]
        graph.put_decisions(conn, self._character, left)

    def _put_splits(self, conn: Connection, answers: Sequence[graph_answers.GraphAnswer]) -> None:
        _put_answers(conn, self._character, answers)


def _put_answers(
    conn: Connection, character: str, answers: Sequence[graph_answers.GraphAnswer]
) -> None:
    """Store answers, but for those about a text that is forgotten.

    A process that stood still for long has lost its lease, and does not know it.
    """
    gone = chunks.missing(conn, character, (chunk for one in answers for chunk in one.chunks))
    left = [one for one in answers if gone.isdisjoint(one.chunks)]
    graph_answers.put(conn, character, left)


def _answer_of(component: Component, split: Split) -> graph_answers.GraphAnswer:
    answer = {
        "names": [member.name for member in component.members],
        "parts": [list(part) for part in split.parts],
        "reason": split.reason,
    }
    return graph_answers.GraphAnswer(graph_answers.SPLIT, component.key, answer, component.chunks)


def stored_splits(answers: Sequence[graph_answers.GraphAnswer]) -> dict[str, Split]:
    """The verdicts on groups among what is stored, by ``Component.key``."""
    return {a.key: _split(a) for a in answers if a.kind == graph_answers.SPLIT}


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


def asking_about(stage: Stage, character: str, name: str, story: Story) -> Asking:
    """The extractor, as it is asked about the chunks of a character.

    Args:
        stage: The extractor and the settings.
        character: Id of the character.
        name: Its name.
        story: The chunks.
    """

    def documents(chunk_ids: Iterable[str]) -> frozenset[str]:
        ids = {story.chunks[chunk].document for chunk in chunk_ids}
        return frozenset(f"{character}/{document}" for document in ids)

    settings = stage.settings
    return Asking(
        stage.extractor,
        name,
        documents,
        settings.answers.retries,
        side_by_side=settings.limits.concurrency,
    )


@dataclass(slots=True)
class GraphBuilding:
    """One run.

    Args:
        stage: The store, the extractor, the embedder and the settings.
        character: Id of the character.
        progress: Told of every step.

    Attributes:
        size: What has become of it, after a run.
    """

    stage: Stage
    character: str
    progress: ProgressListener
    size: GraphSize | None = field(init=False, default=None)
    _merged: dict[str, Merged] = field(default_factory=dict)
    _merging: Steps = field(init=False)
    _later: LaterWrites = field(init=False)
    _ledger: StoredLedger = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._later = LaterWrites(self.stage.store)
        self._merging = Steps("merging", self.progress)

    async def run(self, write_summary: WriteSummary | None = None, *, extract: bool = True) -> None:
        """Bring the graph up to date.

        Args:
            write_summary: Called at once; it is told when the groups are known, and has its call
                made beside the merging of descriptions.
            extract: Whether chunks that were not extracted yet are extracted; not so after a
                deletion or a person's word, which add no text.

        Raises:
            EmbedderMismatch: the stored vectors are from another embedder.
            ModelError: the endpoint failed for good; what was done is kept.
            BudgetReached: likewise.
        """
        described: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        work: list[Job] = [partial(self._run, described, extract)]
        if write_summary is not None:
            work.append(partial(write_summary, described))
        async with self._later:
            await run_all(work)

    async def _run(self, described: asyncio.Future[str], extract: bool) -> None:
        name, story, entities, pending = await self.stage.store.read(self._begin)
        asking = asking_about(self.stage, self.character, name, story)
        # 1 -- entities and relations of every chunk ---------------------------------------------
        compared = RawVectors(self.stage, self.character, self._later)
        if extract and pending:
            found = await self._extract(pending, asking, compared)
            entities = story.in_reading_order([*entities, *found])
        else:
            self._ledger = await self.stage.store.read(self._look_up)
        ledger = self._ledger
        # 2 -- their vectors ---------------------------------------------------------------------
        matrix = await compared.matrix(entities)
        # 3 -- who is the same; beside it what nobody waits for ----------------------------------
        normalized, relations = await self._judged(entities, matrix, asking, ledger, compared)
        ledger.judging.end()
        open_questions = compared.refused
        open_questions += [_open_link(entities, rows, why) for rows, why in normalized.aside]
        groups = [[entities[row] for row in rows] for rows in normalized.groups]
        # 4 -- one name and one description each; the summary beside it --------------------------
        raw = raw_graph(groups, relations)
        described.set_result(told_of_character(groups, name))
        self.size = size_of(raw, ledger.persons)
        keeping = EntityKeeping(
            self.stage,
            self.character,
            self._later,
            raw,
            self._merged,
            story.chunks,
            given_aliases(groups, ledger.persons),
            entities,
            matrix,
        )
        open_questions += await self._merge(raw, asking, keeping)
        # 5 -- kept --------------------------------------------------------------------------------
        await keeping.keep_all(lambda conn: self._note(conn, story, open_questions))

    async def _extract(
        self, pending: Sequence[Chunk], asking: Asking, compared: RawVectors
    ) -> list[RawEntity]:
        """What the chunks mention; meanwhile is read what is decided already."""
        settings, progress = self.stage.settings.graph, self.progress
        told = pending, self._later, asking, self.character, settings, progress
        extracting = Extracting(*told, compared.hear)

        async def look_up() -> None:
            await calls_first()
            self._ledger = await self.stage.store.read(self._look_up)

        await run_all([extracting.run, look_up])
        return extracting.found

    async def _judged(
        self,
        entities: Sequence[RawEntity],
        matrix: NDArray[np.float32] | None,
        asking: Asking,
        ledger: StoredLedger,
        compared: RawVectors,
    ) -> tuple[Normalized, list[RawRelation]]:
        """Who is the same, and the relations; vectors are stored meanwhile."""
        settings, store = self.stage.settings.graph, self.stage.store
        normalized, relations = Normalized([]), list[RawRelation]()

        async def judge() -> None:
            nonlocal normalized
            told = entities, matrix, normalization_rules(settings), asking, ledger
            normalized = await normalize(*told, verified=settings.verify)

        async def keep() -> None:
            await calls_first()
            await self._later.flush()
            await compared.keep()
            relations.extend(
                await store.read(lambda conn: graph.list_relations(conn, self.character))
            )

        await run_all([judge, keep])
        return normalized, relations

    def _begin(self, conn: Connection) -> tuple[str, Story, list[RawEntity], list[Chunk]]:
        """Name, chunks, mentions, and the chunks that lack theirs.

        Refused before a call where vectors could not be compared.
        """
        active = vectors.active_set(conn, self.character)
        if active is not None:
            vectors.check_embedder(active, self.character, self.stage.embedder.name)
        name = characters.require(conn, self.character).name
        mentions = graph.list_raw_entities(conn, self.character)
        story = load_story(conn, self.character)
        pending = unextracted(conn, self.character, story.chunks.values())
        return name, story, mentions, pending

    def _look_up(self, conn: Connection) -> StoredLedger:
        decisions = graph.list_decisions(conn, self.character)
        answers = graph_answers.list_all(conn, self.character)
        self._merged = {
            a.key: Merged(a.answer["name"], a.answer["description"])
            for a in answers
            if a.kind == graph_answers.MERGE
        }
        return StoredLedger(self._later, self.character, decisions, answers, self.progress)

    async def _merge(
        self, raw: RawGraph, asking: Asking, keeping: EntityKeeping
    ) -> list[tuple[str, str, str]]:
        """Merge descriptions; what stayed open, as (subject, chunk, why)."""
        aside: list[tuple[str, str, str]] = []

        async def merge() -> None:
            merges = merges_of(raw)
            self._merging.begin(sum(merge.key not in self._merged for merge in merges))
            left = await merge_all(merges, self._merged, asking, self._keep_merged)
            self._merging.end()
            aside.extend(_open_merge(o.item, o.reason) for o in left)

        await run_all([merge, keeping.keep_settled])
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
        self._later.add_rows(self._put_merged, answers)
        self._merged.update({merge.key: merged for merge, merged in made})
        self._merging.add(len(made))

    def _put_merged(self, conn: Connection, answers: Sequence[graph_answers.GraphAnswer]) -> None:
        _put_answers(conn, self.character, answers)

    def _note(
        self, conn: Connection, story: Story, open_questions: Sequence[tuple[str, str, str]]
    ) -> None:
        """Note what stayed open, in the place of what did before."""
        jobs.remove_kind(conn, self.character, JOB)
        for subject, chunk, why in open_questions:
            document = story.chunks[chunk].document
            jobs.enqueue(conn, self.character, JOB, [subject], document=document)
            jobs.quarantine(conn, self.character, JOB, [subject], why)


def _open_link(
    entities: Sequence[RawEntity], rows: Sequence[int], why: str
) -> tuple[str, str, str]:
    """A question about who is the same that stayed open, for the report."""
    names = dict.fromkeys(entities[row].name for row in rows)
    what = "whether they are the same stayed open: " + ", ".join(map(repr, names))
    first = entities[rows[0]]
    return f"link {first.id}", first.chunk, f"{what}; {why}"


def _open_merge(merge: Merge, why: str) -> tuple[str, str, str]:
    """Descriptions that stand side by side, for the report."""
    what = f"the descriptions of {' and '.join(map(repr, merge.names[:2]))} are not merged"
    return f"merge {merge.key}", merge.chunks[0], f"{what}: {why}"
