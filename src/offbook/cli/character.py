"""Commands for whole characters: ``create``, ``list``, ``show``, ``delete``, ``export`` ..."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

import typer

from offbook.cli.book import create_from, say_created
from offbook.cli.cards import print_taken
from offbook.cli.memory import memories
from offbook.cli.options import GLOBALS, CharacterName, Json, UserSeen, Yes, confirm, settings_for
from offbook.cli.output import (
    IS_OFFLINE,
    answer,
    called,
    cost,
    counted,
    felt,
    grounds,
    print_json,
    say,
    shortened,
    table,
    with_offbook,
    write,
)
from offbook.errors import UsageError

if TYPE_CHECKING:
    from offbook.app import Offbook
    from offbook.types import ContextItem, Message, Recall

DemoText = Literal["person", "book"]


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


_EMBEDDED = {
    "chat.model": "offline",
    "extract.model": "offline",
    "judge.model": "offline",
    "embed.model": "builtin",
    "preset": "default",
}
_SHOWS_A_TRAIT = {
    # One of the questions is after a trait, and offline the judgements cost no call.
    "ensemble.gs": "live",
    "ensemble.ae": True,
}
_BY_PASSAGES = {"method": "naive"}
"""What answers from a book at once, as `create --from` leaves it."""
_LINE = 170
_MOST_SHOWN = 2
"""Pieces that a question shows: seven questions stand on two screens."""


def demo_command(
    which: DemoText = typer.Argument(
        "person", metavar="WHICH", help="Edmond Dantès, or two people of a novella."
    ),
    configured: bool = typer.Option(
        False, "--configured", help="With the configured model, instead of the embedded."
    ),
    as_json: Json = False,
) -> None:
    """Build the shipped character and ask it seven questions.

    `offbook demo book` makes two people of the shipped novella and asks each the same question at
    two of its chapters.
    """
    from offbook.cli import novella

    more, talk, collect = (
        (_SHOWS_A_TRAIT, _talk, _collect)
        if which == "person"
        else (_BY_PASSAGES, novella.talk, novella.collect)
    )
    settings = settings_for({} if configured else _embedded(more))
    if as_json:
        print_json(with_offbook(settings, collect))
    else:
        with_offbook(settings, talk)


def _embedded(more: Mapping[str, Any]) -> dict[str, Any]:
    """What makes the demo the same everywhere, but for flags of its own command line."""
    from offbook.settings.model import SettingsModel

    method = SettingsModel.model_fields["method"].default
    flags = {**_EMBEDDED, "method": method, **more}
    return {name: value for name, value in flags.items() if name not in GLOBALS.flags}


async def _talk(book: Offbook) -> None:
    from offbook.demo import DEMO_QUESTIONS, DEMO_USER
    from offbook.types import traits_of

    if not traits_of(book.runtime().actor).measures:
        write(IS_OFFLINE.format(text="persona document"))
    character, report = await book.demo_character()
    row = report.documents[0]
    chunks = counted(row.chunks, "chunk")
    write(f"\n{character.name}: {row.name} {row.status}, {chunks}, {cost(report.usage)}\n")
    talk = await book.session(character.id, user=DEMO_USER, keep=False)
    for question in DEMO_QUESTIONS:
        before = talk.history
        write(f"\n[{question.label}]\n> {question.question}\n")
        async for piece in talk.say(question.question):
            write(piece)
        write("\n")
        if talk.last is not None:
            recall = talk.last.recall
            best = sorted(recall.context, key=_by_score)[:_MOST_SHOWN]
            shown = replace(recall, context=tuple(best), skipped=(), boundary=None, emotion=None)
            lines = [*_shown(recall, before), "rests on:"]
            lines += grounds(shown, await book.places(recall))
            rest, left_out = len(recall.context) - len(best), len(recall.skipped)
            lines.append(f"  and {rest} more; {left_out} left out; /why in a chat shows all")
            write("\n".join(lines) + "\n")
    write(f"\nNow talk yourself: {called()} chat {character.id}\n")


async def _collect(book: Offbook) -> dict[str, Any]:
    """The same as one document: what was ingested, and each reply in the shape of ``ask``."""
    from offbook.demo import DEMO_QUESTIONS, DEMO_USER

    character, report = await book.demo_character()
    talk = await book.session(character.id, user=DEMO_USER, keep=False)
    replies = []
    for question in DEMO_QUESTIONS:
        reply = await talk.ask(question.question)
        replies.append({"label": question.label, **reply.as_json()})
    model = book.settings.values.chat.model
    return {"model": model, "ingest": report.as_json(), "replies": replies}


def _by_score(item: ContextItem) -> tuple[bool, float]:
    return item.kind == "profile", -item.score


def _shown(recall: Recall, before: Sequence[Message]) -> list[str]:
    """What of a recall the question was asked for, the best of each kind; only what is there."""
    from offbook.methods.knowledge import with_antecedent

    best = {item.kind: item for item in sorted(recall.context, key=lambda item: item.score)}
    lines = [line for item in best.values() for line in _telling(item, recall.question)]
    if recall.boundary is not None and recall.boundary.verdict != "in":
        reasons = "; ".join(each.reason for each in recall.boundary.reasons)
        lines.append(f"beyond what {recall.character} knows: {reasons}")
    full = with_antecedent(recall.question, before)
    if full != recall.question:
        lines.append(f"refers back, and is read as: {' '.join(full.split())}")
    return [f"* {line}" for line in lines]


def _telling(item: ContextItem, question: str) -> list[str]:
    """An alias that the question uses, a trait, a memory with how it was felt."""
    from offbook.prompts.emotion import is_of_conversation
    from offbook.text.words import fold

    if item.kind == "entity":
        name, _, aliases = item.title.partition(" (")
        used = [a for a in aliases.removesuffix(")").split(", ") if a and fold(a) in fold(question)]
        return [f"{alias} is {name}" for alias in used if fold(name) not in fold(question)]
    if item.kind == "attribute":
        return [f"{item.title.lower()}: {shortened(item.text, _LINE)}"]
    if item.kind == "memory" and is_of_conversation(item.title):
        return [shortened(item.text, _LINE)]
    if item.kind == "memory" and item.emotion is not None:
        return [f"a memory, felt with {felt(item.emotion, 2)}: {shortened(item.text, _LINE)}"]
    return []


def export_command(
    name: CharacterName,
    file: Path = typer.Argument(..., metavar="FILE"),
    with_conversations: bool = typer.Option(
        False, "--with-conversations", help="Also conversations and what came of them."
    ),
    session: str | None = typer.Option(
        None, help="Only this conversation, as a chat log of SillyTavern."
    ),
    user: str | None = typer.Option(None, help="Whose conversation it is."),
    as_json: Json = False,
) -> None:
    """Write a character into one file; or a conversation as a chat log."""
    if session is not None:
        if with_conversations:
            raise UsageError(
                "--session writes a chat log, and --with-conversations a character",
                "name one of the two",
            )
        messages = with_offbook(
            settings_for(),
            lambda book: book.cards.export_chat(name, file, session=session, user=user),
        )
        line = f"exported the conversation {session!r} ({counted(messages, 'message')}) to {file}"
        answer(as_json, {"file": str(file), "session": session, "messages": messages}, line)
        return
    if user is not None:
        raise UsageError("--user says whose conversation it is", "name it: --session ID")
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
