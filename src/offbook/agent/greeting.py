"""The first message of a conversation: what a character's card has it say before anything else.

Takes: a character, and which of its greetings.  Gives: a turn that answers nothing, as clients that
bring their own greeting have it; it is stored with the first turn that somebody takes.
"""

from __future__ import annotations

from collections.abc import MutableSequence, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from offbook.agent.summary import SpokenTurn
from offbook.context.card_words import card_words
from offbook.errors import UsageError
from offbook.stores import conversations, text_versions

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from offbook.types import Character

_WHY = "a greeting is no memory"


def greetings(character: Character, user: str | None = None, session: str = "") -> tuple[str, ...]:
    """The greetings of a character's card, macros replaced; none where it came from no card.

    Args:
        character: Who greets.
        user: What the person is called.
        session: The conversation, by which ``{{random}}`` and its like choose.
    """
    words = card_words(character.settings)
    numbers = range(1, len(words.greetings) + 1)
    return tuple(words.greeting(number, user, session) for number in numbers)


def first_turn(
    character: Character,
    number: int,
    who: tuple[str | None, str],
    turns: Sequence[SpokenTurn],
    as_of: str | None,
) -> SpokenTurn:
    """The turn that a conversation begins with.

    Args:
        character: Who greets.
        number: Which of the greetings, from 1.
        who: What the person is called, and the conversation's name.
        turns: What was said already.
        as_of: The point in the story.

    Raises:
        UsageError: something was said already, or there is no greeting of this number.
    """
    if turns:
        raise UsageError("the conversation has begun already", "begin another session")
    there = greetings(character, *who)
    if not 1 <= number <= len(there):
        known = f"it has {len(there)}" if there else "it has none: it came from no card"
        raise UsageError(f"{character.name!r} has no greeting {number!r}", known)
    rests_on = frozenset(filter(None, (card_words(character.settings).document,)))
    return SpokenTurn(None, "", there[number - 1], as_of, rests_on)


def begun_with(
    character: Character, turns: Sequence[SpokenTurn], who: tuple[str | None, str]
) -> int | None:
    """Which greeting, from 0, a conversation began with; None where that is not known.

    Args:
        character: Who greeted.
        turns: The whole conversation.
        who: What the person is called, and the conversation's name.
    """
    if not turns or turns[0].said:
        return None
    return card_words(character.settings).number_of(turns[0].answered, *who)


def keep(
    conn: Connection,
    character: Character,
    where: tuple[str, str],
    turns: MutableSequence[SpokenTurn],
) -> None:
    """Store the greeting that a conversation began with, where it is not stored yet.

    Args:
        conn: Connection of a write.
        character: Who greets.
        where: Ids of the conversation and of whoever talks.
        turns: The conversation; its first turn gets its id.
    """
    if not turns or turns[0].said:
        return
    session, principal = where
    if text_versions.forgotten(conn, character.id, turns[0].documents):
        return
    known = conversations.turn_id(None, "", turns[0].answered)
    if conversations.holds(conn, character.id, session, known):
        return
    conversations.begin(conn, character.id, session, principal)
    made = conversations.add_turn(
        conn,
        character.id,
        session,
        "",
        turns[0].answered,
        parent=conversations.BEGINNING,
        recall={"remembered": {"memory": None, "why": _WHY}},
        rests_on=turns[0].documents,
    )
    turns[0] = replace(turns[0], id=made)
