"""Memories are scored and get vectors, batch by batch, each stored as it arrives.

Takes: memories that wait.  Gives: how many were scored and embedded; those that could not be are
put aside with the reason, and tried again at the next chance.
Paper: Emotional RAG (004), section II-B.1; many memories in a call, where the paper asks one each.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, Final

from offbook.ingestion.reports import Steps, unheard
from offbook.memory.emotion import score_memories
from offbook.models.asking import Asking
from offbook.models.batching import ask_in_batches
from offbook.models.side_by_side import run_all
from offbook.stores import conversations, jobs, memories, vectors
from offbook.stores.grouped_writes import GroupedWrites
from offbook.stores.statements import batches

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from sqlalchemy import Connection

    from offbook.ingestion.reports import ProgressListener
    from offbook.memory.emotion import Emotion
    from offbook.pipeline import Stage
    from offbook.protocols import Embedder, Store
    from offbook.types import Character, MemoryFragment

    Scored = Callable[[Connection, MemoryFragment, Emotion], None]

EMBEDDED_CHARS: Final = 4_000
"""Of a pair; the longest text that embedders are given."""
ATTEMPTS: Final = 5
"""How often a memory is tried in the background at every chance; then it rests between attempts."""
FIRST_REST: Final = timedelta(hours=1)
"""The first rest; each is twice as long as the one before."""
LONGEST_REST: Final = timedelta(days=1)


def pair_text(said: str, answered: str) -> str:
    """What is embedded of a memory: both sides, the longer one cut where they are too long."""
    half = EMBEDDED_CHARS // 2
    first = said[: max(half, EMBEDDED_CHARS - len(answered))]
    return f"{first}\n{answered[: EMBEDDED_CHARS - len(first)]}"


def waiting(
    conn: Connection,
    character: str,
    *,
    every: bool = False,
    asked: str = "",
    now: datetime | None = None,
) -> list[str]:
    """Ids of the memories that wait to be scored or embedded.

    Args:
        conn: Connection of a read.
        character: Id of the character.
        every: Also those that rest, since they were tried often, and those that came without a
            note (an import).
        asked: Who would be asked, as ``asked_of`` tells; what others failed at rests no longer.
        now: The time; for tests.
    """
    now = now or datetime.now(UTC)
    noted = [
        job.subject
        for job in jobs.list_jobs(conn, character, kind=jobs.REMEMBER)
        if every or _is_due(job, asked, now)
    ]
    if not every:
        return noted
    active = vectors.active_set(conn, character)
    lacking = memories.lacking(conn, character, None if active is None else active.id)
    return list(dict.fromkeys([*noted, *lacking]))


def _is_due(job: jobs.Job, asked: str, now: datetime) -> bool:
    """Whether a memory is tried now: no endless calls for one that no model can score."""
    if job.attempts < ATTEMPTS or (job.error and asked and not job.error.endswith(asked)):
        return True
    rested = now - datetime.fromisoformat(job.updated)
    doubled = FIRST_REST * 2 ** min(job.attempts - ATTEMPTS, 10)
    # A clock that was put back must not make it rest for longer than it would have.
    return rested >= min(doubled, LONGEST_REST) or rested < timedelta(0)


def asked_of(stage: Stage) -> str:
    """Who scores and embeds, as it is noted with what they failed at."""
    return f"(asked of {stage.extractor.name} and {stage.embedder.name})"


@dataclass(slots=True)
class Remembering:
    """One run over memories that wait.

    Args:
        stage: Settings, store and models.
        character: Whose memories.
        progress: Told after every batch.
        scored: Called for each memory that got its emotion, in the transaction that stores it.
    """

    stage: Stage
    character: Character
    progress: ProgressListener = unheard
    scored: Scored | None = None
    made: int = 0
    embedded: int = 0
    failed: dict[str, str] = field(default_factory=dict)
    _resting_on: dict[str, frozenset[str]] = field(default_factory=dict)

    async def run(self, ids: Sequence[str]) -> None:
        """Score and embed what these memories lack.

        ``made`` counts new emotions, ``embedded`` new vectors, ``failed`` names the memories that
        were put aside, and why.

        Raises:
            EmbedderMismatch: the stored vectors are from another embedder.
            ModelError: an endpoint failed for good; what arrived is stored.
            BudgetReached: likewise.
        """
        store = self.stage.store
        found, plain, bare = await store.write(lambda conn: self._begin(conn, ids))
        await run_all([partial(self._score, plain), partial(self._embed, bare)])
        done = [fragment.id for fragment in found if fragment.id not in self.failed]
        await store.write(lambda conn: self._end(conn, done))

    def _end(self, conn: Connection, done: Sequence[str]) -> None:
        name = self.character.id
        jobs.remove_subjects(conn, name, done)
        for memory, why in self.failed.items():
            noted = f"{why} {asked_of(self.stage)}"
            jobs.quarantine(conn, name, jobs.REMEMBER, [memory], noted)

    def _begin(
        self, conn: Connection, ids: Sequence[str]
    ) -> tuple[list[MemoryFragment], list[MemoryFragment], list[MemoryFragment]]:
        """The memories, those without an emotion, and those without a vector."""
        name, embedder = self.character.id, self.stage.embedder.name
        found = memories.get(conn, name, ids)
        here = {fragment.id for fragment in found}
        jobs.remove_subjects(conn, name, [gone for gone in ids if gone not in here])
        jobs.enqueue(conn, name, jobs.REMEMBER, [fragment.id for fragment in found])
        jobs.start(conn, name, jobs.REMEMBER, [fragment.id for fragment in found])
        plain = [fragment for fragment in found if fragment.emotion is None]
        self._resting_on = _documents_by_memory(conn, name, plain)
        active = vectors.active_set(conn, name)
        if active is None:
            return found, plain, found
        vectors.check_embedder(active, name, embedder)
        known = vectors.which_have(conn, name, active.id, "memory", list(here))
        return found, plain, [fragment for fragment in found if fragment.id not in known]

    async def _score(self, plain: Sequence[MemoryFragment]) -> None:
        settings, writes = self.stage.settings, GroupedWrites(self.stage.store)
        steps = Steps("scoring memories", self.progress)
        steps.begin(len(plain))
        asking = Asking(
            self.stage.extractor,
            self.character.name,
            lambda ids: frozenset().union(*(self._resting_on.get(one, ()) for one in ids)),
            retries=settings.answers.retries,
            batch_items=settings.memory.batch,
        )

        async def keep(scores: Sequence[tuple[MemoryFragment, Emotion]]) -> None:
            new = await _counted(writes, lambda conn: self._keep_scores(conn, scores))
            self.made += new
            steps.add(len(scores))

        # A batch is stored before another call takes its place: a killed process then has lost
        # no more than what was in flight.
        places = asyncio.Semaphore(settings.limits.concurrency)

        async def score(piece: Sequence[MemoryFragment]) -> None:
            async with places:
                for aside in await score_memories(piece, asking, keep):
                    self.failed[aside.item.id] = f"it has no emotion: {aside.reason}"
                    steps.add(1)

        await run_all([partial(score, piece) for piece in batches(plain, settings.memory.batch)])

    async def _embed(self, bare: Sequence[MemoryFragment]) -> None:
        embedder, writes = self.stage.embedder, GroupedWrites(self.stage.store)
        steps = Steps("embedding memories", self.progress)
        steps.begin(len(bare))

        places = asyncio.Semaphore(self.stage.settings.limits.concurrency)

        async def embed(batch: Sequence[MemoryFragment]) -> list[NDArray[np.float32]]:
            texts = [pair_text(fragment.said, fragment.answered) for fragment in batch]
            async with places:
                made = list(await embedder.embed(texts, "document"))
                pairs = list(zip(batch, made, strict=True))
                new = await _counted(writes, partial(self._keep_vectors, made=pairs))
                self.embedded += new
            return made

        async def keep(made: Sequence[tuple[MemoryFragment, NDArray[np.float32]]]) -> None:
            steps.add(len(made))

        pieces = list(batches(bare, self.stage.settings.embed.batch))
        for aside in await ask_in_batches(pieces, embed, keep):
            self.failed[aside.item.id] = f"it has no vector: {aside.reason}"
            steps.add(1)

    def _keep_scores(
        self, conn: Connection, scores: Sequence[tuple[MemoryFragment, Emotion]]
    ) -> int:
        emotions = {fragment.id: emotion for fragment, emotion in scores}
        new = set(memories.score(conn, self.character.id, emotions))
        for fragment, emotion in scores:
            if fragment.id in new and self.scored is not None:
                self.scored(conn, fragment, emotion)
        return len(new)

    def _keep_vectors(
        self, conn: Connection, made: Sequence[tuple[MemoryFragment, NDArray[np.float32]]]
    ) -> int:
        name, kept = self.character.id, _still_there(conn, self.character.id, made)
        if kept:
            found = vectors.use_set(conn, name, self.stage.embedder.name, len(kept[0][1]))
            _put_vectors(conn, name, found.id, kept)
        return len(kept)


async def _counted(writes: GroupedWrites, operation: Callable[[Connection], int]) -> int:
    """How many rows it stored, of the attempt that counted: a transaction may be run again."""
    found = 0

    def count(conn: Connection) -> None:
        nonlocal found
        found = operation(conn)

    await writes.write(count)
    return found


async def embed_memories(
    store: Store,
    embedder: Embedder,
    character: str,
    batch: int,
    set_id: str,
    progress: ProgressListener,
) -> tuple[int, list[str]]:
    """Fill a vector set that is in the making with what it lacks of the memories.

    Returns:
        How many vectors were made, and the ids of the memories that the embedder refuses.

    Raises:
        EmbedderMismatch: the embedder changed its dimension.
        ModelError: the endpoint failed for good; what arrived is stored.
    """
    missing = await store.read(lambda c: vectors.missing_ids(c, character, set_id, "memory"))
    found = await store.read(lambda conn: memories.get(conn, character, missing))
    steps = Steps("embedding memories", progress)
    steps.begin(len(found))

    async def embed(piece: Sequence[MemoryFragment]) -> list[NDArray[np.float32]]:
        texts = [pair_text(fragment.said, fragment.answered) for fragment in piece]
        return list(await embedder.embed(texts, "document"))

    async def keep(made: Sequence[tuple[MemoryFragment, NDArray[np.float32]]]) -> None:
        await store.write(
            lambda c: _put_vectors(c, character, set_id, _still_there(c, character, made))
        )
        steps.add(len(made))

    aside = await ask_in_batches(list(batches(found, batch)), embed, keep)
    return len(found) - len(aside), [refused.item.id for refused in aside]


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


async def embed_memories_and_activate(
    store: Store,
    embedder: Embedder,
    character: str,
    batch: int,
    set_id: str,
    progress: ProgressListener,
    without: Sequence[str],
) -> int:
    """Fill a set with what it lacks of the memories, and put it in the place of the active one.

    Conversations may go on meanwhile and leave memories: these are embedded as well, until none is
    left in the transaction that activates the set.

    Args:
        store: Where the set is.
        embedder: Makes the vectors.
        character: Id of the character.
        batch: Memories in one request.
        set_id: The set.
        progress: Told after every batch.
        without: Other subjects that the embedder refuses, and that may lack a vector.

    Returns:
        How many vectors of memories were made.

    Raises:
        EmbedderMismatch: the embedder changed its dimension.
        ModelError: the endpoint failed for good; what arrived is stored.
        StoreFailed: the set is gone, or lacks vectors of other things.
    """
    made, refused = 0, set(without)

    def activated(conn: Connection) -> bool:
        if set(vectors.missing_ids(conn, character, set_id, "memory")) - refused:
            return False
        vectors.activate_set(conn, character, set_id, without=sorted(refused))
        return True

    while True:
        new, unfit = await embed_memories(store, embedder, character, batch, set_id, progress)
        made += new
        refused.update(unfit)
        if await store.write(activated):
            return made


def _still_there(
    conn: Connection, character: str, made: Sequence[tuple[MemoryFragment, NDArray[np.float32]]]
) -> list[tuple[MemoryFragment, NDArray[np.float32]]]:
    """Those that nobody has forgotten since they were read."""
    here = {f.id for f in memories.get(conn, character, [fragment.id for fragment, _ in made])}
    return [(fragment, vector) for fragment, vector in made if fragment.id in here]


def _put_vectors(
    conn: Connection,
    character: str,
    set_id: str,
    kept: Sequence[tuple[MemoryFragment, NDArray[np.float32]]],
) -> None:
    import numpy as np

    if kept:
        ids, matrix = [fragment.id for fragment, _ in kept], np.stack([row for _, row in kept])
        vectors.put_vectors(conn, character, set_id, "memory", ids, matrix)
