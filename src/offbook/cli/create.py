"""``offbook create NAME [--card FILE]``: a new character.

Takes: a name in any script, or a card that has one.  Gives: the character's id.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from offbook.cli.globals import Json, settings_for
from offbook.errors import UsageError

if TYPE_CHECKING:
    from offbook.types import Character


def command(
    name: Annotated[
        str | None,
        typer.Argument(metavar="NAME", help="In any script; with --card, default: the card's."),
    ] = None,
    card: Annotated[
        str | None, typer.Option("--card", metavar="FILE", help="Made from this character card.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Make a new character."""
    from offbook.cli.running import print_json, say, with_offbook

    if card is not None:
        _from_card(card, name, as_json)
        return
    if name is None:
        raise UsageError("a character has a name", "offbook create NAME")
    wanted = name
    character = with_offbook(settings_for(), lambda book: book.create(wanted))
    if as_json:
        print_json({"id": character.id, "name": character.name, "created": character.created})
        return
    _say(character)
    say(f"next: offbook ingest {character.id} FILE...")


def _from_card(card: str, name: str | None, as_json: bool) -> None:
    from offbook.cli.card.printing import print_taken
    from offbook.cli.running import with_offbook

    report = with_offbook(settings_for(), lambda book: book.cards.create(card, name))
    if not as_json:
        _say(report.character)
    print_taken(report, as_json)


def _say(character: Character) -> None:
    from offbook.cli.running import say
    from offbook.stores.characters import character_id

    if character.id != character_id(character.name):
        say(f"there is another {character.name!r}; name this one by its id")
    say(f"created {character.name!r} (id {character.id})")
