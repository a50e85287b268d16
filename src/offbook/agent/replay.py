"""A conversation whose history comes along with every question, as chat clients send it.

Takes: the history, what was said, and whose it is.  Gives: one reply or several, in pieces or
whole. Turns are stored where the history's hash chain belongs: a history that goes on is gone on
with, one that was edited or answered anew makes a branch, and a first message a new conversation.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final, TypeVar

from offbook import pipeline
from offbook.agent.history import SpokenTurn, names_of
from offbook.agent.session import OpenTurn, Session
from offbook.errors import IncompleteAnswer, InputRefused
from offbook.memory.turns import KeptTurn, TurnKeeper
from offbook.prompts.reply import DEFAULT_OPTIONS, Company, ReplyOptions
from offbook.stores import chains, conversations
from offbook.stores.conversations import BEGINNING
from offbook.text.repetition import without_loop
from offbook.types import Ending, Remembered, Reply, ToolCall, Turn, Usage

if TYPE_CHECKING:
    from offbook.agent.learning import Learning
    from offbook.models.metering import Meter
    from offbook.protocols import Store
    from offbook.retrieval.point import Point
    from offbook.runtime import Runtime
    from offbook.stores.connection import Connection
    from offbook.types import Character


class PrefixStripper:
    """Takes the beginning off an answer that repeats it.

    Args:
        begun: The words that the reply begins with; empty: nothing is held back.
    """

    def __init__(self, begun: str) -> None:
        self._begun = begun.strip()
        self._held = ""
        self._decided = not self._begun

    def feed(self, piece: str) -> str:
        """What ``piece`` adds to the rest; it may be nothing yet."""
        if self._decided:
            return piece
        self._held += piece
        shown = self._held.lstrip()
        if len(shown) < len(self._begun) and self._begun.startswith(shown):
            return ""
        return self._decide(shown)

    def finish(self) -> str:
        """What was held back when no more comes: it only resembled the beginning."""
        held, self._held = self._held, ""
        return "" if self._decided else held

    def _decide(self, shown: str) -> str:
        held, self._held, self._decided = self._held, "", True
        return shown[len(self._begun) :] if shown.startswith(self._begun) else held


T = TypeVar("T")

_BROUGHT: Final = "it came with the history that a client sent"
_OTHER: Final = "another reply to the same words is"
_FLEETING: Final = "nothing of this conversation is to be kept"
_GIVEN: Final = "it may repeat what a tool gave"
_WHOLE: Final = "stop"
_SURE: Final = 2
"""So many turns whose words are those of a stored conversation's end are its end."""


@dataclass(frozen=True, slots=True)
class Transcript:
    """What a client sent: earlier turns, oldest first, and what was said now.

    ``said`` of the first turn is empty where the conversation begins with a greeting, or where the
    client has cut off what came before. ``begun`` are words that the reply begins with,
    ``replaced`` is a reply that is to be given anew, as ``wish`` says; ``speaker`` is who said what
    is said now, empty: the person.
    """

    turns: tuple[Turn, ...]
    said: str
    begun: str = ""
    replaced: str = ""
    wish: str = ""
    speaker: str = ""


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of one of the replies."""

    index: int
    text: str


@dataclass(frozen=True, slots=True)
class _Place:
    """The stored turn that the history has come to; what stands behind it is not stored yet."""

    session: str | None = None
    parent: str = BEGINNING
    ids: tuple[str | None, ...] = ()


class ReplayedSession(Session):
    """A conversation that is found by its history, and by its name where it has one.

    Args:
        store, character, make_runtime, principal, learning: As of any conversation.
        transcript: What the client sent.
        named: The conversation's name; None: it is found by its history.
        resends: Whether the client sends the whole history each time. If not, a named conversation
            goes on where it stands when no history came along.
        fleeting: Whether nothing of it is stored.
        after: The stored turn of the named conversation that what was sent comes behind; None: the
            history tells.
        gave: Whether the reply may repeat what tools gave, which is never a memory.
        company: Who else takes part in it.
    """

    def __init__(
        self,
        store: Store,
        character: Character,
        make_runtime: Callable[[Character], tuple[Runtime, Meter]],
        transcript: Transcript,
        principal: str,
        *,
        named: str | None = None,
        resends: bool = True,
        fleeting: bool = False,
        after: str | None = None,
        gave: bool = False,
        learning: Learning | None = None,
        company: Company | None = None,
    ) -> None:
        super().__init__(
            store,
            character,
            make_runtime,
            named,
            principal=principal,
            learning=learning,
            company=company,
        )
        self.replies: tuple[Reply, ...] = ()
        self.endings: list[str] = []
        self.calls: list[tuple[ToolCall, ...]] = []
        self.turn: str | None = None
        self.timings: dict[str, float] = {}
        self._transcript = transcript
        self._named = named is not None
        self._fleeting, self._after, self._gave = fleeting, after, gave
        # No history came along: the name alone tells what came before.
        brought = transcript.turns or transcript.replaced
        self._by_name = self._named and not resends and not brought
        self._place, self._located = _Place(), False
        self._cut: set[int] = set()
        self._meter: Meter | None = None
        self._began = 0.0

    @property
    def stored(self) -> str:
        """The id of the conversation in the store."""
        return self._history.session

    async def open(self) -> ReplayedSession:
        """Nothing yet: where the history belongs is found with the question, in one look."""
        return self

    def _look(self, conn: Connection) -> tuple[Character, Point | None]:
        if not self._located:
            self._history.turns = self._stored(conn)
            self._located = True
        return self._history.look(conn, self.character.id)

    def _stored(self, conn: Connection) -> list[SpokenTurn]:
        """Find the place of the history; its turns, with the ids of those that are stored."""
        turns = self._transcript.turns
        if self._after is not None:
            return self._behind(conn, self._after)
        if self._goes_on(conn):
            self._history.catch_up(conn, self.character.id)
            stored = self._history.turns
            last = stored[-1].id if stored else None
            self._place = _Place(self._history.session, last or BEGINNING)
            self._transcript = replace(self._transcript, turns=())
            return stored
        self._place = self._locate(conn)
        if self._place.session is not None:
            self._history.session = self._place.session
            self.id = names_of(self._history.session)[0]
        ids = self._place.ids + (None,) * (len(turns) - len(self._place.ids))
        return [
            SpokenTurn(id_, turn.said, turn.answered, speaker=turn.speaker)
            for id_, turn in zip(ids, turns, strict=True)
        ]

    def _behind(self, conn: Connection, after: str) -> list[SpokenTurn]:
        """The stored turns up to one, and those that were sent behind it."""
        sent, session = self._transcript.turns, self._history.session
        stored = conversations.history(
            conn, self.character.id, session, until=after, with_recall=False
        )
        self._place = _Place(session, after, tuple(turn.id for turn in stored))
        before = tuple(Turn(turn.said, turn.answered, turn.speaker) for turn in stored)
        self._transcript = replace(self._transcript, turns=(*before, *sent))
        ids = self._place.ids + (None,) * len(sent)
        return [
            SpokenTurn(id_, turn.said, turn.answered, speaker=turn.speaker)
            for id_, turn in zip(ids, self._transcript.turns, strict=True)
        ]

    def _goes_on(self, conn: Connection) -> bool:
        """Whether nothing was sent along because the conversation's name says what came before."""
        if not self._by_name:
            return False
        character, session = self.character.id, self._history.session
        stored = conversations.get(conn, character, session)
        if stored is None or stored.head is None:
            return False
        head = conversations.get_turn(conn, character, session, stored.head)
        # The first words once more: they are to be answered anew.
        again = head is not None and not head.ordinal and head.said == self._transcript.said
        return not again

    def _locate(self, conn: Connection) -> _Place:
        turns, character = self._transcript.turns, self.character.id
        principal, name = self._history.principal, self._history.session if self._named else None
        ids = chains.chain_of(turns)
        reply = (self._transcript.begun or self._transcript.replaced).strip()
        if reply:
            # What is gone on with or given anew may be stored: then even a first one is known.
            said = Turn(self._transcript.said, reply, self._transcript.speaker)
            chain = chains.chain_of((*turns, said))
            deepest = chains.deepest(conn, character, principal, chain[-1:], name)
            if deepest is not None:
                return _Place(deepest.session, ids[-1] if ids else BEGINNING, tuple(ids))
        deepest = chains.deepest(conn, character, principal, ids, name)
        # Many conversations begin with one greeting: that alone tells nothing.
        if deepest is not None and any(turn.said for turn in turns[: deepest.place + 1]):
            return _Place(deepest.session, deepest.turn, tuple(ids[: deepest.place + 1]))
        if len(turns) >= (1 if self._named else _SURE):
            links = chains.ending_with(conn, character, principal, turns, name)
            if links:
                self._history.before = links[0].ordinal
                return _Place(links[-1].session, links[-1].turn, tuple(k.turn for k in links))
        return _Place()

    # -- replies -------------------------------------------------------------------------------

    async def stream(
        self, options: ReplyOptions = DEFAULT_OPTIONS, n: int = 1
    ) -> AsyncGenerator[Piece, None]:
        """Pieces of ``n`` replies as they come; ``replies`` holds them whole afterwards.

        Closing the iterator cancels the calls, and nothing is stored then.

        Raises:
            ModelError: the endpoint failed; nothing is stored.
        """
        turn = await self._begin(n, options)
        texts = [[self._transcript.begun] for _ in range(n)]
        pieces = self._one(turn, options, 0) if n == 1 else self._several(turn, options, n)
        async with aclosing(pieces) as coming:
            async for piece in coming:
                self.timings.setdefault("first_piece", self._seconds())
                texts[piece.index].append(piece.text)
                yield piece
        await self._keep_all(turn, [without_loop("".join(parts).strip()) for parts in texts])

    async def whole(self, options: ReplyOptions = DEFAULT_OPTIONS, n: int = 1) -> tuple[str, ...]:
        """``n`` replies, whole, without the words that they had begun with.

        Raises:
            ModelError: the endpoint failed, or gave nothing that can be used; nothing is stored.
        """
        turn = await self._begin(n, options)
        texts = await _side_by_side(self._whole(turn, options, index) for index in range(n))
        begun = self._transcript.begun
        await self._keep_all(turn, [(begun + text).strip() for text in texts])
        return tuple(texts)

    def usage(self) -> Usage:
        """What the replies have cost so far, also where one failed or nobody waited for its end."""
        return Usage() if self._meter is None else self._meter.usage()

    async def _begin(self, n: int, options: ReplyOptions) -> OpenTurn:
        self._user = options.called or self._user
        self.endings, self.calls = [_WHOLE] * n, [()] * n
        self._began = perf_counter()
        turn = await self._recall(self._transcript.said, speaker=self._transcript.speaker)
        self._meter = turn.meter
        self.timings["recall"] = self._seconds()
        return turn.fitted(self.character, self._options(turn, options, 0))

    def _seconds(self) -> float:
        """Since the question came."""
        return round(perf_counter() - self._began, 4)

    def _options(self, turn: OpenTurn, options: ReplyOptions, index: int) -> ReplyOptions:
        def ended(ending: Ending) -> None:
            self.endings[index], self.calls[index] = ending.finish_reason, ending.calls

        whom, said = turn.options, self._transcript
        return replace(
            options,
            called=whom.called,
            persona=whom.persona,
            session=whom.session,
            earlier=whom.earlier,
            company=whom.company,
            sample=index,
            ended=ended,
            begun=said.begun,
            replaced=said.replaced,
            wish=said.wish,
        )

    async def _one(
        self, turn: OpenTurn, options: ReplyOptions, index: int
    ) -> AsyncGenerator[Piece, None]:
        wished, rest = self._options(turn, options, index), PrefixStripper(self._transcript.begun)
        stream = pipeline.stream_reply(
            turn.runtime, self.character, turn.recall, turn.history, wished
        )
        given = False
        try:
            async with aclosing(stream) as coming:  # type: ignore[type-var]
                async for text in coming:
                    given = True
                    if shown := rest.feed(text):
                        yield Piece(index, shown)
        except (IncompleteAnswer, InputRefused):
            # It broke off, and the client has been shown what there was: it is told so.
            if not given or self.endings[index] == _WHOLE:
                raise
            self._cut.add(index)
        if left := rest.finish():
            yield Piece(index, left)

    async def _several(
        self, turn: OpenTurn, options: ReplyOptions, n: int
    ) -> AsyncGenerator[Piece, None]:
        """Pieces of several replies as they come, one reply's between another's."""
        queue: asyncio.Queue[Piece | None] = asyncio.Queue()

        async def feed(index: int) -> None:
            async with aclosing(self._one(turn, options, index)) as coming:
                async for piece in coming:
                    queue.put_nowait(piece)

        async def feed_all() -> None:
            try:
                await _side_by_side(feed(index) for index in range(n))
            finally:
                queue.put_nowait(None)

        feeding = asyncio.create_task(feed_all())
        try:
            while (piece := await queue.get()) is not None:
                yield piece
            await feeding
        finally:
            feeding.cancel()
            await asyncio.gather(feeding, return_exceptions=True)

    async def _whole(self, turn: OpenTurn, options: ReplyOptions, index: int) -> str:
        try:
            text = await pipeline.reply(
                turn.runtime,
                self.character,
                turn.recall,
                turn.history,
                options=self._options(turn, options, index),
            )
        except IncompleteAnswer as error:
            if not error.answer.strip():
                raise
            self._cut.add(index)
            text = error.answer
        rest = PrefixStripper(self._transcript.begun)
        return rest.feed(text) + rest.finish()

    # -- what is kept ----------------------------------------------------------------------------

    async def _keep_all(self, turn: OpenTurn, texts: Sequence[str]) -> None:
        """Store the replies that are whole and not empty, each as an answer to the same words."""
        self.timings["replies"] = self._seconds()
        replies = [Reply(text, turn.recall, turn.meter.usage()) for text in texts]
        # What comes with a call is said while its result is waited for: the reply is to come.
        open_ = self._cut | {i for i, calls in enumerate(self.calls) if calls}
        whole = [i for i, text in enumerate(texts) if text and i not in open_]
        kept_turn: KeptTurn | None = None
        if whole and not self._fleeting:
            kept_turn = await self._store.write(
                lambda conn: self._store_all(conn, turn, replies, whole)
            )
            # Here, and not with what is stored: a transaction may be run again.
            spoken = SpokenTurn(
                kept_turn.turn or None,
                self._transcript.said,
                replies[whole[0]].text,
                speaker=turn.speaker,
            )
            self._history.turns.append(spoken)
            self.turn = spoken.id
        self.replies = tuple(
            replace(reply, remembered=self._remembered(i, whole, kept_turn))
            for i, reply in enumerate(replies)
        )
        self.last = self.replies[0]
        if kept_turn is not None and self._learning is not None:
            self._learn(self._learning, turn.runtime, kept_turn)

    def _remembered(
        self, index: int, whole: Sequence[int], kept_turn: KeptTurn | None
    ) -> Remembered:
        if kept_turn is not None and index == whole[0]:
            return Remembered(kept_turn.memory, kept_turn.why)
        if self._fleeting:
            return Remembered(None, _FLEETING)
        none = "the reply was cut off" if index in self._cut else "the reply is empty"
        none = "it waits for what a tool gives" if self.calls[index] else none
        return Remembered(None, _OTHER if index in whole else none)

    def _store_all(
        self, conn: Connection, turn: OpenTurn, replies: Sequence[Reply], whole: Sequence[int]
    ) -> KeptTurn:
        memory, heard = turn.runtime.settings.memory, turn.heard
        keeper = TurnKeeper(self.character, self._history.session, self._history.principal, memory)
        conversations.begin(conn, self.character.id, self._history.session, self._history.principal)
        said, parent = self._transcript.said, self._keep_history(conn, keeper)
        # The first comes last: from it the conversation goes on until another is taken up.
        for index in reversed(whole):
            reply = replies[index]
            recall = reply.recall_as_json()
            kept_turn = keeper.keep(
                conn,
                said,
                reply.text,
                recall=recall,
                parent=parent,
                heard=heard,
                cut=self.endings[index] == "length",
                speaker=turn.speaker,
                out=_GIVEN if self._gave else "",
            )
        return kept_turn

    def _keep_history(self, conn: Connection, keeper: TurnKeeper) -> str:
        """Store what the history has beyond the stored turn that it goes on from.

        Returns:
            The id of its last turn.
        """
        character, session = self.character.id, self._history.session
        known, parent = len(self._place.ids), self._place.parent
        if parent and not conversations.holds(conn, character, session, parent):
            known, parent = 0, BEGINNING  # the conversation was deleted meanwhile
        if self._by_name:
            return self._behind_others(conn, parent)
        turns, ids = self._transcript.turns[known:], []
        if known and turns and turns[0].said:
            # In the place of a turn of ours; what follows it came with the client's history.
            edited = keeper.keep(
                conn, turns[0].said, turns[0].answered, parent=parent, speaker=turns[0].speaker
            )
            parent, ids, turns = edited.turn, [edited.turn], turns[1:]
        why = {"remembered": {"memory": None, "why": _BROUGHT}}
        ids += chains.bring(conn, character, session, turns, parent, why)
        for place, id_ in enumerate(ids, known):
            self._history.turns[place] = replace(self._history.turns[place], id=id_)
        return ids[-1] if ids else parent

    def _behind_others(self, conn: Connection, parent: str) -> str:
        """Where the turn belongs in a conversation that the server keeps.

        Others may have spoken in it since this question came: what they said stays, and this comes
        behind it. The same words once more are to be answered anew.
        """
        character, session = self.character.id, self._history.session
        stored = conversations.get(conn, character, session)
        if stored is None or stored.head in (None, parent):
            return parent
        head = conversations.get_turn(conn, character, session, stored.head)
        again = head is not None and head.said == self._transcript.said
        if head is None or (again and (head.parent or BEGINNING) == parent):
            return parent
        return head.id


async def _side_by_side(work: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    """The results of all, or the first failure; then none of the others goes on."""
    tasks = [asyncio.create_task(each) for each in work]
    try:
        return await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
