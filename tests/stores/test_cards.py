"""Rows of cards: with their document, on both engines; altered ones are refused."""

from __future__ import annotations

import json

import pytest
from sqlalchemy import Connection

from offbook.errors import UsageError
from offbook.protocols import Store
from offbook.stores import cards, characters, documents
from offbook.stores.cards import CardFile
from offbook.stores.rows import Law
from offbook.types import Document

RAW = json.dumps({"name": "Ada", "data": {"x": [1, None, "é"]}}, ensure_ascii=False)


@pytest.fixture(params=["sqlite", "postgres"])
def store(request: pytest.FixtureRequest) -> Store:
    found: Store = request.getfixturevalue(f"{request.param}_store")
    return found


def made(conn: Connection) -> None:
    characters.create(conn, "Ada")
    for name in ("card", "card-lore"):
        documents.put(conn, "ada", Document(name, name, "Ada.", name))


def add(conn: Connection, document: str, kind: cards.FileKind, **assets: bytes) -> None:
    cards.put(conn, "ada", CardFile(document, kind, "a.png", "png", RAW), assets)


async def test_a_file_comes_back_as_it_was(store: Store):
    await store.write(made)
    await store.write(lambda conn: add(conn, "card", "card", a=b"\0\1", b=b""))
    (found,) = await store.read(lambda conn: cards.list_files(conn, "ada"))
    assert found == CardFile("card", "card", "a.png", "png", RAW)
    assert found.object()["data"]["x"] == [1, None, "é"]
    kept = await store.read(lambda conn: cards.assets(conn, "ada", "card"))
    assert kept == {"a": b"\0\1", "b": b""}
    await store.write(lambda conn: add(conn, "card", "card"))
    assert await store.read(lambda conn: cards.assets(conn, "ada", "card")) == {}


async def test_a_file_goes_with_its_document(store: Store):
    await store.write(made)
    await store.write(lambda conn: add(conn, "card", "card", a=b"1"))
    await store.write(lambda conn: add(conn, "card-lore", "card_lorebook"))
    await store.write(lambda conn: cards.set_words(conn, "ada", {"char": "Ada"}))
    await store.write(lambda conn: documents.remove(conn, "ada", "card"))
    left = await store.read(lambda conn: cards.list_files(conn, "ada"))
    assert [(file.document, file.kind) for file in left] == [("card-lore", "lorebook")]
    assert await store.read(lambda conn: cards.assets(conn, "ada", "card")) == {}
    assert (await store.read(lambda conn: characters.require(conn, "ada"))).settings == {}


async def test_other_settings_of_the_character_stay(store: Store):
    await store.write(lambda conn: characters.create(conn, "Ada", settings={"server.x": "merge"}))
    await store.write(lambda conn: cards.set_words(conn, "ada", {"char": "Ada"}))
    await store.write(lambda conn: cards.set_words(conn, "ada", None))
    found = await store.read(lambda conn: characters.require(conn, "ada"))
    assert found.settings == {"server.x": "merge"}


async def test_a_change_is_one_of_what_the_character_knows(store: Store):
    await store.write(made)
    before = await store.read(lambda conn: characters.revision(conn, "ada"))
    await store.write(lambda conn: add(conn, "card-lore", "lorebook"))
    between = await store.read(lambda conn: characters.revision(conn, "ada"))
    await store.write(lambda conn: cards.remove(conn, "ada", "card-lore"))
    assert before < between < await store.read(lambda conn: characters.revision(conn, "ada"))


@pytest.mark.parametrize(
    "row", [("card", "[]"), ("card", "{"), ("deck", "{}"), ("card", "[" * 9999)]
)
def test_an_altered_row_of_an_archive_is_refused(row: tuple[str, str]):
    kind, raw = row
    with pytest.raises(ValueError, match="altered"):
        Law().check("card_files", {"kind": kind, "raw": raw, "name": "a.png"})


async def test_what_cannot_be_stored_is_refused(store: Store):
    await store.write(made)
    with pytest.raises(UsageError):
        await store.write(
            lambda conn: cards.put(conn, "ada", CardFile("card", "card", "\0", "png", RAW))
        )
