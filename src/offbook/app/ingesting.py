"""Files into a character: reading, the flow, the report.

Takes: paths.  Gives: what became of each document, and what it cost.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from offbook import pipeline
from offbook.app.waiting import told_on_stderr
from offbook.documents.collecting import collect
from offbook.documents.readers import ReadDocument, read_document
from offbook.errors import UnknownName, UnreadableDocument, UsageError
from offbook.ingestion.reports import (
    DocumentReport,
    Estimate,
    IngestReport,
    ProgressListener,
    unheard,
)
from offbook.stores import characters, documents

if TYPE_CHECKING:
    from offbook.app.book import Offbook
    from offbook.types import Character


async def ingest(
    book: Offbook,
    name: str,
    paths: Sequence[Path | str],
    document_name: str | None,
    order: Sequence[str] | None,
    progress: ProgressListener,
) -> IngestReport:
    """Read the files and make the character know them.

    A file that was named and cannot be read stops everything before anything is done; one that
    was found in a folder is reported as failed, and the others go on.
    """
    character = await book.find(name)
    readings, failed, unknown = await asyncio.to_thread(_read, paths, document_name)
    if paths and not readings and not failed:
        raise UsageError(
            f"nothing to read in {', '.join(repr(str(p)) for p in paths)}",
            "offbook reads .txt, .md, .html and, with its extra, .pdf",
        )
    known = await book.store.read(lambda conn: documents.list_all(conn, character.id))
    if not paths and not known:
        raise UsageError(
            f"{character.name!r} has no documents yet",
            f"name some: offbook ingest {character.id} FILE...",
        )
    if order:
        _check_order(order, character, [info.name for info in known], readings)
    return await ingest_readings(
        book,
        character,
        readings,
        failed=failed,
        unknown=unknown,
        order=order or (),
        progress=progress,
    )


async def ingest_readings(
    book: Offbook,
    character: Character,
    readings: Sequence[ReadDocument],
    *,
    failed: Sequence[DocumentReport] = (),
    unknown: Sequence[str] = (),
    order: Sequence[str] = (),
    progress: ProgressListener = unheard,
) -> IngestReport:
    """Make the character know texts that are in memory."""
    stage = book.stage(character.dimension)
    waiting = told_on_stderr(character.name)
    rows, size = await pipeline.ingest(stage, character.id, readings, progress, waiting, order)
    if failed and not readings:
        rows = []  # all that was given has failed; what was stored before was not asked about
    return IngestReport(
        character=character.name,
        character_id=character.id,
        method=stage.settings.method,
        documents=(*rows, *failed),
        unknown_files=tuple(unknown),
        entities=size.entities,
        relations=size.relations,
        aliases=size.aliases,
        usage=book.meter.usage(),
    )


async def estimate(
    book: Offbook, name: str, paths: Sequence[Path | str], document_name: str | None
) -> Estimate:
    """What :func:`ingest` would cost; no call is made."""
    # Here and not above: an ingestion needs none of it, and should not wait for it.
    from offbook.ingestion.estimating import estimate_ingestion

    character = await book.find(name)
    readings, failed, unknown = await asyncio.to_thread(_read, paths, document_name)
    found = await estimate_ingestion(book.stage(character.dimension), character, readings)
    messages = [f"{row.name}: {message}" for row in failed for message in row.messages]
    messages += [f"not read (unknown type, or hidden): {path}" for path in unknown]
    return replace(found, messages=tuple(messages))


def _read(
    given: Sequence[Path | str], document_name: str | None
) -> tuple[list[ReadDocument], list[DocumentReport], list[str]]:
    if any(not str(path).strip() for path in given):
        raise UsageError("a path is empty", "name a file or a folder")
    if document_name is not None and not document_name.strip():
        raise UsageError(f"the name {document_name!r} is empty", "give the document a name")
    paths = [Path(path) for path in given]
    found = collect(paths, document_name)
    named = {path for path in paths if not path.is_dir()}
    readings: list[ReadDocument] = []
    failed: list[DocumentReport] = []
    for document in found.documents:
        try:
            readings.append(read_document(document.path, document.name))
        except UnreadableDocument as error:
            if document.path in named:
                raise
            message = f"{error.message}; {error.hint}"
            failed.append(DocumentReport("", document.name, "failed", messages=[message]))
    return readings, failed, [str(path) for path in (*found.unknown, *found.hidden)]


def _check_order(
    order: Sequence[str],
    character: Character,
    known: Sequence[str],
    readings: Sequence[ReadDocument],
) -> None:
    """Refuse an order that names what is not there, before anything is done."""
    there = [*known, *(reading.name for reading in readings)]
    for name in order:
        if name not in there:
            raise UnknownName(
                f"the order names {name!r}, which is no document of {character.name!r}",
                characters.nearest(name, there, "name documents that are stored or given"),
            )
