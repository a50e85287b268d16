"""What was said in a conversation, as far as it is known where the character is asked.

Takes: stored turns, each with the point at which it was held, and a point in the story.  Gives: the
turns that were held at or before it, the running summary where it rests on these alone, and the
mood of then. Of a conversation that outgrows the prompt the oldest turns are to be summarized.
Source: ours. A turn that was held without a point was held at the story's end.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from offbook.agent.mood import Mood, Moods, moods_of, time_of
from offbook.errors import UsageError
from offbook.memory.turns import Heard
from offbook.retrieval.point import known_points
from offbook.stores import characters, conversations, memories
from offbook.stores.conversations import ConversationState
from offbook.stores.principals import OWNER
from offbook.types import Message

if TYPE_CHECKING:
    from collections.abc import Callable

    from offbook.retrieval.point import Point
    from offbook.settings import SettingsModel
    from offbook.stores.connection import Connection
    from offbook.text.encodings import TokenCounter
    from offbook.types import Character, Position

SILENCE: Final = "…"
"""What is said by someone who says nothing, where a character goes on of its own accord."""
TITLE: Final = "Earlier in this conversation"
FULL: Final = 0.75
"""Share of the budget from which on the oldest turns are summarized."""
LEFT: Final = 0.5
"""Share of the budget that the turns which are left may have."""
REPLAYED: Final = 500
"""Answers that the mood of then is made of; each moves it, and what was before counts less."""


def stored_id(session: str, user: str | None) -> str:
    """The id of a conversation in the store: no two people's names for one can be the same."""
    name, whose = (
        None if part is None else part.replace("%", "%25").replace("/", "%2F")
        for part in (session, user)
    )
    return f"{name}" if whose is None else f"{whose}/{name}"


def names_of(stored: str) -> tuple[str, str | None]:
    """The names of session and user that ``stored_id`` made an id of."""
    parts = [part.replace("%2F", "/").replace("%25", "%") for part in stored.split("/", 1)]
    return (parts[0], None) if len(parts) == 1 else (parts[1], parts[0])


def scene_id(name: str | None, *, bare: bool = False) -> str:
    """The name of a scene among a character's conversations; ``bare``: what it is called.

    None: a new one.
    """
    called = (name or uuid.uuid4().hex[:12]).removeprefix(conversations.SCENE)
    return called if bare else f"{conversations.SCENE}{called}"


def principal_of(user: str | None) -> str:
    """The principal of a person whom the owner names; without a name, the owner."""
    return f"{OWNER}/{user}" if user else OWNER


@dataclass(frozen=True, slots=True)
class SpokenTurn:
    """A turn as the session knows it.

    ``id`` is None where it is not stored; ``as_of`` is the point in the story at which it was held,
    None: at the end; ``documents`` are those that a reply which is not stored rested on;
    ``speaker`` is who said it, empty: the person.
    """

    id: str | None
    said: str
    answered: str
    as_of: str | None = None
    documents: frozenset[str] = frozenset()
    speaker: str = ""

    @property
    def messages(self) -> tuple[Message, ...]:
        """It as messages of a prompt; a greeting answers nothing, what is heard has no answer."""
        said, answered = (
            Message("user", self.said, self.speaker),
            Message("assistant", self.answered),
        )
        return tuple(message for message in (said, answered) if message.content)


def messages_of(turns: Sequence[SpokenTurn]) -> tuple[Message, ...]:
    """Turns as messages of a prompt."""
    return tuple(message for turn in turns for message in turn.messages)


def turns_within(turns: Sequence[SpokenTurn], messages: int) -> Sequence[SpokenTurn]:
    """The last turns, whose messages these are; of the first of them they may lack some."""
    place = len(turns)
    while place and messages > 0:
        place -= 1
        messages -= len(turns[place].messages)
    return turns[place:]


def uncovered(turns: Sequence[SpokenTurn], state: ConversationState) -> Sequence[SpokenTurn]:
    """The turns that the summary does not cover; all where there is none."""
    if state.summary and state.summarized is not None:
        for place in range(len(turns) - 1, -1, -1):
            if turns[place].id == state.summarized:
                return turns[place + 1 :]
    return turns


def overflowing(
    turns: Sequence[SpokenTurn], budget_tokens: int, count: TokenCounter
) -> Sequence[SpokenTurn]:
    """The oldest of these turns that are to be summarized now; none while there is room.

    Where far more was said than fits, only what was said last before it: the rest is remembered
    by recall.
    """
    left: int | None = None
    total = 0
    first = 0
    for place in range(len(turns) - 1, -1, -1):
        total += count(turns[place].said) + count(turns[place].answered)
        if left is None and total > LEFT * budget_tokens:
            left = place + 1
        if total > 3 * budget_tokens:
            first = place
            break
    if left is None or total <= FULL * budget_tokens:
        return ()
    return turns[first:left]


@dataclass(slots=True)
class Earlier:
    """What a conversation has come to, as far as it is known where the character is asked.

    Args:
        turns: What was said, oldest first.
        hidden: How many turns were left out, since they were held later.
        whole: So many of ``turns`` come before the first that was left out.
        state: Summary and mood; without the summary where it rests on what was left out.
        moods: How the mood moves.
        summary_is_later: Whether the conversation has a summary that rests on what was left out.
    """

    turns: list[SpokenTurn] = field(default_factory=list)
    hidden: int = 0
    whole: int = 0
    state: ConversationState = field(default_factory=ConversationState)
    moods: Moods | None = None
    summary_is_later: bool = False

    @property
    def summarizable(self) -> Sequence[SpokenTurn]:
        """Turns that the conversation's one summary may be made of: no later one among them."""
        return self.turns[: self.whole] if self.hidden else self.turns


def known_until(
    conn: Connection, character: str, turns: Sequence[SpokenTurn], until: Position
) -> Earlier:
    """The turns of a conversation that were held at or before a point."""
    known = known_points(conn, character, (turn.as_of for turn in turns if turn.as_of))

    def is_seen(turn: SpokenTurn) -> bool:
        held = known.get(turn.as_of or "")
        return held is not None and held <= until

    marks = [is_seen(turn) for turn in turns]
    earlier_turns = [turn for turn, mark in zip(turns, marks, strict=True) if mark]
    whole = marks.index(False) if False in marks else len(marks)
    return Earlier(earlier_turns, len(turns) - len(earlier_turns), whole)


@dataclass(slots=True)
class History:
    """One conversation as a session sees it; ``look`` brings it up to date.

    Args:
        session: Its id in the store.
        principal: Whose it is.
        settings: How the mood moves; asked for where it is needed.
        keep: Whether its turns are stored.
        as_of: The point in the story at which the character is asked; None: its end.
        turns: All that was said, oldest first; the words of forgotten turns are empty.
        head: The last turn that was stored when they were read.
        before: How many turns of the conversation stand before these.
        known: What of it is known at the point.
        heard: The stored turns of it, and when they were looked at.
    """

    session: str
    principal: str
    settings: Callable[[], SettingsModel]
    keep: bool = True
    as_of: str | None = None
    turns: list[SpokenTurn] = field(default_factory=list)
    head: str | None = None
    before: int = 0
    known: Earlier = field(default_factory=Earlier)
    heard: Heard = field(default_factory=Heard)
    _moods: Moods | None = None

    def catch_up(self, conn: Connection, character: str) -> None:
        """Read the turns that are stored, where any came since they were read last.

        Raises:
            UsageError: the conversation belongs to somebody else.
        """
        talk = conversations.get(conn, character, self.session)
        if talk is None:
            return
        if talk.principal != self.principal:
            name, _ = names_of(self.session)
            raise UsageError(
                f"the session {name!r} belongs to somebody else", "choose another name for it"
            )
        if talk.head == self.head:
            return
        turns = conversations.history(conn, character, self.session, with_recall=False)
        # Only a point hides turns: without one nobody has to know where they were held.
        points: dict[str, str] = {}
        if self.as_of is not None:
            points = conversations.points(conn, character, self.session)
        self.turns = [
            SpokenTurn(t.id, t.said, t.answered, points.get(t.id), speaker=t.speaker) for t in turns
        ]
        self.head = talk.head

    def look(self, conn: Connection, character: str) -> tuple[Character, Point | None]:
        """Read the character as it is now, at the point where it is asked, and what is known then.

        Raises:
            UsageError: the story has no such point; the hint names the nearest.
        """
        character_now, point = characters.require(conn, character), None
        if self.as_of is not None:
            from offbook.ingestion.profile import at_point

            character_now, point = at_point(conn, character_now, self.as_of)
        if self.keep:
            ids = frozenset(turn.id for turn in self.turns if turn.id is not None)
            self.heard = self.heard.now(conn, character, self.session, ids)
            if gone := ids - self.heard.turns:
                self.turns = [SpokenTurn(None, "", "") if t.id in gone else t for t in self.turns]
        if point is not None:
            self.known = self._known_at(conn, character_now, point.position)
        else:
            self.known = Earlier(self.turns)
            if self.keep:
                self.known.state = conversations.get_state(conn, character, self.session)
                self._moods = self._moods or moods_of(conn, character_now, self.settings())
                self.known.moods = self._moods
        return character_now, point

    def _known_at(self, conn: Connection, character: Character, until: Position) -> Earlier:
        """What is known at a point: turns, the summary where it may be told, the mood of then."""
        known = known_until(conn, character.id, self.turns, until)
        if not self.keep:
            return known
        stored = conversations.get_state(conn, character.id, self.session)
        covered = stored.summarized in {turn.id for turn in known.turns[: known.whole]}
        known.summary_is_later = stored.summary is not None and not covered
        known.moods = moods_of(conn, character, self.settings(), until)
        felt = memories.felt_in(conn, character.id, self.session)
        mood: Mood | None = None
        for turn in known.turns[-REPLAYED:]:
            if turn.id in felt:
                emotion, when = felt[turn.id]
                mood = known.moods.after(mood, emotion, time_of(when))
        known.state = replace(
            stored,
            summary=stored.summary if covered else None,
            mood=None if mood is None else mood.as_json(),
        )
        return known
