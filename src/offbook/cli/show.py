"""``offbook show NAME [documents|chunks|entities|...]``: look inside.

Takes: what to look at.  Gives: rows for people, or JSON.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import typer

from offbook.cli.globals import CharacterName, Json, UserSeen, settings_for
from offbook.cli.memories import memories


def command(
    name: CharacterName,
    part: Annotated[
        str | None,
        typer.Argument(
            metavar="documents|chunks|entities|relations|aliases|decisions|attributes|memories",
            help="Default: an overview.",
        ),
    ] = None,
    user: UserSeen = None,
    as_json: Json = False,
) -> None:
    """Look inside a character."""
    from offbook.cli.running import print_json, with_offbook, write

    rows = with_offbook(settings_for(), lambda book: book.show(name, part, user=user))
    if as_json:
        print_json(rows)
        return
    shapes: dict[str | None, Callable[[Any], str]] = {
        None: _overview,
        "documents": _documents,
        "chunks": _chunks,
        "entities": _entities,
        "relations": _relations,
        "aliases": _aliases,
        "decisions": _decisions,
        "attributes": _attributes,
        "memories": memories,
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


def _entities(rows: list[dict[str, Any]]) -> str:
    from offbook.cli.running import shortened, table
    from offbook.ingestion.reports import counted

    return table(
        [
            (
                shortened(row["name"], 40),
                row["type"],
                counted(row["mentions"], "mention"),
                shortened(", ".join(row["aliases"]), 50),
                shortened(row["description"], 80),
            )
            for row in rows
        ]
    )


def _relations(rows: list[dict[str, Any]]) -> str:
    from offbook.cli.running import shortened, table

    return table(
        [
            (
                shortened(row["source"], 40),
                "->",
                shortened(row["target"], 40),
                f"{row['strength']:g}",
                shortened(row["description"], 100),
            )
            for row in rows
        ]
    )


def _aliases(rows: list[dict[str, Any]]) -> str:
    from offbook.cli.running import shortened, table

    return table([(shortened(row["alias"], 60), shortened(row["name"], 60)) for row in rows])


def _decisions(rows: list[dict[str, Any]]) -> str:
    from offbook.cli.running import shortened, table

    return table(
        [
            (
                row["id"],
                shortened(row["a"], 40),
                "is" if row["same"] else "is not",
                shortened(row["b"], 40),
                row["by"],
                shortened(row["reason"], 80) + ("" if row["holds"] else _overridden(row["same"])),
            )
            for row in rows
        ]
    )


def _overridden(same: bool) -> str:
    return f" (but now they are {'two' if same else 'one'})"


def _attributes(rows: list[dict[str, Any]]) -> str:
    return "".join(f"{row['kind'].replace('_', ' ')}: {row['text']}\n" for row in rows)
