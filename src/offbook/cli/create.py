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
    from offbook.stores.characters import character_id

    character = with_offbook(settings_for(), lambda book: book.create(name))
    if as_json:
        print_json({"id": character.id, "name": character.name, "created": character.created})
        return
    if character.id != character_id(name):
        say(f"there is another {character.name!r}; name this one by its id")
    say(f"created {character.name!r} (id {character.id})")
    say(f"next: offbook ingest {character.id} FILE...")
