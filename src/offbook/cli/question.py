"""Commands that ask one question: ``ask`` prints a reply, ``recall`` what it would rest on."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from offbook.cli.options import (
    REPLYING,
    CharacterName,
    Group,
    Json,
    option,
    settings_of,
    with_options,
)
from offbook.cli.output import print_json, say, say_offline, with_offbook, write
from offbook.cli.prose import Prose
from offbook.cli.waiting import waiting
from offbook.errors import UsageError

if TYPE_CHECKING:
    from offbook.app import Offbook
    from offbook.settings import Settings

Question = Annotated[str, typer.Argument(metavar="QUESTION")]
TALK = Group(
    {
        "session": option(str, "Name of the conversation; it is continued where it exists."),
        "user": option(str, "Name of the user; each user has separate conversations."),
        "as_of": option(
            str,
            "Answer as if the story had only reached this point: a document, document#heading, "
            "document@offset or a chunk's id.",
            metavar="POINT",
        ),
    },
    dict,
)
"""In which conversation something is said, by whom, and at which point of the story."""


Why = Annotated[
    bool, typer.Option("--why", help="Also what the reply rests on, what was declined, and costs.")
]


def question_of(words: str) -> str:
    """The question as it was typed; `-` is what stands on standard input.

    Raises:
        UsageError: that is no text.
    """
    if words != "-":
        return words
    try:
        return sys.stdin.read().strip()
    except UnicodeDecodeError as error:
        raise UsageError(
            "the question on standard input is not in UTF-8", "save it as UTF-8"
        ) from error


@with_options(talk=TALK, settings=settings_of(*REPLYING))
def ask_command(
    name: CharacterName,
    question: Question,
    talk: dict[str, Any],
    settings: Settings,
    with_why: Why = False,
    as_json: Json = False,
) -> None:
    """Ask one question; `-` reads it from standard input."""
    from offbook.cli.evidence import why

    question = question_of(question)

    async def body(book: Offbook) -> None:
        # Before the database closes: the work behind the conversation may take a moment.
        model = book.runtime().actor
        with waiting(book.meter, model.name):
            reply = await book.ask(name, question, **talk)
        if as_json:
            print_json(reply.as_json())
            return
        say_offline(model)
        prose = Prose(reply.recall.character)
        prose.write(reply.text)
        prose.end()
        if with_why:
            say(await why(book, reply))

    with_offbook(settings, body)


@with_options(talk=TALK, settings=settings_of(*REPLYING))
def recall_command(
    name: CharacterName,
    question: Question,
    talk: dict[str, Any],
    settings: Settings,
    as_json: Json = False,
) -> None:
    """Show what a question brings back, without asking for a reply.

    No conversation changes.
    """
    from offbook.cli.evidence import grounds

    question = question_of(question)

    async def body(book: Offbook) -> None:
        with waiting(book.meter, book.runtime().extractor.name):
            recall = await book.recall(name, question, **talk)
        if as_json:
            print_json(recall.as_json())
        else:
            write("\n".join(grounds(recall, await book.places(recall))) + "\n")

    with_offbook(settings, body)
