"""``offbook delete NAME``: a character and all that belongs to it.

Takes: a name, and a yes.  Gives: nothing; it is gone from the whole home folder.
"""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from offbook.cli.globals import CharacterName, Json, settings_for


def command(
    name: CharacterName,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    as_json: Json = False,
) -> None:
    """Delete a character and all that belongs to it.

    Documents, index, conversations and cached calls leave the whole home folder.
    """
    from offbook.cli.running import print_json, say, with_offbook

    settings = settings_for()
    character = with_offbook(settings, lambda book: book.find(name, only=True))
    if not yes and sys.stdin.isatty():
        typer.confirm(
            f"delete {character.name!r} and all that belongs to it?", abort=True, err=True
        )
    with_offbook(settings, lambda book: book.delete(character.id))
    if as_json:
        print_json({"id": character.id, "name": character.name})
        return
    say(f"deleted {character.name!r} (id {character.id})")
