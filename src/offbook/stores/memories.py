"""Memory fragments: what was said to the character and what it answered.

Takes: fragments, authored or learned in a conversation.  Gives: them back, oldest first; a
duplicate is stored once.
Paper: Emotional RAG (004), section 3.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, delete, func, select

from offbook.stores import characters
from offbook.stores.schema import memory_fragments
from offbook.stores.statements import batches, insert_missing, storable
from offbook.types import MemoryFragment


def memory_id(
    said: str, answered: str, *, principal: str | None = None, turn: str | None = None
) -> str:
    """The id of a fragment: of its words and owner, or of the turn that taught it.

    A turn's id is itself a hash over all that was said before it.
    """
    parts = [principal, turn] if turn is not None else [principal, said, answered]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:32]


def add(conn: Connection, character: str, fragments: Sequence[MemoryFragment]) -> int:
    """Store fragments; one whose id is known stays as it is.

    Returns:
        How many are new.
    """
    c = memory_fragments.c
    highest = conn.execute(select(func.max(c.ordinal)).where(c.character_id == character)).scalar()
    ordinal = 0 if highest is None else highest + 1
    known: set[str] = set()
    for piece in batches([fragment.id for fragment in fragments]):
        statement = select(c.id).where(c.character_id == character, c.id.in_(piece))
        known.update(conn.scalars(statement))
    new: dict[str, MemoryFragment] = {}
    for fragment in fragments:
        if fragment.id not in known:
            new.setdefault(fragment.id, fragment)
    rows = [_row(character, ordinal + n, fragment) for n, fragment in enumerate(new.values())]
    if rows:
        conn.execute(insert_missing(conn, memory_fragments), rows)
        characters.touch(conn, character)
    return len(rows)


def list_memories(
    conn: Connection, character: str, *, principal: str | None = None
) -> list[MemoryFragment]:
    """Fragments, oldest first: all, or the authored ones and those of one principal."""
    if principal is None:
        return _fragments(conn, character)
    c = memory_fragments.c
    return _fragments(conn, character, c.principal_id.is_(None) | (c.principal_id == principal))


def remove(conn: Connection, character: str, ids: Sequence[str]) -> int:
    """Delete fragments with their vectors; the number of those that were there."""
    c, removed = memory_fragments.c, 0
    for piece in batches(ids):
        removed += conn.execute(
            delete(memory_fragments).where(c.character_id == character, c.id.in_(piece))
        ).rowcount
    if removed:
        characters.touch(conn, character)
    return removed


def _row(character: str, ordinal: int, fragment: MemoryFragment) -> dict[str, Any]:
    storable(fragment.said, fragment.answered)
    return {
        "character_id": character,
        "id": fragment.id,
        "ordinal": ordinal,
        "said": fragment.said,
        "answered": fragment.answered,
        "emotion": None if fragment.emotion is None else dict(fragment.emotion),
        "at": fragment.at,
        "conversation_id": fragment.session,
        "turn_id": fragment.turn,
        "principal_id": fragment.principal,
    }


def _fragments(conn: Connection, character: str, *conditions: Any) -> list[MemoryFragment]:
    c = memory_fragments.c
    rows = conn.execute(
        select(
            c.id, c.said, c.answered, c.emotion, c.at, c.conversation_id, c.turn_id, c.principal_id
        )
        .where(c.character_id == character, *conditions)
        .order_by(c.ordinal, c.id)
    )
    return [MemoryFragment(*row) for row in rows]
