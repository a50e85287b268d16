"""Who looks at a page, and what they may do there; they are recognized anew at each event."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeVar
from urllib.parse import parse_qs
from weakref import WeakKeyDictionary

from nicegui import Client, core, ui
from starlette.requests import HTTPConnection

from offbook.agent.history import names_of, stored_id
from offbook.agent.session import kept_under
from offbook.app.commands import command_of, configure, conversation_of
from offbook.errors import OffbookError, UsageError
from offbook.server.authentication import keep_pace
from offbook.server.dependencies import OWNER, Caller
from offbook.server.failures import RequestRefused, asked_by_owner
from offbook.server.native.access import require, require_change, visible
from offbook.stores import conversations, forgetting
from offbook.stores.characters import may_change_source
from offbook.ui.elements import complain, link, named, notice, part, text

if TYPE_CHECKING:
    from fastapi import Request
    from starlette.types import Scope

    from offbook.agent.session import Session
    from offbook.app.book import Offbook
    from offbook.app.documents import CharacterInfo
    from offbook.server.authentication import Pace
    from offbook.server.background import BackgroundWorker
    from offbook.settings import Settings
    from offbook.stores.connection import Connection
    from offbook.stores.principals import Right
    from offbook.types import Character

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ListedTalk:
    """A conversation in a list: what it is called, what was said first, and when it went on."""

    name: str
    said: str
    updated: str


@dataclass(frozen=True, slots=True)
class Visitor:
    """A person at a page: the open offbook, and whoever the server recognized.

    ``recognize`` says who they are now, ``pace`` counts what they do; ``background`` does what
    takes long.
    """

    book: Offbook
    caller: Caller
    recognize: Callable[[], Awaitable[Caller]]
    pace: Pace
    background: BackgroundWorker

    @classmethod
    def of_this_page(cls) -> Visitor:
        """The visitor of the page that is being built."""
        return cls.of(ui.context.client.request)

    @classmethod
    def of(cls, request: Request) -> Visitor:
        """The visitor that a request comes from."""
        state = request.state

        async def recognize() -> Caller:
            caller: Caller = await state.authenticate(request)
            return caller

        return cls(state.book, state.caller, recognize, state.pace, state.background)

    async def admit(self, right: Right = "chat", *, changing: Character | None = None) -> None:
        """Count something that they do, if they may still do it: a page may be open for days.

        Args:
            right: What it needs.
            changing: The character whose texts, or what is made of them, it changes.
        """
        caller = await self.recognize()
        require(caller, right)
        if changing is not None:
            await require_change(changing, self.book, caller)
        keep_pace(self.pace, caller, self.book.settings.values.server.rpm)

    @property
    def may_write(self) -> bool:
        """Whether they may change what characters remember."""
        return self.caller.allows("write")

    async def may_change(self, character: Character) -> bool:
        """Whether they may change what a character, and all who share its texts, know."""
        opened = self.caller.characters
        return self.may_write and await self.book.store.read(
            may_change_source, character.id, opened
        )

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

    @property
    def is_owner(self) -> bool:
        """Whether they sit at this machine: its settings are theirs."""
        return self.caller.principal == OWNER.principal

    async def configure(self, settings: Settings) -> None:
        """Let the server answer, and read, by other settings from now on."""

        async def follow(book: Offbook) -> None:
            configure(book, settings)

        configure(self.book, settings)
        await self.background.aside(follow)

    async def characters(self) -> list[CharacterInfo]:
        """The characters that they may see."""
        return [info for info in await self.book.characters() if self.caller.sees(info)]

    async def character(self, name: str) -> Character:
        """The character of this name or id."""
        return await visible(name, self.book, self.caller)

    @property
    def principal(self) -> str:
        """To whom their conversations belong."""
        return self.caller.principal

    async def conversation(
        self, character: Character, session: str, as_of: str | None = None
    ) -> Session:
        """A conversation of theirs, gone on with or begun, at a point in the story.

        By a key of which nothing is kept it lasts as long as it is open.
        """
        return await conversation_of(
            self.book,
            character,
            self.principal,
            session,
            as_of=as_of,
            goes_on=True,
            fleeting=not self.caller.remember,
        )

    async def participants(self, session: str) -> list[str]:
        """The ids of the characters that a scene of theirs is of, as far as they see them."""
        stored = stored_id(session, kept_under(self.principal))
        talk = conversations.Conversation(stored, self.principal, None, "", "")
        ids: list[str] = await self.book.store.read(conversations.participants, talk)
        return [
            id_ for id_ in ids if self.caller.characters is None or id_ in self.caller.characters
        ]

    async def conversations(
        self, character: Character, most: int, words: str = ""
    ) -> list[ListedTalk]:
        """Their latest conversations with a character; with words, those in which they stand."""

        def found(conn: Connection) -> list[ListedTalk]:
            mine = conversations.list_all(conn, character.id, principal=self.principal)
            if words:
                holding = conversations.holding(conn, character.id, words)
                sought = words.casefold()
                mine = [
                    talk
                    for talk in mine
                    if talk.id in holding or sought in names_of(talk.id)[0].casefold()
                ]
            mine.sort(key=lambda talk: talk.updated, reverse=True)
            ids = [talk.id for talk in mine[:most]]
            said = conversations.first_said(conn, character.id, ids)
            return [
                ListedTalk(names_of(talk.id)[0], said.get(talk.id, ""), talk.updated)
                for talk in mine[:most]
            ]

        read: list[ListedTalk] = await self.book.store.read(found)
        return read

    async def rename(self, character: Character, session: str, new: str) -> None:
        """Give a conversation of theirs another name.

        Raises:
            UsageError: there is one of that name, or it is no name.
        """
        if not new.strip() or conversations.is_scene(new) or conversations.is_scene(session):
            raise UsageError(f"{new!r} cannot be its name", "choose another one")
        old, whole = (stored_id(each, kept_under(self.principal)) for each in (session, new))
        await self.book.store.write(conversations.rename, character.id, old, whole)

    async def remove(self, character: Character, session: str) -> None:
        """Delete a conversation of theirs, and what it taught, from the whole database."""
        stored = stored_id(session, kept_under(self.principal))
        await self.book.store.write(forgetting.remove_conversation, character.id, stored)
        await self.book.store.purge()

    def command(self, *, method: str | None = None) -> Offbook:
        """Offbook for one thing to do, which counts and is limited for itself."""
        return command_of(self.book, method=method)

    async def commanded(self, work: Callable[[Offbook], Coroutine[Any, Any, T]]) -> T:
        """The result of one command that may compute for long, which holds up nobody's page."""
        return await self.background.aside(lambda book: work(command_of(book)))


_LOG: Final = logging.getLogger("offbook.ui")
_UPLOADS: Final = "/_nicegui/client/"
_CONNECTIONS: Final = "/_nicegui_ws/"
_ENDED: Final = "Your key does not open this page any more."

_turns: WeakKeyDictionary[Client, asyncio.Lock] = WeakKeyDictionary()
"""One event of a page at a time, as they came: what was typed stands before what sends it."""


def register() -> None:
    """Put the check before NiceGUI's own handling of events."""
    core.sio.on("event", handler=_on_event)


async def _on_event(socket: str, message: dict[str, Any]) -> None:
    client = Client.instances.get(str(message.get("client_id")))
    if client is None or not client.has_socket_connection:
        return
    async with _turns.setdefault(client, asyncio.Lock()):
        if not client.is_deleted and await _is_admitted(client, socket):
            client.handle_event(message)


async def _is_admitted(client: Client, socket: str) -> bool:
    """Whether the page's visitor may still act, and it is their own connection that says so."""
    state = client.request.state
    try:
        caller: Caller = await state.authenticate(HTTPConnection(client.request.scope))
    except RequestRefused as refused:
        take_away(client, refused.message)
        return False
    except OffbookError as error:  # nobody can say who it is now: it may be pressed again
        with client.content:
            complain(error)
        return False
    environ = core.sio.get_environ(socket) or {}
    connected: Any = environ.get("asgi.scope", {}).get("state", {}).get("caller")
    if not isinstance(connected, Caller) or connected.principal != caller.principal:
        _LOG.warning("an event for a page came over somebody else's connection: not heard")
        return False
    asked_by_owner.set(caller.principal == OWNER.principal)
    return True


def take_away(client: Client, why: str) -> None:
    """Leave nothing on a page but why, and the way to sign in again."""
    for leave in client.delete_handlers:
        client.safe_invoke(leave)  # what was under way for this page ends
    address = client.request.scope["path"]
    with client.content as content:
        content.clear()
        with named(part("main", "content"), id="main", tabindex="-1", role="alert"):
            text("h1", "Signed out")
            notice(_ENDED, f"What is the matter: {why}.", "bad")
            link("Sign in with a key", address)


def is_for_own_page(scope: Scope) -> bool:
    """Whether a file or a connection is for a page of the visitor who sends it.

    NiceGUI names pages by a number that nobody guesses; whoever learns it is still somebody else.
    """
    path: str = scope["path"]
    if path.startswith(_UPLOADS):
        page = path.removeprefix(_UPLOADS).partition("/")[0]
    elif path.startswith(_CONNECTIONS):
        # Without a name here a connection could ask for any page later on.
        page = next(
            iter(parse_qs(scope["query_string"].decode("latin-1")).get("client_id", ())), ""
        )
        if not page:
            return False
    else:
        return True
    client = Client.instances.get(page)
    if client is None:
        return True  # NiceGUI answers that there is none, and the page is loaded anew
    made_for: Caller = client.request.state.caller
    caller: Caller = scope["state"]["caller"]
    return made_for.principal == caller.principal
