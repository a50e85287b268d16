"""Cards and lorebooks become part of a character, and a character becomes a card.

Takes: files, or a character.  Gives: documents beside which the files are kept as they came, or a
file that other programs read. A card that came in goes out with every field that it had; one that
is made here has a description, a greeting, examples, and a lorebook of the entities that the
character knows. No model is asked; an ingestion builds what a method needs.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import shlex
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from offbook import registry
from offbook.app.documents import told_on_stderr
from offbook.app.files import require_place, write_whole
from offbook.context.assembly import card_words, untold
from offbook.documents.readers import ReadDocument
from offbook.errors import UnknownName, UsageError
from offbook.graph.assembly import load_graph
from offbook.ingestion.documents import refresh_voice, store_documents, stored_documents
from offbook.ingestion.lease import ingestion_lease
from offbook.ingestion.profile import beginnings
from offbook.stores import cards, characters, documents, memories
from offbook.stores.cards import CardFile
from offbook.types import Finding

if TYPE_CHECKING:
    from collections.abc import Sequence

    from offbook.app.home import Home
    from offbook.foreign_files import CardSource, CharacterFile, WrittenFile
    from offbook.ingestion.reports import DocumentReport
    from offbook.protocols import CardReader
    from offbook.stores.connection import Connection
    from offbook.types import Character, MemoryFragment


_DESCRIPTION_TOKENS: Final = 1_200
_EXAMPLES: Final = 4
_SAMPLES: Final = 8
_ENTITIES: Final = 200
_NOTES: Final = "Made by offbook from texts about the character."


async def exported_card(
    home: Home, character: Character
) -> tuple[dict[str, Any], dict[str, bytes], list[Finding]]:
    """Return a character as a raw card, its assets by place, and what is not in it.

    Raises:
        UsageError: the character has nothing to tell yet.
    """
    files = await home.store.read(cards.list_files, character.id)
    left_out = [
        Finding(
            "lorebook-left",
            "warning",
            "data.character_book",
            f"the lorebook {file.name!r}, which was attached, is not in the card",
            "give it to others as the file that it is",
        )
        for file in files
        if file.kind == "lorebook"
    ]
    card = whole_card(files)
    if card is None:
        return await home.store.read(_made, character), {}, left_out
    document = next(file.document for file in files if file.kind == "card")
    assets = await home.store.read(cards.assets, character.id, document)
    return card, assets, left_out


def whole_card(files: list[CardFile]) -> dict[str, Any] | None:
    """Return the raw card among the files of a character as it came in, or None.

    A lorebook that was forgotten meanwhile is gone from it.
    """
    card = next((file for file in files if file.kind == "card"), None)
    if card is None:
        return None
    raw = card.object()
    book = next((file for file in files if file.kind == "card_lorebook"), None)
    if book is not None:
        card_fields(raw)["character_book"] = book.object()
    return raw


def card_fields(card: dict[str, Any]) -> dict[str, Any]:
    """Return the object that holds a raw card's fields: ``data``, or of version 1 its root."""
    data = card.get("data")
    return data if isinstance(data, dict) else card


def _made(conn: Connection, character: Character) -> dict[str, Any]:
    """Return a card of what the character is; whoever writes it adds the fields that are empty.

    Its description is the summary, or where there is none how the documents begin.
    """
    text = character.profile or ""
    if not text:
        begun = beginnings(stored_documents(conn, character.id), _DESCRIPTION_TOKENS)
        text = "\n\n".join(beginning.text.strip() for beginning in begun)
    described = [
        entity
        for entity in load_graph(conn, character.id).entities
        if entity.description and character.name.casefold() not in map(str.casefold, entity.names)
    ]
    if not text and not described:
        raise UsageError(
            f"{character.name!r} has nothing to tell in a card yet",
            f"name texts about it: offbook ingest {character.id} FILE...",
        )
    voice = character.voice[:_SAMPLES]
    data: dict[str, Any] = {
        "name": character.name,
        "description": text,
        "first_mes": next(iter(voice), ""),
        "mes_example": _examples(voice[1:], memories.list_memories(conn, character.id)),
        "creator_notes": _NOTES,
    }
    if described:
        described.sort(key=lambda entity: -len(entity.mentions))
        # The most mentioned stand first, and go last where there is no room.
        entries = [
            {
                "keys": list(entity.names),
                "content": entity.description,
                "insertion_order": 100 + place,
                "name": entity.name,
                "priority": max(1, _ENTITIES - place),
                "id": place + 1,
            }
            for place, entity in enumerate(described[:_ENTITIES])
        ]
        data["character_book"] = {"name": f"What {character.name} knows", "entries": entries}
    return {"spec": "chara_card_v3", "spec_version": "3.0", "data": data}


def _examples(voice: Sequence[str], remembered: Sequence[MemoryFragment]) -> str:
    """Example dialogue: what it remembers of being asked, then how it sounds."""
    authored = [memory for memory in remembered if memory.principal is None][:_EXAMPLES]
    blocks = [
        f"<START>\n{{{{user}}}}: {memory.said}\n{{{{char}}}}: {memory.answered}"
        for memory in authored
    ]
    if voice:
        blocks.append("\n".join(("<START>", *(f"{{{{char}}}}: {sample}" for sample in voice))))
    return "\n".join(blocks)


_MEDIA: Final = "text/markdown"


@dataclass(frozen=True, slots=True)
class CardReport:
    """What became of a card or lorebook.

    ``documents`` are the documents that its text became, ``greetings`` how many first messages it
    has, ``entries`` how many entries its lorebook has, of which ``never_fit`` are too large,
    ``warnings`` what was mended in reading it.
    """

    character: Character
    file: str
    kind: str
    documents: tuple[DocumentReport, ...]
    greetings: int
    entries: int
    never_fit: int
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
                "never_fit": self.never_fit,
                "warnings": [finding.as_json() for finding in self.warnings],
            },
        }


class Cards:
    """The cards of the characters of an open offbook, as ``Offbook.cards`` gives it."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._reader: CardReader = registry.load("foreign_file", "card")()

    @property
    def _lore_tokens(self) -> int:
        settings = self._home.settings.values
        return settings.lore.budget(settings.chat.context_tokens)

    async def create(self, file: CardSource, name: str | None = None) -> CardReport:
        """A new character from a card; no model is asked.

        Args:
            file: The card.
            name: Of the character; None: the card's own.

        Raises:
            UnreadableCard: there is no card in the file; no character was made.
        """
        read = await asyncio.to_thread(self._reader.read, file, name, lore_tokens=self._lore_tokens)
        if read.kind == "lorebook":
            raise UsageError(
                f"{str(file)!r} is a lorebook and no card",
                "make the character first, then: offbook card attach NAME LOREBOOK",
            )
        try:
            character = await self._home.store.write(characters.create, name or read.name)
        except UsageError as error:
            if not name:
                error.hint = f"name it: offbook create NAME --card {shlex.quote(str(file))}"
            raise
        try:
            return await self._take(character, Path(str(file)), read)
        except BaseException:
            await self._home.store.write(characters.remove, character.id)
            raise

    async def attach(self, name: str, file: CardSource) -> CardReport:
        """Give a character a lorebook, or a card if it has none.

        Raises:
            UnreadableCard: there is neither in the file.
            UsageError: the character has another card.
        """
        character = await self._home.find(name, only=True)
        stored = character.settings.get(cards.SETTING)
        char = stored.get("char") if isinstance(stored, dict) else None
        read = await asyncio.to_thread(
            self._reader.read, file, char or character.name, lore_tokens=self._lore_tokens
        )
        return await self._take(character, Path(str(file)), read)

    async def files(self, name: str) -> list[dict[str, Any]]:
        """The cards and lorebooks of a character, and the documents that they became."""
        character = await self._home.find(name)
        stored = await self._home.store.read(cards.list_files, character.id)
        return [
            {"document": f.document, "kind": f.kind, "file": f.name, "format": f.format}
            for f in stored
        ]

    async def show(self, name: str) -> dict[str, Any]:
        """What is in the card of a character: ``card show NAME --json``.

        Raises:
            UnknownName: there is no such character, or it has no card.
        """
        character = await self._home.find(name)
        files = await self._home.store.read(cards.list_files, character.id)
        raw = whole_card(files)
        card_file = next((file for file in files if file.kind == "card"), None)
        books = [file.object() for file in files if file.kind == "lorebook"]
        if raw is None and not books:
            raise UnknownName(
                f"{character.name!r} has neither a card nor a lorebook",
                f"give it one: offbook card attach {character.id} FILE",
            )
        card, lorebook = self._reader.rows(raw, books, lore_tokens=self._lore_tokens)
        return {
            "kind": "lorebook" if card_file is None else "card",
            "file": ", ".join(file.name for file in files if file.kind != "card_lorebook"),
            "format": (files[0] if card_file is None else card_file).format,
            "card": card,
            "lorebook": lorebook,
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
        target = await asyncio.to_thread(require_place, Path(file))
        written = await self.written(name, str(file), spec=spec, picture=picture)
        await asyncio.to_thread(write_whole, target, written.data)
        return written

    async def written(
        self,
        name: str,
        file: str,
        *,
        spec: int | None = None,
        picture: CardSource | None = None,
    ) -> WrittenFile:
        """Return what ``export`` would write; only the ending of ``file`` counts.

        Raises:
            UsageError: the ending is no format, or there is nothing to write yet.
        """
        character = await self._home.find(name)
        card, assets, left_out = await exported_card(self._home, character)
        shown = assets.pop("", None) if picture is None else picture
        made = await asyncio.to_thread(
            self._reader.write, card, file, spec=spec, picture=shown, assets=assets
        )
        return replace(made, losses=(*left_out, *made.losses))

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
        from offbook.app.conversations import export_chat

        character = await self._home.find(name)
        return await export_chat(self._home, character, Path(file), session=session, user=user)

    async def _take(self, character: Character, path: Path, read: CharacterFile) -> CardReport:
        """Store the documents, then the files beside them; voice samples follow the documents."""
        store, runtime = self._home.store, self._home.runtime(character.dimension)
        is_card = read.kind == "card"
        if is_card:
            await store.read(_require_no_other, character, read)
        readings = [ReadDocument(part.name, part.text, _MEDIA) for part in read.parts]
        async with ingestion_lease(store, character.id, told_on_stderr(character.name)):
            await store.read(_require_free, character, read)
            rows = await store_documents(
                store, character.id, readings, (), runtime.settings, runtime.embedder
            )

            def put(conn: Connection) -> None:
                for part, row in zip(read.parts, rows, strict=True):
                    raw = json.dumps(part.raw, ensure_ascii=False, allow_nan=False)
                    file = CardFile(row.id, part.kind, path.name, part.format, raw)
                    cards.put(conn, character.id, file, read.assets if part.kind == "card" else {})
                if is_card:
                    words = {**read.words, "document": rows[0].id}
                    cards.set_words(conn, character.id, words)

            await store.write(put)
            await refresh_voice(store, character.id)
        await store.purge()
        words = card_words({cards.SETTING: read.words})
        return CardReport(
            character=await self._home.find(character.id),
            file=str(path),
            kind=read.kind,
            documents=tuple(rows),
            greetings=len(words.greetings),
            entries=read.entries,
            never_fit=read.never_fit,
            warnings=(*read.findings, *untold(words)),
        )


def _require_no_other(conn: Connection, character: Character, read: CharacterFile) -> None:
    """Refuse a second card: a character is one.

    Raises:
        UsageError: the character has another card.
    """
    known = whole_card(cards.list_files(conn, character.id))
    if known is not None and json.dumps(known) != json.dumps(read.raw):
        raise UsageError(
            f"{character.name!r} came from another card, {card_fields(known).get('name')!r}",
            f"forget that one first: offbook forget {character.id} card",
        )


def _require_free(conn: Connection, character: Character, read: CharacterFile) -> None:
    """Refuse to write over a document that somebody wrote.

    Raises:
        UsageError: there is another document of the name.
    """
    for part in read.parts:
        there = documents.find_by_name(conn, character.id, part.name)
        digest = hashlib.sha256(part.text.encode("utf-8", "surrogatepass")).hexdigest()
        if there is None or there.digest == digest:
            continue
        if cards.get(conn, character.id, there.id) is None:
            raise UsageError(
                f"{character.name!r} has a document {part.name!r} already, which is of no card",
                f"forget it first: offbook forget {character.id} {shlex.quote(part.name)}",
            )
