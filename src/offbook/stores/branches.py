"""Branches of a conversation: other turns that stand where one stands.

Takes: a turn.  Gives: the others at its depth, and which of them were answered anew.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from sqlalchemy import Connection, exists, select

from offbook.stores.conversations import get_turn
from offbook.stores.schema import turns

# Built once: making an alias of a table takes longer than asking the database for a turn.
_NEXT: Final = turns.alias()
_GOES_ON: Final = exists().where(
    _NEXT.c.character_id == turns.c.character_id,
    _NEXT.c.conversation_id == turns.c.conversation_id,
    _NEXT.c.parent == turns.c.id,
)


@dataclass(frozen=True, slots=True)
class OtherTurn:
    """A turn of another branch.

    ``is_regenerated`` says that it answers the same words after the same history, and that nobody
    has gone on from it.
    """

    id: str
    said: str
    answered: str
    is_regenerated: bool


def told_otherwise(conn: Connection, character: str, session: str, turn: str) -> list[OtherTurn]:
    """Turns that stand as deep in a conversation as ``turn``, in other branches of it."""
    own, c = get_turn(conn, character, session, turn), turns.c
    if own is None:
        return []
    rows = conn.execute(
        select(c.id, c.parent, c.said, c.answered, _GOES_ON).where(
            c.character_id == character,
            c.conversation_id == session,
            c.ordinal == own.ordinal,
            c.id != turn,
        )
    )
    return [
        OtherTurn(
            row.id,
            row.said,
            row.answered,
            row.parent == own.parent and row.said == own.said and not row[4],
        )
        for row in rows
    ]
