"""Ingestions that a server does behind requests: queued, taken, done; none is lost.

Takes: what was asked for.  Gives: rows. One that was taken by a process that is gone, or that has
given no sign for a while, is taken again; what it had stored is not asked for twice.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from sqlalchemy import Connection, and_, delete, insert, select, update

from offbook.stores import text_versions
from offbook.stores.leases import NOBODY, Owner, held_by, is_lost, is_running
from offbook.stores.schema import documents
from offbook.stores.server_tables import ingestions
from offbook.stores.statements import storable, timestamp

IngestionStatus = Literal["queued", "running", "done", "failed", "cancelled"]
ENDED: Final[tuple[IngestionStatus, ...]] = ("done", "failed", "cancelled")
FORGOTTEN: Final = "it is forgotten with a document what went wrong"
"""In the place of a message that may quote the document."""
KEPT: Final = 100
"""Ended ingestions of a character that are kept to be looked at."""

_SEEN: Final = tuple(
    ingestions.c[name]
    for name in (
        "character_id",
        "id",
        "status",
        "progress",
        "report",
        "error",
        "created",
        "updated",
    )
)


@dataclass(frozen=True, slots=True)
class Ingestion:
    """One ingestion; ``report`` and ``error`` are null until it has ended."""

    character: str
    id: str
    status: IngestionStatus
    progress: Mapping[str, Any]
    report: Mapping[str, Any] | None
    error: Mapping[str, Any] | None
    created: str
    updated: str

    @property
    def has_ended(self) -> bool:
        """Whether nothing more will come."""
        return self.status in ENDED


@dataclass(frozen=True, slots=True)
class Taken:
    """An ingestion to work on.

    Args:
        character: Id of the character.
        id: Its own.
        request: What was asked for.
        known: The digests of its documents that were stored before it began, by name.
        usage: What it cost until a process stopped in the middle of it.
    """

    character: str
    id: str
    request: Mapping[str, Any]
    known: Mapping[str, str] = field(default_factory=dict)
    usage: Mapping[str, Any] = field(default_factory=dict)


def add(conn: Connection, character: str, id_: str, request: Mapping[str, Any]) -> None:
    """Queue an ingestion; with the oldest that have ended more than ``KEPT`` go."""
    for document in request.get("documents", ()):
        storable(document["name"], document["text"])
    now = timestamp()
    row = {
        "character_id": character,
        "id": id_,
        "status": "queued",
        "request": dict(request),
        "progress": {},
        "created": now,
        "updated": now,
    }
    c = ingestions.c
    ended = c.character_id == character, c.status.in_(ENDED)
    kept = select(c.id).where(*ended).order_by(c.updated.desc(), c.id).limit(KEPT)
    old = list(conn.scalars(select(c.id).where(*ended, c.id.not_in(kept))))
    if old:
        conn.execute(delete(ingestions).where(c.character_id == character, c.id.in_(old)))
    conn.execute(insert(ingestions), row)


def get(conn: Connection, character: str, id_: str) -> Ingestion | None:
    """The ingestion of this id."""
    c = ingestions.c
    row = conn.execute(select(*_SEEN).where(c.character_id == character, c.id == id_)).one_or_none()
    return None if row is None else Ingestion(*row)


def list_all(conn: Connection, character: str) -> list[Ingestion]:
    """The ingestions of a character, newest first."""
    c = ingestions.c
    rows = conn.execute(
        select(*_SEEN).where(c.character_id == character).order_by(c.created.desc(), c.id)
    )
    return [Ingestion(*row) for row in rows]


def waiting(conn: Connection) -> bool:
    """Whether there is any that has not ended."""
    open_ = ingestions.c.status.not_in(ENDED)
    return conn.execute(select(ingestions.c.id).where(open_).limit(1)).first() is not None


def take(
    conn: Connection,
    owner: Owner,
    *,
    now: float | None = None,
    is_alive: Callable[[int], bool] = is_running,
) -> Taken | None:
    """Take the oldest that nobody works on, of a character that nobody works on.

    One that was cancelled, and that whoever worked on it could not end any more, ends here.
    """
    c, at = ingestions.c, time.time() if now is None else now
    chosen = (
        select(c.character_id, c.id, c.status, c.cancelled, c.owner, c.host, c.pid, c.heartbeat)
        .where(c.status.not_in(ENDED))
        .order_by(c.created, c.id)
    )
    rows = conn.execute(chosen).all()
    held = [
        row for row in rows if row.status == "running" and not is_lost(row, owner, at, is_alive)
    ]
    busy = {row.character_id for row in held}
    for row in rows:
        if row.character_id in busy:
            continue
        # Another process may have been quicker: then the row has another owner or sign by now.
        mine = and_(
            c.character_id == row.character_id,
            c.id == row.id,
            c.status == row.status,
            c.owner == row.owner,
            c.heartbeat == row.heartbeat,
        )
        if row.cancelled:
            conn.execute(update(ingestions).where(mine).values(**_cancelled(), **NOBODY))
            continue
        changed = {"status": "running", "updated": timestamp(), **held_by(owner, at)}
        if conn.execute(update(ingestions).where(mine).values(**changed)).rowcount:
            return _taken(conn, row.character_id, row.id)
    return None


def _taken(conn: Connection, character: str, id_: str) -> Taken:
    """What is to be done; when it begins, what its documents are before it is noted."""
    c = ingestions.c
    its = c.character_id == character, c.id == id_
    row = conn.execute(select(c.request, c.known, c.usage).where(*its)).one()
    request, known = row.request or {}, row.known
    if known is None:
        known = digests(conn, character, [each["name"] for each in request.get("documents", ())])
        conn.execute(update(ingestions).where(*its).values(known=known))
    return Taken(character, id_, request, known, row.usage or {})


def digests(conn: Connection, character: str, names: Iterable[str]) -> dict[str, str]:
    """The digests of the texts of stored documents, by name; those that are not stored lack."""
    c = documents.c
    chosen = select(c.name, c.digest).where(c.character_id == character, c.name.in_(list(names)))
    return {row.name: row.digest for row in conn.execute(chosen.order_by(c.name))}


def cancel(conn: Connection, character: str, id_: str) -> bool:
    """Have one end: at once where nobody works on it, else soon; whether it had not ended."""
    c = ingestions.c
    its = c.character_id == character, c.id == id_
    queued = update(ingestions).where(*its, c.status == "queued")
    if conn.execute(queued.values(**_cancelled())).rowcount:
        return True
    asked = update(ingestions).where(*its, c.status == "running")
    return bool(conn.execute(asked.values(cancelled=True)).rowcount)


def is_cancelled(conn: Connection, taken: Taken) -> bool:
    """Whether somebody wants it to end."""
    c = ingestions.c
    its = c.character_id == taken.character, c.id == taken.id
    return bool(conn.execute(select(c.cancelled).where(*its)).scalar_one_or_none())


def give_sign(
    conn: Connection,
    taken: Taken,
    owner: Owner,
    progress: Mapping[str, Any] | None = None,
    usage: Mapping[str, Any] | None = None,
) -> bool:
    """A sign of life, with how far it is and what it has cost; whether it is still one's own."""
    values: dict[str, Any] = {"heartbeat": time.time()}
    if usage is not None:
        values["usage"] = dict(usage)
    if progress is not None:
        values |= {"progress": dict(progress), "updated": timestamp()}
    return bool(
        conn.execute(update(ingestions).where(_own(taken, owner)).values(**values)).rowcount
    )


def finish(
    conn: Connection,
    taken: Taken,
    owner: Owner,
    progress: Mapping[str, Any],
    *,
    report: Mapping[str, Any] | None = None,
    error: Mapping[str, Any] | None = None,
) -> None:
    """Note how it ended: with neither a report nor an error it was cancelled.

    The texts that were asked for are stored by then, or are given up. Where one is forgotten again,
    nothing is noted that may quote it.
    """
    named = [row["id"] for row in (report or {}).get("documents", ())]
    if text_versions.forgotten(conn, taken.character, named):
        report = _unquoted(report)
    failed: IngestionStatus = "cancelled" if error is None else "failed"
    values: dict[str, Any] = {
        "status": failed if report is None else "done",
        "request": None,
        "progress": dict(progress),
        "report": None if report is None else dict(report),
        "error": None if error is None else dict(error),
        "updated": timestamp(),
        **NOBODY,
    }
    conn.execute(update(ingestions).where(_own(taken, owner)).values(**values))


def give_back(
    conn: Connection, taken: Taken, owner: Owner, usage: Mapping[str, Any] | None = None
) -> None:
    """Queue it again, with what it has cost: the process stops before it has ended.

    One that somebody wants to end does so.
    """
    own, spent = _own(taken, owner), taken.usage if usage is None else usage
    values = {"updated": timestamp(), "usage": dict(spent), **NOBODY}
    ends = update(ingestions).where(own, ingestions.c.cancelled.is_(True))
    if not conn.execute(ends.values(**(values | _cancelled()))).rowcount:
        conn.execute(update(ingestions).where(own).values(**values, status="queued"))


def forget_quotes(conn: Connection, character: str) -> None:
    """Take out of the ingestions that have ended what may quote a document of the character."""
    c = ingestions.c
    ended = c.character_id == character, c.status.in_(ENDED)
    for row in conn.execute(select(c.id, c.report, c.error).where(*ended)).all():
        error = row.error and {**row.error, "message": FORGOTTEN, "hint": ""}
        values = {"report": _unquoted(row.report), "error": error}
        if values != {"report": row.report, "error": row.error}:
            its = c.character_id == character, c.id == row.id
            conn.execute(update(ingestions).where(*its).values(**values))


def _unquoted(report: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """A report without the messages, which quote what could not be used."""
    if report is None:
        return None
    told = dict(report)
    if "documents" in told:
        told["documents"] = [{**row, "messages": []} for row in told["documents"]]
    return told


def _cancelled() -> dict[str, Any]:
    """The columns of one that was cancelled: the texts that were asked for are given up."""
    return {"status": "cancelled", "cancelled": True, "request": None, "updated": timestamp()}


def _own(taken: Taken, owner: Owner) -> Any:
    c = ingestions.c
    mine = c.character_id == taken.character, c.id == taken.id
    return and_(*mine, c.owner == owner.id, c.status == "running")
