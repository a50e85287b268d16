"""Jobs of evaluations that a server does behind requests: queued, taken, cancelled, done.

Takes: what was asked for.  Gives: rows. One that was taken by a process that is gone, or that has
given no sign for a while, is taken again, with the run that it had begun.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final, Literal

from sqlalchemy import Connection, and_, delete, insert, select, update

from offbook.stores.leases import NOBODY, Owner, held_by, is_lost, is_running
from offbook.stores.server_tables import evaluation_jobs

JobKind = Literal["run", "score", "check_judge", "splitters", "table"]
JobStatus = Literal["queued", "running", "done", "failed", "cancelled"]
KEPT: Final = 100
"""Ended jobs that are kept to be looked at."""

_ENDED: Final = ("done", "failed", "cancelled")
_SEEN: Final = tuple(
    evaluation_jobs.c[name]
    for name in (
        "id",
        "kind",
        "status",
        "run_id",
        "progress",
        "report",
        "error",
        "created",
        "updated",
    )
)


@dataclass(frozen=True, slots=True)
class EvaluationJob:
    """One job; ``report`` and ``error`` are null until it has ended, ``run`` until it has begun."""

    id: str
    kind: JobKind
    status: JobStatus
    run: str | None
    progress: Mapping[str, Any]
    report: Mapping[str, Any] | None
    error: Mapping[str, Any] | None
    created: str
    updated: str

    @property
    def has_ended(self) -> bool:
        """Whether nothing more will come."""
        return self.status in _ENDED


@dataclass(frozen=True, slots=True)
class TakenJob:
    """A job to work on; ``run`` where it had begun one before."""

    id: str
    kind: JobKind
    request: Mapping[str, Any]
    run: str | None


def add(
    conn: Connection, id_: str, kind: JobKind, request: Mapping[str, Any], run: str | None = None
) -> None:
    """Queue a job; with it the oldest that have ended go, but for ``KEPT``."""
    c = evaluation_jobs.c
    ended = c.status.in_(_ENDED)
    kept = select(c.id).where(ended).order_by(c.updated.desc(), c.id).limit(KEPT)
    old = list(conn.scalars(select(c.id).where(ended, c.id.not_in(kept))))
    if old:
        conn.execute(delete(evaluation_jobs).where(c.id.in_(old)))
    now = _now()
    row = {
        "id": id_,
        "kind": kind,
        "status": "queued",
        "run_id": run,
        "request": dict(request),
        "progress": {},
        "cancelled": False,
        "created": now,
        "updated": now,
    }
    conn.execute(insert(evaluation_jobs), row)


def get(conn: Connection, id_: str) -> EvaluationJob | None:
    """The job of this id."""
    row = conn.execute(select(*_SEEN).where(evaluation_jobs.c.id == id_)).one_or_none()
    return None if row is None else EvaluationJob(*row)


def list_all(conn: Connection) -> list[EvaluationJob]:
    """All jobs, newest first."""
    c = evaluation_jobs.c
    return [
        EvaluationJob(*row) for row in conn.execute(select(*_SEEN).order_by(c.created.desc(), c.id))
    ]


def waiting(conn: Connection) -> bool:
    """Whether there is any that has not ended."""
    c = evaluation_jobs.c
    return conn.execute(select(c.id).where(c.status.not_in(_ENDED)).limit(1)).first() is not None


def cancel(conn: Connection, id_: str) -> bool:
    """Have a job end: at once where nobody works on it, else soon; whether it had not ended."""
    c = evaluation_jobs.c
    queued = update(evaluation_jobs).where(c.id == id_, c.status == "queued").values(**_ended())
    if conn.execute(queued).rowcount:
        return True
    asked = update(evaluation_jobs).where(c.id == id_, c.status == "running")
    return bool(conn.execute(asked.values(cancelled=True)).rowcount)


def _ended() -> dict[str, Any]:
    """What a job is that somebody has ended."""
    return {"status": "cancelled", "cancelled": True, "request": None, "updated": _now()}


def is_cancelled(conn: Connection, id_: str) -> bool:
    """Whether somebody wants it to end, or it is gone altogether."""
    c = evaluation_jobs.c
    found = conn.execute(select(c.cancelled).where(c.id == id_)).scalar_one_or_none()
    return found is None or found


def take(
    conn: Connection,
    owner: Owner,
    *,
    in_hand: Collection[str] = (),
    now: float | None = None,
    is_alive: Callable[[int], bool] = is_running,
) -> TakenJob | None:
    """Take the oldest that nobody works on.

    One that was cancelled, and that whoever worked on it could not end any more, ends here.

    Args:
        conn: The database.
        owner: Who takes it.
        in_hand: The ids that the owner works on: whatever computes may keep its signs back for
            long. Others of its own are taken again like anybody's: their end was not written.
        now: The time.
        is_alive: Whether there is a process of a number on this machine.
    """
    c, at = evaluation_jobs.c, time.time() if now is None else now
    chosen = select(c.id, c.status, c.cancelled, c.owner, c.host, c.pid, c.heartbeat)
    rows = conn.execute(chosen.where(c.status.not_in(_ENDED)).order_by(c.created, c.id)).all()
    for row in rows:
        held = row.id in in_hand or not is_lost(row, owner, at, is_alive)
        if row.status == "running" and held:
            continue
        # Another process may have been quicker: then the row has another owner or sign by now.
        mine = and_(
            c.id == row.id,
            c.status == row.status,
            c.owner == row.owner,
            c.heartbeat == row.heartbeat,
        )
        if row.cancelled:
            conn.execute(update(evaluation_jobs).where(mine).values(**_ended(), **NOBODY))
            continue
        changed = {"status": "running", "updated": _now(), **held_by(owner, at)}
        if conn.execute(update(evaluation_jobs).where(mine).values(**changed)).rowcount:
            asked = select(c.id, c.kind, c.request, c.run_id).where(c.id == row.id)
            return TakenJob(*conn.execute(asked).one())
    return None


def give_sign(
    conn: Connection,
    taken: TakenJob,
    owner: Owner,
    progress: Mapping[str, Any] | None = None,
    run: str | None = None,
) -> bool:
    """A sign of life, with how far it is, and the run once begun; whether it is one's own."""
    values: dict[str, Any] = {"heartbeat": time.time()}
    if progress is not None:
        values |= {"progress": dict(progress), "updated": _now()}
    if run is not None:
        values["run_id"] = run
    changed = conn.execute(update(evaluation_jobs).where(_own(taken, owner)).values(**values))
    return bool(changed.rowcount)


def finish(
    conn: Connection,
    taken: TakenJob,
    owner: Owner,
    status: JobStatus,
    progress: Mapping[str, Any],
    *,
    run: str | None = None,
    report: Mapping[str, Any] | None = None,
    error: Mapping[str, Any] | None = None,
) -> None:
    """Note how it ended; what was asked for is forgotten."""
    values: dict[str, Any] = {
        "status": status,
        "request": None,
        "progress": dict(progress),
        "report": None if report is None else dict(report),
        "error": None if error is None else dict(error),
        "updated": _now(),
        **NOBODY,
    }
    if run is not None:
        values["run_id"] = run
    conn.execute(update(evaluation_jobs).where(_own(taken, owner)).values(**values))


def give_back(conn: Connection, taken: TakenJob, owner: Owner, run: str | None = None) -> None:
    """Queue it again: the process stops before it has ended. One that was cancelled ends."""
    own, left = _own(taken, owner), {"run_id": run or taken.run, **NOBODY}
    ends = update(evaluation_jobs).where(own, evaluation_jobs.c.cancelled.is_(True))
    if not conn.execute(ends.values(**left | _ended())).rowcount:
        queued = update(evaluation_jobs).where(own)
        conn.execute(queued.values(**left, status="queued", updated=_now()))


def _own(taken: TakenJob, owner: Owner) -> Any:
    c = evaluation_jobs.c
    return and_(c.id == taken.id, c.owner == owner.id, c.status == "running")


def _now() -> str:
    """Finer than seconds: jobs of one second are done in their order too."""
    return datetime.now(UTC).isoformat(timespec="microseconds")
