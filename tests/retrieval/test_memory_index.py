"""The index of memories: grows by what is new, and never shows what is gone or another's."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest

from offbook.protocols import Store
from offbook.retrieval import memories as module
from offbook.retrieval.memories import MemoryIndex, View, memory_index
from offbook.stores import characters, documents, memories, principals, vectors
from offbook.text.emotion_names import EMOTIONS
from offbook.types import MemoryFragment
from tests.stores import data

LEVELS = dict(zip(EMOTIONS, range(1, 9), strict=True))


@pytest.fixture
async def filled(store: Store) -> Store:
    await store.write(characters.create, "Ada")
    return store


def fragment(name: str, **more: Any) -> MemoryFragment:
    return MemoryFragment(name, f"{name}?", f"{name}.", **more)


async def add(store: Store, *fragments: MemoryFragment, vector: bool = True) -> None:
    def work(conn):
        for one in fragments:
            if one.principal is not None:
                principals.add(conn, one.principal)
        new = memories.add(conn, "ada", fragments)
        if vector:
            embed(conn, new)

    await store.write(work)


def embed(conn, ids) -> None:
    made = vectors.active_set(conn, "ada") or vectors.use_set(conn, "ada", "e", 4)
    units = np.eye(made.dimension, dtype=np.float32)
    rows = [units[sum(map(ord, name)) % made.dimension] for name in ids]
    vectors.put_vectors(conn, "ada", made.id, "memory", ids, np.stack(rows))


async def index_of(store: Store, principal: str | None = None, **more: Any) -> MemoryIndex:
    return await memory_index(store, View("ada", principal, **more))


async def test_what_is_new_is_appended_and_nothing_is_read_again(filled: Store, monkeypatch):
    await add(filled, fragment("a"), fragment("b"))
    first = await index_of(filled)
    assert await index_of(filled) is first
    original, counts = memories.index_rows, list[int]()

    def counted(*words, **named):
        rows = original(*words, **named)
        counts.append(len(rows))
        return rows

    monkeypatch.setattr(memories, "index_rows", counted)
    for number, name in enumerate("cdefg"):
        await add(filled, fragment(name, emotion=LEVELS))
        index = await index_of(filled)
        assert index.ids == tuple("abcdefg"[: number + 3])
    # Each time the new one, and the two whose emotion is not known.
    assert counts == [2, 1] * 5
    assert index.unscored == {"a", "b"}
    assert len(index.emotions) == 7
    assert first.ids == ("a", "b")


async def test_a_grown_index_is_that_of_a_fresh_look(filled: Store):
    await add(filled, fragment("a"), fragment("b", emotion=LEVELS))
    await index_of(filled)
    await add(filled, fragment("c"), vector=False)
    await add(filled, fragment("d"))
    await index_of(filled)
    await filled.write(memories.score, "ada", {"a": LEVELS, "d": LEVELS})
    await filled.write(embed, ["c"])
    grown = await index_of(filled)
    module._kept.clear()
    fresh = await index_of(filled)
    assert grown.ids == fresh.ids == ("a", "b", "c", "d")
    np.testing.assert_array_equal(grown.emotions, fresh.emotions)
    np.testing.assert_array_equal(grown.matrix[:4], fresh.matrix[:4])
    assert (grown.waiting, grown.unscored) == (fresh.waiting, fresh.unscored)
    assert fresh.unscored == {"c"}


async def test_an_emotion_that_comes_later_takes_its_place(filled: Store):
    await add(filled, fragment("a"), fragment("b"), fragment("c"))
    before = await index_of(filled)
    await filled.write(memories.score, "ada", {"b": LEVELS})
    after = await index_of(filled)
    assert (set(before.unscored), set(after.unscored)) == ({"a", "b", "c"}, {"a", "c"})
    assert np.isnan(before.emotions).all(), "a search that is under way keeps what it had"
    assert after.emotions[1].tolist() == list(LEVELS.values())
    assert after.matrix is before.matrix


async def test_what_waits_for_a_vector_is_counted(filled: Store):
    await add(filled, fragment("a"), vector=False)
    index = await index_of(filled)
    assert (index.ids, index.waiting) == ((), frozenset("a"))
    await filled.write(embed, ["a"])
    index = await index_of(filled)
    assert (index.ids, index.waiting) == (("a",), frozenset())


async def test_what_is_gone_is_not_found_any_more(filled: Store):
    await add(filled, fragment("a"), fragment("b"))
    await index_of(filled)
    await filled.write(memories.remove, "ada", ["a"])
    assert (await index_of(filled)).ids == ("b",)
    await filled.write(characters.remove, "ada")
    await filled.write(characters.create, "Ada")
    assert (await index_of(filled)).ids == ()


async def test_each_sees_the_authored_and_their_own(filled: Store):
    await add(filled, fragment("a"), fragment("k", principal="kim"), fragment("l", principal="lee"))
    seen = {who: (await index_of(filled, who)).ids for who in (None, "kim", "lee", "nobody")}
    assert seen == {None: ("a",), "kim": ("a", "k"), "lee": ("a", "l"), "nobody": ("a",)}
    assert (await index_of(filled, memories.EVERYONE)).ids == ("a", "k", "l")


async def test_an_emotion_that_an_archive_made_up_counts_as_unknown(filled: Store):
    for number, odd in enumerate(({"joy": 3}, {**LEVELS, "joy": "very"}, {**LEVELS, "joy": 99})):
        await add(filled, fragment(f"odd{number}", emotion=odd))
    assert len((await index_of(filled)).unscored) == 3


async def test_at_a_point_only_what_surely_lies_before_it_is_seen(filled: Store):
    for name in ("one.md", "two.md"):
        await filled.write(
            partial(
                data.add_document,
                character="ada",
                name=name,
                text=f"The first of {name}.\nThe end of {name}.\n",
            )
        )
    await add(
        filled, fragment("early", at="one.md"), fragment("late", at="two.md"), fragment("ever"),
        fragment("dated", at="1880-02-01"),
    )  # fmt: skip
    first = await filled.read(documents.require, "ada", "one.md")
    from offbook.types import Position

    index = await index_of(filled, until=Position(0, first.chars))
    assert (index.ids, index.unplaced) == (("early",), 2)
    index = await index_of(filled, until=Position(1, 10_000))
    assert (index.ids, index.unplaced) == (("early", "late"), 2)


async def test_a_turn_leaves_the_indexes_of_documents_alone(filled: Store):
    before = await filled.read(lambda conn: characters.require(conn, "ada").revision)
    await add(filled, fragment("a"))  # the first vector names the embedder
    named = await filled.read(lambda conn: characters.require(conn, "ada").revision)
    await add(filled, fragment("b"))
    assert (
        await filled.read(lambda conn: characters.require(conn, "ada").revision) == named > before
    )
    state = await filled.read(memories.bank_state, "ada")
    assert state.revision > state.cleared
