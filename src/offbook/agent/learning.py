"""What happens behind a conversation: finished turns are scored, embedded, and move the mood.

Takes: turns that are stored already.  Gives: nothing that anybody waits for.  What is not done when
a command ends is taken up by the next one: each turn has a row in the jobs until it is done. What
outgrows the prompt is kept as a running summary.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from offbook.agent.distilling import distil, distils
from offbook.agent.mood import Mood, Moods, moods_of, time_of
from offbook.errors import OffbookError
from offbook.prompts.ask import ask
from offbook.prompts.summaries import SUMMARIZE_CONVERSATION, SummarizeConversationInputs
from offbook.stores import conversations
from offbook.text.tokens import truncate_to_tokens
from offbook.types import Turn, traits_of

if TYPE_CHECKING:
    from offbook.agent.history import SpokenTurn
    from offbook.memory.emotion import Emotion
    from offbook.runtime import Runtime
    from offbook.stores.connection import Connection
    from offbook.stores.conversations import ConversationState
    from offbook.types import Character, MemoryFragment


TAKEN_UP: Final = 200
"""Memories of earlier commands that a conversation takes up; `offbook remember` does them all."""


@dataclass(slots=True)
class Learning:
    """The background of all conversations of one open offbook.

    Args:
        make_runtime: Models and store for a character; calls count on the command's meter.
    """

    make_runtime: Callable[[Character], Runtime]
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
        from offbook.ingestion.memories import Remembering, asked_of, waiting

        runtime = self.make_runtime(character)
        if not is_worth_it(runtime):
            self._queues.pop(character.id, None)
            return
        questioner = asked_of(runtime)

        def begin(conn: Connection) -> tuple[list[str], Moods]:
            left = waiting(conn, character.id, models=questioner)[:TAKEN_UP]
            return left, moods_of(conn, character, runtime.settings)

        left, moods = await runtime.store.read(begin)
        # Between the last look at the queue and the end nothing is waited for: whoever finds this
        # at work may leave a memory in the queue, and it will be looked at once more.
        ids = list(dict.fromkeys([*self._queues.pop(character.id, []), *left]))
        is_distilled = not distils(runtime)
        while ids or not is_distilled:
            if ids:
                scored = _Moving(character.id, moods).move
                await Remembering(runtime, character, scored=scored).run(ids)
            ids = self._queues.pop(character.id, [])
            if not ids and not is_distilled:
                # One call each time that something was said, however much is left.
                is_distilled, outcome = True, await distil(runtime, character)
                ids = [*outcome.made, *self._queues.pop(character.id, [])]
                if outcome.why:
                    self.failures.append(outcome.why)


def is_worth_it(runtime: Runtime) -> bool:
    """Whether memories are to be scored now: the method recalls them, or it costs nothing.

    Otherwise they wait until a method that recalls them is used: nothing is spent unasked.
    """
    free = traits_of(runtime.extractor).free and traits_of(runtime.embedder).free
    return free or runtime.needs.memories


@dataclass(frozen=True, slots=True)
class _Moving:
    """Moves the mood of a conversation when one of its turns was scored."""

    character: str
    moods: Moods

    def move(self, conn: Connection, fragment: MemoryFragment, emotion: Emotion) -> None:
        """In the transaction that stores the emotion, so that no answer counts twice."""
        if fragment.session is None:
            return
        state = conversations.get_state(conn, self.character, fragment.session)
        mood = self.moods.after(Mood.from_json(state.mood), emotion, time_of(fragment.at))
        conversations.set_mood(conn, self.character, fragment.session, mood.as_json())


_TURN_TOKENS: Final = 600
_SUMMARY_TOKENS: Final = 400


async def summarize(
    runtime: Runtime,
    character: Character,
    session: str,
    state: ConversationState,
    turns: Sequence[SpokenTurn],
) -> None:
    """Have the turns summarized, and keep it; where another was quicker, it is thrown away.

    Raises:
        AnswerError: no answer could be used; the next turn asks again.
        ModelError: the endpoint failed for good; likewise.
    """
    last = turns[-1].id
    if last is None:
        return
    shown = tuple(
        Turn(
            truncate_to_tokens(turn.said, _TURN_TOKENS),
            truncate_to_tokens(turn.answered, _TURN_TOKENS),
            turn.speaker,
        )
        for turn in turns
    )
    inputs = SummarizeConversationInputs(character.name, state.summary or "", shown)
    retries = runtime.settings.answers.retries
    ids = [turn.id for turn in turns if turn.id is not None]
    # Forgetting one of them forgets the stored answer, which may repeat its words.
    documents = await runtime.store.read(
        conversations.documents_of_turns, character.id, session, ids
    )
    named = frozenset(f"{character.id}/{document}" for document in documents)
    text = await ask(
        runtime.extractor, SUMMARIZE_CONVERSATION, inputs, documents=named, retries=retries
    )
    summary = truncate_to_tokens(text, _SUMMARY_TOKENS)

    def keep(conn: Connection) -> None:
        now = conversations.get_state(conn, character.id, session)
        here = conversations.holds(conn, character.id, session, last)
        # Forgotten meanwhile, words and all: the summary must not bring them back.
        gone = conversations.emptied(conn, character.id, session)
        if now.summarized == state.summarized and here and gone.isdisjoint(ids):
            conversations.set_summary(conn, character.id, session, summary, last)

    await runtime.store.write(keep)
