"""A conversation as it was by a point in the story: what was said later is not known in it.

Takes: turns, each with the point at which it was held, and a point.  Gives: the turns that were
held at or before it, the running summary where it rests on these alone, and the mood of then.
Source: ours (methods.md 5). A turn that was held without a point was held at the story's end.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from offbook.agent.learning import moods_of, moved_by
from offbook.agent.mood import Mood, Moods, temperament
from offbook.retrieval.point import known_points
from offbook.stores import memories
from offbook.stores.conversation_states import ConversationState

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from offbook.agent.summary import SpokenTurn
    from offbook.retrieval.point import Point
    from offbook.settings import SettingsModel
    from offbook.types import Character, Position

REPLAYED: Final = 500
"""Answers that the mood of then is made of; each moves it, and what was before counts less."""


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


def until_point(
    conn: Connection, character: Character, turns: Sequence[SpokenTurn], until: Position
) -> Earlier:
    """The turns of a conversation that were held at or before a point."""
    known = known_points(conn, character.id, (turn.as_of for turn in turns if turn.as_of))

    def is_seen(turn: SpokenTurn) -> bool:
        held = known.get(turn.as_of or "")
        return held is not None and held <= until

    marks = [is_seen(turn) for turn in turns]
    seen = [turn for turn, mark in zip(turns, marks, strict=True) if mark]
    whole = marks.index(False) if False in marks else len(marks)
    return Earlier(seen, len(turns) - len(seen), whole)


def with_state(
    conn: Connection,
    character: Character,
    session: str,
    earlier: Earlier,
    stored: ConversationState,
    settings: SettingsModel,
    until: Position,
) -> Earlier:
    """The same with the summary, where it may be told, and with the mood of then."""
    covered = stored.summarized in {turn.id for turn in earlier.turns[: earlier.whole]}
    state = stored if covered else replace(stored, summary=None)
    moods = _moods_then(conn, character, settings, until)
    mood = _mood_then(conn, character, session, earlier.turns, moods)
    state = replace(state, mood=None if mood is None else mood.as_json())
    later = stored.summary is not None and not covered
    return replace(earlier, state=state, moods=moods, summary_is_later=later)


def _moods_then(
    conn: Connection, character: Character, settings: SettingsModel, until: Position
) -> Moods:
    """How the mood moves, by the authored memories that lie before the point."""
    whole = moods_of(conn, character, settings)
    if settings.mood.temperament is not None:
        return whole
    authored = memories.authored_emotions(conn, character.id)
    known = known_points(conn, character.id, (at for at, _ in authored if at))
    before = [emotion for at, emotion in authored if at in known and known[at] <= until]
    return replace(whole, temperament=temperament(None, before))


def _mood_then(
    conn: Connection, character: Character, session: str, turns: Sequence[SpokenTurn], moods: Moods
) -> Mood | None:
    """The mood that these turns alone have led to."""
    felt = memories.felt_in(conn, character.id, session)
    mood: Mood | None = None
    for turn in turns[-REPLAYED:]:
        if turn.id in felt:
            mood = moved_by(moods, mood, *felt[turn.id])
    return mood


def at_point(
    conn: Connection, character: Character, as_of: str | None
) -> tuple[Character, Point | None]:
    """The character as it is at a point in its story, and the point; None: at the end.

    Raises:
        UsageError: the story has no such point; the hint names the nearest.
    """
    if as_of is None:
        return character, None
    from offbook.ingestion import as_of as points

    return points.at_point(conn, character, as_of)
