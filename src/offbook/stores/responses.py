"""Replies by the ids that clients of the Responses API go on from.

A row names a turn, and holds no word of it: what is forgotten is forgotten here, too.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection, delete, select

from offbook.stores import conversations
from offbook.stores.schema import responses
from offbook.stores.statements import add_missing, columns_of, read_as, row_of


@dataclass(frozen=True, slots=True)
class StoredResponse:
    """The turn that a response is: its character, and the ids of its conversation and of itself."""

    id: str
    character: str
    session: str
    turn: str


_RENAMED = {"character": "character_id", "session": "conversation_id", "turn": "turn_id"}


def put(conn: Connection, response: StoredResponse) -> None:
    """Keep a response, unless its turn has been deleted meanwhile."""
    if conversations.holds(conn, response.character, response.session, response.turn):
        add_missing(conn, responses, [row_of(response, **_RENAMED)])


def get(conn: Connection, response: str) -> StoredResponse | None:
    """Return the response of this id."""
    chosen = select(*columns_of(StoredResponse, responses, **_RENAMED))
    stored = read_as(conn, StoredResponse, chosen.where(responses.c.id == response))
    return stored[0] if stored else None


def remove(conn: Connection, response: StoredResponse) -> None:
    """Delete all responses that are the turn of this one."""
    c = responses.c
    here = (c.character_id == response.character) & (c.conversation_id == response.session)
    conn.execute(delete(responses).where(here, c.turn_id == response.turn))
