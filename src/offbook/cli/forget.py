"""``offbook forget NAME DOCUMENT``: delete a document and all that only it supports.

Takes: a document's name or id.  Gives: what was deleted, and how many turns and memories rest on
what is gone.
"""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Annotated

import typer

from offbook.cli.globals import CharacterName, Json, settings_for

if TYPE_CHECKING:
    from offbook.app import ForgetReport, Offbook


def command(
    name: CharacterName,
    document: Annotated[str, typer.Argument(metavar="DOCUMENT", help="Its name or id.")],
    with_memories: Annotated[
        bool,
        typer.Option(
            "--with-memories", help="Also turns and memories that rest on it; later, too."
        ),
    ] = False,
    as_json: Json = False,
) -> None:
    """Delete a document and all that only it supports.

    It leaves the whole home folder: database, journals, cached calls. A graph is brought up to
    date: what lost a source is merged anew.
    """
    from offbook.cli.progress import shown
    from offbook.cli.running import cost, print_json, say, with_offbook
    from offbook.ingestion.reports import counted

    async def body(book: Offbook) -> ForgetReport:
        with shown(book.meter) as progress:
            return await book.forget(name, document, with_memories=with_memories, progress=progress)

    report = with_offbook(settings_for(), body)
    for message in report.messages:
        say(f"offbook: warning: {message}")
    if as_json:
        print_json(report.as_json())
        return
    say(
        f"forgot {report.document!r}: {counted(report.chunks, 'chunk')}, "
        f"{counted(report.cached_calls, 'cached call')}"
    )
    if report.turns or report.memories:
        say(_resting(report, name, gone=with_memories))
    if report.usage.calls or report.usage.embed_calls:
        say(f"brought the indexes up to date: {cost(report.usage)}")


def _resting(report: ForgetReport, character: str, *, gone: bool) -> str:
    """What becomes of the turns and memories that rested on the document."""
    from offbook.ingestion.reports import counted

    memories = "1 memory" if report.memories == 1 else f"{report.memories} memories"
    what = f"{counted(report.turns, 'turn')} and {memories} that rested on it"
    if gone:
        return f"{what} went with it"
    again = shlex.join(["offbook", "forget", character, report.document, "--with-memories"])
    return f"{what} keep their own words; to take them along: {again}"
