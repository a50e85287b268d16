"""Cards and lorebooks of a character, as they came in; each goes with the document it became."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, get_args

from sqlalchemy import Connection, delete, select, update

from offbook.stores import characters
from offbook.stores.schema import card_assets, card_files, documents
from offbook.stores.statements import columns_of, mark_unpurged, of, put_rows, read_as, row_of

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
        """Read the raw object."""
        raw: dict[str, Any] = json.loads(self.raw)
        return raw


def put(
    conn: Connection, character: str, file: CardFile, assets: Mapping[str, bytes] | None = None
) -> None:
    """Store a card or lorebook with its assets, in the place of what its document was before.

    Raises:
        UsageError: it holds what no database can hold.
    """
    remove(conn, character, file.document)
    put_rows(conn, card_files, character, [row_of(file, document="document_id")])
    rows = [
        {"document_id": file.document, "place": place, "data": data}
        for place, data in (assets or {}).items()
    ]
    put_rows(conn, card_assets, character, rows)
    characters.touch(conn, character)


def remove(conn: Connection, character: str, document: str) -> None:
    """Delete the card or lorebook of a document, and a card's words among the settings."""
    removed = get(conn, character, document)
    if removed is None:
        return
    conn.execute(delete(card_files).where(of(card_files, character, document_id=document)))
    if removed.kind == "card":
        set_words(conn, character, None)
        # Its lorebook, where that is not forgotten as well, is one by itself from now on.
        left = of(card_files, character, kind="card_lorebook")
        conn.execute(update(card_files).where(left).values(kind="lorebook"))
    mark_unpurged(conn)
    characters.touch(conn, character)


def get(conn: Connection, character: str, document: str) -> CardFile | None:
    """Return the card or lorebook that a document came from, or None."""
    files = list_files(conn, character)
    return next((file for file in files if file.document == document), None)


def list_files(conn: Connection, character: str) -> list[CardFile]:
    """List the cards and lorebooks of a character in the order of their documents."""
    chosen = select(*columns_of(CardFile, card_files, document="document_id"))
    joined = chosen.join_from(card_files, documents).where(of(card_files, character))
    return read_as(conn, CardFile, joined.order_by(documents.c.ordinal, documents.c.id))


def assets(conn: Connection, character: str, document: str) -> dict[str, bytes]:
    """Return the assets of a card by their places; the picture that it came in has an empty one."""
    chosen = select(*card_assets.c["place", "data"])
    rows = conn.execute(chosen.where(of(card_assets, character, document_id=document)))
    return {place: bytes(data) for place, data in sorted(rows)}


def set_words(conn: Connection, character: str, words: Mapping[str, Any] | None) -> None:
    """Store the words of a card that belong to every conversation; None: there are none."""
    characters.set_setting(conn, character, SETTING, None if words is None else dict(words))


def is_card_file(kind: Any, raw: Any) -> bool:
    """Check that a row that anybody may have written is one that can be read."""
    try:
        return kind in _KINDS and isinstance(json.loads(raw), dict)
    except (ValueError, RecursionError):
        return False
