"""A conversation with a character: each turn recalls, replies and is kept.

Takes: what a person says.  Gives: the reply in pieces, and what it rests on.  A turn is stored
when its reply is whole; one that is broken off leaves no trace. It is kept under a principal: the
owner, a person whom the owner names, the holder of a key.
"""

from __future__ import annotations

import unicodedata
import uuid
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from offbook import pipeline
from offbook.agent import swipes
from offbook.agent.history import (
    TITLE,
    History,
    SpokenTurn,
    messages_of,
    overflowing,
    principal_of,
    stored_id,
    turns_within,
    uncovered,
)
from offbook.agent.learning import summarize
from offbook.agent.mood import Mood
from offbook.context.assembly import card_words, fit_history
from offbook.context.window import fit_to_window
from offbook.errors import EmbedderMismatch, IndexMissing, StoreFailed, UsageError
from offbook.memory.turns import ConversationContext, KeptTurn, TurnKeeper
from offbook.prompts.prompt import render
from offbook.prompts.reply import REPLY, Company, ReplyOptions
from offbook.stores import conversations, principals
from offbook.text.encodings import token_counter
from offbook.text.repetition import without_loop
from offbook.types import ContextItem, Remembered, Reply, Skipped, traits_of

if TYPE_CHECKING:
    from offbook.agent.learning import Learning
    from offbook.agent.swipes import Exchange, Place
    from offbook.memory.turns import Heard
    from offbook.models.metering import Meter
    from offbook.protocols import Store
    from offbook.retrieval.point import Point
    from offbook.runtime import Runtime
    from offbook.settings import SettingsModel
    from offbook.settings.model import UserSettings
    from offbook.stores.connection import Connection
    from offbook.stores.conversations import ConversationState
    from offbook.types import Character, Ending, Message, Recall

_LONGEST_NAME: Final = 60
_IN_NAMES: Final = frozenset(" .'’-·")
_ANTECEDENTS: Final = 20
"""Turns that a question may refer back to, even where the prompt has no room for history."""


def person_named(user: str | None) -> str | None:
    """A user's id where it can be said as a name: letters, and no number or address."""
    if not user or len(user) > _LONGEST_NAME:
        return None
    plain = all(
        letter.isalpha() or letter in _IN_NAMES or unicodedata.combining(letter) for letter in user
    )
    return user if plain and any(map(str.isalpha, user)) else None


def kept_under(principal: str) -> str | None:
    """The name under which the conversations of a principal are kept; None: the owner's own."""
    if principal == principals.OWNER:
        return None
    return principal.removeprefix(f"{principals.OWNER}/")


def require_words(said: str) -> None:
    """Refuse what says nothing, or is no text.

    Raises:
        UsageError: the question is empty, or came in another encoding than UTF-8.
    """
    if any("\ud800" <= letter <= "\udfff" for letter in said):
        raise UsageError(f"the question {said!r} is not in UTF-8", "type it in a UTF-8 terminal")
    if not said.strip():
        raise UsageError(f"the question {said!r} says nothing", "ask something")


@dataclass(frozen=True, slots=True)
class UserProfile:
    """``called`` is None where nobody said; ``persona`` is what they say of themselves."""

    called: str | None = None
    persona: str = ""


def user_profile(user: str | None, principal: str, settings: UserSettings) -> UserProfile:
    """The person behind a principal; what the settings say is said of the owner and nobody else."""
    if principal != principals.OWNER:
        return UserProfile(user)
    return UserProfile(user or settings.name or None, settings.description)


def was_cut(endings: Sequence[Ending]) -> bool:
    """Whether a reply ended at its limit of length."""
    return bool(endings) and endings[-1].finish_reason == "length"


def _now() -> datetime:
    return datetime.now(UTC)


class Session:
    """One conversation of one person with one character.

    Args:
        store: Where conversations are kept.
        character: With whom.
        make_runtime: Gives models and their meter, anew for each turn, for the character as it is.
        id: The conversation's name; None: a new one.
        user: Whose it is; None: the owner's. Nobody sees another's.
        principal: Whose it is, in place of ``user``. What a greeting calls them is then the person
            of that principal, and never the id of a key.
        keep: Whether turns are stored.
        as_of: The point in the story at which the character is asked; None: its end.
        learning: Scores what is remembered, behind the conversation; None: nothing does.
        company: Who else takes part, and the occasion; None: nobody does.
        clock: The time, for tests.
    """

    def __init__(
        self,
        store: Store,
        character: Character,
        make_runtime: Callable[[Character], tuple[Runtime, Meter]],
        id: str | None = None,  # noqa: A002 - it is the conversation's id
        user: str | None = None,
        *,
        principal: str | None = None,
        keep: bool = True,
        as_of: str | None = None,
        learning: Learning | None = None,
        company: Company | None = None,
        clock: Callable[[], datetime] = _now,
    ) -> None:
        self._user = user
        if principal is not None:
            user, self._user = kept_under(principal), person_named(principal.partition("/")[2])
        for option, value in (("session", id), ("user", user)):
            if value is not None and not value.strip():
                raise UsageError(f"the {option} {value!r} has no name", f"name the {option}")
        self.character: Character = character
        self.id: str = id or uuid.uuid4().hex[:12]
        self.last: Reply | None = None
        self._store = store
        self._make_stage = make_runtime
        self._learning = learning
        self._company = company
        self._clock = clock
        self._summarizing = False
        stored = stored_id(self.id, user)
        whose = principal or principal_of(user)
        self._history = History(stored, whose, self._settings, keep=keep, as_of=as_of)

    async def open(self) -> Session:
        """Load what was said before.

        Raises:
            UsageError: the conversation belongs to somebody else, or the story has no such point.
        """
        await self._store.read(self._look)
        return self

    def _look(self, conn: Connection) -> tuple[Character, Point | None]:
        """Read the character as it is now, at the point where it is asked, and the history.

        Others may speak in the conversation meanwhile, from another process or page.
        """
        if self._history.keep:
            self._history.catch_up(conn, self.character.id)
        return self._history.look(conn, self.character.id)

    @property
    def history(self) -> tuple[Message, ...]:
        """The conversation so far, oldest first; at a point, what was said by then."""
        return messages_of(self._history.known.turns)

    @property
    def as_of(self) -> str | None:
        """The point in the story at which the character is asked; None: its end."""
        return self._history.as_of

    @property
    def known(self) -> frozenset[str]:
        """The ids of the stored turns that are known at the point."""
        return frozenset(turn.id for turn in self._history.known.turns if turn.id is not None)

    @property
    def greetings(self) -> tuple[str, ...]:
        """What the character's card has it say before anything else: one is to be chosen."""
        settings = self._settings()
        person = user_profile(self._user, self._history.principal, settings.user)
        return swipes.greetings(self.character, person.called, self.id)

    def _settings(self) -> SettingsModel:
        runtime, _ = self._make_stage(self.character)
        return runtime.settings

    def greet(self, number: int = 1) -> str:
        """Begin a new conversation with a greeting; it is kept with the first turn.

        Raises:
            UsageError: something was said already, or there is no such greeting.
        """
        if self._history.turns:
            raise UsageError("the conversation has begun already", "begin another session")
        spoken = swipes.first_turn(self.character, number, self.greetings, self._history.as_of)
        self._history.turns.append(spoken)
        return spoken.answered

    async def say(self, said: str) -> AsyncIterator[str]:
        """The reply in pieces; ``last`` holds it whole afterwards.

        Raises:
            ModelError: the endpoint failed; the turn is not stored.
        """
        async with aclosing(self._reply(said)) as replying:
            async for piece in replying:
                yield piece

    async def again(self, said: str | None = None) -> AsyncIterator[str]:
        """Another reply to what was said last, which takes the place of the last one, if any.

        Args:
            said: Other words, which take the place of what was said last as well.

        Raises:
            UsageError: nothing was said yet, or the conversation is not kept.
            ModelError: the endpoint failed; the conversation is as it was.
        """
        history, character = self._history, self.character.id
        await self._store.read(self._look)
        last = await self._store.read(swipes.last_exchange, character, history.session)
        turns, known = history.turns, history.known
        history.turns = turns[:-1]
        try:
            words, place = last.turn.said, last.next
            if said is not None and said != words:
                words, place = said, replace(place, sample=0, instead=last.turn.id)
            async with aclosing(self._reply(words, place, last.turn.speaker)) as replying:
                async for piece in replying:
                    yield piece
        except BaseException:  # closed, too: the last reply stays
            history.turns, history.known = turns, known
            raise
        if len(history.turns) < len(turns):  # it came too late to be kept: so it does here
            history.turns = turns
            await self._store.read(self._look)

    async def choose(self, turn: str) -> None:
        """Go on from another reply to what was said last: the id of one of its swipes.

        Raises:
            UnknownName: it is no reply to these words.
        """
        history, character = self._history, self.character.id
        await self._store.write(swipes.go_on_from, character, history.session, turn)
        await self._store.read(self._look)

    async def exchanges(self) -> list[Exchange]:
        """What was said and answered, each with the replies that stand in its place."""
        return await self._store.read(swipes.exchanges, self.character.id, self._history.session)

    async def mood(self) -> dict[str, float] | None:
        """How the character feels now; None where the conversation is not kept."""
        self.character, _ = await self._store.read(self._look)
        return self._mood()

    def _mood(self) -> dict[str, float] | None:
        known = self._history.known
        if known.moods is None:
            return None
        mood = known.moods.now(Mood.from_json(known.state.mood), self._clock())
        return {name: round(level, 2) for name, level in mood.levels.items()}

    # -- a turn --------------------------------------------------------------------------------

    async def _reply(
        self, said: str, place: Place = swipes.NEXT, speaker: str = ""
    ) -> AsyncGenerator[str]:
        turn = await self._recall(said, speaker=speaker)
        pieces: list[str] = []
        endings: list[Ending] = []
        options = replace(turn.options, sample=place.sample, ended=endings.append)
        stream = pipeline.stream_reply(
            turn.runtime, self.character, turn.recall, turn.history, options
        )
        async with aclosing(stream) as replying:  # type: ignore[type-var]
            async for piece in replying:
                pieces.append(piece)
                yield piece
        text = without_loop("".join(pieces).strip())
        await self._finish(turn, said, text, place, cut=was_cut(endings))

    async def ask(self, said: str) -> Reply:
        """The reply, whole.

        Raises:
            ModelError: the endpoint failed, or gave nothing that can be used.
        """
        turn = await self._recall(said)
        endings: list[Ending] = []
        options = replace(turn.options, ended=endings.append)
        text = await pipeline.reply(
            turn.runtime, self.character, turn.recall, turn.history, options=options
        )
        return await self._finish(turn, said, text, cut=was_cut(endings))

    async def recall(self, said: str) -> Recall:
        """What the reply would rest on; none is generated, and nothing is kept.

        Raises:
            ModelError: the endpoint failed.
        """
        return (await self._recall(said, learn=False)).recall

    async def _recall(self, said: str, *, learn: bool = True, speaker: str = "") -> OpenTurn:
        require_words(said)
        try:
            return await self._recall_once(said, learn=learn, speaker=speaker)
        except (StoreFailed, EmbedderMismatch, IndexMissing) as error:
            # Vectors may have been made anew meanwhile; where nothing was, the failure stands.
            now, _ = await self._store.read(self._look)
            if now == self.character and not isinstance(error, StoreFailed):
                raise
            return await self._recall_once(said, learn=learn, speaker=speaker)

    async def _recall_once(self, said: str, *, learn: bool, speaker: str) -> OpenTurn:
        self.character, point = await self._store.read(self._look)
        runtime, meter = self._make_stage(self.character)
        settings, known = runtime.settings, self._history.known
        if learn and self._learning is not None and settings.limits.concurrency > 1:
            # Beside the reply; where only one call may be out, the reply goes first.
            self._learning.take_up(self.character)
        # 1 -- what of the conversation the prompt holds -----------------------------------------
        budget = settings.context.history_tokens
        fresh = uncovered(known.turns, known.state)
        # Every turn has a token at least: of ten thousand no more than this could be shown.
        window = fresh[-(budget + _ANTECEDENTS) :]
        recent = messages_of(window)
        shown = fit_history(recent, budget, token_counter(settings.tokens.encoding))
        in_prompt = turns_within(window, len(shown))
        earlier = 2 * (self._history.before + len(known.turns) - len(window))
        person = user_profile(self._user, self._history.principal, settings.user)
        # 2 -- what the reply may rest on --------------------------------------------------------
        conversation = ConversationContext(
            principal=self._history.principal,
            present=frozenset(turn.id for turn in in_prompt if turn.id is not None),
            shown=sum(message.role == "user" for message in shown),
            mood=self._mood(),
            documents=await self._documents(in_prompt) if in_prompt else frozenset(),
            called=person.called,
            persona=person.persona,
            earlier=earlier,
            greeting=self._greeting(person) if known.turns else None,
        )
        recall = await pipeline.recall(runtime, self.character, said, recent, point, conversation)
        if len(fresh) < len(known.turns):
            summary = ContextItem("memory", TITLE, known.state.summary or "", 1.0)
            recall = replace(recall, context=(summary, *recall.context))
        if known.hidden:
            turns = "1 turn" if known.hidden == 1 else f"{known.hidden} turns"
            later = Skipped(
                "memory", f"{turns} of this conversation", "held later in the story (--as-of)"
            )
            recall = replace(recall, skipped=(*recall.skipped, later))
        options = ReplyOptions(
            called=person.called or "",
            persona=person.persona,
            session=self.id,
            earlier=earlier + len(recent) - len(shown),
            company=replace(self._company or Company(), speaker=speaker)
            if self._company or speaker
            else None,
        )
        recall = replace(recall, usage=meter.usage())
        turn = OpenTurn(runtime, meter, recall, shown, options, self._history.heard, speaker)
        return turn.fitted(self.character, options)

    def _greeting(self, person: UserProfile) -> int | None:
        """Which greeting, from 0, the conversation began with; None where that is not known."""
        first = self._history.known.turns[0]
        if first.said:
            return None
        words = card_words(self.character.settings)
        return words.number_of(first.answered, person.called, self.id)

    async def _documents(self, turns: Sequence[SpokenTurn]) -> frozenset[str]:
        """What turns of this conversation rest on."""
        ids = [turn.id for turn in turns if turn.id is not None]
        stored: set[str] = set()
        if ids:
            stored |= await self._store.read(
                conversations.documents_of_turns, self.character.id, self._history.session, ids
            )
        return frozenset(stored.union(*(turn.documents for turn in turns)))

    async def _finish(
        self,
        turn: OpenTurn,
        said: str,
        text: str,
        place: Place = swipes.NEXT,
        *,
        cut: bool = False,
    ) -> Reply:
        reply = Reply(text, turn.recall, turn.meter.usage())
        kept_turn: KeptTurn | None = None
        if self._history.keep:
            kept_turn = await self._store.write(
                lambda conn: self._add(conn, turn, said, reply, place, cut=cut)
            )
            reply = replace(reply, remembered=Remembered(kept_turn.memory, kept_turn.why))
        self.last = reply
        if kept_turn is not None and not kept_turn.turn:
            return reply
        rests_on = frozenset(
            source.document for item in turn.recall.context for source in item.sources
        )
        turn_id = None if kept_turn is None else kept_turn.turn
        whose = turn.speaker
        spoken = SpokenTurn(turn_id, said, text, self._history.as_of, rests_on, whose)
        self._history.turns.append(spoken)
        if self._history.known.turns is not self._history.turns:
            self._history.known.turns.append(spoken)
        if kept_turn is not None and self._learning is not None:
            self._learn(self._learning, turn.runtime, kept_turn)
        return reply

    def _add(
        self,
        conn: Connection,
        turn: OpenTurn,
        said: str,
        reply: Reply,
        place: Place,
        *,
        cut: bool,
    ) -> KeptTurn:
        history, memory = self._history, turn.runtime.settings.memory
        keeper = TurnKeeper(self.character, history.session, history.principal, memory)
        swipes.keep_greeting(
            conn, self.character, history.session, history.principal, history.turns
        )
        return keeper.keep(
            conn,
            said,
            reply.text,
            recall=reply.recall_as_json() | place.as_json(),
            cut=cut,
            parent=place.parent,
            heard=turn.heard,
            speaker=turn.speaker,
            instead=place.instead,
        )

    def _learn(self, learning: Learning, runtime: Runtime, kept_turn: KeptTurn) -> None:
        """Start what nobody waits for."""
        learning.take_up(self.character)
        if kept_turn.memory is not None:
            learning.learn(self.character, [kept_turn.memory])
        known, settings = self._history.known, runtime.settings
        over = overflowing(
            uncovered(known.summarizable, known.state),
            settings.context.history_tokens,
            token_counter(settings.tokens.encoding),
        )
        if over and not self._summarizing and not known.summary_is_later:
            covered = len(uncovered(known.turns, known.state)) < len(known.turns)
            before = known.state if covered else replace(known.state, summary=None)
            self._summarizing = True
            learning.do(lambda: self._summarize(runtime, before, over))

    async def _summarize(
        self, runtime: Runtime, before: ConversationState, turns: Sequence[SpokenTurn]
    ) -> None:
        try:
            await summarize(runtime, self.character, self._history.session, before, turns)
        finally:
            self._summarizing = False


@dataclass(frozen=True, slots=True)
class OpenTurn:
    """A turn whose reply is still to come; ``options`` say whom it is for, and in what.

    ``speaker`` is who said what is answered; empty: the person.
    """

    runtime: Runtime
    meter: Meter
    recall: Recall
    history: tuple[Message, ...]
    options: ReplyOptions
    heard: Heard
    speaker: str = ""

    def fitted(self, character: Character, options: ReplyOptions) -> OpenTurn:
        """The turn with as much as the window of the model has room for, where that is known."""
        settings, actor = self.runtime.settings, self.runtime.actor
        window = settings.chat.context_tokens
        if window is None or traits_of(actor).free:
            return self
        count = token_counter(settings.tokens.encoding)

        def measure(recall: Recall, history: Sequence[Message]) -> int:
            inputs = pipeline.reply_inputs(self.runtime, character, recall, history, options)
            return sum(count(message.content) for message in render(REPLY, inputs))

        limit = pipeline.sampling(settings.reply, options).get("max_tokens")
        fit = fit_to_window(self.recall, self.history, window, measure, count, limit)
        return replace(self, recall=fit.recall, history=fit.history)
