"""Principals: to whom conversations, and the memories that they left, belong.

Takes: ids and hashed keys.  Gives: principals. Without keys there is one, the owner.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Row, delete, select

from offbook.stores import memory_banks
from offbook.stores.schema import memory_fragments, principals
from offbook.stores.statements import insert_missing, storable, timestamp

OWNER: Final = "owner"
_WITHIN: Final = "/"
"""Stands between the id of a principal and the name of a person within it."""


def of_user(user: str | None) -> str:
    """The principal of a person whom the owner names; without a name, the owner."""
    return f"{OWNER}/{user}" if user else OWNER


@dataclass(frozen=True, slots=True)
class Principal:
    """Someone who talks; ``characters`` are the ids that the key opens, None for all."""

    id: str
    label: str = ""
    key_hash: str | None = None
    characters: tuple[str, ...] | None = None
    created: str = ""
    revoked: str | None = None


def add(conn: Connection, principal: Principal) -> bool:
    """Store a principal; one with the same id stays as it is.

    Returns:
        Whether it is new.
    """
    storable(principal.id, principal.label)
    row = {
        "id": principal.id,
        "label": principal.label,
        "key_hash": principal.key_hash,
        "characters": None if principal.characters is None else list(principal.characters),
        "created": principal.created or timestamp(),
        "revoked": principal.revoked,
    }
    return bool(conn.execute(insert_missing(conn, principals), row).rowcount)


def get(conn: Connection, principal: str) -> Principal | None:
    """The principal with this id."""
    row = conn.execute(select(principals).where(principals.c.id == principal)).one_or_none()
    return None if row is None else _principal(row)


def list_all(conn: Connection) -> list[Principal]:
    """All principals, by id."""
    return [_principal(row) for row in conn.execute(select(principals).order_by(principals.c.id))]


def remove(conn: Connection, principal: str) -> bool:
    """Delete a principal with all conversations and memories; whether there was one.

    With the holder of a key go the people whom they named (``KEY/USER``).
    """

    def theirs(id_: ColumnElement[str]) -> ColumnElement[bool]:
        own = id_ == principal
        # A person's name may hold the sign as well, and nobody is named within a person.
        named = _WITHIN not in principal
        return own | id_.startswith(principal + _WITHIN, autoescape=True) if named else own

    taught = select(memory_fragments.c.character_id).where(theirs(memory_fragments.c.principal_id))
    for character in list(conn.scalars(taught.distinct())):
        memory_banks.clear(conn, character)
    return bool(conn.execute(delete(principals).where(theirs(principals.c.id))).rowcount)


def _principal(row: Row[Any]) -> Principal:
    found = row._mapping
    limit = found["characters"]
    return Principal(**{**found, "characters": None if limit is None else tuple(limit)})
