"""How findings and reports about cards are printed, for people.

Takes: findings, reports.  Gives: lines.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from offbook.app.card_files import WrittenFile
    from offbook.app.cards import CardReport
    from offbook.cards import Finding

CardPath = Annotated[
    str, typer.Argument(metavar="FILE", help="A card or a lorebook, in any format that is known.")
]
Spec = Annotated[
    int | None,
    typer.Option("--spec", metavar="1|2|3", help="Version of the card, for .json; default: its."),
]
Picture = Annotated[
    str | None,
    typer.Option("--picture", metavar="PNG", help="The picture; default: the card's own."),
]


def finding_lines(findings: Iterable[Finding | dict[str, Any]]) -> list[str]:
    """A line a finding, and one for how to mend it."""
    lines: list[str] = []
    for found in findings:
        row = found if isinstance(found, dict) else found.as_json()
        where = f" {row['path']}" if row["path"] else ""
        lines.append(f"{row['severity']}:{where}: {row['message']} [{row['code']}]")
        if row["mend"]:
            lines.append(f"  {row['mend']}")
    return lines


def say_warnings(findings: Sequence[Finding]) -> None:
    """Warnings on standard error."""
    from offbook.cli.running import say

    for found in findings:
        if found.severity != "note":
            where = f"{found.path}: " if found.path else ""
            say(f"offbook: warning: {where}{found.message}")


def print_written(written: WrittenFile, as_json: bool) -> None:
    """A file that was written, and what it does not carry."""
    from offbook.cli.running import print_json, say

    say_warnings(written.losses)
    if as_json:
        print_json(written.as_json())
        return
    say(f"written: {written.file} ({written.format}, {written.bytes} bytes)")


def print_taken(report: CardReport, as_json: bool) -> None:
    """What became of a card or lorebook."""
    from offbook.cli.running import print_json, say
    from offbook.ingestion.reports import counted

    say_warnings(report.warnings)
    for row in report.documents:
        for message in row.messages:
            say(f"offbook: {message}")
    if as_json:
        print_json(report.as_json())
        return
    names = ", ".join(f"{row.name!r} {row.status}" for row in report.documents)
    say(f"{report.kind} {report.file!r}: {names}")
    told = []
    if report.greetings:
        told.append(counted(report.greetings, "greeting"))
    if report.entries:
        told.append(f"a lorebook of {report.entries}")
    if told:
        say("  " + ", ".join(told))
    say(f"next: offbook ingest {report.character.id}")
