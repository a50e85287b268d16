"""``offbook card attach NAME FILE``: give a character a lorebook, or a card if it has none.

Takes: a character and a file.  Gives: what became of it; no model is asked.
"""

from __future__ import annotations

from offbook.cli.card.printing import CardPath
from offbook.cli.globals import CharacterName, Json, settings_for


def command(name: CharacterName, file: CardPath, as_json: Json = False) -> None:
    """Give a character a lorebook, or a card if it has none.

    Its text becomes a document: `offbook ingest NAME` builds what the method needs of it.
    """
    from offbook.cli.card.printing import print_taken
    from offbook.cli.running import with_offbook

    report = with_offbook(settings_for(), lambda book: book.cards.attach(name, file))
    print_taken(report, as_json)
