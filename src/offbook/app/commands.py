"""One open offbook for many commands at once, as a server has them.

Takes: an open offbook, and settings of one command.  Gives: the same home with a meter of its own
and these settings on top, and conversations of any principal; the connections stay the first's.
A budget is that of one command: of one run of the command line, or of one request to a server.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Final, Unpack

from offbook.agent.session import Session
from offbook.app.book import Offbook
from offbook.settings.loading import by_keyword

if TYPE_CHECKING:
    from offbook.models.metering import Meter, Spending
    from offbook.runtime import Runtime
    from offbook.settings import Settings
    from offbook.settings.keywords import SettingKeywords
    from offbook.types import Character

MOST_GRACE_SECONDS: Final = 1.0
"""How long a server's end waits for what goes on behind its conversations, whatever a command may:
all that its end takes has to fit into the ten seconds after which servers are killed."""


def configured(book: Offbook, settings: Settings) -> Offbook:
    """Offbook with other settings, and connections to the models that they name.

    It is not to be closed: the database is the first's.
    """
    wiring = replace(book.wiring, settings=settings, backends={}, embedder=None, reranker=None)
    made = Offbook(wiring)
    made.learning = book.learning
    return made


def configure(book: Offbook, settings: Settings) -> None:
    """Let what an open offbook does from now on be done by other settings."""
    made = configured(book, settings)
    book.wiring, book.settings = made.wiring, made.settings


@asynccontextmanager
async def serving(book: Offbook, spending: Spending | None = None) -> AsyncIterator[Offbook]:
    """Offbook as a server has it, for any number of commands; it is not to be closed.

    What goes on behind its conversations has a short grace at the end; ``book`` stays as it is.

    Args:
        book: The open one.
        spending: Told of what is asked of models for any command, and behind conversations.
    """
    made = Offbook(replace(book.wiring, spending=spending))
    # It goes on as long as the server: each piece of its work is a command of its own.
    made.learning.make_runtime = lambda character: command_of(made).runtime(character.dimension)
    try:
        yield made
    finally:
        grace = book.settings.values.memory.grace_seconds
        await made.learning.settle(min(grace, MOST_GRACE_SECONDS))


def command_of(book: Offbook, **flags: Unpack[SettingKeywords]) -> Offbook:
    """Offbook for one command; it is not to be closed.

    Args:
        book: The open one.
        flags: Settings by name, with ``__`` for the dot; None: as it is configured.

    Raises:
        ConfigurationError: there is no such setting, or it cannot have that value.
    """
    named = by_keyword(flags)
    wiring = book.wiring
    if named:
        wiring = replace(wiring, settings=book.settings.overlaid(named))
    made = Offbook(wiring)
    made.learning = book.learning  # what goes on behind conversations outlives the command
    return made


async def conversation_of(
    book: Offbook,
    character: Character,
    principal: str,
    session: str | None = None,
    *,
    as_of: str | None = None,
    goes_on: bool = False,
    fleeting: bool = False,
) -> Session:
    """A conversation of a principal, gone on with where ``session`` names one.

    Args:
        book: Offbook, or a command of it.
        character: With whom.
        principal: Whose it is.
        session: Its name; None: a question on its own, of which nothing is kept.
        as_of: The point in the story at which the character is asked.
        goes_on: Whether it stays open for many questions: then each is a command of its own.
        fleeting: Whether nothing is kept of it, whatever its name.

    Raises:
        UsageError: the conversation belongs to somebody else, or the story has no such point.
    """

    def turn(character: Character) -> tuple[Runtime, Meter]:
        command = command_of(book) if goes_on else book
        return command.turn(character, fleeting=fleeting)

    session = None if fleeting else session
    talk = Session(
        book.store,
        character,
        turn,
        session,
        principal=principal,
        keep=session is not None,
        as_of=as_of,
        learning=None if session is None else book.learning,
    )
    return await talk.open()
