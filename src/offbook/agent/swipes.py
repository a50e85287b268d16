"""Swipes: several replies to the same words, of which a conversation goes on from one.

Takes: a conversation in the store.  Gives: it as a person sees it, each turn with the replies that
stand in its place; and the one to go on from.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from offbook.errors import UnknownName, UsageError
from offbook.stores import conversations

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from offbook.stores.conversations import StoredTurn


@dataclass(frozen=True, slots=True)
class Place:
    """Where a reply belongs: after ``parent`` (None: at the end), the how-manieth there (0-based).

    The number is kept with what the reply rested on: two replies may come within a second.
    """

    parent: str | None = None
    sample: int = 0

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
        """Where another reply to the same words belongs."""
        return Place(self.turn.parent or conversations.BEGINNING, len(self.swipes))


def exchanges(conn: Connection, character: str, session: str) -> list[Exchange]:
    """A conversation from the first turn to where it has come to, swipes in their order."""
    siblings: dict[tuple[str | None, str], list[StoredTurn]] = defaultdict(list)
    known = conversations.list_turns(conn, character, session)
    for turn in sorted(known, key=_order):
        siblings[turn.parent, turn.said].append(turn)
    chain = conversations.history(conn, character, session)
    return [Exchange(turn, tuple(siblings[turn.parent, turn.said])) for turn in chain]


def last_exchange(conn: Connection, character: str, session: str) -> Exchange:
    """Where a conversation has come to.

    Raises:
        UsageError: nothing was said yet.
    """
    found = exchanges(conn, character, session)
    if not found:
        raise UsageError("nothing was said yet that could be answered anew", "say something first")
    return found[-1]


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
        conn, character, session, chosen.said, chosen.answered, parent=last.next.parent
    )


def _order(turn: StoredTurn) -> tuple[int, str, str]:
    sample = (turn.recall or {}).get("sample", 0)
    return sample if isinstance(sample, int) else 0, turn.at, turn.id
