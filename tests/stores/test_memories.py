from __future__ import annotations

from functools import partial

from offbook.protocols import Store
from offbook.stores import characters, conversations, memories
from offbook.types import MemoryFragment
from tests.stores import data


def fragment(said: str, answered: str = "a", emotion: dict[str, int] | None = None):
    return MemoryFragment(memories.memory_id(said, answered), said, answered, emotion)


async def test_duplicates_are_stored_once_and_age_is_kept(store: Store):
    await store.write(characters.create, "Ada")
    add = partial(memories.add, character="ada")
    first = [fragment("z", emotion={"joy": 3}), fragment("a"), fragment("z")]
    new = [first[0].id, first[1].id]
    assert await store.write(add, fragments=first) == new
    more = [fragment("a"), fragment("m")]
    assert await store.write(add, fragments=more) == [more[1].id]
    assert await store.write(add, fragments=[fragment("a")]) == []
    assert await store.write(add, fragments=[]) == []
    found = await store.read(memories.list_memories, "ada")
    assert [(item.said, item.emotion) for item in found] == [
        ("z", {"joy": 3}),
        ("a", None),
        ("m", None),
    ]


async def test_a_principal_sees_their_own_and_the_authored(store: Store):
    await store.write(characters.create, "Ada")
    await store.write(memories.add, "ada", [fragment("authored")])
    await store.write(data.talk, "ada")
    await store.write(conversations.begin, "ada", "e", principal="eve")
    turn = await store.write(conversations.add_turn, "ada", "e", "psst", "yes")
    key = memories.memory_id("psst", "yes", principal="eve", turn=turn)
    item = MemoryFragment(key, "psst", "yes", session="e", turn=turn, principal="eve")
    await store.write(memories.add, "ada", [item])
    seen = await store.read(memories.list_memories, "ada", principal="eve")
    assert [memory.said for memory in seen] == ["authored", "psst"]
    assert seen[1] == item
    assert len(await store.read(memories.list_memories, "ada")) == 3


def test_an_id_tells_owners_and_turns_apart():
    ids = {
        memories.memory_id("a", "b"),
        memories.memory_id("a", "b", principal="p"),
        memories.memory_id("a", "b", turn="t"),
        memories.memory_id("a", "b", principal="p", turn="t"),
        memories.memory_id("ab", ""),
    }
    assert len(ids) == 5
