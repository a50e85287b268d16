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

    report = with_offbook(
        settings_for(), lambda book: book.forget(name, document, with_memories=with_memories)
    )
    if as_json:
        print_json(report.as_json())
        return
    say(f"forgot {report.document!r}: {report.chunks} chunks, {report.cached_calls} cached calls")
    if report.turns or report.memories:
        verb = "were deleted too" if with_memories else "rest on it and stay (--with-memories)"
        say(f"{report.turns} turns and {report.memories} memories {verb}")
