"""``offbook list``: the characters.

Takes: nothing.  Gives: id, name, and how much is known of each.
"""

from __future__ import annotations

from offbook.cli.globals import Json, settings_for


def command(as_json: Json = False) -> None:
    """List the characters."""
    from offbook.cli.running import print_json, say, with_offbook, write

    rows = with_offbook(settings_for(), lambda book: book.characters())
    if as_json:
        print_json([row.as_json() for row in rows])
        return
    if not rows:
        say("no characters yet; `offbook demo` makes one, `offbook create NAME` makes yours")
    for row in rows:
        write(f"{row.id}\t{row.name}\t{row.documents} documents\t{row.chars} characters\n")
