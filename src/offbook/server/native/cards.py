"""Cards and lorebooks: looked into, checked, converted; given to a character, and made of one.

Takes: files in the body.  Gives: what ``offbook card`` prints; a file that is written comes back
in base64. Nothing of a card is obeyed or fetched, and its name leads to no file of the server.
"""

from __future__ import annotations

import asyncio
import base64
import tempfile
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, Final, Literal

from fastapi import APIRouter
from pydantic import ConfigDict, Field
from pydantic.config import JsonDict

from offbook.app.sent_files import SentFile
from offbook.server.book import Book
from offbook.server.native import card_shapes as shapes
from offbook.server.native.access import Administered, Seen, Writable, failing
from offbook.server.native.body import Body, Listed
from offbook.server.native.given import GivenFile, decoded
from offbook.server.principal import CurrentPrincipal

if TYPE_CHECKING:
    from offbook.app.card_files import WrittenFile

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


class GivenCard(GivenFile):
    """A card or a lorebook: JSON as text, anything else by its bytes."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [_EXAMPLE]})

    def sent(self) -> SentFile:
        """The file for whoever reads it."""
        return SentFile(self.name, self.data())


class GivenCards(Body):
    """Cards and lorebooks."""

    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"examples": [{"files": [_EXAMPLE]}]}
    )

    files: Listed[GivenCard] = Field(min_length=1, max_length=_MOST_FILES)


class Wanted(Body):
    """How a card is to be written."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"format": "json"}]})

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


class Conversion(Wanted):
    """A card or a lorebook, and how it is to be written."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"examples": [{"file": _EXAMPLE, "format": "json", "spec": 3}]},
    )

    file: GivenCard
    lorebook: LorebookFormat | None = Field(
        None, description="Write the lorebook alone, in this format; then always as JSON."
    )


def routers() -> list[APIRouter]:
    """The routes: of files alone, and of characters' cards."""
    given = failing(413, 415)
    files = APIRouter(prefix="/api/cards", tags=["cards"])
    files.post("/show", response_model=shapes.CardShown, responses=given)(show_file)
    files.post("/lint", response_model=list[shapes.CardLinted], responses=given)(lint)
    files.post("/convert", response_model=shapes.CardWritten, responses=given)(convert)
    own = APIRouter(prefix="/api/characters/{character}/card", tags=["cards"])
    one, taken = failing(404), failing(404, 413, 415)
    own.get("", response_model=shapes.CardShown, responses=one)(show)
    own.post("", response_model=shapes.CharacterWithCard, responses=taken)(attach)
    own.get("/files", response_model=list[shapes.CardFileListed], responses=one)(list_files)
    own.post("/export", response_model=shapes.CardWritten, responses=taken)(export)
    return [files, own]


async def show_file(body: GivenCard, caller: CurrentPrincipal) -> dict[str, Any]:
    """What is in a card or a lorebook, with warnings; nothing is stored."""
    from offbook.app import card_files

    del caller
    return await asyncio.to_thread(card_files.show_file, body.sent())


async def lint(body: GivenCards, caller: CurrentPrincipal) -> list[dict[str, Any]]:
    """Every rule that cards and lorebooks break; nothing is stored."""
    from offbook.app import card_lint

    del caller
    sent = [file.sent() for file in body.files]

    def reports() -> list[dict[str, Any]]:
        return [card_lint.lint_file(file).as_json() for file in sent]

    return await asyncio.to_thread(reports)


async def convert(body: Conversion, caller: CurrentPrincipal) -> dict[str, Any]:
    """Write a card or a lorebook in another format; unknown fields come along."""
    from offbook.app import card_files

    del caller
    source, picture = body.file.sent(), body.picture()
    spec, lorebook = body.spec, body.lorebook
    ending = body.format if lorebook is None else "json"

    async def write(target: Path) -> WrittenFile:
        return await asyncio.to_thread(
            card_files.convert_file, source, target, spec=spec, lorebook=lorebook, picture=picture
        )

    return await _written(f"{PurePosixPath(str(source)).stem}.{ending}", ending, write)


async def show(character: Seen, book: Book) -> dict[str, Any]:
    """What is in the card and the lorebooks of a character."""
    return await book.cards.show(character.id)


async def list_files(character: Seen, book: Book) -> list[dict[str, Any]]:
    """The cards and lorebooks of a character, and the documents that they became."""
    return await book.cards.files(character.id)


async def attach(body: GivenCard, character: Writable, book: Book) -> dict[str, Any]:
    """Give a character a lorebook, or a card if it has none; no model is asked.

    Its text becomes a document: an ingestion builds what the method needs of it.
    """
    return (await book.cards.attach(character.id, body.sent())).as_json()


async def export(body: Wanted, character: Administered, book: Book) -> dict[str, Any]:
    """A character as a card: the one that it came from, or one made of what it is."""
    picture = body.picture()

    async def write(target: Path) -> WrittenFile:
        return await book.cards.export(character.id, target, spec=body.spec, picture=picture)

    return await _written(f"{character.id}.{body.format}", body.format, write)


async def _written(
    name: str, ending: str, write: Callable[[Path], Awaitable[WrittenFile]]
) -> dict[str, Any]:
    """A file that passed through a folder of the server's own, under the name that it is told."""
    with tempfile.TemporaryDirectory(prefix="offbook-") as folder:
        target = Path(folder, f"card.{ending}")
        written = replace(await write(target), file=name)
        data = await asyncio.to_thread(target.read_bytes)
    return {**written.as_json(), "content_base64": base64.b64encode(data).decode("ascii")}
