"""Persona documents: each text stored once, whole.

Takes: a character and documents.  Gives: documents, with or without their text; deleting one
takes along all that only it supports.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, delete, func, select, update

from offbook.errors import UnknownName
from offbook.stores import (
    call_cache,
    cards,
    characters,
    evaluated_text,
    forgotten_turns,
    graph,
    ingestions,
    jobs,
    summaries,
)
from offbook.stores.schema import characters as character_rows
from offbook.stores.schema import chunks, documents
from offbook.stores.statements import mark_unpurged, storable
from offbook.types import Document


@dataclass(frozen=True, slots=True)
class DocumentInfo:
    """A document without its text; ``chunks`` counts those of all its chunkings."""

    id: str
    name: str
    chars: int
    chunks: int
    digest: str
    ordinal: int
    version: int
    status: str
    added: str


@dataclass(frozen=True, slots=True)
class Removal:
    """What deleting a document took along, and what rests on it still."""

    cached_calls: int
    turns: int
    memories: int


def put(conn: Connection, character: str, document: Document) -> None:
    """Store a new document, or a new version of the one with the same id.

    ``ordinal`` of a new document is set to the next one; that of an old one stays. A new version
    forgets the cached calls that saw the old text; the chunks are the caller's to replace.
    """
    storable(document.text, document.name)
    columns = documents.c
    of_character = columns.character_id == character
    old = conn.execute(
        select(columns.ordinal, columns.digest).where(of_character, columns.id == document.id)
    ).one_or_none()
    row = {
        "name": document.name,
        "text": document.text,
        "chars": document.chars,
        "digest": document.digest,
        "version": document.version,
        "status": document.status,
        "added": document.added,
    }
    if old is None:
        highest = conn.execute(select(func.max(columns.ordinal)).where(of_character)).scalar()
        key = {"character_id": character, "id": document.id}
        ordinal = 0 if highest is None else highest + 1
        conn.execute(documents.insert(), {**key, **row, "ordinal": ordinal})
    else:
        conn.execute(update(documents).where(of_character, columns.id == document.id).values(**row))
        if old.digest != document.digest:
            call_cache.forget_documents(conn, character, document.id)
    characters.touch(conn, character)


def set_status(conn: Connection, character: str, document: str, status: str) -> None:
    """Note how far a document is: complete, partial ..."""
    conn.execute(
        update(documents)
        .where(documents.c.character_id == character, documents.c.id == document)
        .values(status=status)
    )


def set_order(conn: Connection, character: str, order: Sequence[str]) -> None:
    """Number the documents in ``order`` (ids) from 0; those not named follow in their old order.

    Raises:
        UnknownName: an id is of no document.
    """
    old = [info.id for info in list_all(conn, character)]
    for name in order:
        if name not in old:
            raise UnknownName(f"There is no document {name!r}.", characters.nearest(name, old, ""))
    for ordinal, name in enumerate(dict.fromkeys([*order, *old])):
        conn.execute(
            update(documents)
            .where(documents.c.character_id == character, documents.c.id == name)
            .values(ordinal=ordinal)
        )
    characters.touch(conn, character)


def get(conn: Connection, character: str, document: str) -> Document | None:
    """The document with this id."""
    return _one(conn, documents.c.character_id == character, documents.c.id == document)


def find_by_name(conn: Connection, character: str, name: str) -> Document | None:
    """The document with this name."""
    return _one(conn, documents.c.character_id == character, documents.c.name == name)


def find_by_digest(conn: Connection, character: str, digest: str) -> DocumentInfo | None:
    """The first document with this content."""
    found = _infos(conn, documents.c.character_id == character, documents.c.digest == digest)
    return found[0] if found else None


def require(conn: Connection, character: str, name: str) -> Document:
    """The document whose name or id is ``name``.

    Raises:
        UnknownName: there is none; the hint names the nearest.
    """
    found = find_by_name(conn, character, name) or get(conn, character, name)
    if found is None:
        known = [info.name for info in list_all(conn, character)]
        otherwise = f"list them with: offbook show {character} documents"
        raise UnknownName(
            f"{character!r} has no document {name!r}.", characters.nearest(name, known, otherwise)
        )
    return found


def list_all(conn: Connection, character: str) -> list[DocumentInfo]:
    """All documents of a character in the order of ingestion, without their texts."""
    return _infos(conn, documents.c.character_id == character)


def remove(
    conn: Connection, character: str, document: str, *, with_memories: bool = False
) -> Removal:
    """Delete a document and all that only it supports: the caller purges the store afterwards.

    Chunks, vectors, raw entities and relations go with it, decisions and summaries that rest on
    them, cached calls that saw its text, jobs, a profile that was made from it, and the card that
    it was made from. Turns that recalled it lose the recalled text, or go altogether with the
    memories they taught.

    Args:
        conn: Connection of a write.
        character: Id of the character.
        document: Id of the document.
        with_memories: Delete the turns and memories that rest on it, too.

    Returns:
        How many cached calls went, and how many turns and memories rest, or rested, on it.
    """
    rest = forgotten_turns.remove_resting_on if with_memories else forgotten_turns.scrub
    turns, memories = rest(conn, character, document)
    evaluated_text.drop_document(conn, character, document, with_replies=with_memories)
    ids = conn.scalars(
        select(chunks.c.id).where(
            chunks.c.character_id == character, chunks.c.document_id == document
        )
    ).all()
    graph.forget_chunks(conn, character, ids)
    summaries.forget_chunks(conn, character, ids)
    cards.remove(conn, character, document)
    conn.execute(
        delete(documents).where(documents.c.character_id == character, documents.c.id == document)
    )
    _forget_profile(conn, character, document)
    ingestions.forget_quotes(conn, character)
    for kind in (jobs.PROFILE, jobs.GRAPH):
        # Why these stay open may quote any text; who brings the graph up to date notes them anew.
        jobs.remove_kind(conn, character, kind)
    cached = call_cache.forget_documents(conn, character, document)
    mark_unpurged(conn)
    characters.touch(conn, character)
    return Removal(cached, turns, memories)


def remove_turns(conn: Connection, character: str, document: str) -> Removal:
    """Delete what still rests on a document that is gone: the caller purges the store afterwards.

    Returns:
        How many cached calls, turns and memories went.
    """
    turns, memories = forgotten_turns.remove_resting_on(conn, character, document)
    evaluated_text.drop_document(conn, character, document, with_replies=True)
    cached = call_cache.forget_documents(conn, character, document)
    mark_unpurged(conn)
    return Removal(cached, turns, memories)


def _forget_profile(conn: Connection, character: str, document: str) -> None:
    columns = character_rows.c
    sources = conn.execute(
        select(columns.profile_documents).where(columns.id == character)
    ).scalar_one_or_none()
    if document in (sources or ()):
        conn.execute(
            update(character_rows)
            .where(columns.id == character)
            .values(profile=None, voice=[], profile_documents=[])
        )


def _one(conn: Connection, *conditions: Any) -> Document | None:
    row = conn.execute(select(documents).where(*conditions)).one_or_none()
    return None if row is None else _document(row)


def _document(row: Row[Any]) -> Document:
    return Document(
        id=row.id,
        name=row.name,
        text=row.text,
        digest=row.digest,
        ordinal=row.ordinal,
        version=row.version,
        status=row.status,
        added=row.added,
    )


def _infos(conn: Connection, *conditions: Any) -> list[DocumentInfo]:
    columns = documents.c
    count = (
        select(func.count())
        .where(chunks.c.character_id == columns.character_id, chunks.c.document_id == columns.id)
        .scalar_subquery()
    )
    statement = select(
        columns.id,
        columns.name,
        columns.chars,
        count,
        columns.digest,
        columns.ordinal,
        columns.version,
        columns.status,
        columns.added,
    )
    rows = conn.execute(statement.where(*conditions).order_by(columns.ordinal, columns.id))
    return [DocumentInfo(*row) for row in rows]
