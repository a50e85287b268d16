"""``/api/characters``: to make, list, look inside and delete.

Takes: names and parts.  Gives: the rows that ``offbook list`` and ``offbook show`` print.
"""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query, Response, status
from pydantic import ConfigDict, Field, model_validator

from offbook.app.reports import CharacterInfo
from offbook.server.book import Book
from offbook.server.native import shapes
from offbook.server.native.access import (
    Administered,
    Administrator,
    Seen,
    User,
    failing,
    whose,
)
from offbook.server.native.body import Body
from offbook.server.native.card_shapes import CharacterMadeOf
from offbook.server.native.cards import GivenCard
from offbook.server.principal import Caller, CurrentPrincipal
from offbook.types import Character

Offset = Annotated[int, Query(ge=0, le=10**9, description="Rows that are passed over.")]
Limit = Annotated[int | None, Query(ge=1, le=10**6, description="The most rows; none: all.")]


class NewCharacter(Body):
    """A name, in any script; or a card, which brings one."""

    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"examples": [{"name": "Ada Byrne"}]}
    )

    name: str | None = Field(
        None, min_length=1, max_length=1_000, description="With a card, none: the card's."
    )
    card: GivenCard | None = Field(None, description="The card that it is made from.")

    @model_validator(mode="after")
    def _is_called(self) -> NewCharacter:
        if self.name is None and self.card is None:
            raise ValueError("a character has a name: give `name`, or a `card` that has one")
        return self


def router() -> APIRouter:
    """The routes."""
    made = APIRouter(prefix="/api/characters", tags=["characters"])
    listed = failing()
    one = failing(404)
    graph = failing(404, 409)
    made.get("", response_model=list[shapes.CharacterListed], responses=listed)(list_characters)
    made.post(
        "",
        response_model=CharacterMadeOf,
        response_model_exclude_unset=True,
        status_code=status.HTTP_201_CREATED,
        responses=failing(413, 415),
    )(create)
    made.get("/{character}", response_model=shapes.CharacterOverview, responses=one)(show)
    made.delete("/{character}", response_model=shapes.CharacterMade, responses=one)(delete)
    for part, shape, said in _PARTS:
        made.get(
            f"/{{character}}/{part}",
            response_model=list[shape],  # type: ignore[valid-type]
            responses=graph if part in _BUILT else one,
            name=f"show_{part}",
            summary=f"The {part}",
            description=said,
        )(_rows_of(part))
    made.get("/{character}/memories", response_model=list[shapes.MemoryListed], responses=one)(
        memories
    )
    return made


_BUILT = frozenset({"entities", "relations", "aliases", "decisions", "attributes"})
_PARTS: tuple[tuple[str, type[shapes.Shape], str], ...] = (
    ("documents", shapes.DocumentListed, "The documents without their texts."),
    ("chunks", shapes.ChunkListed, "Passages of the documents, of every chunking."),
    ("entities", shapes.EntityListed, "Who and what there is in the graph."),
    ("relations", shapes.RelationListed, "How they relate."),
    ("aliases", shapes.AliasListed, "Other names, each with the canonical one."),
    ("decisions", shapes.DecisionListed, "Which names are one, and who said so."),
    ("attributes", shapes.AttributeListed, "What chunks reveal of the character."),
)


async def list_characters(book: Book, caller: CurrentPrincipal) -> list[dict[str, Any]]:
    """The characters that the caller may talk to."""
    return [found.as_json() for found in await book.characters() if _opens(caller, found)]


def _opens(caller: Caller, found: CharacterInfo) -> bool:
    return caller.characters is None or found.id in caller.characters


async def create(
    body: NewCharacter, book: Book, caller: Administrator, response: Response
) -> dict[str, Any]:
    """Make a character, from a name or from a card; its id is made from the name and is unique.

    What is in a card becomes documents; no model is asked.
    """
    del caller
    if body.card is not None:
        report = await book.cards.create(body.card.sent(), body.name)
        character, made = report.character, report.as_json()
    else:
        character = await book.create(body.name or "")
        made = {"id": character.id, "name": character.name, "created": character.created}
    response.headers["location"] = f"/api/characters/{_quoted(character)}"
    return made


def _quoted(character: Character) -> str:
    from urllib.parse import quote

    return quote(character.id, safe="")


async def show(character: Seen, book: Book) -> Any:
    """A character, seen from outside."""
    return await book.show(character.id, None)


async def delete(character: Administered, book: Book) -> dict[str, str]:
    """Delete a character and all that belongs to it, from the whole database."""
    await book.delete(character.id)
    return {"id": character.id, "name": character.name}


def _rows_of(part: str) -> Any:
    async def rows(
        character: Seen, book: Book, offset: Offset = 0, limit: Limit = None
    ) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = await book.show(character.id, part)
        return found[offset : None if limit is None else offset + limit]

    return rows


async def memories(
    character: Seen,
    book: Book,
    caller: CurrentPrincipal,
    user: User = None,
    offset: Offset = 0,
    limit: Limit = None,
) -> list[dict[str, Any]]:
    """Authored memories and the caller's own, oldest first; the owner sees everybody's."""
    from offbook.app.remembering import memory_rows

    mine = whose(caller, user)
    found: list[dict[str, Any]] = await book.store.read(
        lambda conn: memory_rows(conn, character.id, mine)
    )
    return found[offset : None if limit is None else offset + limit]
