"""What pages show of what is stored: conversations, ingestions under way."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, Final

import pytest

from offbook.app import Offbook
from offbook.documents.readers import ReadDocument
from offbook.server.principal import OWNER
from offbook.server.security.pace import Pace
from offbook.stores import ingestions
from offbook.stores.leases import Owner
from offbook.ui.talk.page import _label
from offbook.ui.visitor import Visitor
from tests.cli.texts import ADA
from tests.server.inside import bearer, opened
from tests.ui.test_mounting import client_of

NOTHING: Final[dict[str, Any]] = {"documents": [], "method": None, "order": None}
"""An ingestion of what is there already."""


@pytest.fixture
async def book(tmp_path: Path) -> AsyncIterator[Offbook]:
    """An open home with Ada, and one document that was read."""
    async with opened(tmp_path) as made:
        await made.create("Ada Byrne")
        await made.ingest_texts("ada-byrne", [ReadDocument("ada.md", ADA, "text/markdown")])
        yield made


async def test_how_far_an_ingestion_of_another_process_is_stands_on_the_page(book: Offbook):
    await book.store.write(lambda conn: ingestions.add(conn, "ada-byrne", "i1", NOTHING))
    done = {"done": 7, "total": 7}
    stages = [{"stage": "chunks", **done}, {"stage": "graph", "done": 3, "total": 9}]
    stages.append({"stage": "embedding", **done})
    owner = Owner("another")
    taken = await book.store.write(lambda conn: ingestions.take(conn, owner))
    assert taken is not None
    await book.store.write(
        lambda conn: ingestions.give_sign(conn, taken, owner, {"stages": stages})
    )
    async with client_of(book) as client:
        shown = (await client.get("/c/ada-byrne/documents")).text
    assert "Reading: graph, 3 of 9" in shown
    assert "Cancel reading" in shown
    assert "not read yet" not in shown
    async with client_of(book, **await bearer(book, right="chat")) as client:
        shown = (await client.get("/c/ada-byrne/documents")).text
    assert "Reading: graph, 3 of 9" in shown
    assert "Cancel reading" not in shown


async def test_a_failed_ingestion_tells_others_than_the_owner_that_it_failed(book: Offbook):
    await book.store.write(lambda conn: ingestions.add(conn, "ada-byrne", "i1", NOTHING))
    owner = Owner("another")
    taken = await book.store.write(lambda conn: ingestions.take(conn, owner))
    error = {"kind": "model", "message": "refused: PROMPT", "hint": "see /home/ada"}
    await book.store.write(
        lambda conn: ingestions.finish(conn, taken, owner, {}, report=None, error=error)
    )
    async with client_of(book) as client:
        assert "PROMPT" in (await client.get("/c/ada-byrne/documents")).text
    key = await bearer(book, right="write")
    async with client_of(book, **key) as client:
        shown = (await client.get("/c/ada-byrne/documents")).text
    assert "Reading the documents failed" in shown
    assert "PROMPT" not in shown
    assert "/home/ada" not in shown


async def test_a_cancelled_ingestion_is_told_as_that(book: Offbook):
    await book.store.write(lambda conn: ingestions.add(conn, "ada-byrne", "i1", NOTHING))
    await book.store.write(lambda conn: ingestions.cancel(conn, "ada-byrne", "i1"))
    async with client_of(book) as client:
        shown = (await client.get("/c/ada-byrne/documents")).text
    assert "Reading was cancelled." in shown
    assert "Reading: " not in shown


async def test_conversations_are_listed_by_what_was_said_first(book: Offbook):
    for session, said in (("evening", "Who was Tom?"), ("0a1b2c3d", "Were you  afraid?")):
        talk = await book.session("ada-byrne", session=session)
        await talk.ask(said)
        await talk.ask("And then?")

    async def recognize():
        return OWNER

    visitor = Visitor(book, OWNER, recognize, Pace())
    known = await visitor.conversations(await book.find("ada-byrne"), 10)
    assert known == {"0a1b2c3d": "Were you  afraid?", "evening": "Who was Tom?"}
    assert [_label(name, said) for name, said in known.items()] == [
        "Were you afraid?",
        "evening: Who was Tom?",
    ]
    assert list(await visitor.conversations(await book.find("ada-byrne"), 1)) == ["0a1b2c3d"]
    assert _label("evening", "word " * 40) == "evening: " + "word " * 9 + "wor…"
