"""``offbook conversations NAME``: what was said with a character, to list, read, name, delete."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Final

import typer

from offbook.cli.options import (
    CharacterName,
    Json,
    Yes,
    confirm,
    require_words,
    settings_for,
)
from offbook.cli.output import answer, counted, print_json, say, shortened, table, with_offbook
from offbook.cli.output import write as write_out
from offbook.cli.prose import Prose

if TYPE_CHECKING:
    from offbook.app import Offbook
    from offbook.app.conversations import ConversationRow
    from offbook.stores.conversations import StoredTurn

_TAKES: Final = {
    "list": (),
    "show": ("SESSION",),
    "rename": ("SESSION", "NEW"),
    "delete": ("SESSION",),
    "export": ("SESSION", "FILE"),
}
_MINUTE: Final = 16
"""Letters of a time up to its minutes."""


def conversations_command(
    name: CharacterName,
    action: str = typer.Argument(
        "list", metavar="list|show|rename|delete|export", help="What to do."
    ),
    words: list[str] | None = typer.Argument(
        None, metavar="SESSION [NEW | FILE]", help="Which one; its new name, or where it goes."
    ),
    user: str | None = typer.Option(None, help="Whose conversations; each user has their own."),
    yes: Yes = False,
    as_json: Json = False,
) -> None:
    """List, read, rename, delete or export the conversations with a character.

    `export` writes a chat log of SillyTavern. `delete` takes along what the conversation taught the
    character.
    """
    arguments = words or []
    require_words("conversations NAME", action, _TAKES, arguments)
    if action == "delete":
        confirm(f"delete the conversation {arguments[0]!r} and what it taught {name!r}", yes=yes)

    with_offbook(
        settings_for(),
        lambda book: _DO[action](book, name, *arguments, user=user, as_json=as_json),
    )


async def _list(book: Offbook, name: str, *, user: str | None, as_json: bool) -> None:
    _print_list(name, await book.conversations.list_all(name, user=user), as_json)


async def _show(book: Offbook, name: str, session: str, *, user: str | None, as_json: bool) -> None:
    character = await book.find(name)
    turns = await book.conversations.turns(name, session, user=user)
    _print_turns(character.name, turns, as_json)


async def _rename(
    book: Offbook, name: str, session: str, new: str, *, user: str | None, as_json: bool
) -> None:
    await book.conversations.rename(name, session, new, user=user)
    document = {"session": new, "before": session}
    answer(as_json, document, f"the conversation {session!r} is {new!r} now")


async def _delete(
    book: Offbook, name: str, session: str, *, user: str | None, as_json: bool
) -> None:
    await book.conversations.delete(name, session, user=user)
    answer(as_json, {"session": session}, f"deleted the conversation {session!r}")


async def _export(
    book: Offbook, name: str, session: str, file: str, *, user: str | None, as_json: bool
) -> None:
    messages = await book.conversations.export(name, session, file, user=user)
    line = f"exported the conversation {session!r} ({counted(messages, 'message')}) to {file}"
    answer(as_json, {"file": file, "session": session, "messages": messages}, line)


_DO: Final[Mapping[str, Callable[..., Awaitable[None]]]] = {
    "list": _list,
    "show": _show,
    "rename": _rename,
    "delete": _delete,
    "export": _export,
}


def _print_list(name: str, rows: list[ConversationRow], as_json: bool) -> None:
    if as_json:
        print_json([row.as_json() for row in rows])
        return
    if not rows:
        say(f"no conversations yet; begin one: offbook chat {name}")
        return
    cells = (
        (
            row.session,
            row.updated[:_MINUTE].replace("T", " "),
            counted(row.turns, "turn"),
            shortened(row.said, 60),
        )
        for row in rows
    )
    write_out(table([*cells]))


def _print_turns(name: str, turns: list[StoredTurn], as_json: bool) -> None:
    if as_json:
        fields = ("id", "said", "speaker", "answered", "at")
        print_json([{field: getattr(turn, field) for field in fields} for turn in turns])
        return
    for turn in turns:
        if turn.said:
            write_out(f"> {f'{turn.speaker}: ' if turn.speaker else ''}{turn.said}\n")
        if turn.answered:
            prose = Prose(name, is_data=False)
            prose.write(turn.answered)
            prose.end()
