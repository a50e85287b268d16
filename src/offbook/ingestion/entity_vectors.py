"""Vectors of raw entities and of entities: of the name with what is said of it.

Takes: ids and texts.  Gives: vectors in the store for those that had none, or in a set that is in
the making. Equal texts are embedded once.
Paper: RoleRAG (001), Algorithm 1, line 3 (E = embedding of "name: description").
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from offbook.errors import InputRefused
from offbook.ingestion.reports import Steps
from offbook.models.side_by_side import run_all
from offbook.stores import chunks, graph, jobs, vectors
from offbook.stores.grouped_writes import GroupedWrites

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from sqlalchemy import Connection

    from offbook.ingestion.reports import ProgressListener
    from offbook.protocols import Embedder, EmbedKind, Store
    from offbook.stores.vectors import Kind


def embedded(name: str, description: str) -> str:
    """What is embedded of an entity (Algorithm 1, line 3)."""
    return f"{name}: {description}" if description else name


def unembedded(text: str, why: str) -> str:
    """That a mention has no vector, for the report."""
    return f"{text!r} has no vector: {why}"


async def embed_missing(
    store: Store,
    embedder: Embedder,
    character: str,
    kind: Kind,
    texts: Mapping[str, str],
    batch: int,
    known: Mapping[str, NDArray[np.float32]] | None = None,
    set_id: str | None = None,
    steps: Steps | None = None,
) -> list[tuple[str, str]]:
    """Embed the texts of the subjects that have no vector yet.

    Args:
        store: Where vectors go.
        embedder: Who makes them.
        character: Id of the character.
        kind: What the subjects are.
        texts: Subject -> its text.
        batch: Texts in one call.
        known: Vectors by this embedder of texts that need not be embedded again.
        set_id: The vector set to fill; None: the active one, made with the first batch.
        steps: Counts what is settled.

    Returns:
        The ids whose text the embedder refuses, and why.

    Raises:
        EmbedderMismatch: the stored vectors are from another embedder.
        ModelError: the endpoint failed for good; what arrived is stored.
    """
    missing = await store.read(
        lambda conn: _missing(conn, embedder, character, kind, texts, set_id)
    )
    ids_of: dict[str, list[str]] = {}
    for subject in missing:
        ids_of.setdefault(texts[subject], []).append(subject)
    known = known or {}
    copied = [text for text in ids_of if text in known]
    distinct = [text for text in ids_of if text not in known]
    refused: list[tuple[str, str]] = []
    writes = GroupedWrites(store)
    if copied:
        import numpy as np

        rows = np.stack([known[text] for text in copied])
        await store.write(
            lambda c: _keep(c, embedder, character, kind, copied, ids_of, rows, set_id)
        )

    async def settle(part: Sequence[str]) -> None:
        try:
            matrix = await embedder.embed(part, "document")
        except InputRefused as error:
            if len(part) == 1:
                refused.extend((subject, error.message) for subject in ids_of[part[0]])
                count(part)
                return
            half = len(part) // 2
            await run_all([_job(settle, part[:half]), _job(settle, part[half:])])
            return
        await writes.write(
            lambda conn: _keep(conn, embedder, character, kind, part, ids_of, matrix, set_id)
        )
        count(part)

    def count(part: Sequence[str]) -> None:
        if steps is not None:
            steps.add(sum(len(ids_of[text]) for text in part))

    pieces = [distinct[i : i + batch] for i in range(0, len(distinct), batch)]
    await run_all([_job(settle, piece) for piece in pieces])
    return refused


@dataclass(frozen=True, slots=True)
class GraphEmbedded:
    """How many vectors were made, and the ids of what the embedder refuses."""

    made: int
    refused: tuple[str, ...]


async def embed_graph(
    store: Store,
    embedder: Embedder,
    character: str,
    batch: int,
    set_id: str,
    progress: ProgressListener,
) -> GraphEmbedded:
    """Fill a vector set with what it lacks of the graph, from the stored texts.

    A mention that is refused is noted as an open question of the graph; an entity that is refused
    is found by the vectors of its mentions.

    Raises:
        EmbedderMismatch: the embedder changed its dimension.
        ModelError: the endpoint failed for good; what arrived is stored.
    """
    stored = await store.read(lambda conn: _stored(conn, character))
    made, refused = 0, []
    remembering = _Remembering(embedder, frozenset(stored.entities.values()))
    steps: tuple[tuple[Kind, str, dict[str, str]], ...] = (
        ("raw_entity", "embedding mentions", stored.mentions),
        ("entity", "embedding entities", stored.entities),
    )
    for kind, stage, texts in steps:
        lacking = await store.read(
            lambda conn, k=kind, t=texts: _missing(conn, embedder, character, k, t, set_id)  # type: ignore[misc]
        )
        counting = Steps(stage, progress)
        counting.begin(len(lacking))
        left = await embed_missing(
            store,
            remembering,
            character,
            kind,
            texts,
            batch,
            remembering.kept,
            set_id=set_id,
            steps=counting,
        )
        counting.end()
        made += len(lacking) - len(left)
        refused += [subject for subject, _ in left]
        if kind == "raw_entity":
            reasons = dict(left)
            await store.write(
                lambda conn, a=lacking, r=reasons: _note(conn, character, a, r, stored)  # type: ignore[misc]
            )
    return GraphEmbedded(made, tuple(refused))


class _Remembering:
    """An embedder that keeps the vectors of texts that are wanted once more."""

    def __init__(self, embedder: Embedder, wanted: frozenset[str]) -> None:
        self.name = embedder.name
        self.kept: dict[str, NDArray[np.float32]] = {}
        self._embedder, self._wanted = embedder, wanted

    async def embed(self, texts: Sequence[str], kind: EmbedKind) -> NDArray[np.float32]:
        matrix = await self._embedder.embed(texts, kind)
        rows = zip(texts, matrix, strict=True)
        self.kept.update({text: row for text, row in rows if text in self._wanted})
        return matrix


@dataclass(frozen=True, slots=True)
class _Stored:
    """What is to be embedded by id, and the document of each mention."""

    mentions: dict[str, str]
    entities: dict[str, str]
    documents: dict[str, str]


def _stored(conn: Connection, character: str) -> _Stored:
    document = {c.id: c.document for c in chunks.list_chunks(conn, character)}
    mentions = graph.list_raw_entities(conn, character)
    groups = graph.list_groups(conn, character)
    return _Stored(
        {mention.id: embedded(mention.name, mention.description) for mention in mentions},
        {group.id: embedded(group.name, group.description) for group in groups},
        {mention.id: document[mention.chunk] for mention in mentions},
    )


def _note(
    conn: Connection,
    character: str,
    asked: Sequence[str],
    refused: Mapping[str, str],
    stored: _Stored,
) -> None:
    jobs.finish(conn, character, jobs.GRAPH, asked)
    for subject, why in refused.items():
        jobs.enqueue(conn, character, jobs.GRAPH, [subject], document=stored.documents[subject])
        jobs.quarantine(
            conn, character, jobs.GRAPH, [subject], unembedded(stored.mentions[subject], why)
        )


def _missing(
    conn: Connection,
    embedder: Embedder,
    character: str,
    kind: Kind,
    texts: Mapping[str, str],
    set_id: str | None,
) -> list[str]:
    if set_id is None:
        active = vectors.active_set(conn, character)
        if active is None:
            return list(texts)
        vectors.check_embedder(active, character, embedder.name)
        set_id = active.id
    without = set(vectors.missing_ids(conn, character, set_id, kind))
    return [subject for subject in texts if subject in without]


def _keep(
    conn: Connection,
    embedder: Embedder,
    character: str,
    kind: Kind,
    part: Sequence[str],
    ids_of: Mapping[str, Sequence[str]],
    matrix: NDArray[np.float32],
    set_id: str | None,
) -> None:
    if set_id is None:
        set_id = vectors.use_set(conn, character, embedder.name, int(matrix.shape[1])).id
    rows = [row for row, text in enumerate(part) for _ in ids_of[text]]
    ids = [subject for text in part for subject in ids_of[text]]
    vectors.put_vectors(conn, character, set_id, kind, ids, matrix[rows])


def _job(
    settle: Callable[[Sequence[str]], Awaitable[None]], part: Sequence[str]
) -> Callable[[], Awaitable[None]]:
    return lambda: settle(part)
