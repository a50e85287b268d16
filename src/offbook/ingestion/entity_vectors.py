"""Vectors of raw entities and of entities: of the name with what is said of it.

Takes: ids and texts.  Gives: vectors in the store for those that had none. Equal texts are embedded
once.  Paper: RoleRAG (001), Algorithm 1, line 3 (E = embedding of "name: description").
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from offbook.errors import InputRefused
from offbook.models.side_by_side import run_all
from offbook.stores import vectors

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from sqlalchemy import Connection

    from offbook.protocols import Embedder, Store
    from offbook.stores.vectors import Kind


async def embed_missing(
    store: Store,
    embedder: Embedder,
    character: str,
    kind: Kind,
    texts: Mapping[str, str],
    batch: int,
) -> list[tuple[str, str]]:
    """Embed the texts of the subjects that have no vector yet.

    Returns:
        The ids whose text the embedder refuses, and why.

    Raises:
        EmbedderMismatch: the stored vectors are from another embedder.
        ModelError: the endpoint failed for good; what arrived is stored.
    """
    missing = await store.read(lambda conn: _missing(conn, embedder, character, kind, texts))
    ids_of: dict[str, list[str]] = {}
    for subject in missing:
        ids_of.setdefault(texts[subject], []).append(subject)
    distinct = list(ids_of)
    refused: list[tuple[str, str]] = []

    async def settle(part: Sequence[str]) -> None:
        try:
            matrix = await embedder.embed(part, "document")
        except InputRefused as error:
            if len(part) == 1:
                refused.extend((subject, error.message) for subject in ids_of[part[0]])
                return
            half = len(part) // 2
            await run_all([_job(settle, part[:half]), _job(settle, part[half:])])
            return
        await store.write(lambda conn: _keep(conn, embedder, character, kind, part, ids_of, matrix))

    pieces = [distinct[i : i + batch] for i in range(0, len(distinct), batch)]
    await run_all([_job(settle, piece) for piece in pieces])
    return refused


def _missing(
    conn: Connection, embedder: Embedder, character: str, kind: Kind, texts: Mapping[str, str]
) -> list[str]:
    active = vectors.active_set(conn, character)
    if active is None:
        return list(texts)
    vectors.check_embedder(active, character, embedder.name)
    without = set(vectors.missing_ids(conn, character, active.id, kind))
    return [subject for subject in texts if subject in without]


def _keep(
    conn: Connection,
    embedder: Embedder,
    character: str,
    kind: Kind,
    part: Sequence[str],
    ids_of: Mapping[str, Sequence[str]],
    matrix: NDArray[np.float32],
) -> None:
    set_id = vectors.use_set(conn, character, embedder.name, int(matrix.shape[1])).id
    rows = [row for row, text in enumerate(part) for _ in ids_of[text]]
    ids = [subject for text in part for subject in ids_of[text]]
    vectors.put_vectors(conn, character, set_id, kind, ids, matrix[rows])


def _job(
    settle: Callable[[Sequence[str]], Awaitable[None]], part: Sequence[str]
) -> Callable[[], Awaitable[None]]:
    return lambda: settle(part)
