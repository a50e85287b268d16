"""``/api/users``: what is kept of a person for whom the caller asks, over all characters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from fastapi import APIRouter

from offbook.app.users import UserData
from offbook.server.dependencies import Book, CurrentPrincipal

routes: Final = APIRouter(prefix="/api", tags=["talking"])
_ONE: Final = "/users/{user:path}"


@dataclass(frozen=True, kw_only=True)
class KeptOfUser:
    """All conversations and memories of a person, by character."""

    user: str
    characters: list[dict[str, Any]]


@routes.get(_ONE, response_model=KeptOfUser)
async def export_user(user: str, book: Book, caller: CurrentPrincipal) -> KeptOfUser:
    """Collect all that is kept of one of the caller's people."""
    return KeptOfUser(**await book.users.export(caller.speaker(user), exactly=True))


@routes.delete(_ONE, response_model=UserData)
async def delete_user(user: str, book: Book, caller: CurrentPrincipal) -> UserData:
    """Delete all that is kept of one of the caller's people, over all characters."""
    return await book.users.delete(caller.speaker(user), exactly=True)
