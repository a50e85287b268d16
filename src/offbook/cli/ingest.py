"""``offbook ingest NAME PATH...``: add or update persona documents.

Takes: files and folders.  Gives: what became of each document, and what it cost.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Annotated

import typer

from offbook.cli.globals import (
    BaseUrl,
    BudgetCalls,
    BudgetUsd,
    CharacterName,
    Concurrency,
    Json,
    MethodName,
    Model,
    Preset,
    settings_of_call,
)

if TYPE_CHECKING:
    from offbook.app import Offbook
    from offbook.ingestion.reports import Estimate, IngestReport


def command(
    name: CharacterName,
    paths: Annotated[
        list[str] | None,
        typer.Argument(metavar="PATH", help="Files or folders; none: the stored documents."),
    ] = None,
    method: MethodName = None,
    document_name: Annotated[
        str | None, typer.Option("--name", help="The document's name (one file only).")
    ] = None,
    order: Annotated[
        list[str] | None,
        typer.Option(help="Names of documents in the order of the story, with commas between."),
    ] = None,
    estimate: Annotated[bool, typer.Option("--estimate", help="What it would cost.")] = False,
    strict: Annotated[
        bool, typer.Option("--strict", help="End with 1 when something was quarantined.")
    ] = False,
    as_json: Json = False,
    model: Model = None,
    base_url: BaseUrl = None,
    preset: Preset = None,
    concurrency: Concurrency = None,
    budget_calls: BudgetCalls = None,
    budget_usd: BudgetUsd = None,
) -> int:
    """Add or update persona documents.

    What is stored already is not paid for again.
    """
    from offbook.cli.running import with_offbook

    settings = settings_of_call(
        method=method,
        preset=preset,
        model=model,
        base_url=base_url,
        limits__concurrency=concurrency,
        budget_calls=budget_calls,
        budget_usd=budget_usd,
    )
    files = list(paths or [])
    if estimate:
        found = with_offbook(settings, lambda book: book.estimate(name, files, document_name))
        _print_estimate(found, as_json)
        return 0
    body = _ingestion(name, files, document_name, _order(order))
    return _print_report(with_offbook(settings, body), as_json, strict)


def _ingestion(
    name: str, files: list[str], document_name: str | None, order: list[str]
) -> Callable[[Offbook], Awaitable[IngestReport]]:
    from offbook.cli.progress import shown

    async def body(book: Offbook) -> IngestReport:
        with shown(book.meter) as progress:
            return await book.ingest(
                name, files, document_name=document_name, order=order, progress=progress
            )

    return body


def _order(texts: list[str] | None) -> list[str]:
    """The names in the order given, in one option or in several."""
    return [part.strip() for text in texts or () for part in text.split(",") if part.strip()]


def _print_estimate(estimate: Estimate, as_json: bool) -> None:
    from offbook.cli.running import print_json, say, write

    for message in estimate.messages:
        say(f"offbook: {message}")
    if as_json:
        print_json(estimate.as_json())
        return
    write(estimate.in_words() + "\n")


def _print_report(report: IngestReport, as_json: bool, strict: bool) -> int:
    from offbook.cli.running import cost, print_json, say
    from offbook.ingestion.reports import counted

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
            say(f"{row.status:9} {row.name} ({counted(row.chunks, 'chunk')})")
        say(cost(report.usage))
    if any(row.status == "failed" for row in report.documents):
        return 1
    return 1 if strict and any(row.quarantined for row in report.documents) else 0
