"""Commands for books: ``cast`` lists who is in one, ``create --from`` makes a character of one."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any, Literal

import typer

from offbook.cli.options import Json, settings_for
from offbook.cli.output import (
    cost,
    counted,
    print_json,
    say,
    shortened,
    table,
    with_offbook,
    with_progress,
    write,
)

if TYPE_CHECKING:
    from offbook.app import Offbook
    from offbook.app.books import BookCharacter
    from offbook.app.casts import CastRow
    from offbook.ingestion.reports import Estimate, ProgressListener
    from offbook.types import Character

SpeakersBy = Literal["rules", "model"]
_MET = 3
_MOST = 30


def cast_command(
    book: str = typer.Argument(
        ..., metavar="BOOK", help="A file, a folder, or a book or character that there is."
    ),
    limit: int = typer.Option(
        _MOST, "--limit", "-n", min=0, help="The most people to list; 0: all. JSON has all."
    ),
    speakers: SpeakersBy = typer.Option(
        "rules",
        "--speakers",
        help="Who says what by rules, or where no name tells it by the configured model: "
        "of a book of which a character was made.",
    ),
    yes: bool = typer.Option(False, "--yes", "-y", help="Ask the model; else its price is told."),
    as_json: Json = False,
) -> None:
    """List who is in a book: how often, with which names, what they say, whom they meet.

    Without `--speakers model` no model is asked, and nothing is stored: `offbook create --from
    BOOK NAME` does that.
    """
    if speakers == "model":
        _ask_speakers(book, yes=yes)
    rows = with_offbook(settings_for(), lambda home: home.cast(book))
    if as_json:
        print_json([row.as_json() for row in rows])
        return
    if not rows:
        say(f"offbook: nobody is named in {book!r} so that it could be told who that is")
        return
    shown = rows[:limit] if limit else rows
    write(table([_columns(row) for row in shown]))
    if left := len(rows) - len(shown):
        say(f"and {left} more: offbook cast {shlex.quote(book)} -n 0")


def _ask_speakers(book: str, *, yes: bool) -> None:
    """Have a model say who speaks, or tell what that would cost."""
    if not yes:
        estimate = with_offbook(settings_for(), lambda home: home.estimate_speakers(book))
        say(f"a model would say who speaks (--yes): {estimate.in_words()}")
        return
    report = with_progress(
        settings_for(), lambda home, progress: home.speakers(book, progress=progress)
    )
    for message in report.messages:
        say(f"offbook: warning: {message}")
    attributed = f"a model says who speaks {report.attributed} of {report.quotations} quotations"
    say(f"{attributed} whose speaker no tag names; {cost(report.usage)}")


def _columns(row: CastRow) -> tuple[str, ...]:
    met = ", ".join(f"{met.name} ({met.times})" for met in row.meets[:_MET])
    return (
        shortened(row.name, 30),
        {"m": "he", "f": "she"}.get(row.gender, ""),
        counted(row.mentions, "mention"),
        counted(row.lines, "line") + (f" ({row.by_model} by a model)" if row.by_model else ""),
        shortened(row.first if row.first == row.last else f"{row.first} to {row.last}", 40),
        shortened(", ".join(row.aliases), 50),
        f"meets {met}" if met else "",
    )


_LONG = 2_000_000
"""Characters of texts whose estimate takes a minute or more: some four novels."""


def say_created(character: Character) -> None:
    """Tell the person that a character is made, and by which id it is meant."""
    from offbook.stores.characters import character_id

    if character.id != character_id(character.name):
        say(f"there is another {character.name!r}; name this one by its id")
    say(f"created {character.name!r} (id {character.id})")


def create_from(book: str, name: str, *, yes: bool, as_json: bool) -> None:
    """Make a character of a book, and tell what a model would add, or have it add that."""
    made, estimate = with_progress(
        settings_for(), lambda home, progress: _create(home, book, name, progress, tell=not as_json)
    )
    report: dict[str, Any] = made.as_json()
    if estimate is not None:
        report["estimate"] = estimate.as_json()
    if estimate is not None and yes:
        ingested = with_progress(
            settings_for(), lambda home, progress: home.ingest(made.character.id, progress=progress)
        )
        report["ingest"] = ingested.as_json()
        say(cost(ingested.usage))
    if as_json:
        print_json(report)


async def _create(
    home: Offbook, book: str, name: str, progress: ProgressListener, *, tell: bool
) -> tuple[BookCharacter, Estimate | None]:
    """Make it; and what ingesting it would cost, where a model is configured that costs."""
    from offbook.stores import documents
    from offbook.types import traits_of

    made = await home.create_from(book, name, progress=progress)
    id_ = made.character.id
    for message in made.messages:
        say(f"offbook: {message}")
    if tell:
        say_created(made.character)
        others = f", shared with {', '.join(made.others)}" if made.others else ""
        say(f"book {made.book!r}{others}; talk: offbook chat {id_}")
    if traits_of(home.runtime().extractor).free:
        return made, None
    chars = sum(each.chars for each in await home.store.read(documents.list_all, id_))
    if tell and chars > _LONG:
        say(f"counting what `offbook ingest {id_}` would cost takes minutes; Ctrl-C leaves it out")
    estimate = await home.estimate(id_)
    if tell:
        what = "would add names, relations and a profile"
        say(f"offbook ingest {id_} {what}: {estimate.in_words()}")
    return made, estimate
