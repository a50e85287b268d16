"""Answers of models that were paid for once: never asked again.

Takes: the key of a call, made by ``models.caching``.  Gives: the validated answer. Each entry
knows the documents whose text its prompt held, so that forgetting one forgets the answers too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, delete, select

from offbook.stores.schema import call_cache, call_cache_documents
from offbook.stores.statements import (
    batches,
    mark_unpurged,
    storable,
    timestamp,
    upsert_plain,
)
from offbook.stores.text_versions import versions


@dataclass(frozen=True, slots=True)
class CachedCall:
    """A stored answer, what it cost when it was made, and whose text its prompt held."""

    prompt: str
    text: str
    prompt_tokens: int
    completion_tokens: int
    created: str
    documents: frozenset[str]


def get(conn: Connection, key: str) -> CachedCall | None:
    """The answer stored under ``key``, if any."""
    return get_all(conn, [key]).get(key)


def get_all(conn: Connection, keys: Sequence[str]) -> dict[str, CachedCall]:
    """The answers stored under some keys, by key."""
    columns, held = call_cache.c, call_cache_documents.c
    found: dict[str, CachedCall] = {}
    for piece in batches(keys):
        rows = conn.execute(
            select(
                columns.key,
                columns.prompt,
                columns.text,
                columns.prompt_tokens,
                columns.completion_tokens,
                columns.created,
            ).where(columns.key.in_(piece))
        ).all()
        documents: dict[str, set[str]] = {row.key: set() for row in rows}
        if rows:
            links = select(held.key, held.character_id, held.document_id)
            for key, owner, name in conn.execute(links.where(held.key.in_(list(documents)))):
                documents[key].add(f"{owner}/{name}")
        for row in rows:
            found[row.key] = CachedCall(*row[1:], frozenset(documents[row.key]))
    return found


def put(
    conn: Connection,
    key: str,
    *,
    prompt: str,
    text: str,
    prompt_tokens: int,
    completion_tokens: int,
    documents: frozenset[str],
) -> None:
    """Store a validated answer; an older one under the same key is replaced.

    Args:
        conn: Connection of a write.
        key: Digest of everything that decides the answer.
        prompt: Name and version of the prompt.
        text: The answer.
        prompt_tokens: Tokens of the prompt.
        completion_tokens: Tokens of the answer.
        documents: Names ``character/document`` of the documents whose text the prompt held.
    """
    storable(text)
    row = key, prompt, text, prompt_tokens, completion_tokens, timestamp()
    upsert_plain(conn, call_cache, [row])
    _link(conn, [key], documents)


def link(conn: Connection, keys: Sequence[str], documents: frozenset[str]) -> None:
    """Note further documents whose text the prompt held; a call that is forgotten stays so.

    Where one of them is not stored any more, its answer is forgotten.
    """
    if len(versions(conn, documents)) < len(documents):
        if conn.execute(delete(call_cache).where(call_cache.c.key.in_(keys))).rowcount:
            mark_unpurged(conn)
        return
    stored = select(call_cache.c.key).where(call_cache.c.key.in_(keys))
    _link(conn, conn.scalars(stored).all(), documents)


def _link(conn: Connection, keys: Sequence[str], documents: frozenset[str]) -> None:
    parts = [name.partition("/") for name in sorted(documents)]
    rows = [(key, character, document) for key in keys for character, _, document in parts]
    if rows:
        upsert_plain(conn, call_cache_documents, rows)


def forget_documents(conn: Connection, character: str, document: str | None = None) -> int:
    """Delete the answers whose prompt held text of a document (None: of any of the character).

    Returns:
        How many answers were deleted.
    """
    columns = call_cache_documents.c
    held = select(columns.key).where(columns.character_id == character)
    if document is not None:
        held = held.where(columns.document_id == document)
    return conn.execute(delete(call_cache).where(call_cache.c.key.in_(held))).rowcount
