"""What rests on what is forgotten: turns that repeat a document, and turns that recalled it."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest
from sqlalchemy import Connection

from offbook.protocols import Store
from offbook.stores import (
    call_cache,
    characters,
    conversations,
    documents,
    evaluations,
    forgetting,
    jobs,
    memories,
    text_versions,
)
from offbook.types import Document
from tests.stores import data
from tests.stores.data import RUN, cell, item

SECRET = "The key of the oil store lies under the flat stone. 油库的钥匙藏在平石下面。"
QUOTED = "The key of the oil store lies under the flat stone, as I said."
TURNS = [
    ("Who taught you?", "At the end of the day it was my brother Tom.", ()),
    ("Where is the key?", "The key of the oil store lies under the flat stone.", ("s-md",)),
    ("Once more?", QUOTED, ()),
    ("油库？", "油库的钥匙藏在平石下面。", ()),
    ("The key of the door, then?", "I have never heard of such a thing in all my life.", ("s-md",)),
    ("And the boat?", "I have never heard of such a thing in all my life.", ()),
]
RESTING = {"Where is the key?", "Once more?", "The key of the door, then?"}


@pytest.fixture
async def talk(store: Store) -> Store:
    await store.write(characters.create, "Ada")
    await store.write(documents.put, "ada", Document("s-md", "s.md", SECRET, "digest"))
    for session in ("s", "other"):
        await store.write(conversations.begin, character="ada", session=session)
    add = partial(conversations.add_turn, character="ada", session="s")
    for said, answered, rests_on in TURNS:
        await store.write(add, said=said, answered=answered, rests_on=rests_on)
    other = partial(conversations.add_turn, character="ada", session="other", rests_on=[])
    await store.write(other, said="Tell me.", answered=QUOTED)
    return store


async def left(store: Store) -> set[str]:
    found = await store.read(conversations.history, "ada", "s")
    return {turn.said for turn in found}


async def test_a_turn_that_repeats_what_one_before_it_told_rests_on_it_too(talk: Store):
    counts = await talk.read(forgetting.resting_on, "ada", "s-md")
    assert counts == (3, 0)


async def test_they_go_and_what_only_sounds_alike_stays(talk: Store):
    removal = await talk.write(documents.remove, "ada", "s-md", with_memories=True)
    assert removal.turns == 3
    assert await left(talk) == {said for said, *_ in TURNS} - RESTING
    elsewhere = await talk.read(conversations.history, "ada", "other")
    assert [turn.answered for turn in elsewhere] == [QUOTED], "nothing there rests on it"


async def test_they_can_be_taken_along_when_the_document_is_gone(talk: Store):
    assert (await talk.write(documents.remove, "ada", "s-md")).turns == 3
    assert await left(talk) == {said for said, *_ in TURNS}
    assert (await talk.write(documents.remove_turns, "ada", "s-md")).turns == 3
    assert await left(talk) == {said for said, *_ in TURNS} - RESTING
    assert (await talk.write(documents.remove_turns, "ada", "s-md")).turns == 0


async def test_a_repetition_in_chinese_is_found(talk: Store):
    first = partial(conversations.add_turn, character="ada", session="other")
    said = ["油库的钥匙藏在平石下面", "我说过，油库的钥匙藏在平石下面。"]
    await talk.write(first, said="1", answered=said[0], rests_on=["s-md"])
    await talk.write(first, said="2", answered=said[1], rests_on=[])
    counts = await talk.read(forgetting.resting_on, "ada", "s-md")
    assert counts == (5, 0)


RECALLS = {
    "first": [item("a born fact", document="life.md"), item("the old gale", memory="m1")],
    "second": [item("the old gale", memory="m1"), item("the new lamp", memory="m2")],
    "third": [item("summed up: the old gale"), item("the new lamp", memory="m2")],
}


@pytest.fixture
async def recalling(store: Store) -> Store:
    """A conversation whose turns rested on a chunk, two memories and a running summary."""
    await store.write(characters.create, "Ada")
    await store.write(conversations.begin, "ada", "s")
    for said, context in RECALLS.items():
        recall = {"context": context}
        add = partial(conversations.add_turn, character="ada", session="s", said=said)
        await store.write(add, answered="Yes.", recall=recall, rests_on=[])
    return store


async def recalled(store: Store) -> dict[str, list[str]]:
    turns = await store.read(conversations.history, "ada", "s")
    return {
        turn.said: [item["text"] for item in (turn.recall or {}).get("context", ())]
        for turn in turns
    }


async def test_a_forgotten_memory_leaves_every_turn_that_recalled_it(recalling: Store):
    await recalling.write(forgetting.forget_memories, "ada", ["m1"])
    assert await recalled(recalling) == {
        "first": ["a born fact"],
        "second": ["the new lamp"],
        "third": ["summed up: the old gale", "the new lamp"],
    }
    turns = await recalling.read(conversations.list_turns, "ada", "s")
    left = [turn.recall["skipped"] for turn in turns if turn.recall]
    assert left[0] == [{"kind": "memory", "title": "", "why": "forgotten"}]


async def test_many_forgotten_memories_leave_at_once(recalling: Store):
    ids = [f"x{n}" for n in range(250)] + ["m1", "m2"]
    await recalling.write(forgetting.forget_memories, "ada", ids)
    assert await recalled(recalling) == {
        "first": ["a born fact"], "second": [], "third": ["summed up: the old gale"],
    }  # fmt: skip


async def test_nothing_else_has_such_a_memory(recalling: Store):
    before = await recalled(recalling)
    for wanted in ("m", "%", "_", "gale"):
        await recalling.write(forgetting.forget_memories, "ada", [wanted])
    assert await recalled(recalling) == before


@pytest.mark.parametrize("how", ["the conversation goes", "the document goes"])
async def test_what_a_turn_taught_goes_from_all_that_recalled_it(store: Store, how: str):
    """From other conversations, evaluated replies, notes on the memory and cached calls."""
    ada = await store.write(data.build_character)
    turn = await store.write(data.talk, ada)
    (taught,) = [m for m in await store.read(memories.list_memories, ada) if m.turn == turn]
    held = item("Long ago.", memory=taught.id)
    name = text_versions.memory_name(taught.id)

    def recall_it(conn: Connection) -> None:
        conversations.begin(conn, ada, "later")
        conversations.add_turn(conn, ada, "later", "Again?", "Yes.", recall={"context": [held]})
        evaluations.add_run(conn, RUN)
        row = cell("q", subject=ada, character_id=ada, documents=[name], context=[held])
        evaluations.add_cells(conn, [row])
        jobs.enqueue(conn, ada, jobs.REMEMBER, [taught.id])
        jobs.quarantine(conn, ada, jobs.REMEMBER, [taught.id], "unusable: Long ago.")
        told: dict[str, Any] = {"prompt": "p", "prompt_tokens": 1, "completion_tokens": 1}
        call_cache.put(conn, "k", text="Long ago.", documents=frozenset({f"{ada}/{name}"}), **told)

    await store.write(recall_it)
    if how == "the conversation goes":
        assert await store.write(forgetting.remove_conversation, ada, "s1")
    else:
        await store.write(documents.remove, ada, "life.md", with_memories=True)
    (turn_after,) = await store.read(conversations.history, ada, "later")
    (cell_after,) = await store.read(evaluations.cells_after, RUN.id, None)
    left = [turn_after.recall, cell_after["context"]]
    left.append(await store.read(jobs.list_jobs, ada, kind=jobs.REMEMBER))
    assert "Long ago." not in str(left)
    assert (cell_after["reply"] is None) == (how == "the document goes")
    assert await store.read(call_cache.get, "k") is None


async def test_forgetting_a_turn_takes_the_summary_of_it_out_of_later_ones(store: Store):
    await store.write(characters.create, "Ada")
    await store.write(conversations.begin, "ada", "s")
    add = partial(conversations.add_turn, character="ada", session="s", answered="Yes.")
    await store.write(add, said="secret", rests_on=["life.md"])
    later = {"context": [item("you spoke of the secret")]}
    await store.write(add, said="later", recall=later, rests_on=[])
    await store.write(forgetting.remove_resting_on, "ada", "life.md")
    assert await recalled(store) == {"later": []}
