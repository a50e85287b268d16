from __future__ import annotations

from functools import partial

from offbook.protocols import Store
from offbook.stores import characters, conversations, memories
from offbook.types import MemoryFragment
from tests.stores import data


def fragment(said: str, answered: str = "a", emotion: dict[str, int] | None = None):
    return MemoryFragment(memories.memory_id(said, answered), said, answered, emotion)


async def test_duplicates_are_stored_once_and_age_is_kept(store: Store):
    await store.write(lambda c: characters.create(c, "Ada"))
    add = partial(memories.add, character="ada")
    first = [fragment("z", emotion={"joy": 3}), fragment("a"), fragment("z")]
    new = [first[0].id, first[1].id]
    assert await store.write(partial(add, fragments=first)) == new
    more = [fragment("a"), fragment("m")]
    assert await store.write(partial(add, fragments=more)) == [more[1].id]
    assert await store.write(partial(add, fragments=[fragment("a")])) == []
    assert await store.write(partial(add, fragments=[])) == []
    found = await store.read(lambda c: memories.list_memories(c, "ada"))
    assert [(item.said, item.emotion) for item in found] == [
        ("z", {"joy": 3}),
        ("a", None),
        ("m", None),
    ]


async def test_a_principal_sees_their_own_and_the_authored(store: Store):
    await store.write(lambda c: characters.create(c, "Ada"))
    await store.write(lambda c: memories.add(c, "ada", [fragment("authored")]))
    await store.write(lambda c: data.talk(c, "ada"))
    await store.write(lambda c: conversations.begin(c, "ada", "e", principal="eve"))
    turn = await store.write(lambda c: conversations.add_turn(c, "ada", "e", "psst", "yes"))
    key = memories.memory_id("psst", "yes", principal="eve", turn=turn)
    item = MemoryFragment(key, "psst", "yes", session="e", turn=turn, principal="eve")
    await store.write(lambda c: memories.add(c, "ada", [item]))
    seen = await store.read(lambda c: memories.list_memories(c, "ada", principal="eve"))
    assert [memory.said for memory in seen] == ["authored", "psst"]
    assert seen[1] == item
    assert len(await store.read(lambda c: memories.list_memories(c, "ada"))) == 3


async def test_fragments_can_be_deleted(store: Store):
    await store.write(lambda c: characters.create(c, "Ada"))
    both = [fragment("x"), fragment("y")]
    await store.write(lambda c: memories.add(c, "ada", both))
    assert await store.write(lambda c: memories.remove(c, "ada", [both[0].id, "no"])) == [
        both[0].id
    ]
    assert await store.write(lambda c: memories.remove(c, "ada", ["no"])) == []
    (left,) = await store.read(lambda c: memories.list_memories(c, "ada"))
    assert left.said == "y"


def test_an_id_tells_owners_and_turns_apart():
    ids = {
        memories.memory_id("a", "b"),
        memories.memory_id("a", "b", principal="p"),
        memories.memory_id("a", "b", turn="t"),
        memories.memory_id("a", "b", principal="p", turn="t"),
        memories.memory_id("ab", ""),
    }
    assert len(ids) == 5
