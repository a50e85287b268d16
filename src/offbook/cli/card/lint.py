"""``offbook card lint FILE...``: every rule that a card or a lorebook breaks.

Takes: files.  Gives: findings; 0 where there is neither an error nor a warning, else 1, and 2 where
a file cannot be read at all.
"""

from __future__ import annotations

from typing import Annotated

import typer

from offbook.cli.globals import Json


def command(
    files: Annotated[list[str], typer.Argument(metavar="FILE...", help="Cards and lorebooks.")],
    as_json: Json = False,
) -> int:
    """Check cards and lorebooks strictly; ends with 1 where an error or a warning is found."""
    from offbook.app.card_files import LintReport, lint_file
    from offbook.cli.card.printing import finding_lines
    from offbook.cli.running import print_json, say, write
    from offbook.errors import OffbookError

    if as_json:
        reports = [lint_file(file) for file in files]
        print_json([report.as_json() for report in reports])
        return 0 if all(report.ok for report in reports) else 1
    unreadable: OffbookError | None = None
    reports = list[LintReport]()
    for file in files:
        try:
            report = lint_file(file)
        except OffbookError as error:  # the other files are checked all the same
            if len(files) > 1:
                say(f"{file}: {error.message}")
            unreadable = error
            continue
        reports.append(report)
        for line in finding_lines(report.findings):
            write(f"{line}\n" if line.startswith("  ") else f"{report.file}: {line}\n")
        notes = len(report.findings) - report.errors - report.warnings
        counts = f"{report.errors} errors, {report.warnings} warnings, {notes} notes"
        say(f"{report.file}: {report.kind} ({report.format}): {counts}")
    if unreadable is not None:
        raise unreadable
    return 0 if all(report.ok for report in reports) else 1
