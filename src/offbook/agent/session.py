"""A conversation with a character: each turn recalls, replies and is kept.

Takes: what a person says.  Gives: the reply in pieces, and what it rests on.  A turn is stored
when its reply is whole; one that is broken off leaves no trace.
"""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from typing import TYPE_CHECKING

from offbook import pipeline
from offbook.errors import UsageError
from offbook.stores import characters, conversations, principals
from offbook.types import Message, Reply

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from offbook.models.metering import Meter
    from offbook.pipeline import Stage
    from offbook.protocols import Store
    from offbook.retrieval.point import Point
    from offbook.stores.conversations import StoredTurn
    from offbook.types import Character, Recall


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
    ) -> None:
        for option, value in (("session", id), ("user", user)):
            if value is not None and not value.strip():
                raise UsageError(f"the {option} {value!r} has no name", f"name the {option}")
        self.character = character
        self.id = id or uuid.uuid4().hex[:12]
        self.last: Reply | None = None
        self._store = store
        self._make_stage = make_stage
        self._principal = f"{principals.OWNER}/{user}" if user else principals.OWNER
        self._stored_id = stored_id(self.id, user)
        self._keep = keep
        self._as_of = as_of
        self._history: list[Message] = []

    async def open(self) -> Session:
        """Load what was said before.

        Raises:
            UsageError: the conversation belongs to somebody else, or the story has no such point.
        """
        await self._store.read(self._now)
        if self._keep:
            turns = await self._store.read(self._earlier)
            for turn in turns:
                self._remember(turn.said, turn.answered)
        return self

    def _earlier(self, conn: Connection) -> list[StoredTurn]:
        found = conversations.get(conn, self.character.id, self._stored_id)
        if found is not None and found.principal != self._principal:
            raise UsageError(
                f"the session {self.id!r} belongs to somebody else", "choose another name for it"
            )
        return conversations.history(conn, self.character.id, self._stored_id)

    @property
    def history(self) -> tuple[Message, ...]:
        """The conversation so far, oldest first."""
        return tuple(self._history)

    async def say(self, said: str) -> AsyncIterator[str]:
        """The reply in pieces; ``last`` holds it whole afterwards.

        Raises:
            ModelError: the endpoint failed; the turn is not stored.
        """
        stage, meter, found = await self._recall(said)
        pieces: list[str] = []
        stream = pipeline.stream_reply(stage, self.character, found, self._history)
        async with aclosing(stream) as replying:  # type: ignore[type-var]
            async for piece in replying:
                pieces.append(piece)
                yield piece
        await self._finish(said, Reply("".join(pieces).strip(), found, meter.usage()))

    async def ask(self, said: str) -> Reply:
        """The reply, whole.

        Raises:
            ModelError: the endpoint failed, or gave nothing that can be used.
        """
        stage, meter, found = await self._recall(said)
        text = await pipeline.reply(stage, self.character, found, self._history)
        reply = Reply(text, found, meter.usage())
        await self._finish(said, reply)
        return reply

    async def _recall(self, said: str) -> tuple[Stage, Meter, Recall]:
        require_words(said)
        self.character, point = await self._store.read(self._now)
        stage, meter = self._make_stage()
        found = await pipeline.recall(stage, self.character, said, self._history, point)
        return stage, meter, found

    def _now(self, conn: Connection) -> tuple[Character, Point | None]:
        """The character as it is stored now, at the point where it is asked."""
        return at_point(conn, characters.require(conn, self.character.id), self._as_of)

    async def _finish(self, said: str, reply: Reply) -> None:
        if self._keep:
            await self._store.write(lambda conn: self._add(conn, said, reply))
        self._remember(said, reply.text)
        self.last = reply

    def _add(self, conn: Connection, said: str, reply: Reply) -> None:
        character, recall = self.character.id, reply.recall.as_json(reply.usage)
        conversations.begin(conn, character, self._stored_id, self._principal)
        conversations.add_turn(conn, character, self._stored_id, said, reply.text, recall=recall)

    def _remember(self, said: str, answered: str) -> None:
        self._history += [Message("user", said), Message("assistant", answered)]


def stored_id(session: str, user: str | None) -> str:
    """The id of a conversation in the store: no two people's names for one can be the same."""
    own, whose = (
        None if part is None else part.replace("%", "%25").replace("/", "%2F")
        for part in (session, user)
    )
    return f"{own}" if whose is None else f"{whose}/{own}"


def at_point(
    conn: Connection, character: Character, as_of: str | None
) -> tuple[Character, Point | None]:
    """The character as it is at a point in its story, and the point; None: at the end.

    Raises:
        UsageError: the story has no such point; the hint names the nearest.
    """
    if as_of is None:
        return character, None
    from offbook.ingestion.as_of import at_point

    return at_point(conn, character, as_of)


def require_words(said: str) -> None:
    """Refuse what says nothing, or is no text.

    Raises:
        UsageError: the question is empty, or came in another encoding than UTF-8.
    """
    if any("\ud800" <= letter <= "\udfff" for letter in said):
        raise UsageError(f"the question {said!r} is not in UTF-8", "type it in a UTF-8 terminal")
    if not said.strip():
        raise UsageError(f"the question {said!r} says nothing", "ask something")
