"""Jobs: the pieces of work that building a character's indexes consists of.

Takes: kinds and subjects (a chunk to extract, a memory to score).  Gives: what is still to do, so
that an interrupted ingest goes on where it stopped, and what failed is tried again and never lost.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from sqlalchemy import Connection, delete, select, update

from offbook.stores.schema import jobs
from offbook.stores.statements import batches, insert_missing, timestamp

Status = Literal["pending", "running", "done", "quarantined"]
EMBED: Final = "embed"
"""The kind of the jobs that embed a chunk."""
EXTRACT: Final = "extract"
"""The kind of the jobs that extract entities and relations from a chunk."""
GRAPH: Final = "graph"
"""The kind of the jobs that note a question about the graph that stayed open."""
PROFILE: Final = "profile"
"""The kind of the job that writes the profile; its subject is the character."""
TRAITS: Final = "traits"
"""The kind of the jobs that judge what a chunk reveals of the character."""
MENTIONS: Final = "mentions"
"""The kind of the jobs that note a mention or relation without a vector."""
SUMMARIZE: Final = "summarize"
"""The kind of the jobs that note a cluster of chunks without a summary, or one without a vector."""
REMEMBER: Final = "remember"
"""The kind of the jobs that score and embed a memory; their subjects are no document's."""

OPEN: Final[frozenset[Status]] = frozenset({"pending", "running", "quarantined"})


@dataclass(frozen=True, slots=True)
class Job:
    """One piece of work; ``error`` says why the last attempt failed."""

    kind: str
    subject: str
    document: str | None
    status: Status
    attempts: int
    error: str
    updated: str


def enqueue(
    conn: Connection,
    character: str,
    kind: str,
    subjects: Sequence[str],
    *,
    document: str | None = None,
) -> None:
    """Note work to be done; what is noted already stays as it is."""
    if not subjects:
        return
    now = timestamp()
    conn.execute(
        insert_missing(conn, jobs),
        [
            {
                "character_id": character,
                "kind": kind,
                "subject": subject,
                "document_id": document,
                "status": "pending",
                "attempts": 0,
                "error": "",
                "updated": now,
            }
            for subject in subjects
        ],
    )


def start(conn: Connection, character: str, kind: str, subjects: Sequence[str]) -> None:
    """Note that jobs are being done: one attempt more."""
    _set(conn, character, kind, subjects, status="running", attempts=jobs.c.attempts + 1)


def finish(conn: Connection, character: str, kind: str, subjects: Sequence[str]) -> None:
    """Note that jobs are done: in the transaction that stores their results."""
    _set(conn, character, kind, subjects, status="done", error="")


def quarantine(
    conn: Connection, character: str, kind: str, subjects: Sequence[str], error: str
) -> None:
    """Set jobs aside that failed for good, with the reason."""
    _set(conn, character, kind, subjects, status="quarantined", error=error.replace("\0", "�"))


def list_jobs(
    conn: Connection,
    character: str,
    *,
    kind: str | None = None,
    document: str | None = None,
    statuses: Collection[Status] = OPEN,
) -> list[Job]:
    """Jobs by kind and subject; by default those that are not done."""
    c = jobs.c
    statement = select(
        c.kind, c.subject, c.document_id, c.status, c.attempts, c.error, c.updated
    ).where(c.character_id == character, c.status.in_(sorted(statuses)))
    if kind is not None:
        statement = statement.where(c.kind == kind)
    if document is not None:
        statement = statement.where(c.document_id == document)
    return [Job(*row) for row in conn.execute(statement.order_by(c.kind, c.subject))]


def remove_subjects(conn: Connection, character: str, subjects: Sequence[str]) -> None:
    """Delete all jobs on subjects that are no more."""
    for piece in batches(subjects):
        conn.execute(
            delete(jobs).where(jobs.c.character_id == character, jobs.c.subject.in_(piece))
        )


def remove_kind(conn: Connection, character: str, kind: str) -> None:
    """Delete all jobs of a kind."""
    conn.execute(delete(jobs).where(jobs.c.character_id == character, jobs.c.kind == kind))


def _set(
    conn: Connection, character: str, kind: str, subjects: Sequence[str], **values: Any
) -> None:
    for piece in batches(subjects):
        conn.execute(
            update(jobs)
            .where(jobs.c.character_id == character, jobs.c.kind == kind, jobs.c.subject.in_(piece))
            .values(updated=timestamp(), **values)
        )
