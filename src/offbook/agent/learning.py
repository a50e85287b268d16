"""What happens behind a conversation: finished turns are scored, embedded, and move the mood.

Takes: turns that are stored already.  Gives: nothing that anybody waits for.  What is not done when
a command ends is taken up by the next one: each turn has a row in the jobs until it is done.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from offbook.agent.mood import Mood, Moods, temperament
from offbook.errors import OffbookError
from offbook.settings.model import BUILTIN
from offbook.stores import conversation_states, memories

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from offbook.memory.emotion import Emotion
    from offbook.pipeline import Stage
    from offbook.settings import SettingsModel
    from offbook.types import Character, MemoryFragment

TAKEN_UP: Final = 200
"""Memories of earlier commands that a conversation takes up; `offbook remember` does them all."""
_OFFLINE_URL: Final = "offline:"


@dataclass(slots=True)
class Learning:
    """The background of all conversations of one open offbook.

    Args:
        make_stage: Models and store for a character; calls count on the command's meter.
    """

    make_stage: Callable[[Character], Stage]
    failures: list[str] = field(default_factory=list)
    _queues: dict[str, list[str]] = field(default_factory=dict)
    _working: dict[str, asyncio.Task[None]] = field(default_factory=dict)
    _others: set[asyncio.Task[None]] = field(default_factory=set)
    _taken_up: set[str] = field(default_factory=set)

    @property
    def is_idle(self) -> bool:
        """Whether nothing is under way."""
        return not self._under_way()

    def take_up(self, character: Character) -> None:
        """Go on with what an earlier command left; once for each character."""
        if character.id not in self._taken_up:
            self._taken_up.add(character.id)
            self._start(character)

    def learn(self, character: Character, ids: Sequence[str]) -> None:
        """Score and embed memories that were stored just now."""
        self._queues.setdefault(character.id, []).extend(ids)
        self._start(character)

    def do(self, work: Callable[[], Awaitable[None]]) -> None:
        """Do something else that nobody waits for."""
        task = asyncio.create_task(self._guarded(work))
        self._others.add(task)
        task.add_done_callback(self._others.discard)

    async def rest(self, seconds: float | None = None) -> None:
        """Wait until nothing is under way, or for so long; nothing is broken off."""
        if tasks := self._under_way():
            await asyncio.wait(tasks, timeout=seconds)

    async def settle(self, grace_seconds: float) -> bool:
        """Wait for what is under way, but not longer; what is left then is broken off.

        Returns:
            Whether all of it was done.
        """
        tasks = self._under_way()
        if not tasks:
            return True
        _, late = await asyncio.wait(tasks, timeout=grace_seconds)
        for task in late:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        return not late

    def _under_way(self) -> list[asyncio.Task[None]]:
        return [task for task in (*self._working.values(), *self._others) if not task.done()]

    def _start(self, character: Character) -> None:
        before = self._working.get(character.id)
        if before is None or before.done():
            work = self._guarded(lambda: self._work(character))
            self._working[character.id] = asyncio.create_task(work)

    async def _guarded(self, work: Callable[[], Awaitable[None]]) -> None:
        """Run; what fails is tried again by a later command, and must not end this one."""
        try:
            await work()
        except OffbookError as error:
            self.failures.append(error.message)

    async def _work(self, character: Character) -> None:
        from offbook.ingestion.remembering import Remembering, asked_of, waiting

        stage = self.make_stage(character)
        if not is_worth_it(stage):
            self._queues.pop(character.id, None)
            return
        asked = asked_of(stage)

        def begin(conn: Connection) -> tuple[list[str], Moods]:
            left = waiting(conn, character.id, asked=asked)[:TAKEN_UP]
            return left, moods_of(conn, character, stage.settings)

        left, moods = await stage.store.read(begin)
        # Between the last look at the queue and the end nothing is waited for: whoever finds this
        # at work may leave a memory in the queue, and it will be looked at once more.
        ids = list(dict.fromkeys([*self._queues.pop(character.id, []), *left]))
        while ids:
            await Remembering(stage, character, scored=_Moving(character.id, moods).move).run(ids)
            ids = self._queues.pop(character.id, [])


def is_worth_it(stage: Stage) -> bool:
    """Whether memories are to be scored now: the method recalls them, or it costs nothing.

    Otherwise they wait until a method that recalls them is used: nothing is spent unasked.
    """
    free = stage.extractor.base_url == _OFFLINE_URL and stage.settings.embed.model == BUILTIN
    return free or stage.method.needs(stage.settings).memories


def moods_of(conn: Connection, character: Character, settings: SettingsModel) -> Moods:
    """How the character's mood moves, by its authored memories and the settings."""
    told = settings.mood.temperament
    known = [] if told is not None else memories.authored_emotions(conn, character.id)
    return Moods(
        temperament(told, (emotion for _, emotion in known)),
        settings.mood.weight,
        settings.mood.half_life_minutes,
    )


def moved_by(moods: Moods, mood: Mood | None, emotion: Mapping[str, float], at: str | None) -> Mood:
    """The mood after an answer, by the time that is stored with it."""
    return moods.after(mood, emotion, _time(at))


@dataclass(frozen=True, slots=True)
class _Moving:
    """Moves the mood of a conversation when one of its turns was scored."""

    character: str
    moods: Moods

    def move(self, conn: Connection, fragment: MemoryFragment, emotion: Emotion) -> None:
        """In the transaction that stores the emotion, so that no answer counts twice."""
        if fragment.session is None:
            return
        state = conversation_states.get(conn, self.character, fragment.session)
        mood = moved_by(self.moods, Mood.from_json(state.mood), emotion, fragment.at)
        conversation_states.set_mood(conn, self.character, fragment.session, mood.as_json())


def _time(text: str | None) -> datetime:
    """A stored time; now, where an imported one cannot be read."""
    try:
        found = datetime.fromisoformat(text or "")
    except ValueError:
        return datetime.now(UTC)
    return found.replace(tzinfo=found.tzinfo or UTC)
