"""Vectors for the chunks that have none yet, each batch stored as it arrives.

Takes: a character, an embedder, the chunkings to embed.  Gives: how many vectors were made, and
the chunks that the embedder refuses, which are put into quarantine and reported.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from offbook.errors import EmbedderMismatch, InputRefused, ModelError
from offbook.ingestion.entity_vectors import embed_graph
from offbook.ingestion.remembering import embed_memories_and_activate
from offbook.ingestion.renewing import renew_vectors
from offbook.ingestion.reports import Progress, ProgressListener
from offbook.models.side_by_side import failed_around
from offbook.stores import chunks, jobs, vectors
from offbook.types import Chunk

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from sqlalchemy import Connection

    from offbook.protocols import Embedder, Store

JOB: Final = jobs.EMBED
_HARMLESS: Final = "The boats rose and fell."
"""A text that every embedder takes: where it is refused too, it is not the chunk's fault."""


@dataclass(slots=True)
class Embedding:
    """One run over the chunks that lack a vector.

    Args:
        store: Where chunks come from and vectors go.
        embedder: Who makes them.
        character: Id of the character.
        batch: Texts in one call.
        concurrency: Calls side by side.
        progress: Told after every batch.
        set_id: The vector set to fill; None: the active one, made with the first batch.
    """

    store: Store
    embedder: Embedder
    character: str
    batch: int
    concurrency: int
    progress: ProgressListener
    set_id: str | None = None
    made: int = 0
    refused: list[str] = field(default_factory=list)
    _pieces: deque[list[Chunk]] = field(default_factory=deque)
    _total: int = 0
    _failure: Exception | None = None
    _accepted: bool = False
    _arrived: list[tuple[list[str], NDArray[np.float32]]] = field(default_factory=list)
    _storing: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def run(self, chunkings: Sequence[str] | None) -> None:
        """Embed what is missing in these chunkings (None: in all).

        ``made`` counts the new vectors, ``refused`` names the chunks that were put aside. After a
        failure no new call is made, and those that are out are waited for and kept: they cost.

        Raises:
            EmbedderMismatch: the stored vectors are from another embedder.
            ModelError: the endpoint failed for good; what arrived is stored.
            BudgetReached: likewise.
        """
        pending = await self.store.write(lambda conn: self._pending(conn, chunkings))
        self._total = len(pending)
        self._pieces.extend(pending[i : i + self.batch] for i in range(0, self._total, self.batch))
        side_by_side = min(self.concurrency, len(self._pieces))
        working = [asyncio.create_task(self._work()) for _ in range(side_by_side)]
        try:
            await asyncio.gather(*working)
        finally:
            for task in working:
                task.cancel()
            await asyncio.gather(*working, return_exceptions=True)
        if self._failure is not None:
            raise self._failure

    def _pending(self, conn: Connection, chunkings: Sequence[str] | None) -> list[Chunk]:
        names = (
            chunkings
            if chunkings is not None
            else list(chunks.list_chunkings(conn, self.character))
        )
        set_id = self.set_id
        if set_id is None:
            active = vectors.active_set(conn, self.character)
            if active is not None:
                vectors.check_embedder(active, self.character, self.embedder.name)
                set_id = active.id
        found: list[Chunk] = []
        for name in names:
            if set_id is None:
                found += chunks.list_chunks(conn, self.character, chunking=name)
            else:
                missing = vectors.missing_ids(conn, self.character, set_id, "chunk", name)
                found += chunks.get_chunks(conn, self.character, missing)
        for document in dict.fromkeys(chunk.document for chunk in found):
            ids = [chunk.id for chunk in found if chunk.document == document]
            jobs.enqueue(conn, self.character, JOB, ids, document=document)
            jobs.start(conn, self.character, JOB, ids)
        return found

    async def _work(self) -> None:
        """Embed piece after piece, each stored before the next one is asked for."""
        while self._pieces and self._failure is None and not failed_around():
            try:
                async with aclosing(self._vectors(self._pieces.popleft())) as arriving:
                    async for ids, matrix in arriving:
                        await self._store(ids, matrix)
            except EmbedderMismatch as error:
                error.hint = f"make the vectors anew: offbook reembed {self.character}"
                self._failure = self._failure or error
            except Exception as error:
                self._failure = self._failure or error

    async def _vectors(
        self, piece: Sequence[Chunk]
    ) -> AsyncGenerator[tuple[list[str], NDArray[np.float32]], None]:
        """Ids and vectors of a piece; in halves where one of its texts is refused."""
        try:
            matrix = await self.embedder.embed([c.text_with_headings for c in piece], "document")
        except InputRefused as error:
            if len(piece) == 1:
                await self._put_aside(piece[0], error)
                return
            half = len(piece) // 2
            for part in (piece[:half], piece[half:]):
                async with aclosing(self._vectors(part)) as arriving:
                    async for found in arriving:
                        yield found
        else:
            self._accepted = True
            yield [chunk.id for chunk in piece], matrix

    async def _store(self, ids: list[str], matrix: NDArray[np.float32]) -> None:
        """Keep what arrived; what arrives during a transaction is kept together in the next."""
        self._arrived.append((ids, matrix))
        async with self._storing:
            batches, self._arrived = self._arrived, []
            if batches:
                await self.store.write(lambda conn: self._keep(conn, batches))
                self.made += sum(len(kept) for kept, _ in batches)
                self._tell()

    def _keep(
        self, conn: Connection, batches: Sequence[tuple[list[str], NDArray[np.float32]]]
    ) -> None:
        for ids, matrix in batches:
            set_id = self.set_id
            if set_id is None:
                dimension = int(matrix.shape[1])
                set_id = vectors.use_set(conn, self.character, self.embedder.name, dimension).id
            vectors.put_vectors(conn, self.character, set_id, "chunk", ids, matrix)
            jobs.finish(conn, self.character, JOB, ids)

    async def _put_aside(self, chunk: Chunk, error: InputRefused) -> None:
        if not self._accepted:
            await self._ask_whether_anything_passes(error)
        await self.store.write(
            lambda conn: jobs.quarantine(conn, self.character, JOB, [chunk.id], error.message)
        )
        self.refused.append(chunk.id)
        self._tell()

    async def _ask_whether_anything_passes(self, error: InputRefused) -> None:
        """Tell a refused text from an endpoint that refuses every request."""
        try:
            await self.embedder.embed([_HARMLESS], "document")
        except InputRefused:
            hint = error.hint or "check embed.model and embed.base_url"
            raise ModelError(error.message, hint) from error
        self._accepted = True

    def _tell(self) -> None:
        self.progress(Progress("embedding", self.made + len(self.refused), self._total))


async def reembed(
    store: Store,
    embedder: Embedder,
    character: str,
    batch: int,
    concurrency: int,
    progress: ProgressListener,
) -> Embedding:
    """Make all vectors anew beside the old ones, then put them in their place.

    An interrupted run is taken up where it stopped; until the new vectors are complete, the old
    ones answer. What the new embedder refuses is put aside, and has no vector afterwards.

    Returns:
        The finished run: what was made and what was refused in it.
    """
    probe = (await embedder.embed(["dimension"], "document")).shape[1]
    made = await store.write(
        lambda conn: vectors.begin_set(conn, character, embedder.name, int(probe))
    )
    run = Embedding(store, embedder, character, batch, concurrency, progress, set_id=made.id)
    try:
        await run.run(None)
        of_graph = await embed_graph(store, embedder, character, batch, made.id, progress)
        of_rest = await renew_vectors(store, embedder, character, batch, made.id, progress)
        without = [*run.refused, *of_graph.refused, *of_rest.refused]
        remembered = await embed_memories_and_activate(
            store, embedder, character, batch, made.id, progress, without
        )
    except EmbedderMismatch as error:
        error.hint = f"the embedder changed its dimension in mid-run; offbook reembed {character}"
        raise
    run.made += of_graph.made + of_rest.made + remembered
    return run
