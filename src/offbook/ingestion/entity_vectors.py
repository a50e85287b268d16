"""Vectors of raw entities and of entities: of the name with what is said of it.

Takes: ids and texts.  Gives: vectors in the store for those that had none, or in a set that is in
the making. Equal texts are embedded once.
Paper: RoleRAG (001), Algorithm 1, line 3 (E = embedding of "name: description").
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Final

from offbook.errors import InputRefused
from offbook.ingestion.reports import Steps
from offbook.models.builtin import BuiltinEmbedder
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


_AT_ONCE: Final = 4_096
"""Texts whose vectors are stored together where they cost nothing that a stop could lose."""


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
    run = _Run(store, embedder, character, kind, batch, set_id, steps)
    await run.fill(texts, known or {})
    return run.refused


@dataclass(slots=True)
class _Run:
    """One filling of a vector set; see :func:`embed_missing`."""

    store: Store
    embedder: Embedder
    character: str
    kind: Kind
    batch: int
    set_id: str | None
    steps: Steps | None
    refused: list[tuple[str, str]] = field(default_factory=list)
    _ids_of: dict[str, list[str]] = field(default_factory=dict)
    _writes: GroupedWrites = field(init=False)

    def __post_init__(self) -> None:
        self._writes = GroupedWrites.of(self.store)

    async def fill(
        self, texts: Mapping[str, str], known: Mapping[str, NDArray[np.float32]]
    ) -> None:
        """Embed each text once, whoever has it."""
        missing = await self.store.read(
            lambda conn: _missing(
                conn, self.embedder, self.character, self.kind, texts, self.set_id
            )
        )
        for subject in missing:
            self._ids_of.setdefault(texts[subject], []).append(subject)
        copied = [text for text in self._ids_of if text in known]
        distinct = [text for text in self._ids_of if text not in known]
        batch = _AT_ONCE if isinstance(self.embedder, BuiltinEmbedder) else self.batch
        copying = (partial(self._copy, piece, known) for piece in _pieces(copied, _AT_ONCE))
        settling = (partial(self._settle, piece) for piece in _pieces(distinct, batch))
        await run_all([*copying, *settling])

    async def _copy(self, part: Sequence[str], known: Mapping[str, NDArray[np.float32]]) -> None:
        import numpy as np

        await self._keep(part, np.stack([known[text] for text in part]))

    async def _settle(self, part: Sequence[str]) -> None:
        try:
            matrix = await self.embedder.embed(part, "document")
        except InputRefused as error:
            if len(part) == 1:
                self.refused += [(subject, error.message) for subject in self._ids_of[part[0]]]
                self._count(part)
                return
            half = len(part) // 2
            halves = part[:half], part[half:]
            await run_all([partial(self._settle, piece) for piece in halves])
        else:
            await self._keep(part, matrix)

    async def _keep(self, part: Sequence[str], matrix: NDArray[np.float32]) -> None:
        await self._writes.write(lambda conn: self._put(conn, part, matrix))
        self._count(part)

    def _put(self, conn: Connection, part: Sequence[str], matrix: NDArray[np.float32]) -> None:
        character, set_id = self.character, self.set_id
        if set_id is None:
            dimension = int(matrix.shape[1])
            set_id = vectors.use_set(conn, character, self.embedder.name, dimension).id
        rows = [row for row, text in enumerate(part) for _ in self._ids_of[text]]
        ids = [subject for text in part for subject in self._ids_of[text]]
        vectors.put_vectors(conn, character, set_id, self.kind, ids, matrix[rows])

    def _count(self, part: Sequence[str]) -> None:
        if self.steps is not None:
            self.steps.add(sum(len(self._ids_of[text]) for text in part))


def _pieces(texts: Sequence[str], size: int) -> list[Sequence[str]]:
    return [texts[start : start + size] for start in range(0, len(texts), size)]


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
