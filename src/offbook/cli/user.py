"""Commands for what is kept of one person over all characters: ``user``."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import typer

from offbook.cli.options import Json, Yes, command_group, confirm, settings_for
from offbook.cli.output import answer, counted, print_json, say, table, with_offbook, write
from offbook.errors import UsageError

user_app = command_group("See, export or delete what is kept of one person, over all characters.")
User = typer.Argument(..., metavar="USER", help="A name as `user list` has it, or its last part.")


@user_app.command("list")
def list_users(as_json: Json = False) -> None:
    """List who has talked with the characters, and how much is kept of them."""
    rows = with_offbook(settings_for(), lambda book: book.users.list())
    if as_json:
        print_json([asdict(row) for row in rows])
    elif rows:
        write(table([(row.user, *_sizes(row.conversations, row.memories)) for row in rows]))
    else:
        say("nobody has talked with a character")


@user_app.command("export")
def export(
    user: str = User, file: Path = typer.Argument(..., metavar="FILE"), as_json: Json = False
) -> None:
    """Write all conversations and memories of a person into one JSON file."""
    from offbook.app.files import require_place, write_whole

    file = require_place(file)
    if file.exists():
        raise UsageError(f"{str(file)!r} exists", "name another file")
    data = with_offbook(settings_for(), lambda book: book.users.export(user))
    write_whole(file, json.dumps(data, ensure_ascii=False, indent=1) + "\n", private=True)
    document = {"file": str(file), "user": data["user"], "characters": len(data["characters"])}
    answer(as_json, document, f"wrote all of {data['user']} into {file}")


@user_app.command("delete")
def delete(user: str = User, yes: Yes = False, as_json: Json = False) -> None:
    """Delete a person's conversations and what they taught, over all characters."""
    confirm(f"delete all that is kept of {user!r}", yes=yes)
    gone = with_offbook(settings_for(), lambda book: book.users.delete(user))
    sizes = " and ".join(_sizes(gone.conversations, gone.memories))
    answer(as_json, asdict(gone), f"deleted {sizes} of {gone.user}")


def _sizes(conversations: int, memories: int) -> tuple[str, str]:
    words = f"{memories:,} memor{'y' if memories == 1 else 'ies'}"
    return counted(conversations, "conversation"), words
