"""``offbook chat NAME``: a conversation with streaming and history.

Takes: lines of standard input.  Gives: replies as they come; ``/why`` shows what the last one
rests on, ``/help`` the other commands.
"""

from __future__ import annotations

import asyncio
import math
import select
import shlex
import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from types import ModuleType
from typing import TYPE_CHECKING, Any

import typer

from offbook.cli import process
from offbook.cli.options import (
    REPLYING,
    CharacterName,
    one_line,
    settings_of,
    with_options,
)
from offbook.cli.output import cost, counted, grounds, say, with_offbook, write
from offbook.cli.process import PipedLines, ctrl_c_stops, note, patience
from offbook.cli.question import TALK
from offbook.errors import OffbookError, StoreFailed, UsageError

if TYPE_CHECKING:
    from offbook.agent.learning import Learning
    from offbook.agent.session import Session
    from offbook.app import Offbook
    from offbook.protocols import ChatModel
    from offbook.settings import Settings
    from offbook.types import Reply

_PROMPT = "> "
_AT_ONCE_SECONDS = 0.02
_STOP_SECONDS = 10.0
"""How long a reply may take to stop before the conversation ends with it: embedded rules compute
for a while without a look at anything else."""
_HELP = """\
/why   what the last reply rests on, and what it cost
/quit  leave (or Ctrl-D, or Ctrl-C in an empty line); the conversation is kept
/help  this
Ctrl-C stops a reply and keeps the question"""


@with_options(talk=TALK, settings=settings_of(*REPLYING))
def chat_command(
    name: CharacterName,
    talk: dict[str, Any],
    settings: Settings,
    greeting: int = typer.Option(
        1,
        metavar="N",
        help="Which greeting of its card the character starts with; 0 means you start.",
    ),
) -> int:
    """Talk with a character."""
    from offbook.settings.loading import DEFAULT
    from offbook.stores.characters import BEING_READ, is_being_read

    async def body(book: Offbook) -> int:
        await book.require_index(name)
        session = await book.session(name, **talk)
        if sys.stdin.isatty():
            say(_headline(session, book.runtime().actor))
        if is_being_read(session.character) and book.settings.origin("method") == DEFAULT:
            say(BEING_READ)
        if greeting and not session.history and (session.greetings or greeting > 1):
            write(session.greet(greeting) + "\n")
        try:
            failed = await converse(
                book,
                lambda line: None if line.startswith("/") else session.say(line),
                lambda command: _meta(book, session, command),
            )
        finally:
            if any(message.role == "user" for message in session.history):
                words = ["offbook", "chat", session.character.id, "--session", session.id]
                words += ["--user", talk["user"]] if talk["user"] else []
                words += ["--as-of", talk["as_of"]] if talk["as_of"] else []
                say(f"continue with: {shlex.join(words)}")
        await settle(book)
        return 1 if failed else 0

    return with_offbook(settings, body)


async def settle(book: Offbook) -> None:
    """Give what goes on behind conversations its grace, and say what is left."""
    await book.learning.rest(book.settings.values.memory.grace_seconds)
    for failure in dict.fromkeys(book.learning.failures):
        say(f"offbook: warning: memories wait to be scored: {failure}")


def backend(model: ChatModel) -> str:
    """Who replies, for people."""
    from offbook.types import traits_of

    return model.name if traits_of(model).measures else "the offline backend, no language model"


def _headline(talk: Session, model: ChatModel) -> str:
    turns = len(talk.history) // 2
    before = f", {counted(turns, 'turn')} so far" if turns else ""
    return (
        f"{talk.character.name}, by {backend(model)}{before}; /help for commands, Ctrl-D to leave"
    )


async def converse(
    book: Offbook,
    speak: Callable[[str], AsyncIterator[str] | None],
    meta: Callable[[str], Awaitable[str]],
) -> int:
    """Answer line after line; how many turns failed that nobody sat before to see.

    Args:
        book: Offbook, with what goes on behind the conversation.
        speak: Gives what is said to a line, in pieces; None: it is a command.
        meta: Gives what a command shows.
    """
    failed, draft = 0, ""
    piped = PipedLines.of(sys.stdin)
    while (line := await _next_line(book.learning, piped, draft)) is not None:
        line_text = line.strip()
        if line_text in ("/quit", "/exit"):
            break
        if draft and not line_text and _readline() is None:
            line_text = draft  # there is no editor to show it in
        draft = ""
        if not line_text:
            continue
        try:
            pieces = speak(line_text)
        except UsageError as error:
            if not sys.stdin.isatty():
                raise
            say(one_line(error))
            continue
        if pieces is None:
            say(await meta(line_text))
        elif sys.stdin.isatty():
            draft = await _answer_until_stopped(pieces, line_text)
        else:
            failed += not await _answer(pieces)
    return failed


async def _answer_until_stopped(pieces: AsyncIterator[str], question: str) -> str:
    """Print the reply until Ctrl-C stops it; the question then, to be sent again or edited."""
    reply = asyncio.create_task(_answer(pieces))
    try:
        with ctrl_c_stops(reply, _STOP_SECONDS):
            await reply
    except asyncio.CancelledError:
        turn = asyncio.current_task()
        if turn is None or turn.cancelling():
            raise  # it is the conversation that ends
    else:
        return ""
    way = "Enter sends the question again, Ctrl-C clears it"
    say(f"\nstopped; {way}" if _readline() else f"\nstopped; Enter sends again: {question}")
    return question


async def _next_line(learning: Learning, piped: PipedLines | None, draft: str) -> str | None:
    """The next line, while what goes on behind the conversation goes on until it is typed."""
    # Without a model to wait for that is done before anybody has begun to type.
    await learning.rest(_AT_ONCE_SECONDS)
    if piped is not None:
        return await piped.next()
    if draft or learning.is_idle or not sys.stdin.isatty():
        return _line(draft)
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


async def _answer(pieces: AsyncIterator[str]) -> bool:
    """Print the reply as it comes; whether it came, or a person has seen why it did not.

    At a terminal no failed turn ends the conversation. Elsewhere one ends it that would fail again,
    and not one that another process was in the way of.
    """
    begun = False
    try:
        async for piece in pieces:
            write(piece)
            begun = True
    except OffbookError as error:
        is_interactive = sys.stdin.isatty()
        if not is_interactive and not isinstance(error, StoreFailed):
            raise
        say(("\n" if begun else "") + one_line(error))
        return is_interactive
    if begun:
        write("\n")
    return True


async def _meta(book: Offbook, talk: Session, command: str) -> str:
    if command != "/why":
        return _HELP if command == "/help" else f"no command {command!r}\n{_HELP}"
    return await why(book, talk.last)


async def why(book: Offbook, reply: Reply | None) -> str:
    """What a reply rests on, and what it cost."""
    if reply is None:
        return "nothing was said yet"
    memory = reply.remembered
    not_remembered = (
        [f"  not remembered: {memory.why}"] if memory is not None and memory.memory is None else []
    )
    rests_on = grounds(reply.recall, await book.places(reply.recall))
    return "\n".join(["rests on:", *rests_on, *not_remembered, "  " + cost(reply.usage)])


def _line(draft: str = "") -> str | None:
    """The next line of standard input; None at its end.

    It is read in the main thread, which holds up nothing while the person thinks: a thread of its
    own could not be stopped by Ctrl-C. The event loop's own handling of Ctrl-C is put aside
    meanwhile, since it would wait for this function to return.

    Args:
        draft: What is in the line already.
    """
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        turn = asyncio.current_task()
        if turn is not None and turn.cancelling():
            raise KeyboardInterrupt  # it came before Ctrl-C was taken over, and waits to be seen
        if not sys.stdin.isatty():
            return sys.stdin.readline() or None
        with patience(math.inf):
            return _edited(draft)
    except EOFError:
        sys.stderr.write("\n")
        return None
    except KeyboardInterrupt:
        sys.stderr.write("\n")
        note(signal.SIGINT)
        raise
    finally:
        signal.signal(signal.SIGINT, before)


def _edited(draft: str) -> str:
    """A line that is typed, or edited; Ctrl-C clears one in which there is something."""
    if (readline := _readline()) is None:
        return input(_PROMPT)
    readline.set_startup_hook(lambda: readline.insert_text(draft))
    try:
        return input(_PROMPT)
    except KeyboardInterrupt:
        if process.exit_code() == process.TERMINATED or not readline.get_line_buffer():
            raise
        sys.stderr.write("\n")
        return ""
    finally:
        readline.set_startup_hook()


def _readline() -> ModuleType | None:
    """The line editor, with arrow keys and earlier lines; None where there is none."""
    try:
        import readline
    except ImportError:
        return None
    return readline
