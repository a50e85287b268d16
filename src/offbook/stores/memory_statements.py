"""Statements that turns were distilled into, and the turns that each of them rests on.

A statement may have been told in several conversations. A conversation supports it as long as none
of the turns that it was told in there is gone; it goes with the last conversation that does.
Source: ours, beyond Emotional RAG; docs/memory.md, "What is distilled from turns".
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, delete, func, select, tuple_, update

from offbook.stores import memories
from offbook.stores.schema import memory_evidence, memory_fragments
from offbook.stores.statements import add_missing, among, batches, of
from offbook.types import MemoryFragment

Place = tuple[str, str]
"""Ids of a conversation and of one of its turns."""


@dataclass(frozen=True, slots=True)
class Undistilled:
    """A conversation of which some turns are not distilled yet, and when the last was held."""

    session: str
    turns: int
    last: str


def undistilled(conn: Connection, character: str) -> list[Undistilled]:
    """List the conversations that hold turns which are not distilled yet."""
    c = memory_fragments.c
    waits = c.turn_id.is_not(None) & c.kind.is_(None) & c.retired.is_(None) & (c.answered != "")
    counted = select(c.conversation_id, func.count(), func.max(c.at))
    chosen = counted.where(of(memory_fragments, character), waits).group_by(c.conversation_id)
    rows = conn.execute(chosen.order_by(c.conversation_id))
    return [Undistilled(session, number, last or "") for session, number, last in rows]


def undistilled_turns(
    conn: Connection, character: str, session: str, most: int, *, last: bool = False
) -> list[MemoryFragment]:
    """Return the first, or last, turns of a conversation not distilled yet, oldest first."""
    c = memory_fragments.c
    waits = c.kind.is_(None) & c.retired.is_(None) & (c.answered != "")
    chosen = select(c.id).where(of(memory_fragments, character, conversation_id=session), waits)
    order = c.ordinal.desc() if last else c.ordinal
    ids = conn.scalars(chosen.order_by(order).limit(most)).all()
    return memories.get(conn, character, ids[::-1] if last else ids)


def add_evidence(
    conn: Connection, character: str, statement: str, places: Collection[Place]
) -> None:
    """Note turns that a statement was told in."""
    key = {"character_id": character, "memory_id": statement}
    rows = [{**key, "conversation_id": session, "turn_id": turn} for session, turn in places]
    add_missing(conn, memory_evidence, rows)


def evidence(
    conn: Connection, character: str, statements: Collection[str]
) -> dict[str, list[Place]]:
    """Map statements to the turns that they were told in."""
    c = memory_evidence.c
    chosen = select(c.memory_id, c.conversation_id, c.turn_id).where(of(memory_evidence, character))
    rows = conn.execute(chosen.where(among(c.memory_id, statements)).order_by(*c))
    turns: dict[str, list[Place]] = defaultdict(list)
    for statement, session, turn in rows:
        turns[statement].append((session, turn))
    return turns


def supported_only(conn: Connection, character: str, places: Sequence[Place]) -> list[str]:
    """List the statements that nothing supports any more once these turns are gone."""
    return [name for name, left in _left(conn, character, places).items() if not left]


def take_support(conn: Connection, character: str, places: Sequence[Place]) -> list[str]:
    """Take the support of turns that go away from the statements that others support, too.

    What else a statement rested on that goes with them is a turn again, as before it was distilled.

    Returns:
        The statements that nothing supports any more; the caller removes them.
    """
    gone: list[str] = []
    sessions = {session for session, _ in places}
    c = memory_evidence.c
    for name, left in _left(conn, character, places).items():
        if not left:
            gone.append(name)
            _free_turns(conn, character, name)
            continue
        here = of(memory_evidence, character, memory_id=name)
        lost = sessions.difference(session for session, _ in left)
        conn.execute(delete(memory_evidence).where(here, among(c.conversation_id, lost)))
        session, turn = left[0]
        moved = of(memory_fragments, character, id=name)
        moved &= among(memory_fragments.c.conversation_id, lost)
        values = {"conversation_id": session, "turn_id": turn}
        conn.execute(update(memory_fragments).where(moved).values(values))
    return gone


def _free_turns(conn: Connection, character: str, statement: str) -> None:
    """Let the turns count that a statement stood for."""
    c = memory_fragments.c
    pairs = tuple_(c.conversation_id, c.turn_id)
    turns = evidence(conn, character, [statement])[statement]
    freed = of(memory_fragments, character) & c.kind.is_(None) & pairs.in_(turns)
    conn.execute(update(memory_fragments).where(freed).values(retired=None))


def _left(
    conn: Connection, character: str, places: Sequence[Place]
) -> Mapping[str, Sequence[Place]]:
    """Map the statements that rest on some turns to what supports them without these."""
    c = memory_evidence.c
    touched: dict[str, set[str]] = defaultdict(set)
    chosen = select(c.memory_id, c.conversation_id).where(of(memory_evidence, character))
    pairs = tuple_(c.conversation_id, c.turn_id)
    for piece in batches(list(places)):
        for name, session in conn.execute(chosen.where(pairs.in_(piece))):
            touched[name].add(session)
    turns = evidence(conn, character, touched.keys())
    return {
        name: [place for place in turns[name] if place[0] not in sessions]
        for name, sessions in touched.items()
    }
