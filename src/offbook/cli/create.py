"""``offbook create NAME``: a new character.

Takes: a name in any script.  Gives: the character's id.
"""

from __future__ import annotations

from typing import Annotated

import typer

from offbook.cli.globals import Json, settings_for


def command(
    name: Annotated[str, typer.Argument(metavar="NAME", help="In any script.")],
    as_json: Json = False,
) -> None:
    """Make a new character."""
    from offbook.cli.running import print_json, say, with_offbook

    character = with_offbook(settings_for(), lambda book: book.create(name))
    if as_json:
        print_json({"id": character.id, "name": character.name, "created": character.created})
        return
    say(f"created {character.name!r} (id {character.id})")
    say(f"next: offbook ingest {character.id} FILE...")
