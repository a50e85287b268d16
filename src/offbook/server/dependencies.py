"""What routes ask of a request: who asks, the open offbook, whether the client is there."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass
from typing import Annotated, Any, Final, TypeVar

from fastapi import Depends, Request, Response

from offbook.app.book import Offbook
from offbook.app.commands import command_of
from offbook.app.documents import CharacterInfo
from offbook.app.home import find_character, fold
from offbook.errors import UnknownName
from offbook.server.failures import RequestRefused, forbidden
from offbook.stores import characters, principals
from offbook.stores.connection import Connection
from offbook.stores.principals import RIGHTS, Right
from offbook.types import Character


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks, and what they may.

    Args:
        principal: Id in the store; conversations and memories of conversations belong to it.
        right: The greatest right that they have.
        characters: Ids of the characters that they may see; None: all.
        rpm: Their limit of requests a minute; None: the server's.
        remember: Whether anything that they say is kept.
        tools: Whether tools that they send are passed on, whatever the settings say.
    """

    principal: str = principals.OWNER
    right: Right = "admin"
    characters: tuple[str, ...] | None = None
    rpm: int | None = None
    remember: bool = True
    tools: bool = False

    def allows(self, right: Right) -> bool:
        """Whether they have this right, or a greater one."""
        return RIGHTS.index(self.right) >= RIGHTS.index(right)

    @property
    def may_administer(self) -> bool:
        """Whether they may do what concerns all characters, and know what is configured."""
        return self.allows("admin") and self.characters is None

    def sees(self, character: Character | CharacterInfo) -> bool:
        """Whether this character exists for them."""
        return self.characters is None or character.id in self.characters

    def speaker(self, user: str | None) -> str:
        """The principal of a person whom the caller names; without a name, their own."""
        return f"{self.principal}/{user}" if user else self.principal

    def owns(self, principal: str) -> bool:
        """Whether what belongs to a principal is theirs, or of a person whom they name."""
        return principal == self.principal or principal.startswith(f"{self.principal}/")

    def find(self, conn: Connection, name: str) -> Character | None:
        """The character of this name or id among those that exist for them."""
        with suppress(UnknownName):
            if self.sees(character := find_character(conn, name)):
                return character
        # Another one that they do not see may have that name, or be as like it.
        alike = [
            each
            for each in (() if self.characters is None else characters.list_all(conn))
            if self.sees(each) and fold(name) in (fold(each.name), fold(each.id))
        ]
        return alike[0] if len(alike) == 1 else None


_REMEMBER: Final = "x-offbook-remember"


def remembers(request: Request, caller: Caller) -> bool:
    """Whether what a request says may be kept, by its header and the caller's key.

    Raises:
        RequestRefused: the header is neither yes nor no: a wish for privacy must not get lost.
    """
    wish = request.headers.get(_REMEMBER, "yes").strip().casefold()
    if wish not in ("yes", "no"):
        raise RequestRefused(
            f"the header {_REMEMBER} is {wish[:40]!r}",
            "write yes or no",
            code="invalid_value",
            param=_REMEMBER,
        )
    return caller.remember and wish == "yes"


def require_remembered(remembered: bool) -> None:
    """Refuse a scene of which nothing may be kept: it lives in what those who are in it remember.

    Raises:
        RequestRefused: nothing may be kept of it.
    """
    if not remembered:
        raise forbidden(
            "those who are in a scene remember it, and nothing may be kept of this",
            "talk to one of them; or use a key that lets be remembered, without the header",
        )


OWNER = Caller()
"""Whoever sits at this machine; they may do everything."""

Authenticate = Callable[[Request], Awaitable[Caller]]
"""Recognizes a caller; raises ``RequestRefused`` (401, 403) where nobody is recognized."""


async def current_principal(request: Request) -> Caller:
    """Who asks, as the layer in front of all routes has recognized them."""
    caller: Caller = request.state.caller
    return caller


CurrentPrincipal = Annotated[Caller, Depends(current_principal)]


async def current_book(request: Request) -> Offbook:
    """Offbook for one request; async, or each would ask a thread for it."""
    return command_of(request.app.state.book)


Book = Annotated[Offbook, Depends(current_book)]


T = TypeVar("T")


async def unless_left(
    receive: Callable[[], Awaitable[Any]], work: Coroutine[Any, Any, Response]
) -> Response:
    """The answer; where the client leaves the work for it ends, and nobody reads what is said."""
    return await until_disconnected(receive, work) or Response(status_code=LEFT)


LEFT: Final = 499
"""Nobody reads it: a status for the log, as other servers write it."""


async def until_disconnected(
    receive: Callable[[], Awaitable[Any]], work: Coroutine[Any, Any, T]
) -> T | None:
    """The result of ``work``, which is cancelled when the client leaves; then there is none."""
    working = asyncio.create_task(work)
    watching = asyncio.create_task(_disconnected(receive))
    try:
        await asyncio.wait((working, watching), return_when=asyncio.FIRST_COMPLETED)
        return working.result() if working.done() else None
    finally:
        for task in (working, watching):
            task.cancel()
        # What is cancelled closes its connections to the model: nothing is left behind.
        await asyncio.gather(working, watching, return_exceptions=True)


async def _disconnected(receive: Callable[[], Awaitable[Any]]) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
