"""Characters as models: ``GET /v1/models``, ``GET /v1/models/{id}``.

Takes: who asks.  Gives: the characters that they may see, as OpenAI lists models.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from fastapi import APIRouter
from sqlalchemy import Connection

from offbook.app.finding import find_character
from offbook.errors import UnknownName
from offbook.server.book import Book
from offbook.server.failures import RequestRefused
from offbook.server.principal import Caller, CurrentPrincipal
from offbook.stores import characters
from offbook.types import Character

RAW: Final = ":raw"
"""Ends the id of a model that is the language model itself, without the character."""

USER: Final = "@"
"""Stands between the id of a model and the name of who speaks."""


def add_model_routes(router: APIRouter) -> None:
    """Add the routes to a router."""
    router.get("/models")(list_models)
    router.get("/models/{model:path}")(get_model)


async def list_models(book: Book, caller: CurrentPrincipal) -> dict[str, Any]:
    """Every character that the caller may see, as a model."""
    seen = [found for found in await book.store.read(characters.list_all) if caller.sees(found)]
    return {"object": "list", "data": [_entry(found) for found in seen]}


async def get_model(model: str, book: Book, caller: CurrentPrincipal) -> dict[str, Any]:
    """One character, as a model."""
    return _entry(await require_character(book, caller, model))


@dataclass(frozen=True, slots=True)
class Asked:
    """What the name of a model means: a character, and perhaps who speaks; or the model itself."""

    character: Character
    user: str | None = None
    raw: bool = False


async def require_character(book: Book, caller: Caller, model: str) -> Character:
    """The character that a model's name means, if the caller may see it.

    Raises:
        RequestRefused: there is none for them; what others have is neither told nor hinted at.
    """
    return (await require_asked(book, caller, model)).character


async def require_asked(book: Book, caller: Caller, model: str) -> Asked:
    """What a model's name means: ``ID``, ``ID@USER``, ``ID:raw``.

    Raises:
        RequestRefused: there is no such character for the caller.
    """
    base = model.removesuffix(RAW)
    name, _, user = base.partition(USER)

    def find(conn: Connection) -> tuple[Character | None, bool]:
        # An id holds neither of the marks; a name may, and is then meant as a whole.
        whole = characters.find(conn, model) if user or base != model else None
        if whole is not None and whole.name == model:
            return whole, True
        return _meant(conn, name), False

    found, whole = await book.store.read(find)
    if found is None or not caller.sees(found):
        raise RequestRefused(
            f"The model {model!r} does not exist or you do not have access to it",
            "GET /v1/models lists the characters that there are",
            status=404,
            code="model_not_found",
            param="model",
        )
    return Asked(found) if whole else Asked(found, user.strip() or None, base != model)


def _meant(conn: Connection, name: str) -> Character | None:
    """The character of this id or name; accents and case may be left out, as elsewhere."""
    try:
        return find_character(conn, name)
    except UnknownName:
        return None


def _entry(character: Character) -> dict[str, Any]:
    created = datetime.fromisoformat(character.created)
    return {
        "id": character.id,
        "object": "model",
        "created": int(created.replace(tzinfo=created.tzinfo or UTC).timestamp()),
        "owned_by": "offbook",
        # Not OpenAI's: clients that know it show it in the place of the id.
        "name": character.name,
    }
