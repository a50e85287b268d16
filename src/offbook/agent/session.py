"""A conversation with a character: each turn recalls, replies and is kept.

Takes: what a person says.  Gives: the reply in pieces, and what it rests on.  A turn is stored
when its reply is whole; one that is broken off leaves no trace.
"""

from __future__ import annotations

import uuid
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from offbook import pipeline
from offbook.agent import greeting, swipes
from offbook.agent.learning import moods_of
from offbook.agent.mood import Mood
from offbook.agent.naming import names_of, require_words, stored_id
from offbook.agent.person import Person, person_of
from offbook.agent.point_in_time import Earlier, at_point, until_point, with_state
from offbook.agent.summary import (
    SpokenTurn,
    is_summarized,
    messages_of,
    overflowing,
    summarize,
    summary_item,
    uncovered,
    without,
)
from offbook.context.token_budget import fit_history
from offbook.errors import EmbedderMismatch, IndexMissing, StoreFailed, UsageError
from offbook.language.encodings import token_counter
from offbook.memory.conversation import Heard, KeptTurn, TurnKeeper
from offbook.memory.talk import Talk
from offbook.stores import characters, conversation_states, conversations, principals
from offbook.types import Remembered, Reply, Skipped

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from offbook.agent.learning import Learning
    from offbook.agent.mood import Moods
    from offbook.agent.swipes import Exchange, Place
    from offbook.language.encodings import TokenCounter
    from offbook.models.metering import Meter
    from offbook.pipeline import Stage
    from offbook.protocols import Store
    from offbook.retrieval.point import Point
    from offbook.settings import SettingsModel
    from offbook.stores.conversation_states import ConversationState
    from offbook.types import Character, Message, Position, Recall, Usage


__all__ = ["Session", "messages_of", "names_of", "require_words", "stored_id"]

_ANTECEDENTS: Final = 20
"""Turns that a question may refer back to, even where the prompt has no room for history."""


def _now() -> datetime:
    return datetime.now(UTC)


class Session:
    """One conversation of one person with one character.

    Args:
        store: Where conversations are kept.
        character: With whom.
        make_stage: Gives models and their meter, anew for each turn.
        id: The conversation's name; None: a new one.
        user: Whose it is; None: the owner's. Nobody sees another's.
        keep: Whether turns are stored.
        as_of: The point in the story at which the character is asked; None: its end.
        learning: Scores what is remembered, behind the conversation; None: nothing does.
        clock: The time, for tests.
    """

    def __init__(
        self,
        store: Store,
        character: Character,
        make_stage: Callable[[], tuple[Stage, Meter]],
        id: str | None = None,  # noqa: A002 - it is the conversation's id
        user: str | None = None,
        *,
        keep: bool = True,
        as_of: str | None = None,
        learning: Learning | None = None,
        clock: Callable[[], datetime] = _now,
    ) -> None:
        for option, value in (("session", id), ("user", user)):
            if value is not None and not value.strip():
                raise UsageError(f"the {option} {value!r} has no name", f"name the {option}")
        self.character = character
        self.id = id or uuid.uuid4().hex[:12]
        self.last: Reply | None = None
        self._store = store
        self._make_stage = make_stage
        self._principal = principals.of_user(user)
        self._stored_id = stored_id(self.id, user)
        self._user = user
        self._keep = keep
        self._as_of = as_of
        self._learning = learning
        self._clock = clock
        self._turns: list[SpokenTurn] = []
        self._before = 0  # turns of the conversation that stand before these
        self._seen = Earlier()
        self._heard_of = Heard()
        self._moods: Moods | None = None
        self._summarizing = False

    async def open(self) -> Session:
        """Load what was said before.

        Raises:
            UsageError: the conversation belongs to somebody else, or the story has no such point.
        """
        if self._keep:
            self._turns = await self._store.read(self._stored)
        await self._store.read(self._now)
        return self

    def _stored(self, conn: Connection) -> list[SpokenTurn]:
        found = conversations.get(conn, self.character.id, self._stored_id)
        if found is not None and found.principal != self._principal:
            raise UsageError(
                f"the session {self.id!r} belongs to somebody else", "choose another name for it"
            )
        where = self.character.id, self._stored_id
        turns = conversations.history(conn, *where, with_recall=False)
        # Only a point hides turns: without one nobody has to know where they were held.
        points = {} if self._as_of is None else conversations.points(conn, *where)
        return [SpokenTurn(t.id, t.said, t.answered, points.get(t.id)) for t in turns]

    @property
    def history(self) -> tuple[Message, ...]:
        """The conversation so far, oldest first; at a point, what was said by then."""
        return messages_of(self._seen.turns)

    @property
    def greetings(self) -> tuple[str, ...]:
        """What the character's card has it say before anything else: one is to be chosen."""
        return greeting.greetings(self.character, self._person().called, self.id)

    def _person(self, settings: SettingsModel | None = None) -> Person:
        return person_of(self._user, self._principal, (settings or self._settings()).user)

    def greet(self, number: int = 1) -> str:
        """Begin a new conversation with a greeting; it is kept with the first turn.

        Raises:
            UsageError: something was said already, or there is no such greeting.
        """
        who = self._person().called, self.id
        spoken = greeting.first_turn(self.character, number, who, self._turns, self._as_of)
        self._turns.append(spoken)
        return spoken.answered

    async def say(self, said: str) -> AsyncIterator[str]:
        """The reply in pieces; ``last`` holds it whole afterwards.

        Raises:
            ModelError: the endpoint failed; the turn is not stored.
        """
        async with aclosing(self._reply(said)) as replying:
            async for piece in replying:
                yield piece

    async def again(self) -> AsyncIterator[str]:
        """Another reply to what was said last, which takes the place of the last one.

        Raises:
            UsageError: nothing was said yet, or the conversation is not kept.
            ModelError: the endpoint failed; the conversation is as it was.
        """
        where = self.character.id, self._stored_id
        last = await self._store.read(lambda conn: swipes.last_exchange(conn, *where))
        before, self._turns = (self._turns, self._seen), self._turns[:-1]
        try:
            async with aclosing(self._reply(last.turn.said, last.next)) as replying:
                async for piece in replying:
                    yield piece
        except BaseException:  # closed, too: the last reply stays
            self._turns, self._seen = before
            raise
        if len(self._turns) < len(before[0]):  # it came too late to be kept: so it does here
            await self.open()

    async def choose(self, turn: str) -> None:
        """Go on from another reply to what was said last: the id of one of its swipes.

        Raises:
            UnknownName: it is no reply to these words.
        """
        where = self.character.id, self._stored_id
        await self._store.write(lambda conn: swipes.go_on_from(conn, *where, turn))
        self._turns = await self._store.read(self._stored)

    async def exchanges(self) -> list[Exchange]:
        """What was said and answered, each with the replies that stand in its place."""
        where = self.character.id, self._stored_id
        return await self._store.read(lambda conn: swipes.exchanges(conn, *where))

    async def mood(self) -> dict[str, float] | None:
        """How the character feels now; None where the conversation is not kept."""
        self.character, _ = await self._store.read(self._now)
        return self._mood()

    async def _reply(self, said: str, place: Place = swipes.NEXT) -> AsyncGenerator[str]:
        turn = await self._recall(said)
        pieces: list[str] = []
        wishes = self._person(turn.stage.settings).wishes(place.sample, self.id, turn.earlier)
        told = turn.stage, self.character, turn.found, turn.history, wishes
        async with aclosing(pipeline.stream_reply(*told)) as replying:  # type: ignore[type-var]
            async for piece in replying:
                pieces.append(piece)
                yield piece
        await self._finish(turn, said, "".join(pieces).strip(), place)

    async def ask(self, said: str) -> Reply:
        """The reply, whole.

        Raises:
            ModelError: the endpoint failed, or gave nothing that can be used.
        """
        turn = await self._recall(said)
        told = turn.stage, self.character, turn.found, turn.history
        wishes = self._person(turn.stage.settings).wishes(0, self.id, turn.earlier)
        text = await pipeline.reply(*told, wishes=wishes)
        return await self._finish(turn, said, text)

    async def recall(self, said: str) -> tuple[Recall, Usage]:
        """What the reply would rest on; none is generated, and nothing is kept.

        Raises:
            ModelError: the endpoint failed.
        """
        turn = await self._recall(said, learn=False)
        return turn.found, turn.meter.usage()

    async def _recall(self, said: str, *, learn: bool = True) -> _Open:
        require_words(said)
        try:
            return await self._recall_once(said, learn=learn)
        except (StoreFailed, EmbedderMismatch, IndexMissing) as error:
            # Vectors may have been made anew meanwhile; where nothing was, the failure stands.
            now = (await self._store.read(self._now))[0]
            if now == self.character and not isinstance(error, StoreFailed):
                raise
            return await self._recall_once(said, learn=learn)

    async def _recall_once(self, said: str, *, learn: bool) -> _Open:
        self.character, point = await self._store.read(self._now)
        stage, meter = self._make_stage()
        if learn and self._learning is not None and stage.settings.limits.concurrency > 1:
            # Beside the reply; where only one call may be out, the reply goes first.
            self._learning.take_up(self.character)
        budget = stage.settings.context.history_tokens
        # Every turn has a token at least: of ten thousand no more than this could be shown.
        window = uncovered(self._seen.turns, self._seen.state)[-(budget + _ANTECEDENTS) :]
        recent = messages_of(window)
        shown = fit_history(recent, budget, _counter(stage))
        held = window[len(window) - (len(shown) + 1) // 2 :]  # a greeting is half a turn
        present = frozenset(turn.id for turn in held if turn.id is not None)
        earlier = 2 * (self._before + len(self._seen.turns) - len(window))
        person, rests_on = self._person(stage.settings), await self._documents(held)
        begun = greeting.begun_with(self.character, self._seen.turns, (person.called, self.id))
        who = person.called, person.persona, earlier, begun
        talk = Talk(self._principal, present, self._mood(), rests_on, *who)
        found = await pipeline.recall(stage, self.character, said, recent, point, talk)
        if is_summarized(self._seen.turns, self._seen.state):
            found = replace(found, context=(summary_item(self._seen.state), *found.context))
        if self._seen.hidden:
            found = replace(found, skipped=(*found.skipped, _later(self._seen.hidden)))
        return _Open(stage, meter, found, shown, earlier + len(recent) - len(shown), self._heard_of)

    async def _documents(self, turns: Sequence[SpokenTurn]) -> frozenset[str]:
        """What turns of this conversation rest on."""
        own = frozenset(name for turn in turns for name in turn.documents)
        ids = [turn.id for turn in turns if turn.id is not None]
        if not ids:
            return own
        where = self.character.id, self._stored_id
        return own | await self._store.read(
            lambda conn: conversations.documents_of_turns(conn, *where, ids)
        )

    def _now(self, conn: Connection) -> tuple[Character, Point | None]:
        """The character as it is stored now, at the point where it is asked."""
        character, point = at_point(conn, characters.require(conn, self.character.id), self._as_of)
        ids = frozenset(turn.id for turn in self._turns if turn.id is not None)
        self._heard_of = self._heard_of.now(conn, character.id, self._stored_id, ids)
        self._turns = without(self._turns, ids - self._heard_of.turns)
        self._seen = self._heard(conn, character, None if point is None else point.position)
        return character, point

    def _heard(self, conn: Connection, character: Character, until: Position | None) -> Earlier:
        """What the conversation has come to, as far as it is known there."""
        seen = Earlier(self._turns)
        if until is not None:
            seen = until_point(conn, character, self._turns, until)
        if not self._keep:
            return seen
        state = conversation_states.get(conn, character.id, self._stored_id)
        if until is not None:
            settings = self._settings()
            return with_state(conn, character, self._stored_id, seen, state, settings, until)
        if self._moods is None:
            self._moods = moods_of(conn, character, self._settings())
        return replace(seen, state=state, moods=self._moods)

    def _settings(self) -> SettingsModel:
        stage, _ = self._make_stage()
        return stage.settings

    def _mood(self) -> dict[str, float] | None:
        """How the character feels now; None where the conversation is not kept."""
        if self._seen.moods is None:
            return None
        mood = self._seen.moods.now(Mood.from_json(self._seen.state.mood), self._clock())
        return {name: round(level, 2) for name, level in mood.levels.items()}

    async def _finish(self, turn: _Open, said: str, text: str, place: Place = swipes.NEXT) -> Reply:
        reply = Reply(text, turn.found, turn.meter.usage())
        kept: KeptTurn | None = None
        if self._keep:
            kept = await self._store.write(lambda conn: self._add(conn, turn, said, reply, place))
            reply = replace(reply, remembered=Remembered(kept.memory, kept.why))
        self.last = reply
        if kept is not None and not kept.turn:
            return reply
        sources = (source for item in turn.found.context for source in item.sources)
        rests_on = frozenset(source.document for source in sources)
        turn_id = None if kept is None else kept.turn
        spoken = SpokenTurn(turn_id, said, text, self._as_of, rests_on)
        self._turns.append(spoken)
        if self._seen.turns is not self._turns:
            self._seen.turns.append(spoken)
        if kept is not None and self._learning is not None:
            self._learn(self._learning, turn.stage, kept)
        return reply

    def _add(
        self, conn: Connection, turn: _Open, said: str, reply: Reply, place: Place
    ) -> KeptTurn:
        memory = turn.stage.settings.memory
        keeper = TurnKeeper(self.character, self._stored_id, self._principal, memory)
        told = reply.recall.as_json(reply.usage) | place.as_json()
        greeting.keep(conn, self.character, (self._stored_id, self._principal), self._turns)
        where, heard = place.parent, turn.heard
        return keeper.keep(conn, said, reply.text, recall=told, parent=where, heard=heard)

    def _learn(self, learning: Learning, stage: Stage, kept: KeptTurn) -> None:
        """Start what nobody waits for."""
        learning.take_up(self.character)
        if kept.memory is not None:
            learning.learn(self.character, [kept.memory])
        seen, budget = self._seen, stage.settings.context.history_tokens
        over = overflowing(uncovered(seen.summarizable, seen.state), budget, _counter(stage))
        if over and not self._summarizing and not seen.summary_is_later:
            covered = is_summarized(seen.turns, seen.state)
            before = seen.state if covered else replace(seen.state, summary=None)
            self._summarizing = True
            learning.do(lambda: self._summarize(stage, before, over))

    async def _summarize(
        self, stage: Stage, before: ConversationState, turns: Sequence[SpokenTurn]
    ) -> None:
        try:
            await summarize(stage, self.character, self._stored_id, before, turns)
        finally:
            self._summarizing = False


@dataclass(frozen=True, slots=True)
class _Open:
    """A turn whose reply is still to come; ``earlier`` messages stand before ``history``."""

    stage: Stage
    meter: Meter
    found: Recall
    history: tuple[Message, ...]
    earlier: int
    heard: Heard


def _later(turns: int) -> Skipped:
    told = "1 turn" if turns == 1 else f"{turns} turns"
    return Skipped("memory", f"{told} of this conversation", "held later in the story (--as-of)")


def _counter(stage: Stage) -> TokenCounter:
    return token_counter(stage.settings.tokens.encoding)
