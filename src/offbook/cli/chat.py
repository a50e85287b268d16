"""``offbook chat NAME``: a conversation with streaming and history.

Takes: lines of standard input.  Gives: replies as they come; ``/why`` shows what the last one
rests on, ``/help`` the other commands.
"""

from __future__ import annotations

import asyncio
import shlex
import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import typer

from offbook.cli.editor import PROMPT, Editor
from offbook.cli.options import (
    REPLYING,
    CharacterName,
    one_line,
    settings_of,
    with_options,
)
from offbook.cli.output import counted, say, say_offline, shortened, with_offbook
from offbook.cli.process import PipedLines, ctrl_c_stops, note
from offbook.cli.prose import Prose
from offbook.cli.question import TALK
from offbook.cli.waiting import waiting
from offbook.errors import OffbookError, StoreFailed, UsageError

if TYPE_CHECKING:
    from offbook.agent.session import Session
    from offbook.app import Offbook
    from offbook.protocols import ChatModel
    from offbook.settings import Settings

_AT_ONCE_SECONDS: Final = 0.02
_STOP_SECONDS: Final = 10.0
"""How long a reply may take to stop before the conversation ends with it: embedded rules compute
for a while without a look at anything else."""
_EARLIER: Final = 300
"""Characters of what was said last that are shown when a conversation is continued."""
_COMMANDS: Final = {
    "/why": "what the last reply rests on, what was declined, and what it cost",
    "/retry": "another reply to what you said last",
    "/edit": "change what you said last, and have it answered anew",
    "/as-of POINT": "answer as if the story had only reached it; `end`: its end",
    "/help": "this",
    "/quit": "leave (or Ctrl-D, or Ctrl-C in an empty line); the conversation is kept",
}
_KEYS: Final = """\
Enter sends, Alt-Enter begins a new line, the arrow keys bring earlier lines back.
Ctrl-C stops a reply and keeps the question."""


@dataclass(frozen=True, slots=True)
class Shown:
    """What a command of a conversation gives: words for the person, a line to be edited."""

    text: str = ""
    draft: str = ""


@dataclass(frozen=True, slots=True)
class Dialogue:
    """A conversation as its lines are answered.

    ``speak`` gives what is said to a line, in pieces (None: it is a command); ``meta`` what a
    command shows; ``name`` is who answers (empty: the pieces name them); ``commands`` are by name
    what they do, ``earlier`` what was said before.
    """

    speak: Callable[[str], AsyncIterator[str] | None]
    meta: Callable[[str], Awaitable[Shown]]
    commands: dict[str, str]
    name: str = ""
    earlier: Sequence[str] = ()

    def help(self) -> str:
        """What there is to type."""
        width = max(map(len, self.commands))
        lines = [f"{name:{width}}  {what}" for name, what in self.commands.items()]
        return "\n".join([*lines, _KEYS])


@with_options(talk=TALK, settings=settings_of(*REPLYING))
def chat_command(
    name: CharacterName,
    talk: dict[str, Any],
    settings: Settings,
    last: bool = typer.Option(False, "--continue", help="The last conversation with them."),
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
        if last:
            talk["session"] = await _last(book, name, talk)
        session = await book.session(name, **talk)
        actor = book.runtime().actor
        say_offline(actor)
        if sys.stdin.isatty():
            say(_headline(session, actor))
        if is_being_read(session.character) and book.settings.origin("method") == DEFAULT:
            say(BEING_READ)
        if greeting and not session.history and (session.greetings or greeting > 1):
            _print(session.character.name, session.greet(greeting))
        chat = Chat(book, session, talk["user"])
        try:
            failed = await converse(book, chat.dialogue())
        finally:
            chat.say_how_to_continue()
        await settle(book)
        return 1 if failed else 0

    return with_offbook(settings, body)


async def _last(book: Offbook, name: str, talk: dict[str, Any]) -> str:
    from offbook.stores.conversations import is_scene

    if talk["session"] is not None:
        raise UsageError("--continue and --session exclude one another", "choose one")
    rows = await book.conversations.list_all(name, user=talk["user"])
    # In a scene others take part, who would not hear what is said to one of them alone.
    last = next((row.session for row in rows if not is_scene(row.session)), None)
    if last is None:
        raise UsageError(f"{name!r} has no conversation to continue", f"offbook chat {name}")
    return last


def _print(name: str, text: str) -> None:
    prose = Prose(name)
    prose.write(text)
    prose.end()


class Chat:
    """One person's conversation with one character, line by line.

    Args:
        book: Offbook.
        session: The conversation.
        user: Whose it is.
    """

    def __init__(self, book: Offbook, session: Session, user: str | None) -> None:
        self._book, self._session, self._user = book, session, user
        self._edits = False

    def dialogue(self) -> Dialogue:
        """It as lines are answered."""
        earlier = [each.content for each in self._session.history if each.role == "user"]
        name = self._session.character.name
        return Dialogue(self._speak, self._meta, _COMMANDS, name, earlier)

    def say_how_to_continue(self) -> None:
        """Say the command that goes on with it, where anything was said."""
        session = self._session
        if any(message.role == "user" for message in session.history):
            words = ["offbook", "chat", session.character.id, "--session", session.id]
            words += ["--user", self._user] if self._user else []
            words += ["--as-of", session.as_of] if session.as_of else []
            say(f"continue with: {shlex.join(words)}")

    def _speak(self, line: str) -> AsyncIterator[str] | None:
        if line == "/retry":
            return self._session.again()
        if line.startswith("/"):
            return None
        return self._instead(line) if self._edits else self._session.say(line)

    async def _instead(self, line: str) -> AsyncIterator[str]:
        async for piece in self._session.again(line):
            yield piece
        self._edits = False  # one that is stopped is edited on

    async def _meta(self, command: str) -> Shown:
        from offbook.cli.evidence import why

        word, _, rest = command.partition(" ")
        self._edits = word == "/edit"
        if word == "/why":
            return Shown(await why(self._book, self._session.last))
        if word == "/edit":
            return self._edited()
        if word == "/as-of":
            return await self._at(rest.strip())
        unknown = "" if word == "/help" else f"no command {command!r}\n"
        return Shown(unknown + self.dialogue().help())

    def _edited(self) -> Shown:
        last = [each.content for each in self._session.history if each.role == "user"][-1:]
        self._edits = bool(last)
        return Shown(draft=last[0]) if last else Shown("nothing was said yet")

    async def _at(self, point: str) -> Shown:
        if point:
            as_of, reply = None if point == "end" else point, self._session.last
            self._session = await self._book.session(
                self._session.character.id, session=self._session.id, user=self._user, as_of=as_of
            )
            self._session.last = reply  # `/why` is still of the last reply
        now = self._session.as_of
        return Shown(f"the story has reached {now}" if now else "the story is at its end")


async def settle(book: Offbook) -> None:
    """Give what goes on behind conversations its grace, and say what is left."""
    await book.learning.rest(book.settings.values.memory.grace_seconds)
    for failure in dict.fromkeys(book.learning.failures):
        say(f"offbook: warning: memories wait to be scored: {failure}")


def _headline(talk: Session, model: ChatModel) -> str:
    from offbook.types import traits_of

    by = f", by {model.name}" if traits_of(model).measures else ""
    turns = len(talk.history) // 2
    before = f", {counted(turns, 'turn')} so far" if turns else ""
    line = f"{talk.character.name}{by}{before}; /help for commands, Ctrl-D to leave"
    spoken = [
        f"{PROMPT if each.role == 'user' else ''}{shortened(each.content, _EARLIER)}"
        for each in talk.history[-2:]
    ]
    return "\n".join([line, *spoken])


async def converse(book: Offbook, dialogue: Dialogue) -> int:
    """Answer line after line; how many turns failed that nobody sat before to see."""
    failed, draft = 0, ""
    is_typed = sys.stdin.isatty()
    piped = PipedLines.of(sys.stdin)
    editor = (
        Editor(dialogue.earlier, [each.split()[0] for each in dialogue.commands])
        if is_typed
        else None
    )
    while (line := await _next_line(book, piped, editor, draft)) is not None:
        line_text, draft = line.strip(), ""
        if line_text in ("/quit", "/exit"):
            break
        if not line_text:
            continue
        try:
            pieces = dialogue.speak(line_text)
            if pieces is None:
                shown = await dialogue.meta(line_text)
                draft = shown.draft
                if shown.text:
                    say(shown.text)
            elif is_typed:
                draft = await _answer_until_stopped(book, dialogue.name, pieces, line_text)
            else:
                failed += not await _answer(book, dialogue.name, pieces)
        except UsageError as error:
            if not is_typed:
                raise
            say(one_line(error))
    return failed


async def _answer_until_stopped(
    book: Offbook, name: str, pieces: AsyncIterator[str], question: str
) -> str:
    """Print the reply until Ctrl-C stops it; the question then, to be sent again or edited."""
    reply = asyncio.create_task(_answer(book, name, pieces))
    try:
        with ctrl_c_stops(reply, _STOP_SECONDS):
            await reply
    except asyncio.CancelledError:
        turn = asyncio.current_task()
        if turn is None or turn.cancelling():
            raise  # it is the conversation that ends
    else:
        return ""
    say("\nstopped; Enter sends the question again, Ctrl-C clears it")
    return question


async def _next_line(
    book: Offbook, piped: PipedLines | None, editor: Editor | None, draft: str
) -> str | None:
    """The next line, while what goes on behind the conversation goes on until it is typed."""
    # Without a model to wait for that is done before anybody has begun to type.
    await book.learning.rest(_AT_ONCE_SECONDS)
    if piped is not None:
        return await piped.next()
    turn = asyncio.current_task()
    if turn is not None and turn.cancelling():
        raise KeyboardInterrupt  # it came before a line was waited for, and waits to be seen
    if editor is None:
        return sys.stdin.readline() or None
    try:
        return await editor.line(draft)
    except KeyboardInterrupt:
        note(signal.SIGINT)
        raise


async def _answer(book: Offbook, name: str, pieces: AsyncIterator[str]) -> bool:
    """Print the reply as it comes; whether it came, or a person has seen why it did not.

    At a terminal no failed turn ends the conversation. Elsewhere one ends it that would fail again,
    and not one that another process was in the way of.
    """
    prose: Prose | None = None
    try:
        with waiting(book.meter, book.runtime().actor.name) as sign:
            async for piece in pieces:
                if sign is not None:
                    sign.over()
                prose = prose or Prose(name)
                prose.write(piece)
    except OffbookError as error:
        is_interactive = sys.stdin.isatty()
        if not is_interactive and not isinstance(error, StoreFailed):
            raise
        if prose is not None:
            prose.end()
        say(one_line(error))
        return is_interactive
    if prose is not None:
        prose.end()
    return True
