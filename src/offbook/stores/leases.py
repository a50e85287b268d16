"""Leases: one process at a time builds the indexes of a character, or does a piece of work.

A lease is stale when its holder's process is gone, or has given no heartbeat for a while.
"""

from __future__ import annotations

import os
import socket
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Table, delete, select, update

from offbook.stores.schema import leases
from offbook.stores.statements import of, put_rows

STALE_SECONDS: Final = 60.0

FREE: Final[dict[str, Any]] = dict.fromkeys(("owner", "host", "pid", "heartbeat"))
"""The columns of a row that nobody works on."""


@dataclass(frozen=True, slots=True)
class Owner:
    """Who holds a lease: ``id`` is unique, host and process tell whether they are alive."""

    id: str
    host: str = field(default_factory=socket.gethostname)
    pid: int = field(default_factory=os.getpid)


def held_by(owner: Owner) -> dict[str, Any]:
    """Return the columns of a row that somebody works on, with a heartbeat of now."""
    return {"owner": owner.id, "host": owner.host, "pid": owner.pid, "heartbeat": time.time()}


def is_lost(row: Any, owner: Owner) -> bool:
    """Tell whether whoever works on a row is gone, as far as ``owner`` can tell."""
    if row.owner is None or time.time() - (row.heartbeat or 0.0) > STALE_SECONDS:
        return True
    return row.host == owner.host and not is_running(row.pid)


def is_running(pid: int) -> bool:
    """Tell whether a process of this number is alive on this machine."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:  # it is somebody else's
        return True
    return not _has_ended(pid)


def _has_ended(pid: int) -> bool:
    """Tell whether it was killed and only its number is left, until its parent looks.

    In a container nobody may ever look. Known where the system has a ``/proc``.
    """
    try:
        status = Path(f"/proc/{pid}/stat").read_bytes()
    except OSError:
        return False
    # After the name, in brackets, which may hold anything.
    return status.rpartition(b")")[2].split()[:1] in ([b"Z"], [b"X"])


def holder(conn: Connection, table: Table, here: ColumnElement[bool], owner: Owner) -> Owner | None:
    """Return who else works on a row; None: nobody does, as far as ``owner`` can tell."""
    chosen = select(*table.c["owner", "host", "pid", "heartbeat"]).where(here)
    row = conn.execute(chosen).one_or_none()
    if row is None or row.owner in (None, owner.id) or is_lost(row, owner):
        return None
    return Owner(row.owner, row.host, row.pid)


def acquire(conn: Connection, character: str, owner: Owner) -> bool:
    """Take the lease where it is free, stale or one's own; whether it is one's own now."""
    if holder(conn, leases, of(leases, character), owner) is not None:
        return False
    put_rows(conn, leases, character, [held_by(owner)])
    return True


def heartbeat(conn: Connection, owner: Owner) -> bool:
    """Give a sign of life; False where the lease was lost."""
    held = update(leases).where(leases.c.owner == owner.id)
    return bool(conn.execute(held.values(heartbeat=time.time())).rowcount)


def release(conn: Connection, owner: Owner) -> None:
    """Give the lease back, also where its character is gone; one that was lost is left alone."""
    conn.execute(delete(leases).where(leases.c.owner == owner.id))
