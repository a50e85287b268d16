"""Persona documents: each text stored once, whole.

Deleting one takes along all that only it supports.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, delete, func, select, update

from offbook.errors import UnknownName, UsageError
from offbook.stores import (
    call_cache,
    cards,
    casts,
    characters,
    forgetting,
    graph,
    jobs,
    queue,
    stories,
    summaries,
)
from offbook.stores.schema import characters as character_rows
from offbook.stores.schema import chunks, documents
from offbook.stores.statements import (
    columns_of,
    mark_unpurged,
    next_ordinal,
    of,
    put_rows,
    read_as,
    row_of,
)
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
    forgets the cached calls that saw the old text, and every profile that was made from it; the
    chunks are the caller's to replace.
    """
    old = get(conn, character, document.id)
    ordinal = next_ordinal(conn, documents, character) if old is None else old.ordinal
    if old is not None and old.digest != document.digest:
        mark_unpurged(conn)
        casts.remove(conn, character)
        for each in characters.sharing(conn, character):
            call_cache.forget_documents(conn, each, document.id)
            _forget_profile(conn, each, document.id)
            jobs.remove_quoting(conn, each)
    row = {**row_of(document), "chars": document.chars, "ordinal": ordinal}
    put_rows(conn, documents, character, [row])
    if old is not None and old.digest != document.digest:
        stories.follow_texts(conn, character, document.id, old.text)
    characters.touch(conn, character)


def are_places(value: Any) -> bool:
    """Whether a value is a map from a text back to its file."""
    return isinstance(value, list) and all(
        isinstance(piece, list)
        and [type(part) for part in piece] in ([int, int], [int, str])
        and piece[0] >= 0
        for piece in value
    )


def set_status(conn: Connection, character: str, document: str, status: str) -> None:
    """Note how far a document is: complete, partial ..."""
    conn.execute(
        update(documents).where(of(documents, character, id=document)).values(status=status)
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
            update(documents).where(of(documents, character, id=name)).values(ordinal=ordinal)
        )
    characters.touch(conn, character)


def get(conn: Connection, character: str, document: str) -> Document | None:
    """Return the document with this id."""
    return _document(conn, character, id=document)


def places_of(conn: Connection, character: str, document: str) -> Sequence[tuple[int, int | str]]:
    """Return the map of a document back to its file, empty where there is none."""
    chosen = select(documents.c.places).where(of(documents, character, id=document))
    return conn.scalar(chosen) or ()


def find_by_name(conn: Connection, character: str, name: str) -> Document | None:
    """Find the document with this name."""
    return _document(conn, character, name=name)


def find_by_digest(conn: Connection, character: str, digest: str) -> DocumentInfo | None:
    """Find the first document with this content."""
    infos = _infos(conn, character, digest=digest)
    return infos[0] if infos else None


def require(conn: Connection, character: str, name: str) -> Document:
    """Return the document whose name or id is ``name``.

    Raises:
        UnknownName: there is none; the hint names the nearest.
    """
    document = find_by_name(conn, character, name) or get(conn, character, name)
    if document is None:
        known = [info.name for info in list_all(conn, character)]
        otherwise = f"list them with: offbook show {character} documents"
        raise UnknownName(
            f"{character!r} has no document {name!r}.", characters.nearest(name, known, otherwise)
        )
    return document


def list_all(conn: Connection, character: str) -> list[DocumentInfo]:
    """List all documents of a character in the order of ingestion, without their texts."""
    return _infos(conn, character)


def remove(
    conn: Connection,
    character: str,
    document: str,
    *,
    with_memories: bool = False,
    for_all: bool = False,
) -> Removal:
    """Delete a document and all that only it supports: the caller purges the store afterwards.

    Chunks, vectors, raw entities and relations go with it, decisions and summaries that rest on
    them, cached calls that saw its text, jobs, a profile that was made from it, and the card that
    it was made from. Turns that recalled it lose the recalled text, or go altogether
    ``with_memories`` that they taught.

    Returns:
        How many cached calls went, and how many turns and memories rest, or rested, on it.

    Raises:
        UsageError: other characters look at it, and it is not to be deleted ``for_all`` of them.
    """
    sharing = characters.sharing(conn, character)
    others = ", ".join(name for name in sharing if name != character)
    if others and not for_all:
        raise UsageError(
            f"{document!r} is also known to {others}: a text cannot be half forgotten.",
            "forget it for all of them: --for-all (over HTTP, `for_all=true`)",
        )
    in_it = select(chunks.c.id).where(of(chunks, character, document_id=document))
    ids = conn.scalars(in_it).all()
    removals = []
    for each in sharing:
        jobs.remove_subjects(conn, each, ids)
        removals.append(_remove_resting(conn, each, document, with_memories=with_memories))
    casts.remove(conn, character)
    graph.forget_chunks(conn, character, ids)
    summaries.forget_chunks(conn, character, ids)
    conn.execute(delete(documents).where(of(documents, character, id=document)))
    stories.follow_texts(conn, character, document)
    characters.touch(conn, character)
    return Removal(
        sum(removal.cached_calls for removal in removals),
        sum(removal.turns for removal in removals),
        sum(removal.memories for removal in removals),
    )


def _remove_resting(
    conn: Connection, character: str, document: str, *, with_memories: bool
) -> Removal:
    """Take a document that goes out of all that one character has made of it."""
    cards.remove(conn, character, document)
    _forget_profile(conn, character, document)
    characters.forget_names(conn, character)
    characters.set_setting(conn, character, characters.KIND, None)
    queue.forget_quotes(conn, character)
    # Why a question about the graph stays open may quote any text; the next run notes it anew.
    for kind in (jobs.GRAPH, jobs.PROFILE, jobs.STORY):
        jobs.remove_kind(conn, character, kind)
    return _forget_turns(conn, character, document, with_memories=with_memories)


def remove_turns(conn: Connection, character: str, document: str) -> Removal:
    """Delete what still rests on a document that is gone: the caller purges the store afterwards.

    Returns:
        How many cached calls, turns and memories went.
    """
    return _forget_turns(conn, character, document, with_memories=True)


def _forget_turns(
    conn: Connection, character: str, document: str, *, with_memories: bool
) -> Removal:
    rest = forgetting.remove_resting_on if with_memories else forgetting.scrub
    turns, memories = rest(conn, character, document)
    forgetting.drop_document_from_cells(conn, character, document, with_replies=with_memories)
    cached = call_cache.forget_documents(conn, character, document)
    mark_unpurged(conn)
    return Removal(cached, turns, memories)


def _forget_profile(conn: Connection, character: str, document: str) -> None:
    chosen = character_rows.c.id == character
    made_from = conn.scalar(select(character_rows.c.profile_documents).where(chosen))
    if document in (made_from or ()):
        empty: dict[str, Any] = {"profile": None, "voice": [], "profile_documents": []}
        conn.execute(update(character_rows).where(chosen).values(empty))


def _document(conn: Connection, character: str, **values: str) -> Document | None:
    chosen = select(*columns_of(Document, documents)).where(of(documents, character, **values))
    stored = read_as(conn, Document, chosen)
    return stored[0] if stored else None


def _infos(conn: Connection, character: str, **values: str) -> list[DocumentInfo]:
    in_it = chunks.c.document_id == documents.c.id
    count = select(func.count()).where(of(chunks, character), in_it).scalar_subquery()
    names = "digest", "ordinal", "version", "status", "added"
    columns = [*documents.c["id", "name", "chars"], count, *documents.c[names]]
    chosen = select(*columns).where(of(documents, character, **values))
    return read_as(conn, DocumentInfo, chosen.order_by(documents.c.ordinal, documents.c.id))
