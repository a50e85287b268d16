"""``offbook graph NAME -o FILE``: the graph of a character as a page, GraphML or JSON.

Takes: a character, and a file whose suffix is the format.  Gives: the file.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from offbook.cli.globals import CharacterName, Json, settings_for


def command(
    name: CharacterName,
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Where to: .html (a page that needs no network), .graphml or .json.",
        ),
    ],
    as_json: Json = False,
) -> None:
    """Draw who and what a character knows, and how they relate."""
    from offbook.cli.running import print_json, say, with_offbook
    from offbook.ingestion.reports import counted

    report = with_offbook(settings_for(), lambda book: book.graph(name, output))
    if as_json:
        print_json(report.as_json())
        return
    entities = "1 entity" if report.entities == 1 else f"{report.entities} entities"
    what = f"{entities}, {counted(report.relations, 'relation')}"
    say(f"drew the graph of {report.name!r} ({what}) to {report.file}")
