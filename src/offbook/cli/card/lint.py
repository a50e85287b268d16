"""``offbook card lint FILE...``: every rule that a card or a lorebook breaks.

Takes: files.  Gives: findings; 0 where there is neither an error nor a warning, else 1, and 2 where
a file cannot be read at all; with ``--json`` such a file stands among several with its error.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from offbook.cli.globals import Json

if TYPE_CHECKING:
    from offbook.app.card_lint import LintReport


def command(
    files: Annotated[list[str], typer.Argument(metavar="FILE...", help="Cards and lorebooks.")],
    as_json: Json = False,
) -> int:
    """Check cards and lorebooks strictly; ends with 1 where an error or a warning is found."""
    from offbook.app.card_lint import lint_file
    from offbook.cli.running import print_json, say
    from offbook.errors import OffbookError

    rows: list[dict[str, Any]] = []
    unreadable: OffbookError | None = None
    for file in files:
        try:
            report = lint_file(file)
        except OffbookError as error:  # the other files are checked all the same
            if len(files) == 1:
                raise
            say(f"{file}: {error.message}")
            unreadable = error
            rows.append({"file": file, **error.as_json()})
            continue
        rows.append(report.as_json())
        if not as_json:
            _tell(report)
    if as_json:
        print_json(rows)
    if unreadable is not None:
        if as_json:
            return unreadable.exit_code
        raise unreadable
    return 0 if all(row["ok"] for row in rows) else 1


def _tell(report: LintReport) -> None:
    """The findings on standard output, their number on standard error."""
    from offbook.cli.card.printing import finding_lines
    from offbook.cli.running import say, write

    for line in finding_lines(report.findings):
        write(f"{line}\n" if line.startswith("  ") else f"{report.file}: {line}\n")
    notes = len(report.findings) - report.errors - report.warnings
    counts = f"{report.errors} errors, {report.warnings} warnings, {notes} notes"
    say(f"{report.file}: {report.kind} ({report.format}): {counts}")
