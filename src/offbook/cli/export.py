"""``offbook export NAME FILE`` and ``offbook import FILE``: a character in one file.

Takes: a character, or such a file.  Gives: the file, or the character; an exact round trip. One
conversation by itself is written as a chat log.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from offbook.cli.globals import CharacterName, Json, settings_for
from offbook.errors import UsageError


def export_command(
    name: CharacterName,
    file: Annotated[Path, typer.Argument(metavar="FILE")],
    with_conversations: Annotated[
        bool,
        typer.Option("--with-conversations", help="Also conversations and what came of them."),
    ] = False,
    session: Annotated[
        str | None,
        typer.Option("--session", help="Only this conversation, as a chat log of SillyTavern."),
    ] = None,
    user: Annotated[str | None, typer.Option("--user", help="Whose conversation it is.")] = None,
    as_json: Json = False,
) -> None:
    """Write a character into one file; or a conversation as a chat log."""
    from offbook.cli.running import print_json, say, with_offbook

    if session is not None:
        if with_conversations:
            raise UsageError(
                "--session writes a chat log, and --with-conversations a character",
                "name one of the two",
            )
        _chat(name, file, session, user, as_json)
        return
    if user is not None:
        raise UsageError("--user says whose conversation it is", "name it: --session ID")
    character = with_offbook(
        settings_for(),
        lambda book: book.export(name, file, with_conversations=with_conversations),
    )
    if as_json:
        print_json({"id": character.id, "name": character.name, "file": str(file)})
    else:
        say(f"exported {character.name!r} (id {character.id}) to {file}")


def _chat(name: str, file: Path, session: str, user: str | None, as_json: bool) -> None:
    from offbook.cli.running import print_json, say, with_offbook
    from offbook.ingestion.reports import counted

    messages = with_offbook(
        settings_for(), lambda book: book.cards.export_chat(name, file, session=session, user=user)
    )
    if as_json:
        print_json({"file": str(file), "session": session, "messages": messages})
    else:
        say(f"exported the conversation {session!r} ({counted(messages, 'message')}) to {file}")


def import_command(
    file: Annotated[Path, typer.Argument(metavar="FILE")],
    replace: Annotated[
        bool, typer.Option("--replace", help="In place of the character of that id.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Read a character from such a file."""
    from offbook.cli.running import print_json, say, with_offbook

    character = with_offbook(settings_for(), lambda book: book.import_(file, replace=replace))
    if as_json:
        print_json({"id": character.id, "name": character.name})
    else:
        say(f"imported {character.name!r} (id {character.id})")
