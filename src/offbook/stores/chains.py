"""Where a history that a client sends along belongs among the stored conversations.

One that begins at the beginning is known by its hash chain; one whose head the client has cut off,
as clients do when it grows long, by its words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Connection, and_, case, select, true

from offbook.stores.conversations import StoredTurn, get_turn, turn_id
from offbook.stores.schema import conversations, turns
from offbook.stores.statements import add_missing, among, row_of, storable, timestamp
from offbook.types import Turn


@dataclass(frozen=True, slots=True)
class Link:
    """A stored turn; ``place`` is where it stands in the history that was looked for.

    ``ordinal`` is where it stands in its conversation.
    """

    session: str
    turn: str
    place: int
    ordinal: int


def chain_of(history: Sequence[Turn]) -> list[str]:
    """Derive the ids of turns that follow one another from the first one on."""
    ids: list[str] = []
    for turn in history:
        ids.append(turn_id(ids[-1] if ids else None, turn.said, turn.answered, turn.speaker))
    return ids


def deepest(
    conn: Connection,
    character: str,
    principal: str,
    ids: Sequence[str],
    session: str | None = None,
) -> Link | None:
    """Find the last turn of a chain, which begins with a first turn, that is stored; None: no turn.

    Of several conversations that hold it, one that has not gone on from it is taken, then the one
    that was spoken in last.
    """
    t, c = turns.c, conversations.c
    has_come_to_it = case((c.head == t.id, 0), else_=1)
    chosen = select(t.conversation_id, t.id, t.ordinal).join_from(turns, conversations)
    ordered = chosen.order_by(t.ordinal.desc(), has_come_to_it, c.updated.desc(), c.id)
    readable = ordered.where(_of_principal(character, principal, session), among(t.id, ids))
    row = conn.execute(readable.limit(1)).one_or_none()
    return None if row is None else Link(row[0], row[1], ids.index(row[1]), row[2])


def ending_with(
    conn: Connection,
    character: str,
    principal: str,
    history: Sequence[Turn],
    session: str | None = None,
) -> list[Link]:
    """Find the stored turns with which a conversation ends, or ended before its last, by words.

    Of the first turn of ``history`` what was said may be missing.

    Returns:
        One a turn of ``history``, or nothing where they are not all found.
    """
    if not history:
        return []
    t, c, head = turns.c, conversations.c, turns.alias()
    here = (head.c.character_id == c.character_id) & (head.c.conversation_id == c.id)
    rows = conn.execute(
        select(t.conversation_id, t.id)
        .join_from(turns, conversations)
        .join(head, here & (head.c.id == c.head))
        .where(
            _of_principal(character, principal, session),
            (t.id == head.c.id) | (t.id == head.c.parent),
            t.said == history[-1].said,
            t.answered == history[-1].answered,
        )
        .order_by(c.updated.desc(), c.id, t.ordinal.desc())
    ).all()
    for conversation, turn in rows:
        if links := _upwards(conn, character, conversation, turn, history):
            return links
    return []


def bring(
    conn: Connection,
    character: str,
    session: str,
    history: Sequence[Turn],
    parent: str,
    recall: Mapping[str, Any],
) -> list[str]:
    """Store turns that came with a client's history, in a conversation that was begun.

    They come after ``parent`` (``BEGINNING``: no turn), and ``recall`` is noted of each. The head
    stays where it is: whoever brings a history adds a turn to it next.

    Returns:
        Their ids.
    """
    before = get_turn(conn, character, session, parent) if parent else None
    first = 0 if before is None else before.ordinal + 1
    now, noted = timestamp(), {**recall, "skipped": []}
    made: list[StoredTurn] = []
    for ordinal, turn in enumerate(history, first):
        storable(turn.said, turn.answered, turn.speaker)
        above = made[-1].id if made else parent or None
        id_ = turn_id(above, turn.said, turn.answered, turn.speaker)
        stored = StoredTurn(
            id=id_,
            parent=above,
            ordinal=ordinal,
            said=turn.said,
            answered=turn.answered,
            recall=noted,
            at=now,
            speaker=turn.speaker,
        )
        made.append(stored)
    key = {"character_id": character, "conversation_id": session}
    add_missing(conn, turns, [{**key, **row_of(turn)} for turn in made])
    return [turn.id for turn in made]


def _of_principal(character: str, principal: str, session: str | None) -> ColumnElement[bool]:
    """Choose the conversations of a principal with a character, or only one of them."""
    c = conversations.c
    named = true() if session is None else c.id == session
    return and_(c.character_id == character, c.principal_id == principal, named)


def _upwards(
    conn: Connection, character: str, session: str, turn: str, history: Sequence[Turn]
) -> list[Link]:
    """Return the stored turns up from ``turn``, if all of them say what the history says."""
    links: list[Link] = []
    name: str | None = turn
    for place in range(len(history) - 1, -1, -1):
        stored = None if name is None else get_turn(conn, character, session, name)
        sent = history[place]
        if stored is None or stored.answered != sent.answered:
            return []
        if stored.said != sent.said and (place > 0 or sent.said):
            return []
        links.append(Link(session, stored.id, place, stored.ordinal))
        name = stored.parent
    return links[::-1]
