"""The mood of a character: it moves with what it answers, and comes back to its temperament.

Takes: emotions of answers, and when they were given. Gives: eight levels from 1 to 10. A clock that
goes back neither stops nor reverses anything. Source: ours; docs/memory.md, "Mood". Emotional RAG
has emotions of memories and questions, and no state between questions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final, Self

from offbook.errors import ConfigurationError
from offbook.memory.emotion import is_emotion
from offbook.retrieval.point import known_points
from offbook.stores import memories
from offbook.text.emotion_names import EMOTIONS, LEAST, read_levels

if TYPE_CHECKING:
    from offbook.settings import SettingsModel
    from offbook.stores.connection import Connection
    from offbook.types import Character, Position

Levels = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Mood:
    """Eight levels as they were ``at`` a time."""

    levels: Levels
    at: datetime

    def as_json(self) -> dict[str, Any]:
        """The shape in which it is stored."""
        return {"levels": dict(self.levels), "at": self.at.isoformat()}

    @classmethod
    def from_json(cls, stored: Mapping[str, Any] | None) -> Self | None:
        """A stored mood; None where there is none, or what is stored is no mood."""
        if stored is None:
            return None
        levels, place = stored.get("levels"), stored.get("at")
        if not isinstance(place, str) or not is_emotion(levels):
            return None
        try:
            when = datetime.fromisoformat(place)
        except ValueError:
            return None
        return cls({n: float(levels[n]) for n in EMOTIONS}, when.replace(tzinfo=when.tzinfo or UTC))

    def later(self, now: datetime, temperament: Levels, half_life_minutes: float) -> Mood:
        """The mood at another time: half of what sets it apart is gone after a half-life.

        Before ``at`` it is as it was: a clock that goes back is no time that passed.
        """
        passed = max(0.0, (now - self.at).total_seconds() / 60)
        left = 0.5 ** (passed / half_life_minutes)
        levels = {n: temperament[n] + left * (self.levels[n] - temperament[n]) for n in EMOTIONS}
        return Mood(levels, now)

    def moved(self, emotion: Mapping[str, float], weight: float) -> Mood:
        """The mood after an answer that was felt so."""
        levels = {n: self.levels[n] + weight * (emotion[n] - self.levels[n]) for n in EMOTIONS}
        return Mood(levels, self.at)


@dataclass(frozen=True, slots=True)
class Moods:
    """How one character's mood moves.

    Args:
        temperament: Where it comes back to.
        weight: How far one answer moves it.
        half_life_minutes: In which half of the distance is gone.
    """

    temperament: Levels
    weight: float
    half_life_minutes: float

    def now(self, mood: Mood | None, now: datetime) -> Mood:
        """The mood at a time; without one, the temperament."""
        if mood is None:
            return Mood(self.temperament, now)
        return mood.later(now, self.temperament, self.half_life_minutes)

    def after(self, mood: Mood | None, emotion: Mapping[str, float], moment: datetime) -> Mood:
        """The mood after an answer that was given at ``moment``.

        Answers are scored in the background and may arrive late: one that was given before the
        mood was last moved counts as much as is left of it by then.
        """
        if mood is None or moment >= mood.at:
            return self.now(mood, moment).moved(emotion, self.weight)
        minutes = (mood.at - moment).total_seconds() / 60
        left = 0.5 ** (minutes / self.half_life_minutes)
        # A clock that was put back by days must not keep the mood from moving.
        fresh = self.weight if minutes > LATE_MINUTES else self.weight * left
        moved = mood.moved(emotion, fresh)
        return Mood(moved.levels, moment) if minutes > LATE_MINUTES else moved


LATE_MINUTES: Final = 24 * 60.0
"""An answer that was given longer before the mood's time than this tells of a wrong clock."""


def temperament(named: str | None, emotions: Iterable[Mapping[str, Any]]) -> dict[str, float]:
    """The temperament: as the settings tell, else the mean of the authored memories.

    Args:
        named: ``joy=4,fear=2``; what is not named is 1.
        emotions: Of the authored memories; without any, all levels are 1.

    Raises:
        ConfigurationError: an emotion is unknown, or a level is not from 1 to 10.
    """
    if named is not None:
        try:
            return read_levels(named)
        except ValueError as error:
            raise ConfigurationError(f"setting mood.temperament = {named!r}: {error}") from error
    known = [emotion for emotion in emotions if is_emotion(emotion)]
    if not known:
        return dict.fromkeys(EMOTIONS, LEAST)
    return {name: sum(float(e[name]) for e in known) / len(known) for name in EMOTIONS}


def moods_of(
    conn: Connection, character: Character, settings: SettingsModel, until: Position | None = None
) -> Moods:
    """Say how the character's mood moves, by the settings and its authored memories.

    At a point in the story only those memories count that lie before it.
    """
    named = settings.mood.temperament
    authored = [] if named is not None else memories.authored_emotions(conn, character.id)
    if until is not None:
        known = known_points(conn, character.id, (place for place, _ in authored if place))
        authored = [
            (place, emotion)
            for place, emotion in authored
            if place in known and known[place] <= until
        ]
    return Moods(
        temperament(named, (emotion for _, emotion in authored)),
        settings.mood.weight,
        settings.mood.half_life_minutes,
    )


def time_of(text: str | None) -> datetime:
    """Read a stored time; now, where an imported one cannot be read."""
    try:
        time = datetime.fromisoformat(text or "")
    except ValueError:
        return datetime.now(UTC)
    return time.replace(tzinfo=time.tzinfo or UTC)
