"""Memory fragments: what was said to the character and what it answered.

Takes: fragments, authored or learned in a conversation.  Gives: them back, oldest first; a
duplicate is stored once.
Paper: Emotional RAG (004), section 3.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import (
    Connection,
    LargeBinary,
    Select,
    and_,
    delete,
    false,
    func,
    null,
    or_,
    select,
    type_coerce,
    update,
)

from offbook.stores import jobs, memory_banks
from offbook.stores.schema import memory_fragments, turns, vectors
from offbook.stores.statements import batches, insert_missing, storable
from offbook.types import MemoryFragment

EVERYONE: Final = "*"
"""In the place of a principal: all of them. Who owns the database may look at all of it."""


@dataclass(frozen=True, slots=True)
class IndexRow:
    """What an index keeps of a fragment; ``vector`` are the bytes as the engine stores them."""

    id: str
    ordinal: int
    emotion: Mapping[str, Any] | None
    at: str | None
    turn: str | None
    vector: bytes | None


def memory_id(
    said: str, answered: str, *, principal: str | None = None, turn: str | None = None
) -> str:
    """The id of a fragment: of its words and owner, or of the turn that taught it.

    A turn's id is itself a hash over all that was said before it.
    """
    parts = [principal, turn] if turn is not None else [principal, said, answered]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:32]


def add(conn: Connection, character: str, fragments: Sequence[MemoryFragment]) -> list[str]:
    """Store fragments; one whose id is known stays as it is.

    Returns:
        The ids of those that are new, in their order.
    """
    if not fragments:
        return []
    memory_banks.grow(conn, character)
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
    return list(new)


def list_memories(
    conn: Connection, character: str, *, principal: str | None = None
) -> list[MemoryFragment]:
    """Fragments, oldest first: all, or the authored ones and those of one principal."""
    if principal is None:
        return _fragments(conn, character)
    c = memory_fragments.c
    return _fragments(conn, character, c.principal_id.is_(None) | (c.principal_id == principal))


def get(conn: Connection, character: str, ids: Sequence[str]) -> list[MemoryFragment]:
    """Fragments by their ids, in the order of the ids; those that are gone are left out."""
    found: dict[str, MemoryFragment] = {}
    for piece in batches(ids):
        rows = _fragments(conn, character, memory_fragments.c.id.in_(piece))
        found.update((fragment.id, fragment) for fragment in rows)
    return [found[name] for name in ids if name in found]


def mentioning(
    conn: Connection,
    character: str,
    words: Sequence[str],
    *,
    principal: str | None,
    most: int,
) -> list[MemoryFragment]:
    """The youngest authored fragments, and those of one principal, that hold one of some words.

    Args:
        conn: Connection of a read.
        character: Id of the character.
        words: Looked for in any case, also inside of longer words.
        principal: Whose fragments are seen beside the authored ones; None: nobody's.
        most: How many.
    """
    c = memory_fragments.c
    # SQLite knows the cases of plain letters only: "élise" is looked for as "Élise", too.
    forms = dict.fromkeys(form for word in words for form in (word, word.lower(), word.title()))
    held = [
        column.icontains(form, autoescape=True) for form in forms for column in (c.said, c.answered)
    ]
    seen = or_(
        c.principal_id.is_(None), false() if principal is None else c.principal_id == principal
    )
    if not held:
        return []
    youngest = (
        select(c.id)
        .where(c.character_id == character, seen, or_(*held))
        .order_by(c.ordinal.desc())
        .limit(most)
    )
    return get(conn, character, list(conn.scalars(youngest)))


def score(conn: Connection, character: str, emotions: Mapping[str, Mapping[str, int]]) -> list[str]:
    """Store emotions of fragments that have none yet.

    Returns:
        The ids of those that had none: another process may have been quicker.
    """
    c, scored = memory_fragments.c, []
    for name, emotion in emotions.items():
        changed = conn.execute(
            update(memory_fragments)
            .where(c.character_id == character, c.id == name, c.emotion.is_(None))
            .values(emotion=dict(emotion))
        )
        if changed.rowcount:
            scored.append(name)
    if scored:
        memory_banks.grow(conn, character)
    return scored


def remove(
    conn: Connection, character: str, ids: Sequence[str], *, principal: str | None = None
) -> list[str]:
    """Delete fragments with their vectors and jobs.

    Args:
        conn: Connection of a write.
        character: Id of the character.
        ids: What is to go.
        principal: Whose they have to be; None: anybody's, and authored ones.

    Returns:
        The ids of those that were there.
    """
    c = memory_fragments.c
    mine = [] if principal is None else [c.principal_id == principal]
    found = [fragment.id for fragment in get(conn, character, list(dict.fromkeys(ids)))]
    gone: list[str] = []
    for piece in batches(found):
        chosen = (c.character_id == character, c.id.in_(piece), *mine)
        here = set(conn.scalars(select(c.id).where(*chosen)))
        conn.execute(delete(memory_fragments).where(*chosen))
        gone += [name for name in piece if name in here]
    if gone:
        memory_banks.clear(conn, character)
        jobs.remove_subjects(conn, character, gone)
    return gone


def authored_emotions(
    conn: Connection, character: str
) -> list[tuple[str | None, Mapping[str, Any]]]:
    """Of each authored fragment that is scored: its ``at``, and its emotion."""
    c = memory_fragments.c
    statement = select(c.at, c.emotion).where(
        c.character_id == character, c.emotion.is_not(None), c.principal_id.is_(None)
    )
    return [(row[0], row[1]) for row in conn.execute(statement)]


def felt_in(
    conn: Connection, character: str, session: str
) -> dict[str, tuple[Mapping[str, Any], str | None]]:
    """Id of a turn of a conversation -> its emotion, and when it was held; the scored ones."""
    c = memory_fragments.c
    statement = select(c.turn_id, c.emotion, c.at).where(
        c.character_id == character, c.conversation_id == session, c.emotion.is_not(None)
    )
    return {row[0]: (row[1], row[2]) for row in conn.execute(statement)}


def lacking(conn: Connection, character: str, set_id: str | None) -> list[str]:
    """Ids of the fragments without an emotion or without a vector in a set, oldest first."""
    c, table = memory_fragments.c, vectors["memory"]
    statement = select(c.id).where(c.character_id == character)
    if set_id is not None:
        here = and_(
            table.c.character_id == c.character_id,
            table.c.subject_id == c.id,
            table.c.set_id == set_id,
        )
        statement = statement.join(table, here, isouter=True).where(
            or_(c.emotion.is_(None), table.c.subject_id.is_(None))
        )
    return list(conn.scalars(statement.order_by(c.ordinal, c.id)))


def index_rows(
    conn: Connection,
    character: str,
    set_id: str | None,
    *,
    principal: str | None,
    after: int = -1,
    ids: Sequence[str] | None = None,
) -> list[IndexRow]:
    """What an index keeps, oldest first: authored fragments, and those of one principal.

    Args:
        conn: Connection of a read.
        character: Id of the character.
        set_id: The vector set; None: there are no vectors.
        principal: Whose fragments are seen beside the authored ones; None: nobody's; EVERYONE.
        after: Only fragments of a greater ordinal.
        ids: Only these, whatever their ordinal.
    """
    c = memory_fragments.c
    chosen = _index_statement(character, set_id)
    if principal is None:
        chosen = chosen.where(c.principal_id.is_(None))
    elif principal != EVERYONE:
        chosen = chosen.where(c.principal_id.is_(None) | (c.principal_id == principal))
    if ids is None:
        pieces = [chosen.where(c.ordinal > after)]
    else:
        pieces = [chosen.where(c.id.in_(piece)) for piece in batches(ids)]
    return [IndexRow(*row) for piece in pieces for row in conn.execute(piece)]


def told_at(conn: Connection, character: str) -> dict[str, str]:
    """Id of a fragment -> the point in the story at which its turn was held, where it was one."""
    c = memory_fragments.c
    point = turns.c.recall["as_of"].as_string()
    same = and_(
        turns.c.character_id == c.character_id,
        turns.c.conversation_id == c.conversation_id,
        turns.c.id == c.turn_id,
    )
    rows = conn.execute(
        select(c.id, point)
        .join_from(memory_fragments, turns, same)
        .where(c.character_id == character, point.is_not(None))
    )
    return {row[0]: row[1] for row in rows}


def _index_statement(character: str, set_id: str | None) -> Select[Any]:
    c, table = memory_fragments.c, vectors["memory"]
    columns = [c.id, c.ordinal, c.emotion, c.at, c.turn_id]
    if set_id is None:
        statement = select(*columns, null())
    else:
        here = and_(
            table.c.character_id == c.character_id,
            table.c.subject_id == c.id,
            table.c.set_id == set_id,
        )
        # As bytes: the matrix is then made in one pass instead of row by row.
        statement = select(*columns, type_coerce(table.c.vector, LargeBinary)).join_from(
            memory_fragments, table, here, isouter=True
        )
    return statement.where(c.character_id == character).order_by(c.ordinal, c.id)


def _row(character: str, ordinal: int, fragment: MemoryFragment) -> dict[str, Any]:
    storable(fragment.said, fragment.answered, fragment.at)
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
