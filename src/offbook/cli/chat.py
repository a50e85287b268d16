"""``offbook chat NAME``: a conversation with streaming and history.

Takes: lines of standard input.  Gives: replies as they come; ``/why`` shows what the last one
rests on, ``/help`` the other commands.
"""

from __future__ import annotations

import asyncio
import select
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
from offbook.errors import OffbookError, StoreFailed

if TYPE_CHECKING:
    from offbook.agent.learning import Learning
    from offbook.agent.session import Session
    from offbook.app import Offbook
    from offbook.cli.interruption import PipedLines

_PROMPT = "> "
_AT_ONCE_SECONDS = 0.02
_HELP = """\
/why   what the last reply rests on, and what it cost
/quit  leave (or Ctrl-D); the conversation is kept
/help  this"""


def command(
    name: CharacterName,
    session: Annotated[str | None, typer.Option(help="Go on with this conversation.")] = None,
    user: Annotated[str | None, typer.Option(help="Who speaks; conversations are theirs.")] = None,
    as_of: AsOf = None,
    greeting: Annotated[
        int,
        typer.Option(
            metavar="N",
            help="Which greeting of its card a character begins with; 0: you speak first.",
        ),
    ] = 1,
    method: MethodName = None,
    strategy: Strategy = None,
    model: Model = None,
    base_url: BaseUrl = None,
    preset: Preset = None,
    budget_calls: BudgetCalls = None,
    budget_usd: BudgetUsd = None,
) -> int:
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

    async def body(book: Offbook) -> int:
        await book.require_index(name)
        talk = await book.session(name, session=session, user=user, as_of=as_of)
        if sys.stdin.isatty():
            say(_headline(talk, book.settings.values.chat.model))
        _greet(talk, greeting)
        try:
            failed = await _loop(talk, book.learning)
        finally:
            if any(message.role == "user" for message in talk.history):
                say(f"go on with: {_again(talk, user, as_of)}")
        await book.learning.rest(settings.values.memory.grace_seconds)
        for failure in dict.fromkeys(book.learning.failures):
            say(f"offbook: warning: memories wait to be scored: {failure}")
        return 1 if failed else 0

    return with_offbook(settings, body)


def _again(talk: Session, user: str | None, as_of: str | None) -> str:
    """The command that goes on with this conversation."""
    words = ["offbook", "chat", talk.character.id, "--session", talk.id]
    words += ["--user", user] if user else []
    words += ["--as-of", as_of] if as_of else []
    return shlex.join(words)


def _headline(talk: Session, model: str) -> str:
    from offbook.ingestion.reports import counted
    from offbook.settings.model import OFFLINE

    backend = "the offline backend, no language model" if model == OFFLINE else model
    turns = len(talk.history) // 2
    before = f", {counted(turns, 'turn')} so far" if turns else ""
    return f"{talk.character.name}, by {backend}{before}; /help for commands, Ctrl-D to leave"


def _greet(talk: Session, number: int) -> None:
    """Let a character whose card has greetings speak first, in a new conversation."""
    from offbook.cli.running import write

    if number and not talk.history and (talk.greetings or number > 1):
        write(talk.greet(number) + "\n")


async def _loop(talk: Session, learning: Learning) -> int:
    """Answer line after line; how many turns failed that nobody sat before to see."""
    from offbook.cli.interruption import PipedLines
    from offbook.cli.running import say

    failed = 0
    piped = PipedLines.of(sys.stdin)
    while (line := await _next_line(learning, piped)) is not None:
        said = line.strip()
        if said in ("/quit", "/exit"):
            break
        if said.startswith("/"):
            say(_meta(talk, said))
        elif said:
            failed += not await _answer(talk, said)
    return failed


async def _next_line(learning: Learning, piped: PipedLines | None) -> str | None:
    """The next line, while what goes on behind the conversation goes on until it is typed."""
    # Without a model to wait for that is done before anybody has begun to type.
    await learning.rest(_AT_ONCE_SECONDS)
    if piped is not None:
        return await piped.next()
    if learning.is_idle or not sys.stdin.isatty():
        return _line()
    sys.stdout.write(_PROMPT)
    sys.stdout.flush()
    if await _typed(learning):
        return sys.stdin.readline() or None
    sys.stdout.write("\r")
    return _line()


async def _typed(learning: Learning) -> bool:
    """Whether a line was typed before all was done."""
    loop = asyncio.get_running_loop()
    typed = asyncio.Event()
    try:
        descriptor = sys.stdin.fileno()
        loop.add_reader(descriptor, typed.set)
    except (OSError, ValueError, NotImplementedError):
        return False  # no terminal that can be waited for
    waiting = [asyncio.create_task(typed.wait()), asyncio.create_task(learning.rest())]
    try:
        await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
    finally:
        loop.remove_reader(descriptor)
        for task in waiting:
            task.cancel()
    # At the same moment, perhaps: what ends the input would be lost to the line editor.
    return typed.is_set() or bool(select.select([descriptor], [], [], 0)[0])


async def _answer(talk: Session, said: str) -> bool:
    """Print the reply as it comes; whether it came, or a person has seen why it did not.

    At a terminal no failed turn ends the conversation. Elsewhere one ends it that would fail again,
    and not one that another process was in the way of.
    """
    from offbook.cli.running import say, write

    begun = False
    try:
        async for piece in talk.say(said):
            write(piece)
            begun = True
    except OffbookError as error:
        seen = sys.stdin.isatty()
        if not seen and not isinstance(error, StoreFailed):
            raise
        say(("\n" if begun else "") + one_line(error))
        return seen
    write("\n")
    return True


def _meta(talk: Session, said: str) -> str:
    from offbook.cli.running import cost, grounds

    if said != "/why":
        return _HELP if said == "/help" else f"no command {said!r}\n{_HELP}"
    if talk.last is None:
        return "nothing was said yet"
    kept = talk.last.remembered
    told = [f"  not remembered: {kept.why}"] if kept is not None and kept.memory is None else []
    lines = ["rests on:", *grounds(talk.last.recall), *told, "  " + cost(talk.last.usage)]
    return "\n".join(lines)


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
        return input(_PROMPT)
    except EOFError:
        sys.stderr.write("\n")
        return None
    except KeyboardInterrupt:
        sys.stderr.write("\n")
        raise
    finally:
        signal.signal(signal.SIGINT, before)
