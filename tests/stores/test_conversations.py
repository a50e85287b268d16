from __future__ import annotations

from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from offbook.errors import UnknownName, UsageError
from offbook.protocols import Store
from offbook.stores import characters, conversations, documents, forgetting, memories, principals
from offbook.stores.conversations import ConversationState
from tests.stores import data


async def begin(store: Store, session: str = "s") -> None:
    if await store.read(characters.find, "ada") is None:
        await store.write(characters.create, "Ada")
    await store.write(conversations.begin, "ada", session)


async def say(store: Store, said: str, answered: str, **more) -> str:
    return await store.write(
        partial(
            conversations.add_turn, character="ada", session="s", said=said, answered=answered,
            **more,
        )
    )  # fmt: skip


async def history(store: Store, session: str = "s") -> list[tuple[str, str]]:
    found = await store.read(conversations.history, "ada", session)
    return [(turn.said, turn.answered) for turn in found]


@given(st.text(), st.text(), st.text(), st.text())
def test_turn_ids_tell_apart_what_joining_would_not(a: str, b: str, c: str, d: str):
    same = (a, b) == (c, d)
    assert (conversations.turn_id(None, a, b) == conversations.turn_id(None, c, d)) == same
    assert conversations.turn_id("x", a, b) != conversations.turn_id(None, a, b)


async def test_turns_follow_one_another_and_the_last_branch_counts(store: Store):
    await begin(store)
    first = await say(store, "q0", "a0")
    await say(store, "q1", "a1")
    assert await history(store) == [("q0", "a0"), ("q1", "a1")]
    await say(store, "q1", "another", parent=first)
    assert await history(store) == [("q0", "a0"), ("q1", "another")]
    await say(store, "q2", "a2")
    assert await history(store) == [("q0", "a0"), ("q1", "another"), ("q2", "a2")]
    found = await store.read(conversations.list_turns, "ada", "s")
    assert [turn.ordinal for turn in found] == [0, 1, 1, 2]


async def test_a_session_belongs_to_who_began_it(store: Store):
    await begin(store)
    with pytest.raises(UsageError, match="somebody else"):
        await store.write(conversations.begin, "ada", "s", principal="eve")
    again = await store.write(conversations.begin, "ada", "s")
    assert again.principal == principals.OWNER
    await store.write(conversations.begin, "ada", "e", principal="eve")
    found = await store.read(conversations.list_all, "ada", principal="eve")
    assert [conversation.id for conversation in found] == ["e"]
    assert len(await store.read(conversations.list_all, "ada")) == 2


async def test_unknown_sessions_and_turns_are_refused(store: Store):
    await begin(store)
    with pytest.raises(UnknownName, match="session"):
        await store.write(conversations.add_turn, "ada", "no", "q", "a")
    with pytest.raises(UnknownName, match="no turn"):
        await say(store, "q", "a", parent="nowhere")
    assert await history(store, "no") == []


async def test_a_conversation_takes_what_it_taught_and_its_state_along(store: Store):
    character = await filled(store)
    assert await state_of(store, character, "other") == ConversationState()
    assert len(await store.read(memories.list_memories, character)) == 2
    assert await store.write(forgetting.remove_conversation, character, "s1")
    assert not await store.write(forgetting.remove_conversation, character, "s1")
    assert len(await store.read(memories.list_memories, character)) == 1
    assert await state_of(store, character) == ConversationState()


async def test_what_was_skipped_is_not_kept_because_forgetting_would_not_find_it(store: Store):
    await begin(store)
    skipped = [{"kind": "knowledge", "title": "A secret heading", "why": "no room"}]
    await say(store, "q", "a", recall={"context": [], "skipped": skipped})
    (turn,) = await store.read(conversations.history, "ada", "s")
    assert turn.recall == {"context": [], "skipped": []}


async def test_what_may_have_been_made_from_a_forgotten_document_goes_too(store: Store):
    await begin(store)
    item = {"kind": "attribute", "title": "t", "text": "secret", "score": 1.0, "sources": []}
    recall = {"context": [item], "boundary": {"verdict": "in", "reasons": []}}
    await say(store, "q", "a", recall=recall, rests_on=["d"])
    await say(store, "q", "b", rests_on=["d"])
    await store.write(forgetting.scrub, "ada", "d")
    first, second = await store.read(conversations.history, "ada", "s")
    assert first.recall is not None
    assert "secret" not in str(first.recall)
    assert second.recall is None


MOOD = {"levels": {"joy": 2.5}, "at": "2025-06-01T12:00:00+00:00"}


async def filled(store: Store) -> str:
    """A character with a conversation that rests on a document, a mood and a summary."""
    character = await store.write(data.build_character)
    turn = await store.write(data.talk, character)
    await store.write(conversations.set_mood, character, "s1", MOOD)
    await store.write(conversations.set_summary, character, "s1", "They met.", turn)
    assert await state_of(store, character) == ConversationState(MOOD, "They met.", turn)
    return character


async def state_of(store: Store, character: str, session: str = "s1") -> ConversationState:
    return await store.read(conversations.get_state, character, session)


async def test_words_of_a_forgotten_turn_do_not_live_on_in_a_summary(store: Store):
    character = await filled(store)
    await store.write(documents.remove, character, "life.md", with_memories=True)
    assert await state_of(store, character) == ConversationState()
