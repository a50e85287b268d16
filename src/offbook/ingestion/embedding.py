"""Vectors of what has none yet: chunks, mentions, entities, relations, summaries and memories.

Equal texts are embedded once, and each batch is stored as it arrives.
Paper: RoleRAG (001), appendix B, Algorithm 1, line 3 (E = embedding of "name: description").
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple

from offbook.errors import EmbedderMismatch, InputRefused, ModelError
from offbook.ingestion.reports import Steps, put_aside, unheard
from offbook.models.batching import failed_around, run_all
from offbook.stores import chunks, graph, jobs, memories, summaries, vectors
from offbook.stores.statements import batches

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from offbook.ingestion.reports import ProgressListener
    from offbook.protocols import Embedder
    from offbook.runtime import Runtime
    from offbook.stores.connection import Connection
    from offbook.stores.vectors import Kind, VectorSet
    from offbook.types import MemoryFragment, RawEntity, RawRelation

    Texts = Mapping[Kind, Mapping[str, str]]

MEMORY_CHARS: Final = 4_000
"""Of a memory; the longest text that embedders are given."""
_HARMLESS: Final = "The boats rose and fell."
"""A text that every embedder takes: where it is refused too, the endpoint refuses everything."""
_JOBS: Final[Mapping[Kind, str]] = {
    "chunk": jobs.EMBED,
    "raw_entity": jobs.GRAPH,
    "relation": jobs.MENTIONS,
    "summary": jobs.SUMMARIZE,
}
"""The kind of the jobs that note what has no vector; an entity is found by its mentions."""


def entity_text(name: str, description: str) -> str:
    """Return what is embedded of an entity or a mention."""
    return f"{name}: {description}" if description else name


def relation_text(relation: RawRelation) -> str:
    """Return what is embedded of a relation: its keywords, its ends and what is said of them."""
    named = [*relation.keywords, relation.source, relation.target]
    return entity_text(", ".join(named), relation.description)


def memory_text(said: str, answered: str) -> str:
    """Return both sides of a turn, the longer one cut where they are too long."""
    first = said[: max(MEMORY_CHARS // 2, MEMORY_CHARS - len(answered))]
    return f"{first}\n{answered[: MEMORY_CHARS - len(first)]}"


def memory_texts(fragments: Sequence[MemoryFragment]) -> dict[str, str]:
    """Return what is embedded of memories, by their ids.

    Of a turn of a conversation that is what was said: the reply is mostly about the documents, and
    longer. A statement stands alone; an authored memory is embedded with both halves, as a pair.
    """
    return {
        one.id: memory_text(one.said, one.answered)
        if one.session is None
        else (one.said or one.answered)[:MEMORY_CHARS]
        for one in fragments
    }


def without_vector(text: str, why: str) -> str:
    """Say for a report that a text has no vector."""
    return f"{text!r} has no vector: {why}"


def check_active(conn: Connection, character: str, embedder: Embedder) -> VectorSet | None:
    """Return the vector set in use, if any.

    Raises:
        EmbedderMismatch: it is from another embedder.
    """
    active = vectors.active_set(conn, character)
    if active is not None:
        vectors.check_embedder(active, character, embedder.name)
    return active


class Filled(NamedTuple):
    """How many vectors were made, and why the embedder refuses others, by subject."""

    made: int
    refused: dict[str, str]


async def embed_missing(
    runtime: Runtime,
    character: str,
    texts: Texts,
    progress: ProgressListener = unheard,
    *,
    set_id: str | None = None,
    known: Mapping[str, NDArray[np.float32]] | None = None,
) -> Filled:
    """Embed the texts of the subjects that have no vector yet.

    Args:
        runtime: The store, the embedder and the settings.
        character: Id of the character.
        texts: Kind -> subject -> its text.
        progress: Called after every batch.
        set_id: The vector set to fill; None: the active one, made with the first batch.
        known: Vectors by this embedder of texts that need not be embedded again.

    Raises:
        EmbedderMismatch: the stored vectors are from another embedder.
        ModelError: the endpoint failed for good, or refuses every text; what arrived is stored.
        BudgetReached: the next call would go over the budget; likewise.
    """
    steps = Steps("embedding memories" if "memory" in texts else "embedding", progress)
    try:
        return await _Filling(runtime, character, set_id, steps).fill(texts, known or {})
    except EmbedderMismatch as error:
        error.hint = f"rebuild the vectors: offbook reembed {character}"
        raise


@dataclass(slots=True)
class _Filling:
    """One filling of a vector set; see :func:`embed_missing`."""

    runtime: Runtime
    character: str
    set_id: str | None
    steps: Steps
    refused: dict[str, str] = field(default_factory=dict)
    _subjects: dict[str, list[tuple[Kind, str]]] = field(default_factory=dict)
    _is_serving: bool = False

    async def fill(self, texts: Texts, known: Mapping[str, NDArray[np.float32]]) -> Filled:
        missing = await self.runtime.store.read(lambda conn: self._missing(conn, texts))
        for kind, subject in missing:
            self._subjects.setdefault(texts[kind][subject], []).append((kind, subject))
        self.steps.begin(len(missing))
        copied = [text for text in self._subjects if text in known]
        new = [text for text in self._subjects if text not in known]
        if copied:
            import numpy as np

            await self._keep(copied, np.stack([known[text] for text in copied]))
        settings = self.runtime.settings
        waiting = deque(batches(new, settings.embed.batch))
        workers = min(settings.limits.concurrency, len(waiting))
        await run_all(partial(self._work, waiting) for _ in range(workers))
        self.steps.end()
        return Filled(len(missing) - len(self.refused), self.refused)

    def _missing(self, conn: Connection, texts: Texts) -> list[tuple[Kind, str]]:
        set_id, character = self.set_id, self.character
        if set_id is None and (active := check_active(conn, character, self.runtime.embedder)):
            set_id = active.id
        missing: list[tuple[Kind, str]] = []
        for kind, subjects in texts.items():
            have = set_id and vectors.which_have(conn, character, set_id, kind, list(subjects))
            missing += [(kind, subject) for subject in subjects if subject not in (have or ())]
        return missing

    async def _work(self, waiting: deque[Sequence[str]]) -> None:
        """Embed batch after batch, each stored before the next: a kill loses what was in flight."""
        while waiting and not failed_around():
            await self._embed(waiting.popleft())

    async def _embed(self, batch: Sequence[str]) -> None:
        """Embed and store a batch; in halves where one of its texts is refused."""
        try:
            matrix = await self.runtime.embedder.embed(batch, "document")
        except InputRefused as error:
            if half := len(batch) // 2:
                for part in (batch[:half], batch[half:]):
                    await self._embed(part)
                return
            await self._check_serving(error)
            self.refused |= {subject: error.message for _, subject in self._subjects[batch[0]]}
            self.steps.add(len(self._subjects[batch[0]]))
        else:
            self._is_serving = True
            await self._keep(batch, matrix)

    async def _check_serving(self, refusal: InputRefused) -> None:
        """Tell a refused text from an endpoint that refuses every request."""
        if self._is_serving:
            return
        try:
            await self.runtime.embedder.embed([_HARMLESS], "document")
        except InputRefused:
            hint = refusal.hint or "check embed.model and embed.base_url"
            raise ModelError(refusal.message, hint) from refusal
        self._is_serving = True

    async def _keep(self, batch: Sequence[str], matrix: NDArray[np.float32]) -> None:
        await self.runtime.store.write(lambda conn: self._put(conn, batch, matrix))
        self.steps.add(sum(len(self._subjects[text]) for text in batch))

    def _put(self, conn: Connection, batch: Sequence[str], matrix: NDArray[np.float32]) -> None:
        character, embedder = self.character, self.runtime.embedder
        set_id = self.set_id
        if set_id is None:
            set_id = vectors.use_set(conn, character, embedder.name, int(matrix.shape[1])).id
        rows: dict[Kind, dict[str, int]] = {}
        for row, text in enumerate(batch):
            for kind, subject in self._subjects[text]:
                rows.setdefault(kind, {})[subject] = row
        for kind, row_of in rows.items():
            subjects = list(row_of)
            if kind == "memory":  # which a person may have forgotten meanwhile
                subjects = [one.id for one in memories.get(conn, character, subjects)]
            part = matrix[[row_of[subject] for subject in subjects]]
            vectors.put_vectors(conn, character, set_id, kind, subjects, part)


async def embed_chunks(
    runtime: Runtime, character: str, chunkings: Sequence[str], progress: ProgressListener
) -> Filled:
    """Embed the chunks of these chunkings; what the embedder refuses is put aside.

    Raises:
        EmbedderMismatch: the stored vectors are from another embedder.
        ModelError: the endpoint failed for good; what arrived is stored.
        BudgetReached: likewise.
    """

    def split(conn: Connection) -> _Subjects:
        subjects = _Subjects()
        for name in chunkings:
            for chunk in chunks.list_chunks(conn, character, chunking=name):
                subjects.add("chunk", chunk.id, chunk.text_with_headings, chunk.document)
        return subjects

    subjects = await runtime.store.read(split)
    filled = await embed_missing(runtime, character, subjects.texts, progress)
    await runtime.store.write(lambda conn: subjects.note(conn, character, filled.refused))
    return filled


@dataclass(frozen=True, slots=True)
class _Subjects:
    """What is to be embedded, and the document that each subject is from."""

    texts: dict[Kind, dict[str, str]] = field(default_factory=dict)
    documents: dict[str, str] = field(default_factory=dict)

    def add(self, kind: Kind, subject: str, text: str, document: str) -> None:
        self.texts.setdefault(kind, {})[subject] = text
        self.documents[subject] = document

    def note(self, conn: Connection, character: str, refused: Mapping[str, str]) -> None:
        """Note what is refused; what was refused before and has a vector now is done."""
        for kind, texts in self.texts.items():
            if kind not in _JOBS:
                continue
            noted = jobs.list_jobs(conn, character, kind=_JOBS[kind])
            done = [job.subject for job in noted if job.subject in texts]
            jobs.finish(conn, character, _JOBS[kind], done)
            put_aside(
                conn,
                character,
                _JOBS[kind],
                [
                    (
                        name,
                        self.documents[name],
                        why if kind == "chunk" else without_vector(text, why),
                    )
                    for name, text in texts.items()
                    if (why := refused.get(name)) is not None
                ],
            )


async def reembed(runtime: Runtime, character: str, progress: ProgressListener) -> Filled:
    """Make all vectors anew beside the old ones, then put them in their place.

    An interrupted run is taken up where it stopped; until the new vectors are complete, the old
    ones answer. What the new embedder refuses is put aside, and has no vector afterwards.

    Raises:
        EmbedderMismatch: the embedder changed its dimension in mid-run.
        ModelError: the endpoint failed for good; what arrived is stored.
        StoreFailed: another process has replaced the vectors.
    """
    store, embedder = runtime.store, runtime.embedder
    dimension = int((await embedder.embed(["dimension"], "document")).shape[1])
    new = await store.write(
        lambda conn: vectors.begin_set(conn, character, embedder.name, dimension)
    )
    subjects = await store.read(lambda conn: _all_subjects(conn, character))
    made, refused = await embed_missing(runtime, character, subjects.texts, progress, set_id=new.id)
    await store.write(lambda conn: subjects.note(conn, character, refused))

    def activate(conn: Connection) -> list[MemoryFragment]:
        """Activate the set, or return the memories that it lacks: conversations go on meanwhile."""
        lacking = vectors.missing_ids(conn, character, new.id, "memory")
        if waiting := [memory for memory in lacking if memory not in refused]:
            return memories.get(conn, character, waiting)
        vectors.activate_set(conn, character, new.id, without=sorted(refused))
        return []

    while fragments := await store.write(activate):
        texts: Texts = {"memory": memory_texts(fragments)}
        more = await embed_missing(runtime, character, texts, progress, set_id=new.id)
        made += more.made
        refused |= more.refused
    return Filled(made, refused)


def _all_subjects(conn: Connection, character: str) -> _Subjects:
    """List all that has vectors but memories; relations only where a method embedded some."""
    subjects, document_of = _Subjects(), dict[str, str]()
    for chunk in chunks.list_chunks(conn, character):
        document_of[chunk.id] = chunk.document
        subjects.add("chunk", chunk.id, chunk.text_with_headings, chunk.document)
    for mention in graph.list_raw_entities(conn, character):
        text = entity_text(mention.name, mention.description)
        subjects.add("raw_entity", mention.id, text, document_of[mention.chunk])
    for group in graph.list_groups(conn, character):
        subjects.add("entity", group.id, entity_text(group.name, group.description), "")
    for summary in summaries.list_all(conn, character):
        subjects.add("summary", summary.id, summary.text, document_of[summary.chunks[0]])
    relations, active = graph.list_relations(conn, character), vectors.active_set(conn, character)
    ids = [relation.id for relation in relations]
    if active and vectors.which_have(conn, character, active.id, "relation", ids):
        for one in relations:
            subjects.add("relation", one.id, relation_text(one), document_of[one.chunk])
    return subjects


def mention_matrix(
    conn: Connection, character: str, mentions: Sequence[RawEntity]
) -> NDArray[np.float32] | None:
    """Return the vectors of mentions in their order, zeros for what has none; None without any."""
    import numpy as np

    ids, stored = vectors.load_matrix(conn, character, "raw_entity")
    if not ids:
        return None
    places = {subject: place for place, subject in enumerate(ids)}
    matrix = np.zeros((len(mentions), stored.shape[1]), dtype=np.float32)
    for row, mention in enumerate(mentions):
        if (place := places.get(mention.id)) is not None:
            matrix[row] = stored[place]
    return matrix
