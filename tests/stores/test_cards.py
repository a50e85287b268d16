"""Rows of cards: with their document, on both engines; altered ones are refused."""

from __future__ import annotations

import json

import pytest
from sqlalchemy import Connection

from offbook.protocols import Store
from offbook.stores import cards, characters, documents
from offbook.stores.cards import CardFile
from offbook.stores.export import Law
from offbook.types import Document

RAW = json.dumps({"name": "Ada", "data": {"x": [1, None, "é"]}}, ensure_ascii=False)


def made(conn: Connection) -> None:
    characters.create(conn, "Ada")
    for name in ("card", "card-lore"):
        documents.put(conn, "ada", Document(name, name, "Ada.", name))


def add(conn: Connection, /, document: str, kind: cards.FileKind, **assets: bytes) -> None:
    cards.put(conn, "ada", CardFile(document, kind, "a.png", "png", RAW), assets)


async def test_a_file_comes_back_as_it_was(store: Store):
    await store.write(made)
    await store.write(add, "card", "card", a=b"\0\1", b=b"")
    (found,) = await store.read(cards.list_files, "ada")
    assert found == CardFile("card", "card", "a.png", "png", RAW)
    assert found.object()["data"]["x"] == [1, None, "é"]
    kept = await store.read(cards.assets, "ada", "card")
    assert kept == {"a": b"\0\1", "b": b""}
    await store.write(add, "card", "card")
    assert await store.read(cards.assets, "ada", "card") == {}


async def test_a_file_goes_with_its_document(store: Store):
    await store.write(made)
    await store.write(add, "card", "card", a=b"1")
    await store.write(add, "card-lore", "card_lorebook")
    await store.write(cards.set_words, "ada", {"char": "Ada"})
    await store.write(documents.remove, "ada", "card")
    left = await store.read(cards.list_files, "ada")
    assert [(file.document, file.kind) for file in left] == [("card-lore", "lorebook")]
    assert await store.read(cards.assets, "ada", "card") == {}
    assert (await store.read(characters.require, "ada")).settings == {}


async def test_other_settings_of_the_character_stay(store: Store):
    await store.write(characters.create, "Ada", settings={"server.x": "merge"})
    await store.write(cards.set_words, "ada", {"char": "Ada"})
    await store.write(cards.set_words, "ada", None)
    found = await store.read(characters.require, "ada")
    assert found.settings == {"server.x": "merge"}


@pytest.mark.parametrize(
    "row", [("card", "[]"), ("card", "{"), ("deck", "{}"), ("card", "[" * 9999)]
)
def test_an_altered_row_of_an_archive_is_refused(row: tuple[str, str]):
    kind, raw = row
    with pytest.raises(ValueError, match="altered"):
        Law().check("card_files", {"kind": kind, "raw": raw, "name": "a.png"})
