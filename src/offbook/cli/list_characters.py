"""``offbook list``: the characters.

Takes: nothing.  Gives: id, name, and how much is known of each.
"""

from __future__ import annotations

from offbook.cli.globals import Json, settings_for


def command(as_json: Json = False) -> None:
    """List the characters."""
    from offbook.cli.running import print_json, say, table, with_offbook, write
    from offbook.ingestion.reports import counted

    rows = with_offbook(settings_for(), lambda book: book.characters())
    if as_json:
        print_json([row.as_json() for row in rows])
        return
    if not rows:
        say("no characters yet; `offbook demo` makes one, `offbook create NAME` makes yours")
        return
    write(
        table(
            [
                (r.id, r.name, counted(r.documents, "document"), counted(r.chars, "character"))
                for r in rows
            ]
        )
    )
