"""Cards and lorebooks: looked into, checked, converted; given to a character, and made of one."""

from __future__ import annotations

import asyncio
import base64
from pathlib import PurePosixPath
from typing import Any, Final, Literal

from fastapi import APIRouter
from pydantic import Field
from pydantic.config import JsonDict

from offbook.cards import files as card_files
from offbook.foreign_files import SentFile, WrittenFile
from offbook.server.dependencies import Book
from offbook.server.native.access import (
    AdministeredCharacter,
    Body,
    ChangeableCharacter,
    Listed,
    ReadableCharacter,
    SentFileBody,
    decoded,
)

_MOST_FILES: Final = 100
_PICTURE: Final = "the picture"

CardFormat = Literal["json", "png", "charx"]
LorebookFormat = Literal["lorebook_v3", "sillytavern", "agnai", "novelai", "risu", "book"]
Spec = Literal[1, 2, 3]

_EXAMPLE: Final[JsonDict] = {
    "name": "ada.json",
    "text": '{"spec": "chara_card_v2", "spec_version": "2.0", "data": {"name": "Ada Byrne",'
    ' "description": "Ada keeps the light on Kestrel Rock.", "first_mes": "Mind the step."}}',
}


class GivenCard(SentFileBody, json_schema_extra={"examples": [_EXAMPLE]}):
    """A card or a lorebook: JSON as text, anything else by its bytes."""

    def sent(self) -> SentFile:
        """The file for whoever reads it."""
        return SentFile(self.name, self.data())


class GivenCards(Body, json_schema_extra={"examples": [{"files": [_EXAMPLE]}]}):
    """Cards and lorebooks."""

    files: Listed[GivenCard] = Field(min_length=1, max_length=_MOST_FILES)


class Wanted(Body, json_schema_extra={"examples": [{"format": "json"}]}):
    """How a card is to be written."""

    format: CardFormat = Field("json", description="Of the file.")
    spec: Spec | None = Field(None, description="Version of the card, for JSON; none: its.")
    picture_base64: str | None = Field(
        None, description="The bytes of a PNG picture; none: the card's own."
    )

    def picture(self) -> SentFile | None:
        """The picture, where one came along."""
        if self.picture_base64 is None:
            return None
        return SentFile(_PICTURE, decoded(self.picture_base64, _PICTURE))


class Conversion(
    Wanted, json_schema_extra={"examples": [{"file": _EXAMPLE, "format": "json", "spec": 3}]}
):
    """A card or a lorebook, and how it is to be written."""

    file: GivenCard
    lorebook: LorebookFormat | None = Field(
        None, description="Write the lorebook alone, in this format; then always as JSON."
    )


routes: Final = APIRouter(prefix="/api", tags=["cards"])
_STORED: Final = "/characters/{character}/card"


@routes.post("/cards/show")
async def show_file(body: GivenCard) -> dict[str, Any]:
    """What is in a card or a lorebook, with warnings; nothing is stored."""
    return await asyncio.to_thread(card_files.show_file, body.sent())


@routes.post("/cards/lint")
async def lint(body: GivenCards) -> list[dict[str, Any]]:
    """Every rule that cards and lorebooks break; nothing is stored."""
    sent = [file.sent() for file in body.files]

    def reports() -> list[dict[str, Any]]:
        return [card_files.lint_file(file).as_json() for file in sent]

    return await asyncio.to_thread(reports)


@routes.post("/cards/convert")
async def convert(body: Conversion) -> dict[str, Any]:
    """Write a card or a lorebook in another format; unknown fields come along."""
    source = body.file.sent()
    ending = body.format if body.lorebook is None else "json"
    written = await asyncio.to_thread(
        card_files.convert_file,
        source,
        f"{PurePosixPath(str(source)).stem}.{ending}",
        spec=body.spec,
        lorebook=body.lorebook,
        picture=body.picture(),
    )
    return _with_content(written)


@routes.get(_STORED)
async def show(character: ReadableCharacter, book: Book) -> dict[str, Any]:
    """What is in the card and the lorebooks of a character."""
    return await book.cards.show(character.id)


@routes.get(f"{_STORED}/files")
async def list_files(character: ReadableCharacter, book: Book) -> list[dict[str, Any]]:
    """The cards and lorebooks of a character, and the documents that they became."""
    return await book.cards.files(character.id)


@routes.post(_STORED)
async def attach(body: GivenCard, character: ChangeableCharacter, book: Book) -> dict[str, Any]:
    """Give a character a lorebook, or a card if it has none; no model is asked.

    Its text becomes a document: an ingestion builds what the method needs of it.
    """
    return (await book.cards.attach(character.id, body.sent())).as_json()


@routes.post(f"{_STORED}/export")
async def export(body: Wanted, character: AdministeredCharacter, book: Book) -> dict[str, Any]:
    """A character as a card: the one that it came from, or one made of what it is."""
    file = f"{character.id}.{body.format}"
    return _with_content(
        await book.cards.written(character.id, file, spec=body.spec, picture=body.picture())
    )


def _with_content(written: WrittenFile) -> dict[str, Any]:
    content = base64.b64encode(written.data).decode("ascii")
    return {**written.as_json(), "content_base64": content}
