"""``offbook show NAME [documents|chunks]``: look inside.

Takes: what to look at.  Gives: rows for people, or JSON.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import typer

from offbook.cli.globals import CharacterName, Json, settings_for


def command(
    name: CharacterName,
    part: Annotated[
        str | None, typer.Argument(metavar="documents|chunks", help="Default: an overview.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Look inside a character."""
    from offbook.cli.running import print_json, with_offbook, write

    rows = with_offbook(settings_for(), lambda book: book.show(name, part))
    if as_json:
        print_json(rows)
        return
    shapes: dict[str | None, Callable[[Any], str]] = {
        None: _overview,
        "documents": _documents,
        "chunks": _chunks,
    }
    write(shapes[part](rows))


def _overview(row: dict[str, Any]) -> str:
    from offbook.cli.running import table

    lists = {"chunkings": ", ".join(row["chunkings"]), "voice": "\n".join(row["voice"])}
    lines = []
    for key, value in {**row, **lists}.items():
        for place, line in enumerate(str("-" if value in (None, "") else value).split("\n")):
            lines.append((key if place == 0 else "", line))
    return table(lines)


def _documents(rows: list[dict[str, Any]]) -> str:
    from offbook.cli.running import table
    from offbook.ingestion.reports import counted

    return table(
        [
            (
                row["id"],
                row["name"],
                counted(row["chars"], "character"),
                counted(row["chunks"], "chunk"),
                row["status"],
                f"version {row['version']}",
                row["added"],
            )
            for row in rows
        ]
    )


def _chunks(rows: list[dict[str, Any]]) -> str:
    from offbook.cli.running import shortened

    return "".join(
        f"{row['id']} {row['chunking']} {row['document']}[{row['start']}:{row['end']}]"
        f" {', '.join(row['headings'])}".rstrip()
        + f"\n    {shortened(row['text'], 160)}\n"
        for row in rows
    )
