"""Commands that ask one question: ``ask`` prints a reply, ``recall`` what it would rest on."""

from __future__ import annotations

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
from offbook.cli.output import grounds, print_json, say, with_offbook, write

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


@with_options(talk=TALK, settings=settings_of(*REPLYING))
def ask_command(
    name: CharacterName,
    question: Question,
    talk: dict[str, Any],
    settings: Settings,
    as_json: Json = False,
) -> None:
    """Ask one question."""

    async def body(book: Offbook) -> None:
        # Before the database closes: the work behind the conversation may take a moment.
        reply = await book.ask(name, question, **talk)
        if as_json:
            print_json(reply.as_json())
            return
        write(reply.text + "\n")
        places = await book.places(reply.recall)
        say("\n".join(["rests on:", *grounds(reply.recall, places)]))

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

    async def body(book: Offbook) -> None:
        recall = await book.recall(name, question, **talk)
        if as_json:
            print_json(recall.as_json())
        else:
            write("\n".join(grounds(recall, await book.places(recall))) + "\n")

    with_offbook(settings, body)
