"""Cards and lorebooks of a character, as they came in, beside the documents that they became.

Takes: a character.  Gives: raw files, their assets, and what of a card stands in every prompt.  A
row goes with its document: forgetting that forgets the card.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, get_args

from sqlalchemy import Connection, delete, select, update

from offbook.stores import characters
from offbook.stores.card_tables import card_assets, card_files
from offbook.stores.schema import characters as character_rows
from offbook.stores.schema import documents
from offbook.stores.statements import mark_unpurged, storable, upsert

FileKind = Literal["card", "card_lorebook", "lorebook"]

SETTING: Final = "card"
"""Where in a character's settings the words of its card stand."""
_KINDS: Final = get_args(FileKind)


@dataclass(frozen=True, slots=True)
class CardFile:
    """A card or lorebook: ``raw`` is its JSON, ``document`` the id of what its text became."""

    document: str
    kind: FileKind
    name: str
    format: str
    raw: str

    def object(self) -> dict[str, Any]:
        """The raw object."""
        found: dict[str, Any] = json.loads(self.raw)
        return found


def put(
    conn: Connection, character: str, file: CardFile, assets: Mapping[str, bytes] | None = None
) -> None:
    """Store a card or lorebook with its assets, in the place of what its document was before.

    Raises:
        UsageError: it holds what no database can hold.
    """
    storable(file.raw, file.name)
    remove(conn, character, file.document)
    row = {
        "character_id": character,
        "document_id": file.document,
        "kind": file.kind,
        "name": file.name,
        "format": file.format,
        "raw": file.raw,
    }
    conn.execute(upsert(conn, card_files), row)
    rows = [
        {"character_id": character, "document_id": file.document, "place": place, "data": data}
        for place, data in (assets or {}).items()
    ]
    if rows:
        conn.execute(card_assets.insert(), rows)
    characters.touch(conn, character)


def remove(conn: Connection, character: str, document: str) -> None:
    """Delete the card or lorebook of a document, and a card's words among the settings."""
    found = get(conn, character, document)
    if found is None:
        return
    columns = card_files.c
    conn.execute(
        delete(card_files).where(columns.character_id == character, columns.document_id == document)
    )
    if found.kind == "card":
        set_words(conn, character, None)
        # Its lorebook, where that is not forgotten as well, is one by itself from now on.
        own = (columns.character_id == character) & (columns.kind == "card_lorebook")
        conn.execute(update(card_files).where(own).values(kind="lorebook"))
    mark_unpurged(conn)
    characters.touch(conn, character)


def get(conn: Connection, character: str, document: str) -> CardFile | None:
    """The card or lorebook that a document came from, or None."""
    found = list_files(conn, character)
    return next((file for file in found if file.document == document), None)


def list_files(conn: Connection, character: str) -> list[CardFile]:
    """The cards and lorebooks of a character in the order of their documents."""
    columns = card_files.c
    own = (documents.c.character_id == columns.character_id) & (
        documents.c.id == columns.document_id
    )
    statement = (
        select(columns.document_id, columns.kind, columns.name, columns.format, columns.raw)
        .select_from(card_files.join(documents, own))
        .where(columns.character_id == character)
        .order_by(documents.c.ordinal, documents.c.id)
    )
    return [CardFile(*row) for row in conn.execute(statement)]


def assets(conn: Connection, character: str, document: str) -> dict[str, bytes]:
    """The assets of a card by their places; the picture that it came in has an empty one."""
    columns = card_assets.c
    statement = select(columns.place, columns.data).where(
        columns.character_id == character, columns.document_id == document
    )
    return {place: bytes(data) for place, data in conn.execute(statement.order_by(columns.place))}


def set_words(conn: Connection, character: str, words: Mapping[str, Any] | None) -> None:
    """Store the words of a card that belong to every conversation; None: there are none."""
    columns = character_rows.c
    kept = conn.execute(select(columns.settings).where(columns.id == character)).scalar_one()
    settings = {name: value for name, value in kept.items() if name != SETTING}
    if words is not None:
        settings[SETTING] = dict(words)
    conn.execute(update(character_rows).where(columns.id == character).values(settings=settings))


def is_card_file(kind: Any, raw: Any) -> bool:
    """Whether a row that anybody may have written is one that can be read."""
    try:
        return kind in _KINDS and isinstance(json.loads(raw), dict)
    except (ValueError, RecursionError):
        return False
