"""Swipes: several replies to the same words, of which a conversation goes on from one.

Takes: a conversation in the store, a character's card.  Gives: the conversation as a person sees
it, each turn with the replies that stand in its place; and its first message, a greeting of the
card, as a turn that answers nothing and is stored with the first turn that somebody takes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import MutableSequence, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from offbook.agent.history import SpokenTurn
from offbook.context.assembly import card_words
from offbook.errors import UnknownName, UsageError
from offbook.stores import conversations, text_versions

if TYPE_CHECKING:
    from offbook.stores.connection import Connection
    from offbook.stores.conversations import StoredTurn
    from offbook.types import Character


@dataclass(frozen=True, slots=True)
class Place:
    """Where a reply belongs: after ``parent`` (None: at the end), the how-manieth there (0-based).

    The number is kept with what the reply rested on: two replies may come within a second.
    ``instead`` is the turn whose words other ones take the place of; empty: none.
    """

    parent: str | None = None
    sample: int = 0
    instead: str = ""

    def as_json(self) -> dict[str, int]:
        """What is kept of it."""
        return {"sample": self.sample} if self.sample else {}


NEXT: Final = Place()
"""The first reply at the end of a conversation."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """A turn of a conversation; ``swipes`` are all replies to its words, its own among them."""

    turn: StoredTurn
    swipes: tuple[StoredTurn, ...]

    @property
    def place(self) -> int:
        """Which of the swipes the turn is, from 0 on."""
        return self.swipes.index(self.turn)

    @property
    def next(self) -> Place:
        """Where a reply to the same words belongs: another, or the first to what was heard."""
        replies = 0 if self.turn.is_unanswered else len(self.swipes)
        return Place(self.turn.parent or conversations.BEGINNING, replies)


def exchanges(conn: Connection, character: str, session: str) -> list[Exchange]:
    """A conversation from the first turn to where it has come to, swipes in their order."""
    siblings: dict[tuple[str | None, str], list[StoredTurn]] = defaultdict(list)
    known = conversations.list_turns(conn, character, session)
    for turn in sorted(known, key=_order):
        if not turn.is_unanswered:
            siblings[turn.parent, turn.said].append(turn)
    chain = conversations.history(conn, character, session)
    return [
        Exchange(turn, (turn,) if turn.is_unanswered else tuple(siblings[turn.parent, turn.said]))
        for turn in chain
    ]


def last_exchange(conn: Connection, character: str, session: str) -> Exchange:
    """Where a conversation has come to.

    Raises:
        UsageError: nothing was said yet.
    """
    all_exchanges = exchanges(conn, character, session)
    if not all_exchanges:
        raise UsageError("nothing was said yet that could be answered anew", "say something first")
    return all_exchanges[-1]


def go_on_from(conn: Connection, character: str, session: str, turn: str) -> None:
    """Let a conversation go on from another reply to what was said last.

    Raises:
        UnknownName: it is no reply to these words.
    """
    last = last_exchange(conn, character, session)
    chosen = next((swipe for swipe in last.swipes if swipe.id == turn), None)
    if chosen is None:
        raise UnknownName(f"no reply {turn!r} to what was said last", "choose one of its swipes")
    # Stored already: storing it again only makes it the one that the conversation has come to.
    conversations.add_turn(
        conn,
        character,
        session,
        chosen.said,
        chosen.answered,
        parent=last.next.parent,
        speaker=chosen.speaker,
    )


def _order(turn: StoredTurn) -> tuple[int, str, str]:
    sample = (turn.recall or {}).get("sample", 0)
    return sample if isinstance(sample, int) else 0, turn.at, turn.id


_WHY = "a greeting is no memory"


def greetings(character: Character, user: str | None = None, session: str = "") -> tuple[str, ...]:
    """The greetings of a character's card, macros replaced; none where it came from no card."""
    words = card_words(character.settings)
    numbers = range(1, len(words.greetings) + 1)
    return tuple(words.greeting(number, user, session) for number in numbers)


def first_turn(
    character: Character, number: int, greetings: Sequence[str], as_of: str | None
) -> SpokenTurn:
    """Make the turn that a conversation begins with.

    Args:
        character: Who greets.
        number: Which of the greetings, from 1.
        greetings: All of them, as this conversation has them.
        as_of: The point in the story.

    Raises:
        UsageError: there is no greeting of this number.
    """
    if not 1 <= number <= len(greetings):
        known = f"it has {len(greetings)}" if greetings else "it has none: it came from no card"
        raise UsageError(f"{character.name!r} has no greeting {number!r}", known)
    rests_on = frozenset(filter(None, (card_words(character.settings).document,)))
    return SpokenTurn(None, "", greetings[number - 1], as_of, rests_on)


def keep_greeting(
    conn: Connection,
    character: Character,
    session: str,
    principal: str,
    turns: MutableSequence[SpokenTurn],
) -> None:
    """Store the greeting that a conversation began with, where it is not stored yet."""
    if not turns or turns[0].said:
        return
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
