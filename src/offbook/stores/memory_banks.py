"""How far the memories of a character have grown, so that an index of them is never stale.

Takes: changes.  Gives: a state of two numbers.  It is apart from the character's revision: a
finished turn adds a memory, and must not make the indexes of the documents stale.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from sqlalchemy import Connection, bindparam, select, update

from offbook.errors import UnknownName
from offbook.stores.characters import first_revision
from offbook.stores.schema import characters, memory_banks
from offbook.stores.statements import insert_missing

_GROWN: Final = (
    update(memory_banks)
    .where(memory_banks.c.character_id == bindparam("owner"))
    .values(revision=memory_banks.c.revision + 1)
)
_CLEARED: Final = _GROWN.values(cleared=memory_banks.c.revision + 1)
_STATE: Final = select(memory_banks.c.revision, memory_banks.c.cleared).where(
    memory_banks.c.character_id == bindparam("owner")
)


@dataclass(frozen=True, slots=True)
class BankState:
    """What an index of the memories was made from.

    While ``cleared`` stays, nothing that was complete has changed or gone: an index goes on from
    where it stopped. An equal ``revision`` besides says that nothing has changed at all.
    """

    revision: int = 0
    cleared: int = 0


def state(conn: Connection, character: str) -> BankState:
    """The state now; both numbers are 0 where there was never a memory."""
    row = conn.execute(_STATE, {"owner": character}).one_or_none()
    return BankState() if row is None else BankState(row.revision, row.cleared)


def grow(conn: Connection, character: str) -> None:
    """Note that memories were added or completed.

    Whoever adds does this first: the row is then theirs until the transaction ends, so that the
    numbers by which memories are ordered are given one transaction after another.
    """
    _note(conn, character, cleared=False)


def clear(conn: Connection, character: str) -> None:
    """Note that memories which were complete have changed or gone."""
    _note(conn, character, cleared=True)


def renew(conn: Connection, character: str) -> None:
    """Begin anew, above anything that an index can have seen: the character came from a file."""
    _make(conn, character)
    now = first_revision()
    conn.execute(
        update(memory_banks)
        .where(memory_banks.c.character_id == character, memory_banks.c.cleared < now)
        .values(revision=now, cleared=now)
    )


def _note(conn: Connection, character: str, *, cleared: bool) -> None:
    statement = _CLEARED if cleared else _GROWN
    if not conn.execute(statement, {"owner": character}).rowcount:
        _make(conn, character)
        conn.execute(statement, {"owner": character})


def _make(conn: Connection, character: str) -> None:
    found = conn.execute(select(characters.c.id).where(characters.c.id == character)).first()
    if found is None:
        raise UnknownName(f"There is no character {character!r}.", "it has been deleted meanwhile")
    first = first_revision()
    row = {"character_id": character, "revision": first, "cleared": first}
    conn.execute(insert_missing(conn, memory_banks), row)
