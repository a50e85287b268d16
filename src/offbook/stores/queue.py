"""The queue of what a server does behind requests: ingestions, and jobs of evaluations.

One that was claimed by a process that is gone, or that has given no heartbeat for a while, is
claimed again; what it had stored is not asked for twice.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final, Literal

from sqlalchemy import ColumnElement, Connection, and_, delete, insert, select, update

from offbook.stores import text_versions
from offbook.stores.leases import FREE, Owner, held_by, is_lost
from offbook.stores.schema import character_sources, documents, tasks
from offbook.stores.statements import among, columns_of, of, read_as, storable

JobKind = Literal["run", "score", "check_judge", "table"]
TaskKind = Literal["ingestion"] | JobKind
TaskStatus = Literal["queued", "running", "done", "failed", "cancelled"]
ENDED: Final[tuple[TaskStatus, ...]] = ("done", "failed", "cancelled")
INGESTIONS: Final[tuple[TaskKind, ...]] = ("ingestion",)
EVALUATIONS: Final[tuple[TaskKind, ...]] = ("run", "score", "check_judge", "table")
FORGOTTEN: Final = "it is forgotten with a document what went wrong"
"""In the place of a message that may quote the document."""
KEPT: Final = 100
"""Ended tasks that are kept to be looked at: of each character, and of evaluations."""
_NEWEST_FIRST: Final = tasks.c.created.desc(), tasks.c.id


@dataclass(frozen=True, slots=True)
class Task:
    """What a server does behind requests; ``report`` and ``error`` are null until it has ended."""

    id: str
    status: TaskStatus
    progress: Mapping[str, Any]
    report: Mapping[str, Any] | None
    error: Mapping[str, Any] | None
    created: str
    updated: str

    @property
    def has_ended(self) -> bool:
        """Tell whether nothing more will come."""
        return self.status in ENDED


@dataclass(frozen=True, slots=True)
class Ingestion(Task):
    """One ingestion; ``report`` and ``error`` are null until it has ended."""

    character: str


@dataclass(frozen=True, slots=True)
class EvaluationJob(Task):
    """One job; ``report`` and ``error`` are null until it has ended, ``run`` until it has begun."""

    kind: JobKind
    run: str | None


@dataclass(frozen=True, slots=True)
class Claim:
    """A task to work on: an ingestion of a character, or an evaluation that may have begun a run.

    ``known`` are the digests of its documents that were stored before it began, by name; ``usage``
    is what it cost until a process stopped in the middle of it.
    """

    id: str
    kind: TaskKind
    character: str
    run: str | None
    request: Mapping[str, Any]
    known: Mapping[str, str] = field(default_factory=dict)
    usage: Mapping[str, Any] = field(default_factory=dict)


def add(
    conn: Connection,
    id_: str,
    kind: TaskKind,
    request: Mapping[str, Any],
    *,
    character: str | None = None,
    run: str | None = None,
) -> None:
    """Queue a task; with it the oldest of its like that have ended go, but for ``KEPT``."""
    storable(request)
    c = tasks.c
    ended = c.character_id.is_not_distinct_from(character) & c.status.in_(ENDED)
    latest = select(c.id).where(ended).order_by(c.updated.desc(), c.id).limit(KEPT)
    conn.execute(delete(tasks).where(ended, ~among(c.id, conn.scalars(latest).all())))
    row = {
        "id": id_,
        "kind": kind,
        "character_id": character,
        "run_id": run,
        "status": "queued",
        "request": dict(request),
        "progress": {},
        "cancelled": False,
        "created": _now(),
        "updated": _now(),
    }
    conn.execute(insert(tasks), row)


def get_ingestion(conn: Connection, character: str, id_: str) -> Ingestion | None:
    """Return the ingestion of this id."""
    return next((each for each in list_ingestions(conn, character) if each.id == id_), None)


def list_ingestions(conn: Connection, character: str) -> list[Ingestion]:
    """List the ingestions of a character, newest first."""
    chosen = select(*columns_of(Ingestion, tasks, character="character_id"))
    of_character = chosen.where(tasks.c.character_id == character)
    return read_as(conn, Ingestion, of_character.order_by(*_NEWEST_FIRST))


def get_job(conn: Connection, id_: str) -> EvaluationJob | None:
    """Return the job of an evaluation of this id."""
    return next((each for each in list_jobs(conn) if each.id == id_), None)


def list_jobs(conn: Connection) -> list[EvaluationJob]:
    """List the jobs of evaluations, newest first."""
    chosen = select(*columns_of(EvaluationJob, tasks, run="run_id"))
    jobs = chosen.where(tasks.c.kind.in_(EVALUATIONS))
    return read_as(conn, EvaluationJob, jobs.order_by(*_NEWEST_FIRST))


def is_waiting(conn: Connection, kinds: Collection[TaskKind]) -> bool:
    """Tell whether there is any of these kinds that has not ended."""
    waiting = tasks.c.kind.in_(kinds) & tasks.c.status.not_in(ENDED)
    return conn.execute(select(tasks.c.id).where(waiting).limit(1)).first() is not None


def cancel(conn: Connection, id_: str) -> bool:
    """Have a task end: at once where nobody works on it, else soon; whether it had not ended."""
    queued = update(tasks).where(tasks.c.id == id_, tasks.c.status == "queued")
    if conn.execute(queued.values(**_cancelled())).rowcount:
        return True
    running = update(tasks).where(tasks.c.id == id_, tasks.c.status == "running")
    return bool(conn.execute(running.values(cancelled=True)).rowcount)


def is_cancelled(conn: Connection, id_: str) -> bool:
    """Tell whether somebody wants it to end, or it is gone altogether."""
    cancelled = conn.execute(select(tasks.c.cancelled).where(tasks.c.id == id_))
    return cancelled.scalar_one_or_none() in (None, True)


def claim(
    conn: Connection, kinds: Collection[TaskKind], owner: Owner, *, in_hand: Collection[str] = ()
) -> Claim | None:
    """Claim the oldest that nobody works on; ingestions, of a source that nobody works on.

    One that was cancelled, and that whoever worked on it could not end any more, ends here. The ids
    ``in_hand`` are of those that the owner works on: whatever computes may keep its heartbeats back
    for long. Others of its own are claimed again like anybody's: their end was not written.
    """
    c = tasks.c
    names = "id", "status", "cancelled", "owner", "host", "pid", "heartbeat"
    looks = tasks.outerjoin(character_sources, character_sources.c.character_id == c.character_id)
    chosen = select(*tasks.c[names], character_sources.c.source_id).select_from(looks)
    chosen = chosen.where(c.kind.in_(kinds), c.status.not_in(ENDED))
    rows = conn.execute(chosen.order_by(c.created, c.id)).all()
    held = [
        row
        for row in rows
        if row.status == "running" and (row.id in in_hand or not is_lost(row, owner))
    ]
    busy = {row.source_id for row in held} - {None}
    for row in rows:
        if row in held or row.source_id in busy:
            continue
        this = update(tasks).where(c.id == row.id)
        if row.cancelled:
            conn.execute(this.values(**_cancelled(), **FREE))
            continue
        conn.execute(this.values(status="running", updated=_now(), **held_by(owner)))
        return _claimed(conn, row.id)
    return None


def _claimed(conn: Connection, id_: str) -> Claim:
    """Return what is to be done; what its documents were before it began is noted."""
    names = "id", "kind", "character_id", "run_id", "request", "known", "usage"
    chosen = select(*tasks.c[names]).where(tasks.c.id == id_)
    row = conn.execute(chosen).one()
    known = row.known
    if known is None:
        given = [each["name"] for each in row.request.get("documents", ())]
        known = digests(conn, row.character_id, given) if row.character_id else {}
        conn.execute(update(tasks).where(tasks.c.id == id_).values(known=known))
    return Claim(
        row.id, row.kind, row.character_id or "", row.run_id, row.request, known, row.usage or {}
    )


def digests(conn: Connection, character: str, names: Iterable[str]) -> dict[str, str]:
    """Map the names of documents to the digests of their texts; those not stored lack."""
    c = documents.c
    chosen = select(c.name, c.digest).where(of(documents, character), among(c.name, list(names)))
    return {row.name: row.digest for row in sorted(conn.execute(chosen))}


def heartbeat(
    conn: Connection,
    task: Claim,
    owner: Owner,
    *,
    progress: Mapping[str, Any] | None = None,
    usage: Mapping[str, Any] | None = None,
    run: str | None = None,
) -> bool:
    """Give a sign of life, with how far it is; whether it is still one's own."""
    values: dict[str, Any] = {"heartbeat": time.time()}
    if progress is not None:
        values |= {"progress": dict(progress), "updated": _now()}
    values |= _spent(usage, run)
    return bool(conn.execute(update(tasks).where(_held(task, owner)).values(**values)).rowcount)


def finish(
    conn: Connection,
    task: Claim,
    owner: Owner,
    status: TaskStatus,
    progress: Mapping[str, Any],
    *,
    run: str | None = None,
    report: Mapping[str, Any] | None = None,
    error: Mapping[str, Any] | None = None,
) -> None:
    """Note how it ended; what was asked for is forgotten: it is stored by then, or given up.

    Where a document of it is forgotten again, nothing is noted that may quote it.
    """
    named = [row["id"] for row in (report or {}).get("documents", ())]
    if task.character and text_versions.forgotten(conn, task.character, named):
        report = _unquoted(report)
    values: dict[str, Any] = {
        "status": status,
        "request": None,
        "progress": dict(progress),
        "report": None if report is None else dict(report),
        "error": None if error is None else dict(error),
        "updated": _now(),
    }
    values |= FREE | _spent(None, run)
    conn.execute(update(tasks).where(_held(task, owner)).values(**values))


def release(
    conn: Connection,
    task: Claim,
    owner: Owner,
    *,
    usage: Mapping[str, Any] | None = None,
    run: str | None = None,
) -> None:
    """Queue it again, with what it has cost: the process stops before it has ended.

    One that somebody wants to end does so.
    """
    held, left = _held(task, owner), {**FREE, **_spent(usage, run)}
    ends = update(tasks).where(held, tasks.c.cancelled.is_(True))
    if not conn.execute(ends.values(**left, **_cancelled())).rowcount:
        again = {**left, "status": "queued", "updated": _now()}
        conn.execute(update(tasks).where(held).values(**again))


def forget_quotes(conn: Connection, character: str) -> None:
    """Take out of the ingestions that have ended what may quote a document of the character."""
    ended = (tasks.c.character_id == character) & tasks.c.status.in_(ENDED)
    for row in conn.execute(select(*tasks.c["id", "report", "error"]).where(ended)).all():
        error = row.error and {**row.error, "message": FORGOTTEN, "hint": ""}
        values = {"report": _unquoted(row.report), "error": error}
        conn.execute(update(tasks).where(tasks.c.id == row.id).values(**values))


def _unquoted(report: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Return a report without the messages, which quote what could not be used."""
    if report is None or "documents" not in report:
        return None if report is None else dict(report)
    return {**report, "documents": [{**row, "messages": []} for row in report["documents"]]}


def _cancelled() -> dict[str, Any]:
    """Return the columns of a task that was cancelled: what was asked for is given up."""
    return {"status": "cancelled", "cancelled": True, "request": None, "updated": _now()}


def _spent(usage: Mapping[str, Any] | None, run: str | None) -> dict[str, Any]:
    """Return the columns of what it has cost and begun, where that is known."""
    spent: dict[str, Any] = {} if usage is None else {"usage": dict(usage)}
    return spent if run is None else {**spent, "run_id": run}


def _held(task: Claim, owner: Owner) -> ColumnElement[bool]:
    """Choose the task as long as it is this owner's."""
    c = tasks.c
    return and_(c.id == task.id, c.owner == owner.id, c.status == "running")


def _now() -> str:
    """Return now, finer than in seconds: tasks of one second are done in their order too."""
    return datetime.now(UTC).isoformat(timespec="microseconds")
