"""API keys of the server, as they are kept: a hash, what it opens, and until when.

Takes: hashes and limits.  Gives: keys. The principal of a key is the key: both have one id.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Literal

from sqlalchemy import Connection, insert, select, update

from offbook.stores import principals
from offbook.stores.principals import Principal
from offbook.stores.schema import principals as principals_table
from offbook.stores.server_tables import api_keys
from offbook.stores.statements import timestamp

Right = Literal["chat", "write", "admin"]
RIGHTS: Final[tuple[Right, ...]] = ("chat", "write", "admin")
"""From the least to the greatest: each holds those before it."""


@dataclass(frozen=True, slots=True)
class ApiKey:
    """A key without its secret.

    ``right`` is the greatest that it has, ``characters`` the ids that it opens (None: all), ``rpm``
    its limit of requests a minute (None: the server's), times are ISO 8601 in UTC.
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

    def allows(self, right: Right) -> bool:
        """Whether it has this right, or a greater one."""
        return RIGHTS.index(self.right) >= RIGHTS.index(right)

    def ended(self, now: str) -> str | None:
        """Why it opens nothing at this time: ``revoked`` or ``expired``; None: it does."""
        if self.revoked is not None:
            return "revoked"
        return "expired" if self.expires is not None and self.expires <= now else None


def add(conn: Connection, key: ApiKey) -> None:
    """Store a new key and its principal."""
    principals.add(
        conn, Principal(key.id, key.label, key.digest, key.characters, key.created, key.revoked)
    )
    row = {
        "principal_id": key.id,
        # The list of all of them, so that another order of rights needs no other table.
        "rights": list(RIGHTS[: RIGHTS.index(key.right) + 1]),
        "expires": key.expires,
        "rpm": key.rpm,
    }
    conn.execute(insert(api_keys), row)


def get(conn: Connection, key: str) -> ApiKey | None:
    """The key of this id, also where it is revoked or expired."""
    found = _keys(conn, principals_table.c.id == key)
    return found[0] if found else None


def list_all(conn: Connection) -> list[ApiKey]:
    """All keys, oldest first."""
    return _keys(conn)


def exist(conn: Connection) -> bool:
    """Whether there ever was one: a server that asked for keys goes on to ask."""
    return conn.execute(select(api_keys.c.principal_id).limit(1)).first() is not None


def revoke(conn: Connection, key: str) -> bool:
    """End a key for good; its conversations stay. Whether it was not revoked before."""
    c = principals_table.c
    mine = c.id == key, c.revoked.is_(None), c.id.in_(select(api_keys.c.principal_id))
    return bool(
        conn.execute(update(principals_table).where(*mine).values(revoked=timestamp())).rowcount
    )


def _keys(conn: Connection, *conditions: Any) -> list[ApiKey]:
    p, k = principals_table.c, api_keys.c
    columns = (p.id, p.label, p.key_hash, k.rights, p.characters, k.rpm, p.created, k.expires)
    rows = conn.execute(
        select(*columns, p.revoked)
        .join(api_keys, k.principal_id == p.id)
        .where(*conditions)
        .order_by(p.created, p.id)
    )
    return [_key(*row) for row in rows]


def _key(*row: Any) -> ApiKey:
    id_, label, digest, rights, limit, rpm, created, expires, revoked = row
    opens = None if limit is None else tuple(limit)
    return ApiKey(id_, label, digest, rights[-1], opens, rpm, created, expires, revoked)
