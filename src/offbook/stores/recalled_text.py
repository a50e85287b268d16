"""What turns say their replies rested on, freed of memories and summaries that are forgotten.

Takes: ids of memories, or of conversations.  Gives: how many turns held a copy of their text and
have lost it; the words of the turns themselves stay.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Text, cast, or_, select, update

from offbook.stores import call_cache, evaluated_text
from offbook.stores.schema import turns
from offbook.stores.statements import batches
from offbook.stores.text_versions import memory_name

_IDS_AT_ONCE: Final = 100
"""Each is a condition of its own, and SQLite nests at most a thousand."""
_WHY: Final = "forgotten"

Item = Mapping[str, Any]


def drop_memories(conn: Connection, character: str, ids: Sequence[str]) -> int:
    """Take the text of these memories out of every turn that recalled them.

    And out of evaluated replies, with what a judge answered about these.
    """
    evaluated_text.drop_memories(conn, character, ids)
    for memory in ids:
        call_cache.forget_documents(conn, character, memory_name(memory))
    gone = frozenset(ids)
    text = cast(turns.c.recall, Text)
    changed: set[tuple[str, str]] = set()
    for piece in batches(list(dict.fromkeys(ids)), _IDS_AT_ONCE):
        held = or_(*(text.contains(name, autoescape=True) for name in piece))
        changed |= _drop(conn, character, held, lambda item: item.get("memory") in gone)
    return len(changed)


def drop_summaries(conn: Connection, character: str, sessions: Sequence[str]) -> int:
    """Take running summaries out of the turns of conversations: they tell of forgotten turns."""
    changed: set[tuple[str, str]] = set()
    for piece in batches(list(dict.fromkeys(sessions))):
        changed |= _drop(conn, character, turns.c.conversation_id.in_(piece), _is_summary)
    return len(changed)


def _is_summary(item: Item) -> bool:
    """Whether a memory is no stored one: it is what the conversation was summed up as."""
    return item["kind"] == "memory" and not item.get("memory") and not item.get("sources")


def _drop(
    conn: Connection, character: str, held: ColumnElement[bool], is_gone: Callable[[Item], bool]
) -> set[tuple[str, str]]:
    c = turns.c
    chosen = select(c.conversation_id, c.id, c.recall).where(
        c.character_id == character, c.recall.is_not(None), held
    )
    changed: dict[tuple[str, str], dict[str, Any]] = {}
    for row in conn.execute(chosen):
        items = row.recall.get("context", ())
        kept = [item for item in items if not is_gone(item)]
        if len(kept) < len(items):
            out = [{"kind": i["kind"], "title": "", "why": _WHY} for i in items if is_gone(i)]
            skipped = [*row.recall.get("skipped", ()), *out]
            changed[row.conversation_id, row.id] = {
                **row.recall,
                "context": kept,
                "skipped": skipped,
            }
    for (session, turn), recall in changed.items():
        conn.execute(
            update(turns)
            .where(c.character_id == character, c.conversation_id == session, c.id == turn)
            .values(recall=recall)
        )
    return set(changed)
