"""``offbook forget NAME DOCUMENT``: delete a document and all that only it supports.

Takes: a document's name or id.  Gives: what was deleted, and how many turns and memories rest on
what is gone.
"""

from __future__ import annotations

from typing import Annotated

import typer

from offbook.cli.globals import CharacterName, Json, settings_for


def command(
    name: CharacterName,
    document: Annotated[str, typer.Argument(metavar="DOCUMENT", help="Its name or id.")],
    with_memories: Annotated[
        bool,
        typer.Option("--with-memories", help="Also the turns and memories that rest on it."),
    ] = False,
    as_json: Json = False,
) -> None:
    """Delete a document and all that only it supports.

    It leaves the whole home folder: database, journals, cached calls.
    """
    from offbook.cli.running import print_json, say, with_offbook
    from offbook.ingestion.reports import counted

    report = with_offbook(
        settings_for(), lambda book: book.forget(name, document, with_memories=with_memories)
    )
    if as_json:
        print_json(report.as_json())
        return
    say(
        f"forgot {report.document!r}: {counted(report.chunks, 'chunk')}, "
        f"{counted(report.cached_calls, 'cached call')}"
    )
    if report.turns or report.memories:
        memories = "1 memory" if report.memories == 1 else f"{report.memories} memories"
        what = f"{counted(report.turns, 'turn')} and {memories} that rested on it"
        say(
            f"{what} went with it"
            if with_memories
            else f"{what} keep their own words; --with-memories would have taken them along"
        )
