"""What became of each document: its chunks, what was put aside, and why.

Takes: the reports of the first steps.  Gives: the same with counts; a document with something in
quarantine is ``partial``, in the report and in the store.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from offbook.ingestion.reports import DocumentReport
from offbook.stores import chunks, documents, jobs

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from offbook.protocols import Store
    from offbook.stores.jobs import Job
    from offbook.types import Chunk

_SHOWN = 3
_TOLD_BY_REASON = frozenset({jobs.GRAPH, jobs.MENTIONS, jobs.SUMMARIZE})
"""Kinds of jobs whose subject is an id that says nothing; the reason names who is concerned."""


async def tally(
    store: Store, character: str, reports: list[DocumentReport], chunkings: Sequence[str]
) -> list[DocumentReport]:
    """Complete the reports; without any, every stored document gets one.

    Args:
        store: Where the results are.
        character: Id of the character.
        reports: Of the documents that were given.
        chunkings: The chunkings that are counted; none: all.
    """
    return await store.write(lambda conn: _tally(conn, character, reports, set(chunkings)))


def _tally(
    conn: Connection, character: str, reports: list[DocumentReport], chunkings: set[str]
) -> list[DocumentReport]:
    infos = {info.id: info for info in documents.list_all(conn, character)}
    # Copies: a transaction may be run again, and must find the reports as they were.
    rows = [replace(report, messages=list(report.messages)) for report in reports]
    rows = rows or [DocumentReport(i.id, i.name, "unchanged") for i in infos.values()]
    open_ = jobs.list_jobs(conn, character)
    aside = [j for j in open_ if j.status == "quarantined" and j.kind != jobs.REMEMBER]
    for row in rows:
        found = chunks.list_chunks(conn, character, document=row.id)
        row.chunks = sum(not chunkings or chunk.chunking in chunkings for chunk in found)
        # What is put aside without a document (the profile) concerns the first one in the report.
        mine = [j for j in aside if j.document == row.id or (j.document is None and row is rows[0])]
        row.quarantined = len(mine)
        places = {chunk.id: _place(chunk) for chunk in found}
        row.messages += [_told(job, places) for job in mine[:_SHOWN]]
        if len(mine) > _SHOWN:
            row.messages.append(f"and {len(mine) - _SHOWN} more; they are tried again next time")
        if mine:
            row.status = "partial"
    lacking = {job.document for job in aside}
    first = rows[0].id if rows else None
    for info in infos.values():
        whole = info.id not in lacking and not (None in lacking and info.id == first)
        documents.set_status(conn, character, info.id, "complete" if whole else "partial")
    return rows


def _told(job: Job, places: Mapping[str, str]) -> str:
    """What was put aside, where it stands, and why."""
    if job.kind in _TOLD_BY_REASON:
        return f"put aside: {job.kind}: {job.error}"
    place = places.get(job.subject, "")
    return f"put aside: {job.kind} {job.subject}{place}: {job.error}"


def _place(chunk: Chunk) -> str:
    parts = [chunk.heading_path] if chunk.headings else []
    return f" ({'; '.join([*parts, f'characters {chunk.start} to {chunk.end}'])})"
