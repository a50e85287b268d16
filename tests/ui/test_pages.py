"""What pages show of what is stored: conversations, ingestions under way."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, Final

import pytest

from offbook.app import Offbook
from offbook.errors import UsageError
from offbook.stores import memories, queue
from offbook.stores.conversations import history
from offbook.stores.leases import Owner
from offbook.types import MemoryFragment
from offbook.ui.talks import day_of, fresh_name, is_of_others, title_of
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

    owner, ada = visitor(book), await book.find("ada-byrne")
    known = await owner.conversations(ada, 10)
    assert [(each.name, each.said) for each in known] == [
        ("0a1b2c3d", "Were you  afraid?"),
        ("evening", "Who was Tom?"),
    ]
    assert [title_of(each.name, each.said) for each in known] == ["Were you afraid?", "evening"]
    assert [each.name for each in await owner.conversations(ada, 1)] == ["0a1b2c3d"]
    assert title_of("page-0a1b2c3d", "word " * 40).endswith("word…")
    assert [each.name for each in await owner.conversations(ada, 10, "tom?")] == ["evening"]
    assert [each.name for each in await owner.conversations(ada, 10, "even")] == ["evening"]
    assert [each.name for each in await owner.conversations(ada, 10, "Even")] == ["evening"]
    assert await owner.conversations(ada, 10, "50%") == []


def test_conversations_of_programs_are_told_from_ones_own():
    assert not is_of_others(fresh_name())
    assert not is_of_others("evening")
    assert not is_of_others("2026-11-25")
    assert is_of_others("0a1b2c3d4e5f")
    assert is_of_others("4f0c1e77-9a60-4f0e-8c55-0123456789ab")


@pytest.mark.parametrize(
    ("updated", "day"),
    [
        ("2026-11-24T00:10:00+00:00", "Today"),
        ("2026-11-23T23:50:00+00:00", "Yesterday"),
        ("2026-11-20T12:00:00+00:00", "Friday"),
        ("2026-11-02T12:00:00+00:00", "This month"),
        ("2026-08-02T12:00:00+00:00", "August 2026"),
    ],
)
def test_days_are_told_in_words(updated: str, day: str):
    assert day_of(updated, datetime(2026, 11, 24, 12, tzinfo=UTC)) == day


async def test_a_conversation_is_renamed_and_removed_with_what_it_taught(book: Offbook, visitor):
    owner, ada = visitor(book), await book.find("ada-byrne")
    talk = await book.session("ada-byrne", session="page-0a1b2c3d")
    await talk.ask("My sister Nell keeps bees.")
    await owner.rename(ada, "page-0a1b2c3d", "Bees")
    for name in ("", "scene:x", "Bees"):
        with pytest.raises(UsageError):
            await owner.rename(ada, "Bees", name)
    assert [each.name for each in await owner.conversations(ada, 10)] == ["Bees"]
    again = await book.session("ada-byrne", session="Bees")
    assert [turn.said for turn in await book.store.read(history, "ada-byrne", "Bees")] == [
        "My sister Nell keeps bees."
    ]
    assert len(again.history) == 2
    await owner.remove(ada, "Bees")
    assert await owner.conversations(ada, 10) == []
    assert await book.store.read(memories.list_memories, "ada-byrne") == []


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
