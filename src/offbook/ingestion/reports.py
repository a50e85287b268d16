"""What an ingestion says of itself: an estimate before, progress, a report of each document.

A document with something in quarantine is ``partial``, in the report and in the store.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from statistics import median
from typing import TYPE_CHECKING, Any

from offbook.stores import chunks, documents, jobs
from offbook.tables_html import html_line, html_table
from offbook.types import DocumentStatus, TaskUsage, Usage

if TYPE_CHECKING:
    from offbook.protocols import Store
    from offbook.stores.connection import Connection
    from offbook.stores.jobs import Job
    from offbook.types import Chunk


def counted(number: int, noun: str) -> str:
    """``1 call``, ``2 calls``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a stage is."""

    stage: str
    done: int
    total: int


ProgressListener = Callable[[Progress], None]


def unheard(event: Progress) -> None:
    """A listener for when nobody listens."""
    del event


@dataclass(slots=True)
class Steps:
    """Tells a listener how far a stage is whose size is known when it begins.

    Args:
        stage: Its name.
        progress: Who is told; of a stage without any steps nothing is told.
    """

    stage: str
    progress: ProgressListener
    _total: int = 0
    _done: int = 0

    def begin(self, total: int) -> None:
        """Say how many steps there are."""
        self._total, self._done = total, 0
        self._tell()

    def add(self, steps: int) -> None:
        """Count steps that are done."""
        self._done = min(self._total, self._done + steps)
        self._tell()

    def end(self) -> None:
        """Say that the stage is over, also where something of it was put aside."""
        if self._done < self._total:
            self.add(self._total)

    def _tell(self) -> None:
        if self._total:
            self.progress(Progress(self.stage, self._done, self._total))


@dataclass(slots=True)
class DocumentReport:
    """What became of one document; ``median_chunk`` is in characters, 0 of none."""

    id: str
    name: str
    status: DocumentStatus
    chunks: int = 0
    median_chunk: int = 0
    quarantined: int = 0
    messages: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class IngestReport:
    """What an ingestion did and what it cost.

    ``kind`` says whether the documents are a ``story``, whose ``scenes`` are counted, and the
    ``episodes`` that a model has read in them; or a ``persona``, about the character.
    """

    character: str
    character_id: str
    method: str
    documents: tuple[DocumentReport, ...]
    unknown_files: tuple[str, ...]
    entities: int
    relations: int
    aliases: int
    kind: str
    scenes: int
    episodes: int
    usage: Usage

    def as_json(self) -> dict[str, Any]:
        """The shape of ``ingest --json``."""
        return {**asdict(self), "usage": self.usage.as_json()}

    def _repr_html_(self) -> str:
        """What became of each document, as a notebook shows it."""
        parts = [self.character, counted(self.usage.calls, "call")]
        if self.entities:
            parts.append(f"entities: {self.entities}, relations: {self.relations}")
        if self.scenes:
            parts.append(f"scenes: {self.scenes}")
        rows = [(d.name, d.status, d.chunks, "; ".join(d.messages)) for d in self.documents]
        return html_line("; ".join(parts)) + html_table(("document", "", "passages", ""), rows)


@dataclass(frozen=True, slots=True)
class Estimate:
    """What an ingestion would cost; no call was made to find out.

    ``messages`` say what it would not read, and why.
    """

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost_usd: float | None = None
    embed_calls: int = 0
    by_task: Mapping[str, TaskUsage] = field(default_factory=dict)
    messages: tuple[str, ...] = ()

    def in_words(self) -> str:
        """The same for a person, in one line."""
        parts = []
        if self.calls:
            parts.append(
                f"{counted(self.calls, 'call')} with about {self.prompt_tokens} prompt and "
                f"{self.completion_tokens} completion tokens"
            )
        if self.embed_calls:
            parts.append(counted(self.embed_calls, "embedding call"))
        if not parts:
            return "no calls"
        money = "no price is set" if self.cost_usd is None else f"{self.cost_usd:.4f} USD"
        return ", ".join([*parts, money])

    def as_json(self) -> dict[str, Any]:
        """The shape of ``ingest --estimate --json``."""
        return asdict(self)


def begin_jobs(conn: Connection, character: str, kind: str, pending: Sequence[Chunk]) -> None:
    """Note that chunks are being worked on."""
    for document in dict.fromkeys(chunk.document for chunk in pending):
        ids = [chunk.id for chunk in pending if chunk.document == document]
        jobs.enqueue(conn, character, kind, ids, document=document)
        jobs.start(conn, character, kind, ids)


def put_aside(
    conn: Connection, character: str, kind: str, rows: Iterable[tuple[str, str, str]]
) -> None:
    """Note what stayed open, as subject, document and reason."""
    for subject, document, reason in rows:
        jobs.enqueue(conn, character, kind, [subject], document=document)
        jobs.quarantine(conn, character, kind, [subject], reason)


_SHOWN = 3
_MANY = 10
"""Passages of which the median says something."""
_BRIEF = 200
"""Characters below which a passage is often torn from what it is about."""
_TOLD_BY_REASON = frozenset({jobs.GRAPH, jobs.MENTIONS, jobs.STORY, jobs.SUMMARIZE})
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
    done = jobs.list_jobs(conn, character, kind=jobs.EXTRACT, statuses={"done"})
    for row in rows:
        split = chunks.list_chunks(conn, character, document=row.id)
        counted_in = [c for c in split if not chunkings or c.chunking in chunkings]
        row.chunks = len(counted_in)
        # Of the passages that are searched; what is extracted from is longer.
        lengths = [c.end - c.start for c in counted_in if c.chunking != "graph"]
        row.median_chunk = round(median(lengths)) if lengths else 0
        # What is put aside without a document (the profile) concerns the first one in the report.
        mine = [j for j in aside if j.document == row.id or (j.document is None and row is rows[0])]
        row.quarantined = len(mine)
        places = {chunk.id: _place(chunk) for chunk in split}
        row.messages += [_told(job, places) for job in mine[:_SHOWN]]
        if len(mine) > _SHOWN:
            row.messages.append(f"and {len(mine) - _SHOWN} more; they are tried again next time")
        if row.status != "unchanged" and len(lengths) >= _MANY and row.median_chunk < _BRIEF:
            row.messages.append(_brief(row.median_chunk))
        noted: dict[str, list[Job]] = {}
        for job in done:
            if job.error and job.document == row.id:
                noted.setdefault(job.error, []).append(job)
        row.messages += [
            f"{alike[0].kind} {alike[0].subject}{places[alike[0].subject]}"
            f"{f' and {len(alike) - 1} more' if alike[1:] else ''}: {error}"
            for error, alike in noted.items()
        ]
        if mine:
            row.status = "partial"
    lacking = {job.document for job in aside}
    first = rows[0].id if rows else None
    for info in infos.values():
        whole = info.id not in lacking and not (None in lacking and info.id == first)
        documents.set_status(conn, character, info.id, "complete" if whole else "partial")
    return rows


def _brief(length: int) -> str:
    """What to do where passages are short."""
    return (
        f"warning: half of its passages have at most {length} characters, little to answer from; "
        "if its lines are no paragraphs, try --set acts.paragraph=block, or save the "
        "text anew with a paragraph a line"
    )


def _told(job: Job, places: Mapping[str, str]) -> str:
    """What was put aside, where it stands, and why."""
    if job.kind in _TOLD_BY_REASON:
        return f"put aside: {job.kind}: {job.error}"
    place = places.get(job.subject, "")
    return f"put aside: {job.kind} {job.subject}{place}: {job.error}"


def _place(chunk: Chunk) -> str:
    parts = [chunk.heading_path] if chunk.headings else []
    return f" ({'; '.join([*parts, f'characters {chunk.start} to {chunk.end}'])})"
