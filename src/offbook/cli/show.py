"""``offbook show NAME [documents|chunks]``: look inside.

Takes: what to look at.  Gives: rows for people, or JSON.
"""

from __future__ import annotations

from typing import Annotated, Any

import typer

from offbook.cli.globals import CharacterName, Json, settings_for

PARTS = ("documents", "chunks")


def command(
    name: CharacterName,
    part: Annotated[
        str | None, typer.Argument(metavar="[documents|chunks]", help="Default: an overview.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Look inside a character."""
    from offbook.cli.running import print_json, with_offbook, write
    from offbook.errors import UnknownName

    if part is not None and part not in PARTS:
        raise UnknownName(f"nothing called {part!r} to show", f"known: {', '.join(PARTS)}")
    rows = with_offbook(settings_for(), lambda book: book.show(name, part))
    if as_json:
        print_json(rows)
        return
    for row in rows if isinstance(rows, list) else [rows]:
        write(_line(row) + "\n")


def _line(row: dict[str, Any]) -> str:
    cells = []
    for key, value in row.items():
        shown = ", ".join(value) if isinstance(value, list) else str(value)
        shown = " ".join(shown.split())
        cells.append(f"{key}: {shown if len(shown) <= 100 else shown[:97] + '...'}")
    return "  ".join(cells)
