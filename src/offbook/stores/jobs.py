"""Jobs: the pieces of work that building a character's indexes consists of.

What an interrupted ingest left is still noted here, and what failed is tried again and never lost.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from sqlalchemy import ColumnElement, Connection, and_, delete, select, update

from offbook.stores.schema import jobs
from offbook.stores.statements import (
    add_missing,
    among,
    columns_of,
    owner_of,
    read_as,
    source_of,
    timestamp,
)

Status = Literal["pending", "running", "done", "quarantined"]
# The kinds of jobs, by what is done in each, or what is noted about its subject.
EMBED: Final = "embed"  # embeds a chunk
EXTRACT: Final = "extract"  # finds entities and relations in a chunk
GRAPH: Final = "graph"  # a question about the graph that stayed open
PROFILE: Final = "profile"  # writes the profile; its subject is the character
TRAITS: Final = "traits"  # judges what a chunk reveals of the character
MENTIONS: Final = "mentions"  # a mention or relation without a vector
STORY: Final = "story"  # a window of a story without a usable answer
SUMMARIZE: Final = "summarize"  # a cluster of chunks without a summary, or one without a vector
REMEMBER: Final = "remember"  # scores and embeds a memory; the subject is no document's
DISTIL: Final = "distil"  # distils the turns of a conversation, which is its subject

OF_CHARACTER: Final = frozenset({PROFILE, TRAITS, REMEMBER, DISTIL})
"""Kinds that are about the character; the others are about its source."""
_QUOTING: Final = (PROFILE, GRAPH, STORY, SUMMARIZE)

OPEN: Final[frozenset[Status]] = frozenset({"pending", "running", "quarantined"})


@dataclass(frozen=True, slots=True)
class Job:
    """One piece of work; ``error`` says why the last attempt failed, or what of it was left out."""

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
    if subjects:
        job = {
            **owner_of(conn, jobs, character),
            "character_id": character if kind in OF_CHARACTER else "",
            "kind": kind,
            "document_id": document,
            "status": "pending",
            "attempts": 0,
            "error": "",
            "updated": timestamp(),
        }
        add_missing(conn, jobs, [{**job, "subject": name} for name in subjects])


def start(conn: Connection, character: str, kind: str, subjects: Sequence[str]) -> None:
    """Note that jobs are being done: one attempt more."""
    _set(conn, character, kind, subjects, status="running", attempts=jobs.c.attempts + 1)


def finish(
    conn: Connection, character: str, kind: str, subjects: Sequence[str], note: str = ""
) -> None:
    """Note that jobs are done: in the transaction that stores their results.

    ``note`` says what of the answer was left out; it quotes no text.
    """
    _set(conn, character, kind, subjects, status="done", error=note)


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
    statuses: Collection[Status] = OPEN,
) -> list[Job]:
    """List jobs by kind and subject; by default those that are not done."""
    chosen = select(*columns_of(Job, jobs, document="document_id"))
    chosen = chosen.where(of(character), jobs.c.status.in_(sorted(statuses)))
    if kind is not None:
        chosen = chosen.where(jobs.c.kind == kind)
    return read_as(conn, Job, chosen.order_by(jobs.c.kind, jobs.c.subject))


def remove_subjects(conn: Connection, character: str, subjects: Collection[str]) -> None:
    """Delete all jobs on subjects that are no more."""
    conn.execute(delete(jobs).where(of(character), among(jobs.c.subject, subjects)))


def rename_subject(conn: Connection, character: str, kind: str, old: str, new: str) -> None:
    """Call a subject by its new name."""
    chosen = (jobs.c.kind == kind) & (jobs.c.subject == old)
    conn.execute(update(jobs).where(of(character), chosen).values(subject=new))


def remove_one(conn: Connection, character: str, kind: str, subject: str) -> None:
    """Delete one job, if it is there."""
    chosen = (jobs.c.kind == kind) & (jobs.c.subject == subject)
    conn.execute(delete(jobs).where(of(character), chosen))


def remove_kind(conn: Connection, character: str, kind: str) -> None:
    """Delete all jobs of a kind."""
    conn.execute(delete(jobs).where(of(character), jobs.c.kind == kind))


def remove_quoting(conn: Connection, character: str) -> None:
    """Delete the jobs whose reason may quote any text; who makes their index notes them anew."""
    conn.execute(delete(jobs).where(of(character), jobs.c.kind.in_(_QUOTING)))


def of(character: str) -> ColumnElement[bool]:
    """Choose the jobs of a character and those of its source."""
    owners = jobs.c.character_id.in_(["", character])
    return and_(jobs.c.source_id == source_of(character), owners)


def _set(
    conn: Connection, character: str, kind: str, subjects: Sequence[str], **values: Any
) -> None:
    chosen = of(character) & (jobs.c.kind == kind) & among(jobs.c.subject, subjects)
    conn.execute(update(jobs).where(chosen).values(updated=timestamp(), **values))
