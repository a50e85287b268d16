"""Who may do what with which character: dependencies of the routes.

Takes: a request's caller and path.  Gives: the character, or 403 or 404. What a key does not open
does not exist for it: neither an answer nor a hint tells of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Annotated, Any, Final

from fastapi import Depends, Path, Query

from offbook.app.finding import find_character
from offbook.errors import UnknownName
from offbook.models.failures import unquoted
from offbook.server.book import Book
from offbook.server.failures import RequestRefused
from offbook.server.native.shapes import Failed
from offbook.server.observing.secrets import masked
from offbook.server.principal import OWNER, Caller, CurrentPrincipal
from offbook.stores.api_keys import Right
from offbook.types import Character

Name = Annotated[
    str,
    Path(alias="character", description="The character's id or name.", examples=["ada-byrne"]),
]
User = Annotated[
    str | None,
    Query(min_length=1, max_length=200, description="A person for whom the caller asks."),
]

Responses = dict[int | str, dict[str, Any]]


def failing(*statuses: int) -> Responses:
    """The failures of a route, described."""
    return {
        status: {"model": Failed, "description": _TOLD[status]}
        for status in sorted({400, 401, 403, 429, 500, 503, *statuses})
    }


def streamed(description: str, names: Sequence[str]) -> Responses:
    """A stream of server-sent events, described; the data of each is one JSON document."""
    event = {
        "type": "object",
        "required": ["event", "data"],
        "properties": {
            "event": {"type": "string", "enum": list(names)},
            "data": {"type": "string", "contentMediaType": "application/json"},
        },
    }
    content = {"text/event-stream": {"schema": event}}
    return {200: {"description": description, "content": content}}


_TOLD: Final = {
    400: "the request cannot be used as it is",
    401: "keys are asked for, and none that is open was presented",
    403: "the key has not the right for this, or the request is not from where it may be",
    404: "there is no such thing, or the key does not open it",
    409: "the method needs an index that was not built",
    413: "the body is too large",
    415: "the body is not application/json",
    429: "too many requests, or the budget is spent",
    500: "a mistake in offbook, or settings that contradict one another",
    502: "the model endpoint failed",
    503: "the database cannot be read or written, or the model endpoint asks for time",
}


def require(caller: Caller, right: Right) -> None:
    """Refuse a caller without a right.

    Raises:
        RequestRefused: their key has a lesser one.
    """
    if not caller.allows(right):
        raise RequestRefused(
            f"the key has the right {caller.right!r}, and this needs {right!r}",
            "make a key that has it: offbook key add --right",
            status=403,
            code="forbidden",
        )


async def _seen(name: Name, book: Book, caller: CurrentPrincipal) -> Character:
    if caller.characters is None:
        return await book.find(name)
    try:
        found: Character = await book.store.read(lambda conn: find_character(conn, name))
    except UnknownName:
        raise _unknown(name) from None
    if not caller.sees(found):
        raise _unknown(name)
    return found


def _unknown(name: str) -> UnknownName:
    return UnknownName(f"no character {name!r}", "GET /api/characters lists those that there are")


async def _writable(
    character: Annotated[Character, Depends(_seen)], caller: CurrentPrincipal
) -> Character:
    require(caller, "write")
    return character


async def _administered(
    character: Annotated[Character, Depends(_seen)], caller: CurrentPrincipal
) -> Character:
    require(caller, "admin")
    return character


async def _administrator(caller: CurrentPrincipal) -> Caller:
    """Somebody who may do what concerns all characters."""
    require(caller, "admin")
    if caller.characters is not None:
        raise RequestRefused(
            "the key opens only some characters, and this concerns all",
            "make a key without --character",
            status=403,
            code="forbidden",
        )
    return caller


Seen = Annotated[Character, Depends(_seen)]
"""A character that the caller may talk to."""
Writable = Annotated[Character, Depends(_writable)]
"""A character whose documents, memories and aliases the caller may change."""
Administered = Annotated[Character, Depends(_administered)]
"""A character that the caller may delete and take away."""
Administrator = Annotated[Caller, Depends(_administrator)]


def readable(messages: Iterable[str], *, whole: bool) -> list[str]:
    """What was put aside and why, for a caller; ``whole``: also where a model is, and its words."""
    return [masked(each if whole else unquoted(each)) for each in messages]


def whose(caller: Caller, user: str | None) -> str | None:
    """Whose memories the caller sees beside the authored ones; None: everybody's.

    The owner of this machine sees all, as on the command line; a key only its own.
    """
    if caller.principal == OWNER.principal and user is None:
        return None
    return caller.speaker(user)
