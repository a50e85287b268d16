"""Commands for whole characters: ``create``, ``list``, ``show``, ``delete``, ``export`` ..."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

import typer

from offbook.cli.book import create_from, say_created
from offbook.cli.cards import print_taken
from offbook.cli.memory import memories
from offbook.cli.options import CharacterName, Json, UserSeen, Yes, confirm, settings_for
from offbook.cli.output import (
    answer,
    counted,
    print_json,
    say,
    shortened,
    table,
    with_offbook,
    write,
)
from offbook.errors import UsageError


def create_command(
    name: str | None = typer.Argument(
        None, metavar="NAME", help="In any script; with --card, default: the card's."
    ),
    card: str | None = typer.Option(None, metavar="FILE", help="Made from this character card."),
    book: str | None = typer.Option(
        None,
        "--from",
        metavar="BOOK",
        help="One of this book's people: a file, a folder, or a book or character there is.",
    ),
    yes: bool = typer.Option(
        False,
        "--yes",
        "-y",
        help="With --from: ingest at once, by the model that is configured.",
    ),
    as_json: Json = False,
) -> None:
    """Make a new character: of a name, a card, or one of a book's people (see `offbook cast`)."""
    if book is not None:
        if card is not None or name is None:
            raise UsageError("--from takes a name and no card", "offbook create --from BOOK NAME")
        create_from(book, name, yes=yes, as_json=as_json)
        return
    if card is not None:
        report = with_offbook(settings_for(), lambda book: book.cards.create(card, name))
        if not as_json:
            say_created(report.character)
        print_taken(report, as_json)
        return
    if name is None:
        raise UsageError("a character has a name", "offbook create NAME")
    character = with_offbook(settings_for(), lambda book: book.create(name))
    if as_json:
        print_json({"id": character.id, "name": character.name, "created": character.created})
        return
    say_created(character)
    say(f"next: offbook ingest {character.id} FILE...")


def list_command(as_json: Json = False) -> None:
    """List the characters."""
    rows = with_offbook(settings_for(), lambda book: book.characters())
    if as_json:
        print_json([row.as_json() for row in rows])
        return
    if not rows:
        say("no characters yet; `offbook demo` makes one, `offbook create NAME` makes yours")
        return
    sizes = ((counted(r.documents, "document"), counted(r.chars, "character")) for r in rows)
    write(table([(r.id, r.name, *size) for r, size in zip(rows, sizes, strict=True)]))


def show_command(
    name: CharacterName,
    part: str | None = typer.Argument(
        None,
        metavar="documents|chunks|entities|relations|aliases|decisions|attributes|memories",
        help="Default: an overview.",
    ),
    user: UserSeen = None,
    as_json: Json = False,
) -> None:
    """Look inside a character."""
    rows = with_offbook(settings_for(), lambda book: book.show(name, part, user=user))
    if as_json:
        print_json(rows)
        return
    if part is None:
        write(_overview(rows))
    elif part == "chunks":
        write(_chunks(rows))
    elif part == "memories":
        write(memories(rows))
    elif part == "attributes":
        write("".join(f"{row['kind'].replace('_', ' ')}: {row['text']}\n" for row in rows))
    else:
        write(table([_COLUMNS[part](row) for row in rows]))


_OVERRIDDEN: Final = {True: " (but now they are two)", False: " (but now they are one)"}
_COLUMNS: Final[Mapping[str, Callable[[dict[str, Any]], tuple[Any, ...]]]] = {
    "documents": lambda row: (
        row["id"],
        row["name"],
        counted(row["chars"], "character"),
        counted(row["chunks"], "chunk"),
        row["status"],
        f"version {row['version']}",
        row["added"],
    ),
    "entities": lambda row: (
        shortened(row["name"], 40),
        row["type"],
        counted(row["mentions"], "mention"),
        shortened(", ".join(row["aliases"]), 50),
        shortened(row["description"], 80),
    ),
    "relations": lambda row: (
        shortened(row["source"], 40),
        "->",
        shortened(row["target"], 40),
        f"{row['strength']:g}",
        shortened(row["description"], 100),
    ),
    "aliases": lambda row: (shortened(row["alias"], 60), shortened(row["name"], 60)),
    "decisions": lambda row: (
        row["id"],
        shortened(row["a"], 40),
        "is" if row["same"] else "is not",
        shortened(row["b"], 40),
        row["by"],
        shortened(row["reason"], 80) + ("" if row["holds"] else _OVERRIDDEN[row["same"]]),
    ),
}
"""What a person sees of a row, by the part of the character."""


def _overview(row: dict[str, Any]) -> str:
    lists = {name: ", ".join(row[name]) for name in ("chunkings", "names")}
    lists["voice"] = "\n".join(row["voice"])
    lines = []
    for key, value in {**row, **lists}.items():
        for place, line in enumerate(str("-" if value in (None, "") else value).split("\n")):
            lines.append((key if place == 0 else "", line))
    return table(lines)


def _chunks(rows: list[dict[str, Any]]) -> str:
    return "".join(
        f"{row['id']} {row['chunking']} {row['document']}[{row['start']}:{row['end']}]"
        f" {', '.join(row['headings'])}".rstrip()
        + f"\n    {shortened(row['text'], 160)}\n"
        for row in rows
    )


def delete_command(name: CharacterName, yes: Yes = False, as_json: Json = False) -> None:
    """Delete a character and all that belongs to it.

    Documents, index, conversations and cached calls leave the whole home folder.
    """
    settings = settings_for()
    character = with_offbook(settings, lambda book: book.find(name, only=True))
    confirm(f"delete {character.name!r} (id {character.id}) and all that belongs to it", yes=yes)
    with_offbook(settings, lambda book: book.delete(character.id))
    line = f"deleted {character.name!r} (id {character.id})"
    answer(as_json, {"id": character.id, "name": character.name}, line)


def export_command(
    name: CharacterName,
    file: Path = typer.Argument(..., metavar="FILE"),
    with_conversations: bool = typer.Option(
        False, "--with-conversations", help="Also conversations and what came of them."
    ),
    as_json: Json = False,
) -> None:
    """Write a character into one file."""
    character = with_offbook(
        settings_for(),
        lambda book: book.export(name, file, with_conversations=with_conversations),
    )
    line = f"exported {character.name!r} (id {character.id}) to {file}"
    answer(as_json, {"id": character.id, "name": character.name, "file": str(file)}, line)


def import_command(
    file: Path = typer.Argument(..., metavar="FILE"),
    replace: bool = typer.Option(False, "--replace", help="In place of the character of that id."),
    yes: Yes = False,
    as_json: Json = False,
) -> None:
    """Read a character from such a file."""
    if replace:
        confirm(f"put {str(file)!r} in place of the character of that id", yes=yes)
    character = with_offbook(settings_for(), lambda book: book.import_(file, replace=replace))
    line = f"imported {character.name!r} (id {character.id})"
    answer(as_json, {"id": character.id, "name": character.name}, line)
