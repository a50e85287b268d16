"""Chunks: the passages of a document under each of its named chunkings, and what they reveal.

An id is derived from the content and belongs to one chunking of one document, so a chunk that an
edit only moved keeps its vectors, terms, entities and relations.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Select, delete, func, or_, select, update

from offbook.stores import characters, graph, jobs, summaries
from offbook.stores.schema import chunk_attributes, chunkings, chunks, documents
from offbook.stores.statements import among, columns_of, of, put_rows, read_as, row_of
from offbook.types import Chunk

ATTRIBUTE_KINDS: Final = frozenset({"belief_and_value", "psychological_trait"})

_COLUMNS: Final = columns_of(Chunk, chunks, document="document_id")


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


@dataclass(frozen=True, slots=True)
class StoredAttribute:
    """One thing that a chunk reveals, in a sentence; ``kind`` is one of ``ATTRIBUTE_KINDS``."""

    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class ChunkJudgement:
    """Whether something of the character can be inferred from a chunk, and what."""

    chunk: str
    reveals: bool
    attributes: tuple[StoredAttribute, ...] = ()


def replace_chunks(
    conn: Connection,
    character: str,
    document: str,
    chunking: str,
    parameters: Mapping[str, Any],
    new: Sequence[Chunk],
) -> ChunkChanges:
    """Make ``new`` all chunks of a stored document under a chunking, touching only what differs.

    ``parameters`` are what the splitter used for this document.

    Raises:
        ValueError: two chunks have one id.
    """
    by_id = {chunk.id: chunk for chunk in new}
    if len(by_id) != len(new):
        raise ValueError(f"two chunks of {document!r} have one id")
    made_by = {"document_id": document, "name": chunking, "parameters": dict(parameters)}
    put_rows(conn, chunkings, character, [made_by])
    stored = list_chunks(conn, character, chunking=chunking, document=document)
    old = {chunk.id: chunk for chunk in stored}
    # What is embedded holds the headings: under others, a chunk is another chunk.
    unchanged = tuple(c.id for c in new if c.id in old and old[c.id].headings == c.headings)
    removed = tuple(sorted(old.keys() - set(unchanged)))
    added = tuple(name for name in by_id if name not in set(unchanged))
    remove(conn, character, removed)
    moved = [name for name in unchanged if by_id[name] != old[name]]
    for name in moved:
        chunk = by_id[name]
        conn.execute(
            update(chunks)
            .where(of(chunks, character, id=name))
            .values(ordinal=chunk.ordinal, start=chunk.start, end=chunk.end)
        )
    rows = [row_of(by_id[name], document="document_id") for name in added]
    place = {"document_id": document, "chunking": chunking}
    put_rows(conn, chunks, character, [{**row, **place} for row in rows])
    if added or removed or moved:
        characters.touch(conn, character)
    return ChunkChanges(added, unchanged, removed)


def remove(conn: Connection, character: str, ids: Sequence[str]) -> None:
    """Delete chunks with all that hangs on them: vectors, entities, relations, summaries, jobs."""
    graph.forget_chunks(conn, character, ids)
    summaries.forget_chunks(conn, character, ids)
    for each in characters.sharing(conn, character):
        jobs.remove_subjects(conn, each, ids)
    conn.execute(delete(chunks).where(of(chunks, character), among(chunks.c.id, ids)))


def missing(conn: Connection, character: str, ids: Iterable[str]) -> set[str]:
    """Return those of these ids that are of no stored chunk."""
    unknown = set(ids)
    chosen = select(chunks.c.id).where(of(chunks, character), among(chunks.c.id, unknown))
    return unknown - set(conn.scalars(chosen))


def list_chunks(
    conn: Connection,
    character: str,
    *,
    chunking: str | None = None,
    document: str | None = None,
    most: int | None = None,
) -> list[Chunk]:
    """List chunks of a character in reading order: documents as ingested, then by place.

    Perhaps those of one chunking or document only, and no more than the first ``most``.
    """
    named = {"chunking": chunking, "document_id": document}
    which = {name: value for name, value in named.items() if value is not None}
    chosen = _in_order(select(*_COLUMNS), character).where(of(chunks, character, **which))
    return read_as(conn, Chunk, chosen.limit(most))


def count(conn: Connection, character: str, chunking: str) -> int:
    """Count the chunks of a chunking of a character."""
    counted = select(func.count()).select_from(chunks)
    return conn.execute(counted.where(of(chunks, character, chunking=chunking))).scalar_one()


def list_ids(conn: Connection, character: str, chunking: str) -> list[str]:
    """List the ids of the chunks of a chunking, in their order."""
    chosen = select(chunks.c.id).where(of(chunks, character, chunking=chunking))
    return list(conn.scalars(chosen.order_by(chunks.c.id)))


def get_chunks(conn: Connection, character: str, ids: Sequence[str]) -> list[Chunk]:
    """Return the chunks with these ids, in the order of ``ids``; one that is gone is left out."""
    chosen = select(*_COLUMNS).where(of(chunks, character), among(chunks.c.id, ids))
    by_id = {chunk.id: chunk for chunk in read_as(conn, Chunk, chosen)}
    return [by_id[name] for name in ids if name in by_id]


def get_parameters(conn: Connection, character: str, chunking: str) -> dict[str, dict[str, Any]]:
    """Map the ids of documents to the parameters of their chunking of that name."""
    chosen = select(*chunkings.c["document_id", "parameters"])
    rows = conn.execute(chosen.where(of(chunkings, character, name=chunking)))
    return dict(rows.all())


def list_chunkings(conn: Connection, character: str) -> dict[str, tuple[str, ...]]:
    """Map the names of chunkings to the ids of the documents that have them."""
    columns = chunkings.c["name", "document_id"]
    chosen = select(*columns).where(of(chunkings, character)).order_by(*columns)
    split: dict[str, tuple[str, ...]] = {}
    for name, document in conn.execute(chosen):
        split[name] = (*split.get(name, ()), document)
    return split


def not_split(conn: Connection, character: str, chunking: str) -> list[str]:
    """List the names of the documents that lack a chunking, in the order of the story."""
    split = select(chunkings.c.document_id).where(of(chunkings, character, name=chunking))
    lacking = of(documents, character) & documents.c.id.not_in(split)
    chosen = select(documents.c.name).where(lacking)
    return list(conn.scalars(chosen.order_by(documents.c.ordinal, documents.c.id)))


def set_terms(conn: Connection, character: str, analyzer: str, terms: Mapping[str, bytes]) -> None:
    """Store what the analyzer of that name made of chunks (id -> packed terms)."""
    for name, packed in terms.items():
        chosen = update(chunks).where(of(chunks, character, id=name))
        conn.execute(chosen.values(terms=packed, analyzer=analyzer))
    if terms:
        characters.touch(conn, character)


def without_terms(conn: Connection, character: str, analyzer: str, most: int) -> list[Chunk]:
    """List so many chunks at most of which the analyzer of that name has made no terms yet."""
    c = chunks.c
    lacking = or_(c.terms.is_(None), c.analyzer.is_(None), c.analyzer != analyzer)
    chosen = select(*_COLUMNS).where(of(chunks, character), lacking)
    return read_as(conn, Chunk, chosen.limit(most))


def list_terms(conn: Connection, character: str, chunking: str) -> list[ChunkTerms]:
    """List packed terms of the chunks of a chunking that have some, in reading order."""
    chosen = _in_order(select(*chunks.c["id", "analyzer", "terms"]), character)
    with_terms = chosen.where(chunks.c.chunking == chunking, chunks.c.terms.is_not(None))
    return read_as(conn, ChunkTerms, with_terms)


def put_judgements(conn: Connection, character: str, judgements: Sequence[ChunkJudgement]) -> None:
    """Store what chunks reveal of the character; a judgement of the same chunk is replaced."""
    rows = [
        {
            "chunk_id": judgement.chunk,
            "reveals": judgement.reveals,
            "attributes": [row_of(attribute) for attribute in judgement.attributes],
        }
        for judgement in judgements
    ]
    if rows:
        put_rows(conn, chunk_attributes, character, rows)
        characters.touch(conn, character)


def get_judgements(
    conn: Connection, character: str, ids: Sequence[str]
) -> dict[str, ChunkJudgement]:
    """Map those of ``ids`` that have a judgement to it."""
    return {each.chunk: each for each in _judgements(conn, character, among(chunks.c.id, ids))}


def list_judgements(conn: Connection, character: str, chunking: str) -> list[ChunkJudgement]:
    """List the judgements of a chunking's chunks, in the order of their ids."""
    return _judgements(conn, character, chunks.c.chunking == chunking)


def unjudged(conn: Connection, character: str, chunking: str) -> list[str]:
    """List the ids of the chunks of a chunking that have no judgement."""
    judged = select(chunk_attributes.c.chunk_id).where(of(chunk_attributes, character))
    chosen = select(chunks.c.id).where(of(chunks, character, chunking=chunking))
    return list(conn.scalars(chosen.where(chunks.c.id.not_in(judged)).order_by(chunks.c.id)))


def are_attributes(value: Any) -> bool:
    """Check that JSON is a list of attributes, so that what reads it can rely on that."""
    return isinstance(value, list) and all(
        isinstance(part, dict)
        and part.keys() == {"kind", "text"}
        and part["kind"] in ATTRIBUTE_KINDS
        and isinstance(part["text"], str)
        for part in value
    )


def _judgements(
    conn: Connection, character: str, condition: ColumnElement[bool]
) -> list[ChunkJudgement]:
    chosen = select(*chunk_attributes.c["chunk_id", "reveals", "attributes"])
    joined = chosen.join_from(chunk_attributes, chunks).order_by(chunk_attributes.c.chunk_id)
    rows = conn.execute(joined.where(of(chunk_attributes, character), condition))
    return [
        ChunkJudgement(chunk, reveals, tuple(StoredAttribute(**part) for part in attributes))
        for chunk, reveals, attributes in rows
    ]


def _in_order(statement: Select[Any], character: str) -> Select[Any]:
    """Restrict to a character's chunks, in reading order."""
    c = chunks.c
    joined = statement.select_from(chunks.join(chunkings).join(documents))
    chosen = joined.where(of(chunks, character))
    return chosen.order_by(documents.c.ordinal, c.document_id, c.chunking, c.ordinal)
