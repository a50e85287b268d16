from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from offbook.protocols import Store
from offbook.stores import characters, conversations, forgotten_turns, recalled_text


def item(text: str, *, memory: str | None = None, document: str | None = None) -> dict[str, Any]:
    sources = [] if document is None else [{"document": document}]
    kind = "memory" if document is None else "knowledge"
    return {"kind": kind, "title": text, "text": text, "memory": memory, "sources": sources}


RECALLS = {
    "first": [item("a born fact", document="life.md"), item("the old gale", memory="m1")],
    "second": [item("the old gale", memory="m1"), item("the new lamp", memory="m2")],
    "third": [item("summed up: the old gale"), item("the new lamp", memory="m2")],
}


@pytest.fixture
async def talk(store: Store) -> Store:
    """A conversation whose turns rested on a chunk, two memories and a running summary."""
    await store.write(lambda c: characters.create(c, "Ada"))
    await store.write(lambda c: conversations.begin(c, "ada", "s"))
    for said, context in RECALLS.items():
        recall = {"context": context}
        add = partial(conversations.add_turn, character="ada", session="s", said=said)
        await store.write(partial(add, answered="Yes.", recall=recall, rests_on=[]))
    return store


async def recalled(store: Store) -> dict[str, list[str]]:
    turns = await store.read(lambda c: conversations.history(c, "ada", "s"))
    return {
        turn.said: [item["text"] for item in (turn.recall or {}).get("context", ())]
        for turn in turns
    }


async def test_a_forgotten_memory_leaves_every_turn_that_recalled_it(talk: Store):
    changed = await talk.write(lambda c: recalled_text.drop_memories(c, "ada", ["m1"]))
    assert changed == 2
    assert await recalled(talk) == {
        "first": ["a born fact"],
        "second": ["the new lamp"],
        "third": ["summed up: the old gale", "the new lamp"],
    }
    turns = await talk.read(lambda c: conversations.list_turns(c, "ada", "s"))
    left = [turn.recall["skipped"] for turn in turns if turn.recall]
    assert left[0] == [{"kind": "memory", "title": "", "why": "forgotten"}]
    assert await talk.write(lambda c: recalled_text.drop_memories(c, "ada", ["m1"])) == 0


async def test_many_forgotten_memories_leave_at_once(talk: Store):
    ids = [f"x{n}" for n in range(250)] + ["m1", "m2"]
    assert await talk.write(lambda c: recalled_text.drop_memories(c, "ada", ids)) == 3
    kept = await recalled(talk)
    assert kept["second"] == []


async def test_nothing_else_has_such_a_memory(talk: Store):
    before = await recalled(talk)
    for wanted in ("m", "%", "_", "gale"):
        assert await talk.write(partial(drop, wanted=wanted)) == 0
    assert await recalled(talk) == before


def drop(conn: Any, wanted: str) -> int:
    return recalled_text.drop_memories(conn, "ada", [wanted])


async def test_a_summary_goes_and_memories_stay(talk: Store):
    assert await talk.write(lambda c: recalled_text.drop_summaries(c, "ada", ["s", "other"])) == 1
    assert (await recalled(talk))["third"] == ["the new lamp"]
    assert (await recalled(talk))["second"] == ["the old gale", "the new lamp"]


async def test_forgetting_a_turn_takes_the_summary_of_it_out_of_later_ones(store: Store):
    await store.write(lambda c: characters.create(c, "Ada"))
    await store.write(lambda c: conversations.begin(c, "ada", "s"))
    add = partial(conversations.add_turn, character="ada", session="s", answered="Yes.")
    await store.write(partial(add, said="secret", rests_on=["life.md"]))
    later = {"context": [item("you spoke of the secret")]}
    await store.write(partial(add, said="later", recall=later, rests_on=[]))
    await store.write(lambda c: forgotten_turns.remove_resting_on(c, "ada", "life.md"))
    assert await recalled(store) == {"later": []}
