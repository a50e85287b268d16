"""Memories are scored and get vectors, batch by batch, each stored as it arrives.

Those that could not be are put aside with the reason, and tried again at the next chance.
Paper: Emotional RAG (004), section II-B.1; many memories in a call, where the paper asks one each.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, Final

from offbook.ingestion.embedding import check_active, embed_missing, memory_texts
from offbook.ingestion.reports import Steps, unheard
from offbook.memory.emotion import lacks_emotion, score_memories
from offbook.models.batching import Asking, run_all
from offbook.retrieval.search import encode_terms
from offbook.stores import conversations, jobs, memories, vectors
from offbook.stores.statements import batches

if TYPE_CHECKING:
    from offbook.ingestion.embedding import Texts
    from offbook.ingestion.reports import ProgressListener
    from offbook.memory.emotion import Emotion
    from offbook.runtime import Runtime
    from offbook.stores.connection import Connection
    from offbook.types import Character, MemoryFragment

    Scored = Callable[[Connection, MemoryFragment, Emotion], None]

ATTEMPTS: Final = 5
"""How often a memory is tried in the background at every chance; then it rests between attempts."""
FIRST_REST: Final = timedelta(hours=1)
"""The first rest; each is twice as long as the one before."""
LONGEST_REST: Final = timedelta(days=1)


def waiting(
    conn: Connection,
    character: str,
    *,
    every: bool = False,
    models: str = "",
    now: datetime | None = None,
) -> list[str]:
    """Ids of the memories that wait to be scored or embedded.

    Args:
        conn: Connection of a read.
        character: Id of the character.
        every: Also those that rest, since they were tried often, and those that came without a
            note (an import).
        models: Who would be asked, as ``asked_of`` tells; what others failed at rests no longer.
        now: The time; for tests.
    """
    now = now or datetime.now(UTC)
    noted = [
        job.subject
        for job in jobs.list_jobs(conn, character, kind=jobs.REMEMBER)
        if every or _is_due(job, models, now)
    ]
    if not every:
        return noted
    active = vectors.active_set(conn, character)
    lacking = memories.lacking(conn, character, None if active is None else active.id)
    return list(dict.fromkeys([*noted, *lacking]))


def _is_due(job: jobs.Job, models: str, now: datetime) -> bool:
    """Whether a memory is tried now: no endless calls for one that no model can score."""
    if job.attempts < ATTEMPTS or (job.error and models and not job.error.endswith(models)):
        return True
    rested = now - datetime.fromisoformat(job.updated)
    doubled = FIRST_REST * 2 ** min(job.attempts - ATTEMPTS, 10)
    # A clock that was put back must not make it rest for longer than it would have.
    return rested >= min(doubled, LONGEST_REST) or rested < timedelta(0)


def asked_of(runtime: Runtime) -> str:
    """Who scores and embeds, as it is noted with what they failed at."""
    return f"(asked of {runtime.extractor.name} and {runtime.embedder.name})"


@dataclass(slots=True)
class Remembering:
    """One run over memories that wait.

    Args:
        runtime: Settings, store and models.
        character: Whose memories.
        progress: Told after every batch.
        scored: Called for each memory that got its emotion, in the transaction that stores it.
    """

    runtime: Runtime
    character: Character
    progress: ProgressListener = unheard
    scored: Scored | None = None
    made: int = 0
    embedded: int = 0
    failed: dict[str, str] = field(default_factory=dict)
    _documents: dict[str, frozenset[str]] = field(default_factory=dict)

    async def run(self, ids: Sequence[str]) -> None:
        """Score and embed what these memories lack.

        ``made`` counts new emotions, ``embedded`` new vectors, ``failed`` names the memories that
        were put aside, and why.

        Raises:
            EmbedderMismatch: the stored vectors are from another embedder.
            ModelError: an endpoint failed for good; what arrived is stored.
            BudgetReached: likewise.
        """
        store = self.runtime.store
        fragments = await store.write(lambda conn: self._begin(conn, ids))
        await run_all([partial(self._score, fragments), partial(self._embed, fragments)])
        done = [fragment.id for fragment in fragments if fragment.id not in self.failed]
        await store.write(lambda conn: self._end(conn, done))

    def _begin(self, conn: Connection, ids: Sequence[str]) -> list[MemoryFragment]:
        """Note that the memories are worked on; refused where vectors could not be compared."""
        name = self.character.id
        check_active(conn, name, self.runtime.embedder)
        fragments = memories.get(conn, name, ids)
        present = [fragment.id for fragment in fragments]
        jobs.remove_subjects(conn, name, sorted(set(ids).difference(present)))
        jobs.enqueue(conn, name, jobs.REMEMBER, present)
        jobs.start(conn, name, jobs.REMEMBER, present)
        texts = memory_texts(fragments)
        memories.set_terms(conn, name, {one: encode_terms(text) for one, text in texts.items()})
        self._documents = _documents_by_memory(conn, name, fragments)
        return fragments

    def _end(self, conn: Connection, done: Sequence[str]) -> None:
        name = self.character.id
        jobs.remove_subjects(conn, name, done)
        for memory, why in self.failed.items():
            reason = f"{why} {asked_of(self.runtime)}"
            jobs.quarantine(conn, name, jobs.REMEMBER, [memory], reason)

    async def _score(self, fragments: Sequence[MemoryFragment]) -> None:
        settings, store = self.runtime.settings, self.runtime.store
        unscored = [one for one in fragments if lacks_emotion(one)]
        steps = Steps("scoring memories", self.progress)
        steps.begin(len(unscored))
        asking = Asking(
            self.runtime.extractor,
            self.character.name,
            lambda ids: frozenset().union(*(self._documents.get(one, ()) for one in ids)),
            retries=settings.answers.retries,
            batch_items=settings.memory.batch,
        )

        async def keep(scores: Sequence[tuple[MemoryFragment, Emotion]]) -> None:
            new = await store.write(lambda conn: self._keep_scores(conn, scores))
            self.made += new
            steps.add(len(scores))

        # A batch is stored before another call takes its place: a killed process then has lost
        # no more than what was in flight.
        places = asyncio.Semaphore(settings.limits.concurrency)

        async def score(batch: Sequence[MemoryFragment]) -> None:
            async with places:
                for aside in await score_memories(batch, asking, keep):
                    self.failed[aside.item.id] = f"it has no emotion: {aside.reason}"
                    steps.add(1)

        await run_all([partial(score, some) for some in batches(unscored, settings.memory.batch)])

    def _keep_scores(
        self, conn: Connection, scores: Sequence[tuple[MemoryFragment, Emotion]]
    ) -> int:
        emotions = {fragment.id: emotion for fragment, emotion in scores}
        new = set(memories.score(conn, self.character.id, emotions))
        for fragment, emotion in scores:
            if fragment.id in new and self.scored is not None:
                self.scored(conn, fragment, emotion)
        return len(new)

    async def _embed(self, fragments: Sequence[MemoryFragment]) -> None:
        texts: Texts = {"memory": memory_texts(fragments)}
        filled = await embed_missing(self.runtime, self.character.id, texts, self.progress)
        self.embedded += filled.made
        for memory, why in filled.refused.items():
            self.failed[memory] = f"it has no vector: {why}"


def _documents_by_memory(
    conn: Connection, character: str, fragments: Sequence[MemoryFragment]
) -> dict[str, frozenset[str]]:
    """Id of a memory -> names ``character/document`` of what its turn rested on."""
    sessions: dict[str, dict[str, str]] = {}
    for fragment in fragments:
        if fragment.session is not None and fragment.turn is not None:
            sessions.setdefault(fragment.session, {})[fragment.turn] = fragment.id
    return {
        ids[turn]: frozenset(f"{character}/{document}" for document in documents)
        for session, ids in sessions.items()
        for turn, documents in conversations.documents_by_turn(
            conn, character, session, ids.keys()
        ).items()
    }
