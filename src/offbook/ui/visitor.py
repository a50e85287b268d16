"""Who looks at a page, and what they may see and do there.

Takes: the request that a page was asked with.  Gives: a ``Visitor``.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from nicegui import ui

from offbook.agent.session import names_of
from offbook.app.commands import command_of, conversation_of
from offbook.errors import UnknownName
from offbook.server.native.access import require
from offbook.server.security.admission import keep_pace
from offbook.stores import conversations

if TYPE_CHECKING:
    from fastapi import Request
    from sqlalchemy import Connection

    from offbook.agent.session import Session
    from offbook.app.book import Offbook
    from offbook.app.reports import CharacterInfo
    from offbook.server.principal import Caller
    from offbook.server.security.pace import Pace
    from offbook.stores.api_keys import Right
    from offbook.types import Character


@dataclass(frozen=True, slots=True)
class Visitor:
    """A person at a page: the open offbook, and whoever the server recognized.

    ``recognize`` says who they are now, ``pace`` counts what they do; ``wake`` lets the server look
    for ingestions at once.
    """

    book: Offbook
    caller: Caller
    recognize: Callable[[], Awaitable[Caller]]
    pace: Pace
    wake: Callable[[], None] | None = None

    @classmethod
    def of_this_page(cls) -> Visitor:
        """The visitor of the page that is being built."""
        return cls.of(ui.context.client.request)

    @classmethod
    def of(cls, request: Request) -> Visitor:
        """The visitor that a request comes from."""
        state = request.state

        async def recognize() -> Caller:
            found: Caller = await state.authenticate(request)
            return found

        return cls(state.book, state.caller, recognize, state.pace, state.wake)

    async def admit(self, right: Right = "chat") -> None:
        """Count something that they do, if they may still do it: a page may be open for days.

        Raises:
            RequestRefused: their key has ended, has a lesser right, or did too much in a minute.
        """
        caller = await self.recognize()
        require(caller, right)
        keep_pace(self.pace, caller, self.book.settings.values.server.rpm)

    @property
    def may_write(self) -> bool:
        """Whether they may change what characters know."""
        return self.caller.allows("write")

    @property
    def may_take_away(self) -> bool:
        """Whether they may have characters as files."""
        return self.caller.allows("admin")

    @property
    def may_administer(self) -> bool:
        """Whether they may do what concerns all characters.

        That is: make some, look over evaluations, in which replies of any stand, and read what
        endpoints say.
        """
        return self.caller.may_administer

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
        return await conversation_of(self.book, character, self.principal, session, goes_on=True)

    async def conversations(self, character: Character, most: int) -> dict[str, str]:
        """Their latest conversations with a character: name, and what was said first.

        Args:
            character: With whom.
            most: So many of them.
        """

        def found(conn: Connection) -> dict[str, str]:
            mine = conversations.list_all(conn, character.id, principal=self.principal)
            mine.sort(key=lambda talk: talk.updated, reverse=True)
            ids = [talk.id for talk in mine[:most]]
            said = conversations.first_said(conn, character.id, ids)
            return {names_of(id_)[0]: said.get(id_, "") for id_ in ids}

        read: dict[str, str] = await self.book.store.read(found)
        return read

    def command(self, **flags: str) -> Offbook:
        """Offbook for one thing to do, which counts and is limited for itself."""
        return command_of(self.book, **flags)
