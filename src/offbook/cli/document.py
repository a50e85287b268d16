"""Commands for the documents of a character: ``ingest``, ``forget``, ``reembed``."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import typer

from offbook.cli.options import (
    BUDGET,
    CharacterName,
    Json,
    Yes,
    confirm,
    settings_for,
    settings_of,
    with_options,
)
from offbook.cli.output import (
    answer,
    cost,
    counted,
    print_estimate,
    print_json,
    say,
    with_offbook,
    with_progress,
)
from offbook.errors import UsageError

if TYPE_CHECKING:
    from offbook.ingestion.reports import IngestReport
    from offbook.settings import Settings


@with_options(settings=settings_of("method", "model", "base_url", "preset", "concurrency", *BUDGET))
def ingest_command(
    name: CharacterName,
    settings: Settings,
    paths: list[str] | None = typer.Argument(
        None,
        metavar="PATH",
        help="Files or folders; `-`: standard input; none: the stored documents.",
    ),
    document_name: str | None = typer.Option(
        None, "--name", help="The document's name (one file only); `-` needs one."
    ),
    order: list[str] | None = typer.Option(
        None, help="Names of documents in the order of the story, with commas between."
    ),
    estimate: bool = typer.Option(False, "--estimate", help="What it would cost."),
    strict: bool = typer.Option(
        False, "--strict", help="End with 1 when something was quarantined."
    ),
    as_json: Json = False,
) -> int:
    """Add or update persona documents.

    What is stored already is not paid for again.
    """
    story = _order(order)
    with _read_from_input(paths or [], document_name) as files:
        if estimate:
            cost_estimate = with_offbook(
                settings, lambda book: book.estimate(name, files, document_name, story)
            )
            print_estimate(cost_estimate, as_json)
            return 0
        report = with_progress(
            settings,
            lambda book, progress: book.ingest(
                name, files, document_name=document_name, order=story, progress=progress
            ),
        )
    return _print_report(report, as_json, strict)


@contextmanager
def _read_from_input(paths: list[str], name: str | None) -> Iterator[list[str]]:
    """The paths, standard input as a file among them while the block runs.

    Raises:
        UsageError: the document from standard input has no name.
    """
    if paths != ["-"]:
        yield paths
        return
    if name is None:
        raise UsageError("what stands on standard input has no name", "add --name NAME.txt")
    with TemporaryDirectory(prefix="offbook-") as folder:
        file = Path(folder) / f"input{Path(name).suffix or '.txt'}"
        file.write_bytes(sys.stdin.buffer.read())
        yield [str(file)]


def _order(texts: list[str] | None) -> list[str]:
    """The names in the order given, in one option or in several."""
    return [part.strip() for text in texts or () for part in text.split(",") if part.strip()]


def _print_report(report: IngestReport, as_json: bool, strict: bool) -> int:
    for path in report.unknown_files:
        say(f"offbook: not read (unknown type, or hidden): {path}")
    for row in report.documents:
        warning = "warning: " if row.quarantined else ""
        for message in row.messages:
            say(f"offbook: {warning}{row.name}: {message}")
    if as_json:
        print_json(report.as_json())
    else:
        for row in report.documents:
            size = (
                f", the median has {row.median_chunk} characters"
                if row.median_chunk and row.chunks > 1
                else ""
            )
            say(f"{row.status:9} {row.name} ({counted(row.chunks, 'chunk')}{size})")
        say(_kind(report))
        say(cost(report.usage))
    if any(row.status == "failed" for row in report.documents):
        return 1
    return 1 if strict and any(row.quarantined for row in report.documents) else 0


def _kind(report: IngestReport) -> str:
    """Say whether the documents are a story, and how that is changed."""
    change = f"offbook story {report.character_id} --kind"
    if report.kind == "persona":
        known = f"the documents are about {report.character!r}, who knows all of them"
        return f"{known}; else: {change} story"
    lived = f", {counted(report.episodes, 'episode')} by a model" if report.episodes else ""
    scenes = f"{counted(report.scenes, 'scene')}{lived}"
    return f"the documents are a story: {scenes}; else: {change} persona"


def forget_command(
    name: CharacterName,
    document: str = typer.Argument(..., metavar="DOCUMENT", help="Its name or id."),
    with_memories: bool = typer.Option(
        False,
        "--with-memories",
        help="Also delete turns and memories that rest on it, now or later.",
    ),
    for_all: bool = typer.Option(
        False, "--for-all", help="Also where other characters share it: for all of them."
    ),
    yes: Yes = False,
    as_json: Json = False,
) -> None:
    """Delete a document and all that only it supports.

    It leaves the whole home folder: database, journals, cached calls. A graph is brought up to
    date: what lost a source is merged again.
    """
    with_them = ", with the turns and memories that rest on it" if with_memories else ""
    confirm(f"delete the document {document!r} of {name!r}{with_them}", yes=yes)

    report = with_progress(
        settings_for(),
        lambda book, progress: book.forget(
            name, document, with_memories=with_memories, for_all=for_all, progress=progress
        ),
    )
    for message in report.messages:
        say(f"offbook: warning: {message}")
    if as_json:
        print_json(report.as_json())
        return
    say(
        f"forgot {report.document!r}: {counted(report.chunks, 'chunk')}, "
        f"{counted(report.cached_calls, 'cached call')}"
    )
    if report.turns or report.memories:
        memories = counted(report.memories, "memory")
        what = f"{counted(report.turns, 'turn')} and {memories} that rested on it"
        again = shlex.join(["offbook", "forget", name, report.document, "--with-memories"])
        say(
            f"{what} went with it"
            if with_memories
            else f"{what} keep their own words; to take them along: {again}"
        )
    if report.usage.calls or report.usage.embed_calls:
        say(f"brought the indexes up to date: {cost(report.usage)}")


@with_options(settings=settings_of("concurrency", *BUDGET))
def reembed_command(name: CharacterName, settings: Settings, as_json: Json = False) -> None:
    """Rebuild the vectors with the configured embedder."""
    report = with_progress(settings, lambda book, progress: book.reembed(name, progress=progress))
    if report.quarantined:
        say(
            f"offbook: warning: {report.embedder!r} refuses {report.quarantined} chunks of "
            f"{report.character!r}; they have no vector, and words alone find them"
        )
    line = f"{report.vectors} vectors by {report.embedder!r}; {cost(report.usage)}"
    answer(as_json, report.as_json(), line)
