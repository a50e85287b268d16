"""``offbook export NAME FILE`` and ``offbook import FILE``: a character in one file.

Takes: a character, or such a file.  Gives: the file, or the character; an exact round trip.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from offbook.cli.globals import CharacterName, Json, settings_for


def export_command(
    name: CharacterName,
    file: Annotated[Path, typer.Argument(metavar="FILE")],
    with_conversations: Annotated[
        bool,
        typer.Option("--with-conversations", help="Also conversations and what came of them."),
    ] = False,
    as_json: Json = False,
) -> None:
    """Write a character into one file."""
    from offbook.cli.running import print_json, say, with_offbook

    character = with_offbook(
        settings_for(),
        lambda book: book.export(name, file, with_conversations=with_conversations),
    )
    if as_json:
        print_json({"id": character.id, "name": character.name, "file": str(file)})
    else:
        say(f"exported {character.name!r} (id {character.id}) to {file}")


def import_command(
    file: Annotated[Path, typer.Argument(metavar="FILE")],
    replace: Annotated[
        bool, typer.Option("--replace", help="In place of the character of that id.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Read a character from such a file."""
    from offbook.cli.running import print_json, say, with_offbook

    character = with_offbook(settings_for(), lambda book: book.import_(file, replace=replace))
    if as_json:
        print_json({"id": character.id, "name": character.name})
    else:
        say(f"imported {character.name!r} (id {character.id})")
