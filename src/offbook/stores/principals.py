"""Principals, to whom conversations and the memories that they left belong, and their API keys.

Without keys there is one principal, the owner. The principal of a key is the key: both have one id.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from sqlalchemy import Connection, delete, func, insert, select, update

from offbook.stores.schema import api_keys, conversations, memory_fragments, principals, turns
from offbook.stores.statements import add_missing, read_as, storable, timestamp

OWNER: Final = "owner"

Right = Literal["chat", "write", "admin"]
RIGHTS: Final[tuple[Right, ...]] = ("chat", "write", "admin")
"""From the least to the greatest: each holds those before it."""


@dataclass(frozen=True, slots=True)
class ApiKey:
    """A key as it is kept, without its secret.

    ``right`` is the greatest that it has, ``characters`` the ids that it opens (None: all), ``rpm``
    its limit of requests a minute (None: the server's), times are ISO 8601 in UTC. Without
    ``remember`` nothing that is said with it is kept; with ``tools`` those that come with it are
    passed on.
    """

    id: str
    label: str
    digest: str
    right: Right
    characters: tuple[str, ...] | None = None
    rpm: int | None = None
    created: str = ""
    expires: str | None = None
    revoked: str | None = None
    remember: bool = True
    tools: bool = False

    def allows(self, right: Right) -> bool:
        """Tell whether it has this right, or a greater one."""
        return RIGHTS.index(self.right) >= RIGHTS.index(right)

    def ended(self, now: str) -> str | None:
        """Say why it opens nothing at this time: ``revoked`` or ``expired``; None: it does."""
        if self.revoked is not None:
            return "revoked"
        return "expired" if self.expires is not None and self.expires <= now else None


@dataclass(frozen=True, slots=True)
class Kept:
    """How much is kept of one principal with one character."""

    principal: str
    character: str
    conversations: int = 0
    turns: int = 0
    memories: int = 0


def list_kept(conn: Connection) -> list[Kept]:
    """Count what is kept of everybody who has said anything, by principal and character."""
    talks, fragments = conversations.c, memory_fragments.c
    of_turn = (turns.c.character_id == talks.character_id) & (turns.c.conversation_id == talks.id)
    counts: dict[tuple[str, str], dict[str, int]] = {}
    for name, chosen in {
        "conversations": select(talks.principal_id, talks.character_id),
        "turns": select(talks.principal_id, talks.character_id).join(turns, of_turn),
        "memories": select(fragments.principal_id, fragments.character_id).where(
            fragments.principal_id.is_not(None)
        ),
    }.items():
        grouped = chosen.add_columns(func.count()).group_by(*chosen.selected_columns)
        for principal, character, number in conn.execute(grouped):
            counts.setdefault((principal, character), {})[name] = number
    return [
        Kept(
            *who,
            numbers.get("conversations", 0),
            numbers.get("turns", 0),
            numbers.get("memories", 0),
        )
        for who, numbers in sorted(counts.items())
    ]


def add(conn: Connection, /, principal: str, **values: Any) -> None:
    """Store a principal; one with the same id stays as it is."""
    row = {"id": principal, "label": "", "created": timestamp(), **values}
    storable(row)
    add_missing(conn, principals, [row])


def remove_person(conn: Connection, principal: str) -> None:
    """Delete the name of somebody of whom nothing is kept; a key stays."""
    c = principals.c
    conn.execute(delete(principals).where(c.id == principal, c.key_hash.is_(None)))


def add_key(conn: Connection, key: ApiKey) -> None:
    """Store a new key and its principal."""
    opens = None if key.characters is None else list(key.characters)
    values = {"label": key.label, "key_hash": key.digest, "characters": opens}
    add(conn, key.id, **values, revoked=key.revoked, created=key.created or timestamp())
    row = {
        "principal_id": key.id,
        # The list of all of them, so that another order of rights needs no other table.
        "rights": list(RIGHTS[: RIGHTS.index(key.right) + 1]),
        "expires": key.expires,
        "rpm": key.rpm,
        "remember": key.remember,
        "tools": key.tools,
    }
    conn.execute(insert(api_keys), row)


def get_key(conn: Connection, key: str) -> ApiKey | None:
    """Return the key of this id, also where it is revoked or expired."""
    keys = _keys(conn, principals.c.id == key)
    return keys[0] if keys else None


def list_keys(conn: Connection) -> list[ApiKey]:
    """List all keys, oldest first."""
    return _keys(conn)


def has_keys(conn: Connection) -> bool:
    """Tell whether there ever was a key: a server that asked for keys goes on to ask."""
    return conn.execute(select(api_keys.c.principal_id).limit(1)).first() is not None


def revoke(conn: Connection, key: str) -> bool:
    """End a key for good; its conversations stay. Whether it was not revoked before."""
    c = principals.c
    is_key = c.id.in_(select(api_keys.c.principal_id))
    valid = update(principals).where(c.id == key, c.revoked.is_(None), is_key)
    changed = valid.values(revoked=timestamp())
    return bool(conn.execute(changed).rowcount)


def _keys(conn: Connection, *conditions: Any) -> list[ApiKey]:
    p, k = principals.c, api_keys.c
    chosen = select(p.id, p.label, p.key_hash, k.rights, p.characters, k.rpm, p.created, k.expires)
    chosen = chosen.add_columns(p.revoked, k.remember, k.tools)
    joined = chosen.join_from(principals, api_keys).where(*conditions)
    # The last of its rights is the greatest.
    return [
        replace(key, right=RIGHTS[len(key.right) - 1])
        for key in read_as(conn, ApiKey, joined.order_by(p.created, p.id))
    ]
