"""``offbook card export NAME FILE``: a character as a card for other programs.

Takes: a character, and a file whose suffix is the format.  Gives: the file; no model is asked.
"""

from __future__ import annotations

from typing import Annotated

import typer

from offbook.cli.card.printing import Picture, Spec
from offbook.cli.globals import CharacterName, Json, settings_for


def command(
    name: CharacterName,
    file: Annotated[str, typer.Argument(metavar="FILE", help="Where to: .json, .png or .charx.")],
    spec: Spec = None,
    picture: Picture = None,
    as_json: Json = False,
) -> None:
    """Write a character as a card: the one that it came from, or one made of what it is."""
    from offbook.cli.card.printing import print_written
    from offbook.cli.running import with_offbook

    written = with_offbook(
        settings_for(), lambda book: book.cards.export(name, file, spec=spec, picture=picture)
    )
    print_written(written, as_json)
