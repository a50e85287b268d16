"""Cards and lorebooks become part of a character, and a character becomes a card.

Takes: files, or a character.  Gives: documents beside which the files are kept as they came, or a
file that other programs read. Storing asks no model; an ingestion builds what a method needs.
"""

from __future__ import annotations

import asyncio
import hashlib
import shlex
from dataclasses import dataclass, replace
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, Final

from offbook.app.card_files import carried, open_file
from offbook.app.sent_files import named
from offbook.app.waiting import told_on_stderr
from offbook.cards import (
    Card,
    Finding,
    Lorebook,
    MacroValues,
    ReadCard,
    ReadLorebook,
    lore_document,
    persona_document,
)
from offbook.cards.lenient_json import write_json
from offbook.context.card_words import untold, words_of
from offbook.documents.readers import ReadDocument
from offbook.errors import UnknownName, UsageError
from offbook.ingestion.lease import ingestion_lease
from offbook.ingestion.storing import refresh_voice, store_documents
from offbook.stores import cards, characters, documents

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from offbook.app.book import Offbook
    from offbook.app.card_files import WrittenFile
    from offbook.app.sent_files import CardSource
    from offbook.ingestion.reports import DocumentReport
    from offbook.stores.cards import CardFile, FileKind
    from offbook.types import Character

CARD_DOCUMENT: Final = "card"
LORE_DOCUMENT: Final = "card-lore"
_MEDIA: Final = "text/markdown"
_NAMELESS: Final = "name-empty"


@dataclass(frozen=True, slots=True)
class CardReport:
    """What became of a card or lorebook.

    ``documents`` are the documents that its text became, ``greetings`` how many first messages it
    has, ``entries`` how many entries its lorebook has, ``warnings`` what was mended in reading it.
    """

    character: Character
    file: str
    kind: str
    documents: tuple[DocumentReport, ...]
    greetings: int
    entries: int
    warnings: tuple[Finding, ...]

    def as_json(self) -> dict[str, Any]:
        """The shape of ``card attach --json``."""
        return {
            "id": self.character.id,
            "name": self.character.name,
            "created": self.character.created,
            "card": {
                "file": self.file,
                "kind": self.kind,
                "documents": [
                    {"id": row.id, "name": row.name, "status": row.status} for row in self.documents
                ],
                "greetings": self.greetings,
                "entries": self.entries,
                "warnings": [finding.as_json() for finding in self.warnings],
            },
        }


@dataclass(frozen=True, slots=True)
class _Part:
    """A document to be stored, and the file that is kept beside it."""

    name: str
    text: str
    kind: FileKind
    format: str
    raw: dict[str, Any]


class Cards:
    """The cards of the characters of an open offbook, as ``Offbook.cards`` gives it.

    Args:
        book: Offbook.
    """

    def __init__(self, book: Offbook) -> None:
        self._book = book

    async def create(self, file: CardSource, name: str | None = None) -> CardReport:
        """A new character from a card; no model is asked.

        Args:
            file: The card.
            name: Of the character; None: the card's own.

        Raises:
            UnreadableCard: there is no card in the file; no character was made.
        """
        read = await asyncio.to_thread(open_file, file)
        if isinstance(read, ReadLorebook):
            raise UsageError(
                f"{str(file)!r} is a lorebook and no card",
                "make the character first, then: offbook card attach NAME LOREBOOK",
            )
        if name:
            read = _called(read, name)
        try:
            character = await self._book.create(name or " ".join(read.card.name.split()))
        except UsageError as error:
            if not name:
                error.hint = f"name it: offbook create NAME --card {shlex.quote(str(file))}"
            raise
        try:
            return await self._take_card(character, named(file), read)
        except BaseException:
            await self._book.store.write(lambda conn: characters.remove(conn, character.id))
            raise

    async def attach(self, name: str, file: CardSource) -> CardReport:
        """Give a character a lorebook, or a card if it has none.

        Raises:
            UnreadableCard: there is neither in the file.
            UsageError: the character has another card.
        """
        character = await self._book.find(name, only=True)
        read = await asyncio.to_thread(open_file, file)
        if isinstance(read, ReadCard):
            return await self._take_card(character, named(file), read)
        return await self._take_book(character, named(file), read)

    async def files(self, name: str) -> list[dict[str, Any]]:
        """The cards and lorebooks of a character, and the documents that they became."""
        character = await self._book.find(name)
        found = await self._book.store.read(lambda conn: cards.list_files(conn, character.id))
        return [
            {"document": f.document, "kind": f.kind, "file": f.name, "format": f.format}
            for f in found
        ]

    async def show(self, name: str) -> dict[str, Any]:
        """What is in the card of a character: ``card show NAME --json``.

        Raises:
            UnknownName: there is no such character, or it has no card.
        """
        from offbook.app.card_files import card_row

        character = await self._book.find(name)
        found = await self._book.store.read(lambda conn: cards.list_files(conn, character.id))
        card = whole_card(found)
        own = next((file for file in found if file.kind == "card"), None)
        books = [Lorebook(file.object()) for file in found if file.kind == "lorebook"]
        if card is None and not books:
            raise UnknownName(
                f"{character.name!r} has neither a card nor a lorebook",
                f"give it one: offbook card attach {character.id} FILE",
            )
        row = None if card is None else card_row(card)
        book = None if row is None else row.pop("lorebook")
        return {
            "kind": "lorebook" if own is None else "card",
            "file": ", ".join(file.name for file in found if file.kind != "card_lorebook"),
            "format": (found[0] if own is None else own).format,
            "card": row,
            "lorebook": _together(book, books),
            "assets": [],
            "warnings": [],
        }

    async def export(
        self,
        name: str,
        file: Path | str,
        *,
        spec: int | None = None,
        picture: CardSource | None = None,
    ) -> WrittenFile:
        """Write a character as a card: the one that it came from, or one made of what it is.

        Args:
            name: The character.
            file: Where to: ``.json``, ``.png`` or ``.charx``.
            spec: Version of the specification, for JSON.
            picture: A PNG picture; None: the card's own.

        Raises:
            UsageError: the suffix is no format, or there is nothing to write yet.
        """
        from offbook.app.card_export import export_card

        character = await self._book.find(name)
        return await export_card(self._book, character, Path(file), spec=spec, picture=picture)

    async def export_chat(
        self, name: str, file: Path | str, *, session: str, user: str | None = None
    ) -> int:
        """Write a conversation as a chat log of SillyTavern; how many messages it has.

        Args:
            name: The character.
            file: Where to: a message a line.
            session: The conversation.
            user: Whose it is.

        Raises:
            UnknownName: there is no such conversation.
        """
        from offbook.app.chat_export import export_chat

        character = await self._book.find(name)
        return await export_chat(self._book, character, Path(file), session=session, user=user)

    async def _take_card(self, character: Character, path: PurePath, read: ReadCard) -> CardReport:
        card, format_ = read.card, read.source_format
        await self._book.store.read(lambda conn: _require_no_other(conn, character, card))
        values = MacroValues(card.spoken_name)
        lore = "" if card.book is None else lore_document(card.book, values, title="Lore")
        parts = [_Part(CARD_DOCUMENT, persona_document(card), "card", format_, card.raw)]
        if lore and card.book is not None:
            # The card without its book, and the book: each can be forgotten without the other.
            parts = [replace(parts[0], raw=_without_book(card))]
            book = card.book.raw
            parts.append(_Part(LORE_DOCUMENT, lore, "card_lorebook", "book", book))
        picture, assets, lost = await asyncio.to_thread(carried, read)
        kept = assets if picture is None or picture in assets.values() else {"": picture, **assets}
        rows = await self._store(character, path, parts, kept, card)
        words = words_of(card, "")
        entries = 0 if card.book is None else len(card.book.entries)
        told = (*read.warnings, *lost, *untold(words))
        fresh = await self._book.find(character.id)
        return CardReport(fresh, str(path), "card", rows, len(words.greetings), entries, told)

    async def _take_book(
        self, character: Character, path: PurePath, read: ReadLorebook
    ) -> CardReport:
        own = character.settings.get(cards.SETTING)
        char = own.get("char") if isinstance(own, dict) else None
        text = lore_document(read.book, MacroValues(char or character.name), title=path.stem)
        if not text:
            raise UsageError(
                f"{str(path)!r} has no entry that is enabled and says something",
                "see: offbook card show FILE",
            )
        own_names = CARD_DOCUMENT, LORE_DOCUMENT
        name = f"{path.name}.json" if path.name in own_names else path.name
        part = _Part(name, text, "lorebook", read.source_format, read.book.raw)
        rows = await self._store(character, path, [part], {}, None)
        fresh = await self._book.find(character.id)
        entries = len(read.book.entries)
        return CardReport(fresh, str(path), "lorebook", rows, 0, entries, read.warnings)

    async def _store(
        self,
        character: Character,
        path: PurePath,
        parts: list[_Part],
        assets: dict[str, bytes],
        card: Card | None,
    ) -> tuple[DocumentReport, ...]:
        """Store the documents, then the files beside them; voice samples follow the documents."""
        store, stage = self._book.store, self._book.stage(character.dimension)
        readings = [ReadDocument(part.name, part.text, _MEDIA) for part in parts]
        async with ingestion_lease(store, character.id, told_on_stderr(character.name)):
            await store.read(lambda conn: _require_free(conn, character, parts))
            rows = await store_documents(
                store, character.id, readings, (), stage.settings, stage.embedder
            )

            def put(conn: Connection) -> None:
                for part, row in zip(parts, rows, strict=True):
                    file = _file(part, row.id, path)
                    own = assets if part.kind == "card" else {}
                    cards.put(conn, character.id, file, own)
                if card is not None:
                    words = words_of(card, rows[0].id).as_json()
                    cards.set_words(conn, character.id, words)

            await store.write(put)
            await refresh_voice(store, character.id)
        await store.purge()
        return tuple(rows)


def _called(read: ReadCard, name: str) -> ReadCard:
    """A card without a name of its own has the one that a person gives it."""
    if all(finding.code != _NAMELESS for finding in read.warnings):
        return read
    read.card.name = name
    told = tuple(finding for finding in read.warnings if finding.code != _NAMELESS)
    return replace(read, warnings=told)


def _file(part: _Part, document: str, path: PurePath) -> CardFile:
    from offbook.stores.cards import CardFile

    raw = write_json(part.raw).decode("utf-8")
    return CardFile(document, part.kind, path.name, part.format, raw)


def _without_book(card: Card) -> dict[str, Any]:
    """The raw card with nothing in the place of its lorebook, which comes back at the export."""
    bare = card.copy()
    bare.data["character_book"] = None
    return bare.raw


def whole_card(files: list[CardFile]) -> Card | None:
    """The card among the files of a character as it came in, or None.

    A lorebook that was forgotten meanwhile is gone from it.
    """
    own = next((file for file in files if file.kind == "card"), None)
    if own is None:
        return None
    card = Card(own.object())
    book = next((file for file in files if file.kind == "card_lorebook"), None)
    if book is not None:
        card.data["character_book"] = book.object()
    return card


def _together(own: dict[str, Any] | None, books: list[Lorebook]) -> dict[str, Any] | None:
    """The card's own lorebook with the entries of those that were attached behind it."""
    from offbook.app.card_files import book_row

    rows = [*([] if own is None else [own]), *map(book_row, books)]
    if not rows:
        return None
    entries = [entry for row in rows for entry in row["entries"]]
    return {**rows[0], "entries": entries}


def _require_no_other(conn: Connection, character: Character, card: Card) -> None:
    """Refuse a second card: a character is one.

    Raises:
        UsageError: the character has another card.
    """
    known = whole_card(cards.list_files(conn, character.id))
    if known is not None and write_json(known.raw) != write_json(card.raw):
        raise UsageError(
            f"{character.name!r} came from another card, {known.name!r}",
            f"forget that one first: offbook forget {character.id} {CARD_DOCUMENT}",
        )


def _require_free(conn: Connection, character: Character, parts: list[_Part]) -> None:
    """Refuse to write over a document that somebody wrote.

    Raises:
        UsageError: there is another document of the name.
    """
    for part in parts:
        there = documents.find_by_name(conn, character.id, part.name)
        digest = hashlib.sha256(part.text.encode("utf-8", "surrogatepass")).hexdigest()
        if there is None or there.digest == digest:
            continue
        if cards.get(conn, character.id, there.id) is None:
            raise UsageError(
                f"{character.name!r} has a document {part.name!r} already, which is of no card",
                f"forget it first: offbook forget {character.id} {shlex.quote(part.name)}",
            )
