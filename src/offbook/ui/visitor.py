"""Who looks at a page, and what they may see and do there.

Takes: the request that a page was asked with.  Gives: a ``Visitor``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from nicegui import ui

from offbook.agent.session import names_of
from offbook.app.commands import command_of, conversation_of
from offbook.errors import OffbookError, UnknownName
from offbook.stores import conversations

if TYPE_CHECKING:
    from fastapi import Request

    from offbook.agent.session import Session
    from offbook.app.book import Offbook
    from offbook.app.reports import CharacterInfo
    from offbook.server.principal import Caller
    from offbook.stores.conversations import Conversation
    from offbook.types import Character


@dataclass(frozen=True, slots=True)
class Visitor:
    """A person at a page: the open offbook, and whoever the server recognized."""

    book: Offbook
    caller: Caller
    wake: Callable[[], None] | None = None
    """Lets the server look for ingestions at once."""

    @classmethod
    def of_this_page(cls) -> Visitor:
        """The visitor of the page that is being built."""
        return cls.of(ui.context.client.request)

    @classmethod
    def of(cls, request: Request) -> Visitor:
        """The visitor that a request comes from."""
        state = request.state
        return cls(state.book, state.caller, getattr(state, "wake", None))

    @property
    def may_write(self) -> bool:
        """Whether they may change what characters know."""
        return self.caller.allows("write")

    @property
    def may_review(self) -> bool:
        """Whether they may see evaluations: replies of any character stand in them."""
        return self.may_write and self.caller.characters is None

    async def characters(self) -> list[CharacterInfo]:
        """The characters that they may see."""
        allowed = self.caller.characters
        found = await self.book.characters()
        return [info for info in found if allowed is None or info.id in allowed]

    async def character(self, name: str) -> Character:
        """The character of this name or id.

        Raises:
            UnknownName: there is none for them; what others have is not hinted at.
        """
        if self.caller.characters is None:
            return await self.book.find(name)
        for info in await self.characters():
            if name in (info.id, info.name):
                return await self.book.find(info.id)
        raise UnknownName(f"there is no character {name!r}", "the start page lists the characters")

    @property
    def principal(self) -> str:
        """To whom their conversations belong."""
        return self.caller.principal

    async def conversation(self, character: Character, session: str) -> Session:
        """A conversation of theirs, gone on with or begun."""
        return await conversation_of(self.book, character, self.principal, session)

    async def conversations(self, character: Character) -> list[str]:
        """The names of their conversations with a character, the latest first."""
        found: list[Conversation] = await self.book.store.read(
            lambda conn: conversations.list_all(conn, character.id, principal=self.principal)
        )
        latest = sorted(found, key=lambda talk: talk.updated, reverse=True)
        return [names_of(talk.id)[0] for talk in latest]

    def command(self, **flags: str) -> Offbook:
        """Offbook for one thing to do, which counts and is limited for itself."""
        return command_of(self.book, **flags)


@contextmanager
def told_of_errors() -> Iterator[None]:
    """Tell the visitor what went wrong, and how it can be mended, rather than a log."""
    try:
        yield
    except OffbookError as error:
        ui.notify(
            f"{error.message}. {error.hint}" if error.hint else error.message,
            type="negative",
            multi_line=True,
            timeout=0,
            close_button="Close",
            position="top",
        )
