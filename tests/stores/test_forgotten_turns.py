"""Turns that rest on a forgotten document: found where they repeat it, counted, taken along."""

from __future__ import annotations

from functools import partial

import pytest

from offbook.protocols import Store
from offbook.stores import characters, conversations, documents, forgotten_turns
from offbook.types import Document

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
    await store.write(lambda c: characters.create(c, "Ada"))
    await store.write(lambda c: documents.put(c, "ada", Document("s-md", "s.md", SECRET, "digest")))
    for session in ("s", "other"):
        await store.write(partial(conversations.begin, character="ada", session=session))
    add = partial(conversations.add_turn, character="ada", session="s")
    for said, answered, rests_on in TURNS:
        await store.write(partial(add, said=said, answered=answered, rests_on=rests_on))
    other = partial(conversations.add_turn, character="ada", session="other", rests_on=[])
    await store.write(partial(other, said="Tell me.", answered=QUOTED))
    return store


async def left(store: Store) -> set[str]:
    found = await store.read(lambda c: conversations.history(c, "ada", "s"))
    return {turn.said for turn in found}


async def test_a_turn_that_repeats_what_one_before_it_told_rests_on_it_too(talk: Store):
    counts = await talk.read(lambda c: forgotten_turns.resting_on(c, "ada", "s-md"))
    assert counts == (3, 0)


async def test_they_go_and_what_only_sounds_alike_stays(talk: Store):
    removal = await talk.write(lambda c: documents.remove(c, "ada", "s-md", with_memories=True))
    assert removal.turns == 3
    assert await left(talk) == {said for said, *_ in TURNS} - RESTING
    elsewhere = await talk.read(lambda c: conversations.history(c, "ada", "other"))
    assert [turn.answered for turn in elsewhere] == [QUOTED], "nothing there rests on it"


async def test_they_can_be_taken_along_when_the_document_is_gone(talk: Store):
    assert (await talk.write(lambda c: documents.remove(c, "ada", "s-md"))).turns == 3
    assert await left(talk) == {said for said, *_ in TURNS}
    assert (await talk.write(lambda c: documents.remove_turns(c, "ada", "s-md"))).turns == 3
    assert await left(talk) == {said for said, *_ in TURNS} - RESTING
    assert (await talk.write(lambda c: documents.remove_turns(c, "ada", "s-md"))).turns == 0


async def test_a_repetition_in_chinese_is_found(talk: Store):
    first = partial(conversations.add_turn, character="ada", session="other")
    said = ["油库的钥匙藏在平石下面", "我说过，油库的钥匙藏在平石下面。"]
    await talk.write(partial(first, said="1", answered=said[0], rests_on=["s-md"]))
    await talk.write(partial(first, said="2", answered=said[1], rests_on=[]))
    counts = await talk.read(lambda c: forgotten_turns.resting_on(c, "ada", "s-md"))
    assert counts == (5, 0)
