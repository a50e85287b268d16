"""Leases: at most one process builds the indexes of a character at a time.

Takes: who wants to.  Gives: whether they may. A lease is stale when its holder's process is gone,
or has given no sign for a while.
"""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from sqlalchemy import Connection, delete, select, update

from offbook.stores.schema import leases
from offbook.stores.statements import upsert

STALE_SECONDS: Final = 60.0


@dataclass(frozen=True, slots=True)
class Owner:
    """Who holds a lease: ``id`` is unique, host and process tell whether they are alive."""

    id: str
    host: str = field(default_factory=socket.gethostname)
    pid: int = field(default_factory=os.getpid)


@dataclass(frozen=True, slots=True)
class Lease:
    """A held lease; ``heartbeat`` is in seconds since 1970."""

    owner: Owner
    heartbeat: float


NOBODY: Final[dict[str, Any]] = dict.fromkeys(("owner", "host", "pid", "heartbeat"))
"""The columns of a row that nobody works on."""


def held_by(owner: Owner, at: float) -> dict[str, Any]:
    """The columns of a row that somebody works on, with a sign of life at this time."""
    return {"owner": owner.id, "host": owner.host, "pid": owner.pid, "heartbeat": at}


def is_lost(row: Any, owner: Owner, now: float, is_alive: Callable[[int], bool]) -> bool:
    """Whether whoever works on a row is gone, as far as ``owner`` can tell."""
    if row.owner is None or now - (row.heartbeat or 0.0) > STALE_SECONDS:
        return True
    return row.host == owner.host and not is_alive(row.pid)


def is_running(pid: int) -> bool:
    """Whether a process of this number is alive on this machine."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:  # it is somebody else's
        return True
    return not _has_ended(pid)


def _has_ended(pid: int) -> bool:
    """Whether it was killed and only its number is left, for as long as its parent does not look.

    In a container nobody may ever look. Told where the system has a ``/proc``.
    """
    try:
        told = Path(f"/proc/{pid}/stat").read_bytes()
    except OSError:
        return False
    # After the name, in brackets, which may hold anything.
    return told.rpartition(b")")[2].split()[:1] in ([b"Z"], [b"X"])


def acquire(
    conn: Connection,
    character: str,
    owner: Owner,
    *,
    now: float | None = None,
    is_alive: Callable[[int], bool] = is_running,
) -> bool:
    """Take the lease where it is free, stale or one's own; whether it is one's own now."""
    at = time.time() if now is None else now
    held = holder(conn, character)
    if held is not None and held.owner != owner and not _is_stale(held, owner.host, at, is_alive):
        return False
    conn.execute(
        upsert(conn, leases),
        {
            "character_id": character,
            "owner": owner.id,
            "host": owner.host,
            "pid": owner.pid,
            "heartbeat": at,
        },
    )
    return True


def heartbeat(conn: Connection, character: str, owner: Owner, *, now: float | None = None) -> bool:
    """Give a sign of life; False where the lease was lost."""
    changed = conn.execute(
        update(leases)
        .where(leases.c.character_id == character, leases.c.owner == owner.id)
        .values(heartbeat=time.time() if now is None else now)
    )
    return bool(changed.rowcount)


def release(conn: Connection, character: str, owner: Owner) -> None:
    """Give the lease back; one that was lost is left to its holder."""
    conn.execute(
        delete(leases).where(leases.c.character_id == character, leases.c.owner == owner.id)
    )


def holder(conn: Connection, character: str) -> Lease | None:
    """Who holds the lease, stale or not."""
    row = conn.execute(select(leases).where(leases.c.character_id == character)).one_or_none()
    return None if row is None else Lease(Owner(row.owner, row.host, row.pid), row.heartbeat)


def _is_stale(held: Lease, host: str, now: float, is_alive: Callable[[int], bool]) -> bool:
    if now - held.heartbeat > STALE_SECONDS:
        return True
    return held.owner.host == host and not is_alive(held.owner.pid)
