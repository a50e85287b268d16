"""Models of OpenAI's API: what their names mean, and how they are listed."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, Final

from offbook.server.dependencies import Book, Caller, CurrentPrincipal
from offbook.server.failures import RequestRefused
from offbook.server.middleware import name_in_path
from offbook.server.openai.exchange import Target
from offbook.stores import characters
from offbook.stores.connection import Connection
from offbook.types import Character

RAW: Final = ":raw"
"""Ends the id of a model that is the language model itself, without the character."""

USER: Final = "@"
"""Stands between the id of a model and the name of who speaks."""


async def list_models(book: Book, caller: CurrentPrincipal) -> dict[str, Any]:
    """Every character that the caller may see, as a model."""
    stored = await book.store.read(characters.list_all)
    return {"object": "list", "data": [_entry(each) for each in stored if caller.sees(each)]}


async def get_model(model: str, book: Book, caller: CurrentPrincipal) -> dict[str, Any]:
    """One character, as a model."""
    return _entry((await require_target(book, caller, name_in_path(model))).character)


async def require_target(book: Book, caller: Caller, model: str) -> Target:
    """What a model's name means: ``ID``, ``ID@USER``, ``ID:raw``."""
    base = model.removesuffix(RAW)
    name, _, user = base.partition(USER)

    def find(conn: Connection) -> tuple[Character | None, bool]:
        # An id holds neither of the marks; a name may, and is then meant as a whole.
        whole = characters.find(conn, model) if user or base != model else None
        if whole is not None and whole.name == model:
            return whole, True
        return caller.find(conn, name), False  # accents and case may be left out, as elsewhere

    character, whole = await book.store.read(find)
    if character is None or not caller.sees(character):
        raise RequestRefused(
            f"The model {model!r} does not exist or you do not have access to it",
            "GET /v1/models lists the characters that there are",
            status=404,
            code="model_not_found",
            param="model",
        )
    return Target(character) if whole else Target(character, user.strip() or None, base != model)


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
