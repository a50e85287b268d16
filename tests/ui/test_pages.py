"""What pages show of what is stored: conversations, ingestions under way."""

from __future__ import annotations

from typing import Any, Final

from offbook.app import Offbook
from offbook.stores import memories, queue
from offbook.stores.leases import Owner
from offbook.types import MemoryFragment
from offbook.ui.conversation import _label
from tests.server.inside import bearer
from tests.ui.test_mounting import client_of

NOTHING: Final[dict[str, Any]] = {"documents": [], "method": None, "order": None}
"""An ingestion of what is there already."""


async def test_how_far_an_ingestion_of_another_process_is_stands_on_the_page(book: Offbook):
    await book.store.write(queue.add, "i1", "ingestion", NOTHING, character="ada-byrne")
    done = {"done": 7, "total": 7}
    stages = [{"stage": "chunks", **done}, {"stage": "graph", "done": 3, "total": 9}]
    stages.append({"stage": "embedding", **done})
    owner = Owner("another")
    taken = await book.store.write(queue.claim, queue.INGESTIONS, owner)
    assert taken is not None
    await book.store.write(queue.heartbeat, taken, owner, progress={"stages": stages})
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
    await book.store.write(queue.add, "i1", "ingestion", NOTHING, character="ada-byrne")
    owner = Owner("another")
    taken = await book.store.write(queue.claim, queue.INGESTIONS, owner)
    error = {"kind": "model", "message": "refused: PROMPT", "hint": "see /home/ada"}
    assert taken is not None
    await book.store.write(queue.finish, taken, owner, "failed", {}, error=error)
    async with client_of(book) as client:
        assert "PROMPT" in (await client.get("/c/ada-byrne/documents")).text
    key = await bearer(book, right="write")
    async with client_of(book, **key) as client:
        shown = (await client.get("/c/ada-byrne/documents")).text
    assert "the documents were not read" in shown
    assert "PROMPT" not in shown
    assert "/home/ada" not in shown


async def test_a_cancelled_ingestion_is_told_as_that(book: Offbook):
    await book.store.write(queue.add, "i1", "ingestion", NOTHING, character="ada-byrne")
    await book.store.write(queue.cancel, "i1")
    async with client_of(book) as client:
        shown = (await client.get("/c/ada-byrne/documents")).text
    assert "Reading was cancelled." in shown
    assert "Reading: " not in shown


async def test_conversations_are_listed_by_what_was_said_first(book: Offbook, visitor):
    for session, said in (("evening", "Who was Tom?"), ("0a1b2c3d", "Were you  afraid?")):
        talk = await book.session("ada-byrne", session=session)
        await talk.ask(said)
        await talk.ask("And then?")

    owner = visitor(book)
    known = await owner.conversations(await book.find("ada-byrne"), 10)
    assert known == {"0a1b2c3d": "Were you  afraid?", "evening": "Who was Tom?"}
    assert [_label(name, said) for name, said in known.items()] == [
        "Were you afraid?",
        "evening: Who was Tom?",
    ]
    assert list(await owner.conversations(await book.find("ada-byrne"), 1)) == ["0a1b2c3d"]
    assert _label("evening", "word " * 40) == "evening: " + "word " * 9 + "wor…"


async def test_a_statement_is_shown_as_one_and_one_that_is_superseded_as_past(book: Offbook):
    made = [
        MemoryFragment("m1", "Nell is ill.", "", kind="fact", superseded_by="m2", retired=1),
        MemoryFragment("m2", "", "I like pears.", kind="own_word"),
    ]
    await book.store.write(memories.add, "ada-byrne", made)
    async with client_of(book) as client:
        shown = (await client.get("/c/ada-byrne/memories")).text
    assert "own word" in shown
    assert "no longer so" in shown
    assert "Forget: I like pears." in shown
    assert shown.count("Nell is ill.") == 2  # the statement, and what its button says
