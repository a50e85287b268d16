"""Turns become memories: once each, whatever a client sends again."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from offbook.errors import UsageError
from offbook.memory.turns import Heard, KeptTurn, TurnKeeper, list_kept_out
from offbook.protocols import Store
from offbook.settings.model import MemorySettings
from offbook.stores import characters, conversations, documents, jobs, memories
from offbook.types import Character
from tests.stores import data

FIRST = ("Who taught you?", "My brother Tom did.")


@pytest.fixture
async def ada(store: Store) -> Character:
    return await store.write(characters.create, "Ada")


class Talking:
    """One conversation."""

    def __init__(self, store, ada, session="evening", principal="owner", **settings) -> None:
        self.store = store
        self.ada = ada
        self.keeper = TurnKeeper(ada, session, principal, MemorySettings(**settings))

    async def keep(self, said, answered, parent=None, **more) -> KeptTurn:
        work = partial(self.keeper.keep, said=said, answered=answered, parent=parent, **more)
        kept: KeptTurn = await self.store.write(work)
        return kept

    async def remembered(self) -> list[str]:
        found = await self.store.read(memories.list_memories, self.ada.id)
        return [fragment.answered for fragment in found]


async def test_a_turn_and_its_memory_are_stored_together_with_a_job(store: Store, ada):
    kept = await Talking(store, ada).keep(*FIRST)
    (fragment,) = await store.read(memories.list_memories, ada.id)
    assert (fragment.id, fragment.turn) == (kept.memory, kept.turn)
    assert (fragment.said, fragment.answered) == FIRST
    assert (fragment.session, fragment.principal) == ("evening", "owner")
    assert fragment.at
    assert fragment.emotion is None
    (job,) = await store.read(jobs.list_jobs, ada.id)
    assert (job.kind, job.subject, job.status) == ("remember", kept.memory, "pending")


async def test_a_replayed_history_stores_nothing_twice(store: Store, ada):
    talking = Talking(store, ada)
    for _ in range(3):
        first = await talking.keep(*FIRST, parent=conversations.BEGINNING)
        await talking.keep("And who taught him?", "Our father.", parent=first.turn)
    assert await talking.remembered() == [FIRST[1], "Our father."]


async def test_two_conversations_that_begin_alike_and_go_on_keep_both(store: Store, ada):
    talking = Talking(store, ada)
    root = await talking.keep(*FIRST)
    one = await talking.keep("Tell me more.", "He drowned.", parent=root.turn)
    await talking.keep("In which year?", "In 1880.", parent=one.turn)
    other = await talking.keep("Tell me more.", "He loved the sea.", parent=root.turn)
    await talking.keep("Which sea?", "The one out there.", parent=other.turn)
    assert len(await talking.remembered()) == 5


async def test_what_follows_an_edited_message_is_not_stored_twice(store: Store, ada):
    talking = Talking(store, ada)
    root = await talking.keep("Who tought you?", FIRST[1])
    await talking.keep("Tell me more.", "He drowned.", parent=root.turn)
    # The client mends its first message, and sends all that followed once more.
    edited = await talking.keep(*FIRST, parent=conversations.BEGINNING)
    await talking.keep("Tell me more.", "He drowned.", parent=edited.turn)
    assert (await talking.remembered()).count("He drowned.") == 1


async def test_a_conversation_of_another_is_refused_whole(store: Store, ada):
    await Talking(store, ada, principal="kim").keep(*FIRST)
    with pytest.raises(UsageError, match="belongs to somebody else"):
        await Talking(store, ada, principal="lee").keep("Psst", "Yes?")
    assert await Talking(store, ada).remembered() == [FIRST[1]]


async def test_small_talk_is_a_turn_and_no_memory_and_can_be_seen(store: Store, ada):
    talking = Talking(store, ada)
    kept = await talking.keep("Hello, Ada!", "Good day.")
    assert kept.memory is None
    assert "a greeting" in kept.why
    assert await talking.remembered() == []
    (out,) = await store.read(list_kept_out, ada)
    assert (out.turn.said, out.session) == ("Hello, Ada!", "evening")
    assert await store.read(list_kept_out, ada, principal="kim") == []


async def test_the_gate_and_learning_can_be_turned_off(store: Store, ada):
    assert (await Talking(store, ada, gate=False).keep("Hello", "Good day.")).memory
    off = await Talking(store, ada, "other", learn=False).keep(*FIRST)
    assert (off.memory, off.why) == (None, "memory.learn is off")


async def test_why_a_turn_is_no_memory_is_told_as_it_was_then(store: Store, ada):
    off = Talking(store, ada, learn=False)
    await off.keep("Hello, Ada!", "Good day.", recall={"context": []})
    await off.keep("Who taught you?", "My brother Tom did.", recall={"context": []})
    await Talking(store, ada).keep("Good night!", "Good night.", recall={"context": []})
    found = await store.read(list_kept_out, ada)
    assert [(out.turn.said, out.why) for out in found] == [
        ("Hello, Ada!", "memory.learn is off"),
        ("Who taught you?", "memory.learn is off"),
        ("Good night!", "a farewell, and nothing besides (memory.gate)"),
    ]


async def test_a_memory_that_was_forgotten_does_not_come_back_by_a_replay(store: Store, ada):
    talking = Talking(store, ada)
    kept = await talking.keep(*FIRST)
    await store.write(memories.remove, ada.id, [kept.memory or ""])
    again = await talking.keep(*FIRST, parent=conversations.BEGINNING)
    assert again.turn == kept.turn
    assert again.memory is None
    assert await talking.remembered() == []


async def test_a_turn_that_recalls_a_memory_rests_on_what_that_rested_on(store: Store, ada):
    talking = Talking(store, ada)
    source = {"document": "life-md", "chunk": "c", "start": 0, "end": 3}
    text = data.document("life-md", "Tom taught me.")
    await store.write(documents.put, ada.id, text)
    first = await talking.keep(
        *FIRST, recall={"context": [{"kind": "knowledge", "sources": [source]}]}
    )
    recalled: dict[str, Any] = {
        "context": [{"kind": "memory", "sources": [], "memory": first.memory}]
    }
    second = await talking.keep("What did you say of Tom?", "That he taught me.", recall=recalled)
    found = await store.read(conversations.documents_of_turns, ada.id, "evening", [second.turn])
    assert found == {"life-md"}


def recalling(document: str | None = None, memory: str | None = None) -> dict[str, Any]:
    """A recall that names a document or a memory."""
    source = {"document": document, "chunk": "c", "start": 0, "end": 3}
    item = {"kind": "knowledge", "sources": [source] if document else [], "memory": memory}
    return {"context": [item]}


async def test_a_turn_that_rests_on_what_was_forgotten_meanwhile_is_not_stored(store: Store, ada):
    talking = Talking(store, ada)
    kept = await talking.keep(*FIRST, recall=recalling(document="life-md"))
    assert kept == KeptTurn("", None, "what it rests on was forgotten meanwhile")
    kept = await talking.keep(*FIRST, recall=recalling(memory="m1"))
    assert (kept.turn, kept.memory) == ("", None)
    assert await store.read(conversations.get, ada.id, "evening") is None
    assert await talking.remembered() == []


async def test_a_turn_that_heard_one_whose_words_are_forgotten_since_is_not_stored(
    store: Store, ada
):
    talking = Talking(store, ada)
    text = data.document("life-md", "Tom taught me.")
    await store.write(documents.put, ada.id, text)
    first = await talking.keep(*FIRST, recall=recalling(document="life-md"))
    other = await talking.keep("And who taught him?", "Our father.")

    def heard(conn):
        ids = frozenset({first.turn, other.turn})
        return Heard().now(conn, ada.id, "evening", ids)

    before = await store.read(heard)
    await store.write(documents.remove, ada.id, "life-md", with_memories=True)
    late = await talking.keep("Say it again!", FIRST[1], heard=before)
    assert late.turn == ""
    after = await store.read(before.now, ada.id, "evening", frozenset({first.turn, other.turn}))
    assert after.turns == {other.turn}
    assert (await talking.keep("Who are you?", "Ada.", heard=after)).turn
