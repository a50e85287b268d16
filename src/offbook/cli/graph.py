"""Commands for the graph of a character: ``graph`` draws it, ``alias`` corrects who is who."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from offbook.cli.options import (
    BUDGET,
    CharacterName,
    Json,
    require_words,
    settings_for,
    settings_of,
    with_options,
)
from offbook.cli.output import (
    answer,
    cost,
    counted,
    print_json,
    say,
    shortened,
    with_offbook,
    with_progress,
)

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from offbook.app import Offbook
    from offbook.app.documents import AliasReport
    from offbook.ingestion.reports import ProgressListener
    from offbook.settings import Settings


def graph_command(
    name: CharacterName,
    output: Path = typer.Option(
        ...,
        "--output",
        "-o",
        metavar="FILE",
        help="Where to: .html (a page that needs no network), .graphml or .json.",
    ),
    as_json: Json = False,
) -> None:
    """Draw who and what a character knows, and how they relate."""
    report = with_offbook(settings_for(), lambda book: book.graph(name, output))
    entities = counted(report.entities, "entity")
    what = f"{entities}, {counted(report.relations, 'relation')}"
    answer(
        as_json, report.as_json(), f"drew the graph of {report.name!r} ({what}) to {report.file}"
    )


_TAKES = {"add": ("A", "B"), "remove": ("A", "B"), "undo": ("ID",)}


@with_options(settings=settings_of(*BUDGET))
def alias_command(
    name: CharacterName,
    settings: Settings,
    action: str = typer.Argument(..., metavar="add|remove|undo", help="What to do."),
    words: list[str] = typer.Argument(
        ...,
        metavar="A B | ID",
        help="Two names; for `undo` the id of a decision, see `show NAME decisions`.",
    ),
    as_json: Json = False,
) -> None:
    """Say who is who: A is B (add), A is not B (remove), or undo a decision.

    Your corrections are kept when you ingest again. `add` also records a name that no text has.
    """
    require_words("alias NAME", action, _TAKES, words)

    def correct(book: Offbook, progress: ProgressListener) -> Awaitable[AliasReport]:
        if action == "undo":
            return book.undo_decision(name, words[0], progress=progress)
        return book.alias(name, words[0], words[1], same=action == "add", progress=progress)

    report = with_progress(settings, correct)
    for message in report.messages:
        say(f"offbook: {message}")
    if as_json:
        print_json(report.as_json())
        return
    statement = f"{report.a!r} {'is' if report.same else 'is not'} {report.b!r}"
    say(
        {
            "recorded": f"recorded (id {report.id}): {statement}",
            "unchanged": f"already recorded (id {report.id}): {statement}",
            "withdrawn": f"taken back: {statement}",
            "overruled": f"overruled {report.undone} (id {report.id}): {statement}",
        }[report.status]
    )
    for entity in report.entities:
        also = f", also {', '.join(entity.aliases)}" if entity.aliases else ""
        say(f"  {shortened(entity.name + also, 160)}")
    say(cost(report.usage))
