"""What a conversation has come to, beside its turns: the character's mood, and a running summary.

Takes: a mood or a summary.  Gives: them back; they go with their conversation.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, delete, select

from offbook.stores.schema import conversation_states
from offbook.stores.statements import storable, upsert


@dataclass(frozen=True, slots=True)
class ConversationState:
    """The mood as its owner wrote it; ``summarized`` is the last turn that ``summary`` covers."""

    mood: Mapping[str, Any] | None = None
    summary: str | None = None
    summarized: str | None = None


def get(conn: Connection, character: str, session: str) -> ConversationState:
    """The state; empty where nothing was kept yet."""
    c = conversation_states.c
    row = conn.execute(
        select(c.mood, c.summary, c.summarized).where(
            c.character_id == character, c.conversation_id == session
        )
    ).one_or_none()
    return ConversationState() if row is None else ConversationState(*row)


def set_mood(conn: Connection, character: str, session: str, mood: Mapping[str, Any]) -> None:
    """Keep a mood; the conversation must exist."""
    old = get(conn, character, session)
    _put(conn, character, session, ConversationState(mood, old.summary, old.summarized))


def set_summary(
    conn: Connection, character: str, session: str, summary: str, summarized: str
) -> None:
    """Keep a summary of all turns up to ``summarized``; the conversation must exist."""
    storable(summary)
    old = get(conn, character, session)
    _put(conn, character, session, ConversationState(old.mood, summary, summarized))


def forget(conn: Connection, character: str, session: str) -> None:
    """Delete the state: words of a turn that is forgotten may be in it."""
    c = conversation_states.c
    conn.execute(
        delete(conversation_states).where(c.character_id == character, c.conversation_id == session)
    )


def _put(conn: Connection, character: str, session: str, state: ConversationState) -> None:
    row = {
        "character_id": character,
        "conversation_id": session,
        "mood": None if state.mood is None else dict(state.mood),
        "summary": state.summary,
        "summarized": state.summarized,
    }
    conn.execute(upsert(conn, conversation_states), row)
