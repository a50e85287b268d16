"""Chunks: the passages of a document under each of its named chunkings.

Takes: the chunks that a splitter made.  Gives: what changed, and chunks back. An id is derived
from the content and belongs to one chunking of one document, so a chunk that an edit only moved
keeps its vectors, terms, entities and relations.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Select, bindparam, delete, func, or_, select, update

from offbook.stores import characters, graph, jobs, summaries
from offbook.stores.schema import chunkings, chunks, documents
from offbook.stores.statements import batches, storable, upsert
from offbook.types import Chunk


@dataclass(frozen=True, slots=True)
class ChunkChanges:
    """Ids of the chunks that are new, that stayed (perhaps moved), and that are gone."""

    added: tuple[str, ...]
    kept: tuple[str, ...]
    removed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ChunkTerms:
    """A chunk's terms for lexical search, as the analyzer packed them."""

    chunk: str
    analyzer: str
    terms: bytes


def replace_chunks(
    conn: Connection,
    character: str,
    document: str,
    chunking: str,
    parameters: Mapping[str, Any],
    new: Sequence[Chunk],
) -> ChunkChanges:
    """Make ``new`` the chunks of a document under a chunking, touching only what differs.

    Args:
        conn: Connection of a write.
        character: Id of the character.
        document: Id of a stored document.
        chunking: The chunking's name.
        parameters: What the splitter used for this document.
        new: All chunks of the document, with distinct ids.

    Raises:
        ValueError: two chunks have one id.
    """
    by_id = {chunk.id: chunk for chunk in new}
    if len(by_id) != len(new):
        raise ValueError(f"two chunks of {document!r} have one id")
    storable(*(chunk.text for chunk in new))
    key = {"character_id": character, "document_id": document, "name": chunking}
    conn.execute(upsert(conn, chunkings), {**key, "parameters": dict(parameters)})
    old = _places(conn, character, document, chunking)
    # What is embedded holds the headings: under others, a chunk is another chunk.
    kept = tuple(c.id for c in new if c.id in old and old[c.id][0] == c.headings)
    stayed = set(kept)
    removed = tuple(sorted(old.keys() - stayed))
    added = tuple(c.id for c in new if c.id not in stayed)
    remove(conn, character, removed)
    moved = [by_id[name] for name in kept if _place(by_id[name]) != old[name]]
    _move(conn, character, moved)
    if added:
        conn.execute(
            chunks.insert(),
            [_row(character, document, chunking, by_id[name]) for name in added],
        )
    if added or removed or moved:
        characters.touch(conn, character)
    return ChunkChanges(added, kept, removed)


def remove(conn: Connection, character: str, ids: Sequence[str]) -> None:
    """Delete chunks with all that hangs on them: vectors, entities, relations, summaries, jobs."""
    graph.forget_chunks(conn, character, ids)
    summaries.forget_chunks(conn, character, ids)
    jobs.remove_subjects(conn, character, ids)
    for piece in batches(ids):
        conn.execute(
            delete(chunks).where(chunks.c.character_id == character, chunks.c.id.in_(piece))
        )


def missing(conn: Connection, character: str, ids: Iterable[str]) -> set[str]:
    """Those of these ids that are of no stored chunk."""
    wanted = set(ids)
    c = chunks.c
    found: set[str] = set()
    for piece in batches(sorted(wanted)):
        found.update(conn.scalars(select(c.id).where(c.character_id == character, c.id.in_(piece))))
    return wanted - found


def list_chunks(
    conn: Connection,
    character: str,
    *,
    chunking: str | None = None,
    document: str | None = None,
    most: int | None = None,
) -> list[Chunk]:
    """Chunks of a character in reading order: documents as ingested, then by place.

    Args:
        conn: The connection.
        character: Its id.
        chunking: Of one chunking only.
        document: Of one document only.
        most: How many at most, the first ones; None: all.
    """
    statement = _chunks(character)
    if chunking is not None:
        statement = statement.where(chunks.c.chunking == chunking)
    if document is not None:
        statement = statement.where(chunks.c.document_id == document)
    return [_chunk(row) for row in conn.execute(statement.limit(most))]


def count(conn: Connection, character: str, chunking: str) -> int:
    """How many chunks a chunking of a character has."""
    found: int = conn.execute(
        select(func.count())
        .select_from(chunks)
        .where(chunks.c.character_id == character, chunks.c.chunking == chunking)
    ).scalar_one()
    return found


def list_ids(conn: Connection, character: str, chunking: str) -> list[str]:
    """Ids of the chunks of a chunking, in their order."""
    c = chunks.c
    statement = select(c.id).where(c.character_id == character, c.chunking == chunking)
    return list(conn.scalars(statement.order_by(c.id)))


def get_chunks(conn: Connection, character: str, ids: Sequence[str]) -> list[Chunk]:
    """The chunks with these ids, in the order of ``ids``; one that is gone is left out."""
    found: dict[str, Chunk] = {}
    for piece in batches(list(dict.fromkeys(ids))):
        for row in conn.execute(_chunks(character).where(chunks.c.id.in_(piece))):
            found[row.id] = _chunk(row)
    return [found[name] for name in ids if name in found]


def get_parameters(conn: Connection, character: str, chunking: str) -> dict[str, dict[str, Any]]:
    """Document id -> the parameters of its chunking of that name."""
    columns = chunkings.c
    rows = conn.execute(
        select(columns.document_id, columns.parameters)
        .where(columns.character_id == character, columns.name == chunking)
        .order_by(columns.document_id)
    )
    return {row.document_id: row.parameters for row in rows}


def list_chunkings(conn: Connection, character: str) -> dict[str, tuple[str, ...]]:
    """Name of a chunking -> ids of the documents that have it."""
    columns = chunkings.c
    found: dict[str, list[str]] = {}
    for row in conn.execute(
        select(columns.name, columns.document_id)
        .where(columns.character_id == character)
        .order_by(columns.name, columns.document_id)
    ):
        found.setdefault(row.name, []).append(row.document_id)
    return {name: tuple(ids) for name, ids in found.items()}


def not_split(conn: Connection, character: str, chunking: str) -> list[str]:
    """Names of the documents that lack a chunking, in the order of the story."""
    split = select(chunkings.c.document_id).where(
        chunkings.c.character_id == character, chunkings.c.name == chunking
    )
    columns = documents.c
    statement = select(columns.name).where(
        columns.character_id == character, columns.id.not_in(split)
    )
    return list(conn.scalars(statement.order_by(columns.ordinal, columns.id)))


def set_terms(conn: Connection, character: str, analyzer: str, terms: Mapping[str, bytes]) -> None:
    """Store what the analyzer of that name made of chunks (id -> packed terms)."""
    if not terms:
        return
    columns = chunks.c
    statement = (
        update(chunks)
        .where(columns.character_id == bindparam("owner"), columns.id == bindparam("chunk"))
        .values(terms=bindparam("packed"), analyzer=bindparam("made_by"))
    )
    conn.execute(
        statement,
        [
            {"owner": character, "chunk": chunk, "packed": packed, "made_by": analyzer}
            for chunk, packed in terms.items()
        ],
    )
    characters.touch(conn, character)


def without_terms(conn: Connection, character: str, analyzer: str, most: int) -> list[Chunk]:
    """So many chunks at most of which the analyzer of that name has made no terms yet."""
    columns = chunks.c
    lacking = or_(columns.terms.is_(None), columns.analyzer.is_(None), columns.analyzer != analyzer)
    found = select(*_PARTS).where(columns.character_id == character, lacking).limit(most)
    return [_chunk(row) for row in conn.execute(found)]


def list_terms(conn: Connection, character: str, chunking: str) -> list[ChunkTerms]:
    """Packed terms of the chunks of a chunking that have some, in reading order."""
    columns = chunks.c
    rows = conn.execute(
        _in_order(select(columns.id, columns.analyzer, columns.terms), character).where(
            columns.chunking == chunking, columns.terms.is_not(None)
        )
    )
    return [ChunkTerms(*row) for row in rows]


_PARTS = (
    chunks.c.id,
    chunks.c.document_id,
    chunks.c.chunking,
    chunks.c.ordinal,
    chunks.c.start,
    chunks.c.end,
    chunks.c.headings,
    chunks.c.text,
)


def _chunks(character: str) -> Select[Any]:
    return _in_order(select(*_PARTS), character)


def _in_order(statement: Select[Any], character: str) -> Select[Any]:
    """Restrict to a character's chunks, in reading order."""
    columns = chunks.c
    same = (documents.c.character_id == columns.character_id) & (
        documents.c.id == columns.document_id
    )
    return (
        statement.join_from(chunks, documents, same)
        .where(columns.character_id == character)
        .order_by(documents.c.ordinal, columns.document_id, columns.chunking, columns.ordinal)
    )


def _chunk(row: Any) -> Chunk:
    identity, document, chunking, ordinal, start, end, headings, text = row
    return Chunk(identity, document, chunking, ordinal, start, end, tuple(headings), text)


_Place = tuple[tuple[str, ...], int, int, int]


def _place(chunk: Chunk) -> _Place:
    return chunk.headings, chunk.ordinal, chunk.start, chunk.end


def _places(conn: Connection, character: str, document: str, chunking: str) -> dict[str, _Place]:
    columns = chunks.c
    rows = conn.execute(
        select(columns.id, columns.headings, columns.ordinal, columns.start, columns.end).where(
            columns.character_id == character,
            columns.document_id == document,
            columns.chunking == chunking,
        )
    )
    return {row[0]: (tuple(row[1]), row[2], row[3], row[4]) for row in rows}


def _row(character: str, document: str, chunking: str, chunk: Chunk) -> dict[str, Any]:
    return {
        "character_id": character,
        "id": chunk.id,
        "document_id": document,
        "chunking": chunking,
        "ordinal": chunk.ordinal,
        "start": chunk.start,
        "end": chunk.end,
        "headings": list(chunk.headings),
        "text": chunk.text,
    }


def _move(conn: Connection, character: str, moved: Iterable[Chunk]) -> None:
    columns = chunks.c
    rows = [
        {
            "owner": character,
            "chunk": c.id,
            "to_ordinal": c.ordinal,
            "to_start": c.start,
            "to": c.end,
        }
        for c in moved
    ]
    if rows:
        conn.execute(
            update(chunks)
            .where(columns.character_id == bindparam("owner"), columns.id == bindparam("chunk"))
            .values(
                {
                    columns.ordinal: bindparam("to_ordinal"),
                    columns.start: bindparam("to_start"),
                    columns.end: bindparam("to"),
                }
            ),
            rows,
        )
