"""``offbook chat NAME``: a conversation with streaming and history.

Takes: lines of standard input.  Gives: replies as they come; ``/why`` shows what the last one
rests on, ``/help`` the other commands.
"""

from __future__ import annotations

import asyncio
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from offbook.cli.globals import (
    BaseUrl,
    BudgetCalls,
    BudgetUsd,
    CharacterName,
    MethodName,
    Model,
    Preset,
    settings_for,
)

if TYPE_CHECKING:
    from offbook.agent.session import Session
    from offbook.app import Offbook

_HELP = "/why  what the last reply rests on\n/quit leave (or Ctrl-D)\n/help this"


def command(
    name: CharacterName,
    session: Annotated[str | None, typer.Option(help="Go on with this conversation.")] = None,
    user: Annotated[str | None, typer.Option(help="Who speaks; conversations are theirs.")] = None,
    method: MethodName = None,
    model: Model = None,
    base_url: BaseUrl = None,
    preset: Preset = None,
    budget_calls: BudgetCalls = None,
    budget_usd: BudgetUsd = None,
) -> None:
    """Talk with a character."""
    from offbook.cli.running import say, with_offbook

    settings = settings_for(
        method=method,
        preset=preset,
        chat__model=model,
        chat__base_url=base_url,
        limits__budget_calls=budget_calls,
        limits__budget_usd=budget_usd,
    )

    async def body(book: Offbook) -> None:
        talk = await book.session(name, session=session, user=user)
        if sys.stdin.isatty():
            say(f"{talk.character.name} ({book.settings.values.chat.model}); /help for commands")
        await _loop(talk)
        say(f"go on with: offbook chat {talk.character.id} --session {talk.id}")

    with_offbook(settings, body)


async def _loop(talk: Session) -> None:
    from offbook.cli.running import say, write

    while True:
        line = await asyncio.to_thread(_line)
        if line is None or line.strip() in ("/quit", "/exit"):
            return
        said = line.strip()
        if not said:
            continue
        if said.startswith("/"):
            say(_meta(talk, said))
            continue
        async for piece in talk.say(said):
            write(piece)
        write("\n")


def _meta(talk: Session, said: str) -> str:
    from offbook.cli.running import cost, grounds

    if said != "/why":
        return _HELP if said == "/help" else f"unknown command {said!r}\n{_HELP}"
    if talk.last is None:
        return "nothing was said yet"
    return "\n".join([*grounds(talk.last.recall), "  " + cost(talk.last.usage)])


def _line() -> str | None:
    try:
        return input("> " if sys.stdin.isatty() else "")
    except EOFError:
        return None
