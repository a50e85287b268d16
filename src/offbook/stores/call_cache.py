"""Answers of models that were paid for once: never asked again.

Takes: the key of a call, made by ``models.wrappers``.  Gives: the validated answer. Each entry
knows the documents whose text its prompt held, so that forgetting one forgets the answers too.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection, delete, exists, select

from offbook.stores.schema import call_cache, call_cache_documents
from offbook.stores.statements import insert_missing, storable, timestamp, upsert


@dataclass(frozen=True, slots=True)
class CachedCall:
    """A stored answer and what it cost when it was made."""

    prompt: str
    text: str
    prompt_tokens: int
    completion_tokens: int
    created: str


def get(conn: Connection, key: str) -> CachedCall | None:
    """The answer stored under ``key``, if any."""
    columns = call_cache.c
    row = conn.execute(
        select(
            columns.prompt,
            columns.text,
            columns.prompt_tokens,
            columns.completion_tokens,
            columns.created,
        ).where(columns.key == key)
    ).one_or_none()
    return None if row is None else CachedCall(*row)


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
    row = {
        "key": key,
        "prompt": prompt,
        "text": text,
        "prompt_tokens": prompt_tokens,
        "completion_tokens": completion_tokens,
        "created": timestamp(),
    }
    conn.execute(upsert(conn, call_cache), row)
    links = []
    for name in sorted(documents):
        character, _, document = name.partition("/")
        links.append({"key": key, "character_id": character, "document_id": document})
    if links:
        conn.execute(insert_missing(conn, call_cache_documents), links)


def forget_documents(conn: Connection, character: str, document: str | None = None) -> int:
    """Delete the answers whose prompt held text of a document (None: of any of the character).

    Returns:
        How many answers were deleted.
    """
    link = call_cache_documents.c
    held = exists().where(link.key == call_cache.c.key, link.character_id == character)
    if document is not None:
        held = held.where(link.document_id == document)
    return conn.execute(delete(call_cache).where(held)).rowcount
