"""``offbook scene BOOK NAME NAME...``: several characters in one conversation.

Takes: lines of standard input, or how many of them speak among themselves.  Gives: replies as they
come, each behind the name of whoever speaks; ``/as`` and ``/on`` say who is next.
"""

from __future__ import annotations

import shlex
import sys
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, suppress
from typing import TYPE_CHECKING

import typer

from offbook.cli.chat import Dialogue, Shown, converse, settle
from offbook.cli.options import REPLYING, Json, settings_of, with_options
from offbook.cli.output import counted, print_json, say, say_offline, shown, with_offbook
from offbook.cli.prose import Prose
from offbook.errors import UnknownName, UsageError

if TYPE_CHECKING:
    from offbook.agent.scene import Scene, ScenePiece
    from offbook.app import Offbook
    from offbook.settings import Settings

_COMMANDS = {
    "/as NAME [WORDS]": "NAME answers your words, or else what was said last",
    "/on [N]": "one of them, or N one after the other, go on without you",
    "/why": "what the last reply rests on, what was declined, and what it cost",
    "/help": "this",
    "/quit": "leave (or Ctrl-D, or Ctrl-C in an empty line); the scene is kept",
}


@with_options(settings=settings_of(*REPLYING))
def scene_command(
    settings: Settings,
    book: str = typer.Argument(
        ..., metavar="BOOK", help="A file, a folder, or a book or character that there is."
    ),
    names: list[str] = typer.Argument(
        ..., metavar="NAME...", help="Who of it is present, or a character of another book."
    ),
    at: str | None = typer.Option(
        None, metavar="POINT", help="The point in the story: a heading, or as of `ask --as-of`."
    ),
    about: str = typer.Option("", metavar="TEXT", help="The occasion."),
    turns: int | None = typer.Option(
        None, min=1, max=1000, metavar="N", help="They speak N times among themselves; no input."
    ),
    by: str | None = typer.Option(
        None, "--as", metavar="NAME", help="Who answers, or speaks first."
    ),
    session: str | None = typer.Option(
        None, help="Name of the scene; it is continued where it exists."
    ),
    user: str | None = typer.Option(None, help="Name of the user; each has separate scenes."),
    as_json: Json = False,
) -> int:
    """Bring several people of a book into one conversation with you.

    Each answers from what they alone know and remember; what one says, all who are present have
    heard. Who is no character yet is made one, as `create --from` does.
    """

    async def body(home: Offbook) -> int:
        with shown(home.meter) as progress:
            scene = await home.scene(
                book,
                *names,
                at=at,
                about=about,
                session=session,
                user=user,
                progress=progress,
            )
        if not as_json:
            say_offline(home.runtime().actor)
        if sys.stdin.isatty() and turns is None and not as_json:
            say(_headline(scene))
        try:
            if turns is not None:
                failed = await _among_themselves(scene, turns, by, is_shown=not as_json)
            else:
                failed = await _converse(home, scene, by, is_shown=not as_json)
        finally:
            if scene.history and not as_json:
                say(f"continue with: {_again(book, names, scene, at, about, user)}")
        await settle(home)
        if as_json:
            print_json(scene.as_json())
        return 1 if failed else 0

    return with_offbook(settings, body)


def _headline(scene: Scene) -> str:
    present = ", ".join(member.character.name for member in scene.members)
    lines = len(scene.history)
    before = f", {counted(lines, 'line')} so far" if lines else ""
    return f"{present}{before}; /help for commands, Ctrl-D to leave"


def _again(
    book: str, names: list[str], scene: Scene, at: str | None, about: str, user: str | None
) -> str:
    words = ["offbook", "scene", book, *names, "--session", scene.id]
    for option, value in (("--user", user), ("--at", at), ("--about", about)):
        words += [option, value] if value else []
    return shlex.join(words)


async def _among_themselves(scene: Scene, turns: int, by: str | None, *, is_shown: bool) -> int:
    for number in range(turns):
        prose = Prose()
        async for piece in _shown(scene.go_on(None if number else by), is_shown=is_shown):
            prose.write(piece)
        if is_shown:
            prose.end()
    return 0


async def _converse(home: Offbook, scene: Scene, by: str | None, *, is_shown: bool) -> int:
    def speak(line: str) -> AsyncIterator[str] | None:
        command, _, rest = line.partition(" ")
        if command == "/as":
            name, words = _named(scene, rest)
            pieces = scene.say(words, by=name) if words else scene.go_on(by=name)
        elif command == "/on":
            pieces = scene.talk(_times(rest.strip()))
        elif command.startswith("/"):
            return None
        else:
            pieces = scene.say(line, by=by)
        return _shown(pieces, is_shown=is_shown)

    async def meta(command: str) -> Shown:
        from offbook.cli.evidence import why

        if command == "/why":
            return Shown(await why(home, scene.replies[-1] if scene.replies else None))
        unknown = "" if command == "/help" else f"no command {command!r}\n"
        return Shown(unknown + dialogue.help())

    spoken = [each.text for each in scene.history if each.character is None]
    dialogue = Dialogue(speak, meta, _COMMANDS, earlier=spoken)
    return await converse(home, dialogue)


def _times(words: str) -> int:
    if words and not (words.isdecimal() and int(words)):
        raise UsageError(f"{words!r} is no number of replies", "/on, or /on N")
    return int(words or 1)


def _named(scene: Scene, words: str) -> tuple[str, str]:
    """The id of whoever stands first in some words, and the words behind: names have blanks."""
    parts = words.split()
    if not parts:
        raise UsageError("it is not said who is to speak", "/as NAME, or /as NAME WORDS")
    for number in range(len(parts), 1, -1):
        with suppress(UnknownName):
            member = scene.find(" ".join(parts[:number]).rstrip(",:"))
            return member.character.id, " ".join(parts[number:])
    return scene.find(parts[0].rstrip(",:")).character.id, " ".join(parts[1:])


async def _shown(pieces: AsyncGenerator[ScenePiece], *, is_shown: bool) -> AsyncGenerator[str]:
    """Pieces of replies as they are printed: each reply in a line behind a name."""
    speaker = None
    async with aclosing(pieces) as coming:
        async for piece in coming:
            if not is_shown:
                continue
            if piece.character != speaker:
                yield f"{'' if speaker is None else chr(10)}{piece.name}: "
                speaker = piece.character
            yield piece.text
