"""Mood and summary of a conversation: kept with it, and gone with what they hold."""

from __future__ import annotations

from pathlib import Path

from offbook.protocols import Store
from offbook.stores import characters, conversation_states, conversations, documents, portable
from offbook.stores.conversation_states import ConversationState
from tests.stores import data

MOOD = {"levels": {"joy": 2.5}, "at": "2025-06-01T12:00:00+00:00"}


async def filled(store: Store) -> str:
    """A character with a conversation that rests on a document, a mood and a summary."""
    character = await store.write(data.build_character)
    turn = await store.write(lambda conn: data.talk(conn, character))
    await store.write(lambda c: conversation_states.set_mood(c, character, "s1", MOOD))
    await store.write(
        lambda c: conversation_states.set_summary(c, character, "s1", "They met.", turn)
    )
    assert await state_of(store, character) == ConversationState(MOOD, "They met.", turn)
    return character


async def state_of(store: Store, character: str, session: str = "s1") -> ConversationState:
    return await store.read(lambda conn: conversation_states.get(conn, character, session))


async def test_a_state_belongs_to_its_conversation(store: Store):
    character = await filled(store)
    assert await state_of(store, character, "other") == ConversationState()
    await store.write(lambda conn: conversations.remove(conn, character, "s1"))
    assert await state_of(store, character) == ConversationState()


async def test_words_of_a_forgotten_turn_do_not_live_on_in_a_summary(store: Store):
    character = await filled(store)
    await store.write(lambda conn: documents.remove(conn, character, "life.md", with_memories=True))
    assert await state_of(store, character) == ConversationState()


async def test_a_state_travels_with_the_conversations_only(store: Store, tmp_path: Path):
    character = await filled(store)
    state = await state_of(store, character)
    for talk in (False, True):
        file = tmp_path / f"{talk}.offbook"
        await store.read(
            lambda c, f=file, t=talk: portable.export_character(  # type: ignore[misc]
                c, character, f, with_conversations=t
            )
        )
    for talk in (True, False):
        await store.write(lambda conn: characters.remove(conn, character))
        file = tmp_path / f"{talk}.offbook"
        await store.write(lambda conn, f=file: portable.import_character(conn, f))  # type: ignore[misc]
        assert await state_of(store, character) == (state if talk else ConversationState())
