"""The passages of a character that fit a question best.

Takes: a store, an embedder, a character, a question.  Gives: chunks with their scores, and of a
piece of context its place in a document, if its text is one stretch of one.  The index of a
chunking is loaded once and kept until the character's revision changes. Where a part of the texts
is known, the index has no other chunks, and of one that is known in part only that part is shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

import numpy as np

from offbook.errors import EmbedderMismatch, IndexMissing
from offbook.models.beside import worked_out
from offbook.retrieval.point import known_parts, order_of
from offbook.retrieval.search import (
    ANALYZER,
    DenseIndex,
    Hit,
    IndexCache,
    LexicalIndex,
    RetrievalMode,
    Searcher,
    encode_terms,
)
from offbook.stores import chunks as chunk_rows
from offbook.stores import jobs
from offbook.stores import vectors as vector_rows
from offbook.types import Passage

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from offbook.names.story import Reach
    from offbook.protocols import Embedder, Store
    from offbook.stores.connection import Connection
    from offbook.types import Character, Chunk, ContextItem, Source


def place_of(item: ContextItem) -> Source | None:
    """The stretch of a document that the text of a piece is, letter by letter; None: it is none.

    Knowledge alone is: what is told of an entity names where, and says it in other words.
    """
    if item.kind != "knowledge" or len(item.sources) != 1:
        return None
    (whole,) = item.sources
    return whole if whole.end - whole.start == len(item.text) else None


def cut_to(item: ContextItem, beginning: str) -> ContextItem:
    """A piece that holds only the beginning of its text; its source ends where that does.

    What several sources say together keeps them all.
    """
    whole = place_of(item)
    if whole is None or not item.text.startswith(beginning):
        return replace(item, text=beginning)
    source = replace(whole, end=whole.start + len(beginning))
    return replace(item, text=beginning, sources=(source,))


KEPT_INDICES: Final = 8
"""Indices kept in memory for each store; the one not used for longest goes first."""


_Key = tuple[str, str, RetrievalMode, "Reach | None"]
_kept: Final[IndexCache[_Key, Searcher]] = IndexCache(KEPT_INDICES)


async def search_passages(
    store: Store,
    embedder: Embedder,
    character: Character,
    question: str,
    *,
    chunking: str,
    mode: RetrievalMode,
    k: int,
    vector: NDArray[np.float32] | None = None,
    reach: Reach | None = None,
) -> list[Passage]:
    """The ``k`` chunks of a chunking that fit ``question`` best, best first.

    A question that names nothing ("Who are you?") fits no chunk better than another: unless the
    search is by words alone, it gets the first ones, where texts say whom they are about. With a
    ``vector`` of the question nothing is embedded; what lies beyond ``reach`` is not found.

    Raises:
        IndexMissing: a document lacks the chunking, or its vectors.
        EmbedderMismatch: the stored vectors are from another embedder.
    """
    if mode != "lexical":
        check_embedder(character, embedder)
    searcher = await _searcher(store, character, chunking, mode, reach)
    if mode == "lexical":
        vector = None
    elif vector is None:
        vector = await query_vector(embedder, character, question)
    if searcher.dense is None and searcher.lexical is None:
        return []
    hits = await worked_out(searcher.search, question, vector, mode=mode, k=k)
    if vector is not None and not vector.any() and not any(hit.score for hit in hits):
        match, most = None if mode == "dense" else 0.0, k if reach is None else None
        passages = await store.read(
            lambda conn: [
                Passage(chunk, 0.0, 0.0, match)
                for chunk in chunk_rows.list_chunks(
                    conn, character.id, chunking=chunking, most=most
                )
            ]
        )
    else:
        passages = await store.read(_passages, character.id, hits)
    if reach is None:
        return passages
    return (await store.read(_within, character.id, passages, reach))[:k]


def named_passages(
    conn: Connection, character: str, ids: Sequence[str], reach: Reach | None
) -> list[Passage]:
    """Chunks by their ids, for whoever knows that they speak of what is asked: score 1."""
    chunks = chunk_rows.get_chunks(conn, character, list(dict.fromkeys(ids)))
    passages = [Passage(chunk, 1.0, None, None) for chunk in chunks]
    return passages if reach is None else _within(conn, character, passages, reach)


def _passages(conn: Connection, character: str, hits: list[Hit]) -> list[Passage]:
    by_id = {hit.id: hit for hit in hits}
    chunks = chunk_rows.get_chunks(conn, character, list(by_id))
    ranked = ((chunk, by_id[chunk.id]) for chunk in chunks)
    return [Passage(chunk, hit.score, hit.similarity, hit.match) for chunk, hit in ranked]


def _within(
    conn: Connection, character: str, passages: list[Passage], reach: Reach
) -> list[Passage]:
    """What of the passages is known; one with gaps becomes several."""
    order = order_of(conn, character)
    return [
        replace(passage, chunk=part)
        for passage in passages
        for part in known_parts(passage.chunk, order, reach)
    ]


def text_of(parts: Sequence[Chunk]) -> str:
    """Join what is known of a chunk, its heading path in front."""
    return "\n".join((parts[0].text_with_headings, *(part.text for part in parts[1:])))


async def query_vector(
    embedder: Embedder, character: Character, question: str
) -> NDArray[np.float32]:
    """The vector of a question.

    Raises:
        EmbedderMismatch: the embedder changed its dimension; the hint is the command that helps.
    """
    try:
        vectors = await embedder.embed([question], "query")
    except EmbedderMismatch as error:
        error.hint = f"rebuild the vectors from the stored text: offbook reembed {character.id}"
        raise
    vector: NDArray[np.float32] = vectors[0]
    return vector


def check_embedder(character: Character, embedder: Embedder) -> None:
    """Refuse to compare vectors of different embedders.

    Raises:
        EmbedderMismatch: the hint is the command that makes the vectors anew.
    """
    if character.embedder is not None and character.embedder != embedder.name:
        raise EmbedderMismatch(
            f"the vectors of {character.name!r} are by {character.embedder!r}, "
            f"the configured embedder is {embedder.name!r}",
            f"rebuild them from the stored text: offbook reembed {character.id}",
        )


async def _searcher(
    store: Store,
    character: Character,
    chunking: str,
    mode: RetrievalMode,
    reach: Reach | None,
) -> Searcher:
    load = partial(store.read, _load, character, chunking, mode, reach)
    return await _kept.get(store, (character.id, chunking, mode, reach), character.revision, load)


def _load(
    conn: Connection,
    character: Character,
    chunking: str,
    mode: RetrievalMode,
    reach: Reach | None,
) -> Searcher:
    searcher = _load_all(conn, character, chunking, mode)
    if reach is None:
        return searcher
    # The same over some of the chunks alone: what words are rare is told by them, too.
    order = order_of(conn, character.id)
    stored = chunk_rows.list_chunks(conn, character.id, chunking=chunking)
    known = {chunk.id: known_parts(chunk, order, reach) for chunk in stored}
    ids = [name for name, parts in known.items() if parts]
    dense = searcher.dense
    if dense is not None:
        rows = {name: row for row, name in enumerate(dense.ids)}
        ids = [name for name in ids if name in rows]
        dense = DenseIndex(ids, dense.matrix[[rows[name] for name in ids]]) if ids else None
    if searcher.lexical is None or not ids:
        return Searcher(dense)
    blobs = [encode_terms(text_of(known[name])) for name in ids]
    return Searcher(dense, LexicalIndex.from_blobs(ids, blobs))


def _load_all(
    conn: Connection, character: Character, chunking: str, mode: RetrievalMode
) -> Searcher:
    check_split(conn, character, chunking)
    total = chunk_rows.count(conn, character.id, chunking)
    if total == 0:
        return Searcher()
    if mode == "lexical":
        return Searcher(lexical=_lexical(conn, character, chunking, None))
    ids, matrix = vector_rows.load_matrix(conn, character.id, "chunk", chunking)
    refused = [] if len(ids) == total else _refused(conn, character, chunking)
    if len(ids) + len(refused) != total:
        raise IndexMissing(
            f"{total - len(ids)} of {total} chunks of {character.name!r} have no vector yet",
            f"continue with: offbook ingest {character.id}",
        )
    if mode == "dense":
        return Searcher(dense=DenseIndex(ids, matrix))
    if refused:
        # A vector of zeros is similar to nothing: words alone find what has no other.
        blank = np.zeros((len(refused), matrix.shape[1]), np.float32)
        ids, matrix = [*ids, *refused], np.concatenate([matrix, blank])
    return Searcher(DenseIndex(ids, matrix), _lexical(conn, character, chunking, ids))


def check_split(conn: Connection, character: Character, chunking: str) -> None:
    """Refuse to search where a document would be passed over in silence.

    Raises:
        IndexMissing: there are no documents, or some lack the chunking.
    """
    lacking = chunk_rows.not_split(conn, character.id, chunking)
    if lacking:
        shown = ", ".join(repr(name) for name in lacking[:3]) + (", ..." if lacking[3:] else "")
        raise IndexMissing(
            f"the index {chunking!r} of {character.name!r} lacks {shown}",
            f"build it: offbook ingest {character.id}",
        )
    if not chunk_rows.get_parameters(conn, character.id, chunking):
        raise IndexMissing(
            f"{character.name!r} has no documents yet",
            f"build it: offbook ingest {character.id} FILE...",
        )


def _refused(conn: Connection, character: Character, chunking: str) -> list[str]:
    """Chunks without a vector because the embedder refused them; that was reported."""
    active = vector_rows.active_set(conn, character.id)
    if active is None:
        return []
    missing = vector_rows.missing_ids(conn, character.id, active.id, "chunk", chunking)
    aside = jobs.list_jobs(conn, character.id, kind=jobs.EMBED, statuses={"quarantined"})
    known = {job.subject for job in aside}
    return [chunk for chunk in missing if chunk in known]


def _lexical(
    conn: Connection, character: Character, chunking: str, ids: list[str] | None
) -> LexicalIndex:
    """The terms of the chunks in the order of ``ids``; what an older analyzer made is made anew."""
    stored = chunk_rows.list_terms(conn, character.id, chunking)
    blobs = {row.chunk: row.terms for row in stored if row.analyzer == ANALYZER}
    total = len(ids) if ids is not None else chunk_rows.count(conn, character.id, chunking)
    if len(blobs) != total:
        for chunk in chunk_rows.list_chunks(conn, character.id, chunking=chunking):
            if chunk.id not in blobs:
                blobs[chunk.id] = encode_terms(chunk.text_with_headings)
    ordered = sorted(blobs) if ids is None else ids
    return LexicalIndex.from_blobs(ordered, [blobs[name] for name in ordered])
