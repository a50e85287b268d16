"""Who asks: the owner at this machine, or the holder of a key.

Takes: a request.  Gives: a ``Caller``, through the dependency ``current_principal``.  How a caller
is recognized is the application's ``state.authenticate``; without keys everybody is the owner.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import Depends, Request

from offbook.stores import principals
from offbook.stores.api_keys import RIGHTS, Right
from offbook.types import Character


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks, and what they may.

    Args:
        principal: Id in the store; conversations and memories of conversations belong to it.
        right: The greatest right that they have.
        characters: Ids of the characters that they may see; None: all.
        rpm: Their limit of requests a minute; None: the server's.
    """

    principal: str = principals.OWNER
    right: Right = "admin"
    characters: tuple[str, ...] | None = None
    rpm: int | None = None

    def allows(self, right: Right) -> bool:
        """Whether they have this right, or a greater one."""
        return RIGHTS.index(self.right) >= RIGHTS.index(right)

    @property
    def may_administer(self) -> bool:
        """Whether they may do what concerns all characters, and know what is configured."""
        return self.allows("admin") and self.characters is None

    def sees(self, character: Character) -> bool:
        """Whether this character exists for them."""
        return self.characters is None or character.id in self.characters

    def speaker(self, user: str | None) -> str:
        """The principal of a person whom the caller names; without a name, their own."""
        return f"{self.principal}/{user}" if user else self.principal


OWNER = Caller()
"""Whoever sits at this machine; they may do everything."""

Authenticate = Callable[[Request], Awaitable[Caller]]
"""Recognizes a caller; raises ``RequestRefused`` (401, 403) where nobody is recognized."""


async def anybody_is_owner(request: Request) -> Caller:
    """Without keys there is one principal, whatever key is presented."""
    del request
    return OWNER


async def current_principal(request: Request) -> Caller:
    """Who asks; the same for the whole of a request."""
    known: Any = getattr(request.state, "caller", None)
    if isinstance(known, Caller):
        return known
    found: Caller = await request.app.state.authenticate(request)
    request.state.caller = found
    return found


CurrentPrincipal = Annotated[Caller, Depends(current_principal)]
