"""Vectors for the chunks that have none yet, each batch stored as it arrives.

Takes: a character, an embedder, the chunkings to embed.  Gives: how many vectors were made, and
the chunks that the embedder refuses, which are put into quarantine and reported.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from offbook.errors import EmbedderMismatch, InputRefused
from offbook.ingestion.reports import Progress, ProgressListener
from offbook.stores import chunks, jobs, vectors
from offbook.types import Chunk

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from sqlalchemy import Connection

    from offbook.protocols import Embedder, Store

JOB = "embed"


@dataclass(slots=True)
class Embedding:
    """One run over the chunks that lack a vector.

    Args:
        store: Where chunks come from and vectors go.
        embedder: Who makes them.
        character: Id of the character.
        batch: Texts in one call.
        progress: Told after every batch.
        set_id: The vector set to fill; None: the active one, made with the first batch.
    """

    store: Store
    embedder: Embedder
    character: str
    batch: int
    progress: ProgressListener
    set_id: str | None = None

    async def run(self, chunkings: Sequence[str] | None) -> int:
        """Embed what is missing in these chunkings (None: in all); the number of new vectors.

        Raises:
            EmbedderMismatch: the stored vectors are from another embedder.
            ModelError: the endpoint failed for good; what arrived before is stored.
        """
        pending = await self.store.write(lambda conn: self._pending(conn, chunkings))
        total, done = len(pending), 0
        pieces = [pending[i : i + self.batch] for i in range(0, total, self.batch)]
        waiting = [asyncio.create_task(self._embed(piece)) for piece in pieces]
        try:
            for finished in asyncio.as_completed(waiting):
                done += await finished
                self.progress(Progress("embedding", done, total))
        finally:
            for task in waiting:
                task.cancel()
            await asyncio.gather(*waiting, return_exceptions=True)
        return total

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

    async def _embed(self, piece: Sequence[Chunk]) -> int:
        texts = [chunk.text_with_headings for chunk in piece]
        try:
            matrix = await self.embedder.embed(texts, "document")
        except InputRefused as error:
            if len(piece) == 1:
                await self._quarantine(piece[0], error)
                return 1
            half = len(piece) // 2
            return await self._embed(piece[:half]) + await self._embed(piece[half:])
        await self.store.write(lambda conn: self._keep(conn, [c.id for c in piece], matrix))
        return len(piece)

    def _keep(self, conn: Connection, ids: list[str], matrix: NDArray[np.float32]) -> None:
        set_id = self.set_id
        if set_id is None:
            dimension = int(matrix.shape[1])
            set_id = vectors.use_set(conn, self.character, self.embedder.name, dimension).id
        vectors.put_vectors(conn, self.character, set_id, "chunk", ids, matrix)
        jobs.finish(conn, self.character, JOB, ids)

    async def _quarantine(self, chunk: Chunk, error: InputRefused) -> None:
        await self.store.write(
            lambda conn: jobs.quarantine(conn, self.character, JOB, [chunk.id], error.message)
        )


async def reembed(
    store: Store, embedder: Embedder, character: str, batch: int, progress: ProgressListener
) -> int:
    """Make all vectors anew beside the old ones, then put them in their place.

    An interrupted run is taken up where it stopped; until the new vectors are complete, the old
    ones answer.

    Returns:
        The number of vectors made in this run.
    """
    probe = (await embedder.embed(["dimension"], "document")).shape[1]
    made = await store.write(
        lambda conn: vectors.begin_set(conn, character, embedder.name, int(probe))
    )
    run = Embedding(store, embedder, character, batch, progress, set_id=made.id)
    try:
        count = await run.run(None)
    except EmbedderMismatch as error:
        error.hint = f"the embedder changed its dimension in mid-run; offbook reembed {character}"
        raise
    await store.write(lambda conn: vectors.activate_set(conn, character, made.id))
    return count
