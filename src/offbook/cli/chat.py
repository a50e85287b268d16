"""``offbook chat NAME``: a conversation with streaming and history.

Takes: lines of standard input.  Gives: replies as they come; ``/why`` shows what the last one
rests on, ``/help`` the other commands.
"""

from __future__ import annotations

import asyncio
import shlex
import signal
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated

import typer

from offbook.cli.globals import (
    AsOf,
    BaseUrl,
    BudgetCalls,
    BudgetUsd,
    CharacterName,
    MethodName,
    Model,
    Preset,
    Strategy,
    one_line,
    settings_of_call,
)
from offbook.errors import OffbookError

if TYPE_CHECKING:
    from offbook.agent.session import Session
    from offbook.app import Offbook

_HELP = """\
/why   what the last reply rests on, and what it cost
/quit  leave (or Ctrl-D); the conversation is kept
/help  this"""


def command(
    name: CharacterName,
    session: Annotated[str | None, typer.Option(help="Go on with this conversation.")] = None,
    user: Annotated[str | None, typer.Option(help="Who speaks; conversations are theirs.")] = None,
    as_of: AsOf = None,
    method: MethodName = None,
    strategy: Strategy = None,
    model: Model = None,
    base_url: BaseUrl = None,
    preset: Preset = None,
    budget_calls: BudgetCalls = None,
    budget_usd: BudgetUsd = None,
) -> None:
    """Talk with a character."""
    from offbook.cli.running import say, with_offbook

    settings = settings_of_call(
        method=method,
        strategy=strategy,
        preset=preset,
        model=model,
        base_url=base_url,
        budget_calls=budget_calls,
        budget_usd=budget_usd,
    )

    async def body(book: Offbook) -> None:
        await book.require_index(name)
        talk = await book.session(name, session=session, user=user, as_of=as_of)
        if sys.stdin.isatty():
            say(_greeting(talk, book.settings.values.chat.model))
        try:
            await _loop(talk)
        finally:
            if talk.history:
                words = ["offbook", "chat", talk.character.id, "--session", talk.id]
                words += ["--user", user] if user else []
                words += ["--as-of", as_of] if as_of else []
                say("go on with: " + shlex.join(words))

    with_offbook(settings, body)


def _greeting(talk: Session, model: str) -> str:
    from offbook.ingestion.reports import counted
    from offbook.settings.model import OFFLINE

    backend = "the offline backend, no language model" if model == OFFLINE else model
    turns = len(talk.history) // 2
    before = f", {counted(turns, 'turn')} so far" if turns else ""
    return f"{talk.character.name}, by {backend}{before}; /help for commands, Ctrl-D to leave"


async def _loop(talk: Session) -> None:
    from offbook.cli.running import say

    while (line := _line()) is not None:
        said = line.strip()
        if said in ("/quit", "/exit"):
            return
        if said.startswith("/"):
            say(_meta(talk, said))
        elif said:
            await _answer(talk, said)


async def _answer(talk: Session, said: str) -> None:
    """Print the reply as it comes; at a terminal a failed turn does not end the conversation."""
    from offbook.cli.running import say, write

    begun = False
    try:
        async for piece in talk.say(said):
            write(piece)
            begun = True
    except OffbookError as error:
        if not sys.stdin.isatty():
            raise
        say(("\n" if begun else "") + one_line(error))
    else:
        write("\n")


def _meta(talk: Session, said: str) -> str:
    from offbook.cli.running import cost, grounds

    if said != "/why":
        return _HELP if said == "/help" else f"no command {said!r}\n{_HELP}"
    if talk.last is None:
        return "nothing was said yet"
    return "\n".join(["rests on:", *grounds(talk.last.recall), "  " + cost(talk.last.usage)])


def _line() -> str | None:
    """The next line of standard input; None at its end.

    It is read in the main thread, which holds up nothing while the person thinks: a thread of its
    own could not be stopped by Ctrl-C. The event loop's own handling of Ctrl-C is put aside
    meanwhile, since it would wait for this function to return.
    """
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        turn = asyncio.current_task()
        if turn is not None and turn.cancelling():
            raise KeyboardInterrupt  # it came before Ctrl-C was taken over, and waits to be seen
        if not sys.stdin.isatty():
            return sys.stdin.readline() or None
        with suppress(ImportError):
            import readline  # noqa: F401 - arrow keys and earlier lines
        return input("> ")
    except EOFError:
        sys.stderr.write("\n")
        return None
    except KeyboardInterrupt:
        sys.stderr.write("\n")
        raise
    finally:
        signal.signal(signal.SIGINT, before)
