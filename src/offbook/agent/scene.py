"""A scene: several characters in one conversation with a person, each a session of its own.

Takes: what the person says, or whose turn it is.  Gives: replies in pieces, each by whoever is
addressed, concerned, or next by turn. Each character has the conversation from where it stands:
its own replies, and what it heard as the words of whoever said them. A reply and what the others
heard of it are stored together or not at all.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import aclosing
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from offbook.agent import swipes
from offbook.agent.history import SILENCE, scene_id
from offbook.agent.next_speaker import Line, next_speakers
from offbook.agent.session import OpenTurn, Session, require_words
from offbook.errors import UnknownName, UsageError
from offbook.memory.turns import KeptTurn, TurnKeeper
from offbook.prompts.reply import Company
from offbook.stores import characters, conversations
from offbook.text.words import fold
from offbook.types import Message

if TYPE_CHECKING:
    from offbook.agent.history import SpokenTurn
    from offbook.agent.learning import Learning
    from offbook.agent.swipes import Place
    from offbook.models.metering import Meter
    from offbook.protocols import Store
    from offbook.runtime import Runtime
    from offbook.settings.model import MemorySettings
    from offbook.stores.connection import Connection
    from offbook.types import Character, Reply


@dataclass(frozen=True, slots=True)
class ScenePiece:
    """A piece of a reply, and whose."""

    name: str
    character: str
    text: str


class Participant(Session):
    """One character of a scene."""

    company: tuple[Participant, ...] = ()
    _asked = ""

    @property
    def names(self) -> tuple[str, ...]:
        """All names that the character goes by."""
        return (self.character.name, *self.character.settings.get(characters.NAMES, ()))

    @property
    def lines(self) -> tuple[Line, ...]:
        """What was said in its hearing, as far as it is known at the point."""
        return tuple(line for turn in self._history.known.turns for line in self._lines(turn))

    def _lines(self, turn: SpokenTurn) -> list[Line]:
        ids = {other.character.name: other.character.id for other in self.company}
        said = Line(turn.speaker, turn.said, ids.get(turn.speaker) if turn.speaker else None)
        answered = Line(self.character.name, turn.answered, self.character.id)
        return [line for line in (said, answered) if line.text and line.text != SILENCE]

    def speak(self, said: str | None, asked: str = "") -> AsyncIterator[str]:
        """Answer what the person says now, or else what was heard last, or go on unasked.

        Args:
            said: What the person says; None: nothing.
            asked: What the person asked of several, of whom others have spoken already.
        """
        self._asked = asked
        if said is not None:
            return self.say(said)
        turns = self._history.known.turns
        if turns and turns[-1].said and not turns[-1].answered:
            return self.again()
        return self.say(SILENCE)

    async def _recall(self, said: str, *, learn: bool = True, speaker: str = "") -> OpenTurn:
        """What is asked is looked up; in silence, what the scene is about."""
        company = self._company or Company()
        is_silent = said == SILENCE
        question = self._asked or (is_silent and company.about) or said
        turn = await super()._recall(question, learn=learn, speaker=speaker)
        history = turn.history
        if self._asked:  # others have answered, and are heard before
            history = (*history, Message("user", said, speaker))
        else:
            company = replace(company, speaker=speaker, is_silent=is_silent)
        options = replace(turn.options, company=company)
        return replace(turn, history=history, options=options).fitted(self.character, options)

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
        """Store the reply, and with it what the others heard."""
        if place.parent is not None and not self._still_last(conn, said, turn.speaker):
            place = replace(place, parent=None)
        kept_turn = super()._add(conn, turn, said, reply, place, cut=cut)
        if kept_turn.turn:
            is_new = place is swipes.NEXT and said != SILENCE
            heard = [("", said)] if is_new else []
            for other in self.company:
                other.hear(conn, [*heard, (self.character.name, reply.text)], turn.runtime)
        return kept_turn

    def _still_last(self, conn: Connection, said: str, speaker: str) -> bool:
        """Whether nobody spoke since what is answered: what was said then must stay."""
        last = conversations.history(
            conn, self.character.id, self._history.session, with_recall=False
        )[-1:]
        return any(turn.said == said and turn.speaker == speaker for turn in last)

    def hear(self, conn: Connection, lines: Sequence[tuple[str, str]], runtime: Runtime) -> None:
        """Keep what others said, each line as a turn that has no answer yet."""
        memory: MemorySettings = runtime.settings.memory
        history, as_of = self._history, self._history.as_of
        keeper = TurnKeeper(self.character, history.session, history.principal, memory)
        recall = None if as_of is None else {"as_of": as_of}
        for speaker, text in lines:
            keeper.keep(conn, text, "", recall=recall, speaker=speaker)

    def learn(self) -> None:
        """Have embedded what was heard, behind the conversation."""
        if self._learning is not None:
            self._learning.learn(self.character, [])


class Scene:
    """Several characters and a person.

    Args:
        store: Where conversations are kept.
        cast: The characters, in the order in which they speak where nobody is addressed.
        make_runtime: Gives models and their meter, anew for each turn.
        id: The scene's name; None: a new one.
        principal: Whose it is.
        at: The point in the story for each of the characters; None: its end.
        about: The occasion.
        learning: Embeds and scores what is remembered, behind the conversation.
    """

    def __init__(
        self,
        store: Store,
        cast: Sequence[Character],
        make_runtime: Callable[[Character], tuple[Runtime, Meter]],
        id: str | None = None,  # noqa: A002 - it is the conversation's id
        *,
        principal: str,
        at: Sequence[str | None] = (),
        about: str = "",
        learning: Learning | None = None,
    ) -> None:
        names = [each.name for each in cast]
        if len(set(names)) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise UsageError(
                f"two of those present are called {twice!r}: nobody could tell who speaks",
                "name each of them once",
            )
        if len(names) < 2:
            raise UsageError("a scene is of two or more", "talk to one with: offbook chat NAME")
        self.about: str = about.strip()
        self.replies: list[Reply] = []
        self._store = store
        self._lines: list[Line] = []
        points = at or [None] * len(cast)
        session = None if id is None else scene_id(id)
        self.members: tuple[Participant, ...] = ()
        for each, point in zip(cast, points, strict=True):
            present = tuple(name for name in names if name != each.name)
            member = Participant(
                store,
                each,
                make_runtime,
                session or scene_id(None),
                principal=principal,
                as_of=point,
                learning=learning,
                company=Company(present, self.about),
            )
            session = member.id
            self.members += (member,)
        for member in self.members:
            member.company = tuple(other for other in self.members if other is not member)

    @property
    def id(self) -> str:
        """The scene's name; in each conversation it stands behind a mark."""
        return scene_id(self.members[0].id, bare=True)

    @property
    def history(self) -> tuple[Line, ...]:
        """What was said, oldest first; whose name is empty is the person."""
        return tuple(self._lines)

    async def open(self) -> Scene:
        """Read what was said before, and who the characters are now.

        Raises:
            UsageError: the scene belongs to somebody else, or a story has no such point.
        """

        def look(conn: Connection) -> None:
            for member in self.members:
                member.character, _ = member._look(conn)

        await self._store.read(look)
        known = [member.lines for member in self.members]
        longest: tuple[Line, ...] = max(known, key=len)
        self._lines = list(longest)
        return self

    def find(self, name: str) -> Participant:
        """Who of those present is meant.

        Raises:
            UnknownName: nobody is, or several are.
        """
        wanted = fold(name.strip())
        exact = [
            each for each in self.members if wanted in map(fold, (each.character.id, *each.names))
        ]
        words = [
            each
            for each in self.members
            if wanted in {word for known in each.names for word in fold(known).split()}
        ]
        if len(meant := exact or words) == 1:
            return meant[0]
        present = ", ".join(repr(member.character.name) for member in self.members)
        several = "several of those present are" if meant else "nobody present is"
        raise UnknownName(f"{several} called {name!r}", f"present are: {present}")

    async def say(self, said: str, by: str | None = None) -> AsyncGenerator[ScenePiece]:
        """Say something to all; the replies in pieces, of whoever is addressed, or one.

        Args:
            said: What the person says.
            by: Who is to answer.

        Raises:
            ModelError: the endpoint failed; a reply that was not whole is not stored, and with the
                first of them what was said is not, either.
        """
        require_words(said)
        await self.open()
        lines = [*self._lines, Line("", said)]
        for number, member in enumerate(self._chosen(lines, by)):
            speaking = self._reply(member, None, said) if number else self._reply(member, said)
            async with aclosing(speaking) as replying:
                async for piece in replying:
                    yield piece

    async def go_on(self, by: str | None = None) -> AsyncGenerator[ScenePiece]:
        """Let one of them speak, without a word of the person.

        Raises:
            ModelError: the endpoint failed; nothing is stored.
        """
        await self.open()
        member = self._chosen(self._lines, by)[0]
        async with aclosing(self._reply(member, None)) as replying:
            async for piece in replying:
                yield piece

    async def talk(self, turns: int) -> AsyncGenerator[ScenePiece]:
        """Let them speak so many times among themselves."""
        for _ in range(turns):
            async with aclosing(self.go_on()) as replying:
                async for piece in replying:
                    yield piece

    def as_json(self) -> dict[str, Any]:
        """The shape of ``scene --json``."""
        return {
            "scene": self.id,
            "present": [{"id": m.character.id, "name": m.character.name} for m in self.members],
            "lines": [asdict(line) for line in self._lines],
            "replies": [reply.as_json() for reply in self.replies],
        }

    def _chosen(self, lines: Sequence[Line], by: str | None) -> list[Participant]:
        if by is not None:
            return [self.find(by)]
        people = {member.character.id: member.names for member in self.members}
        ids = next_speakers(people, lines)
        return [next(m for m in self.members if m.character.id == id_) for id_ in ids]

    async def _reply(
        self, member: Participant, said: str | None, asked: str = ""
    ) -> AsyncGenerator[ScenePiece]:
        name, id_ = member.character.name, member.character.id
        async with aclosing(member.speak(said, asked)) as replying:  # type: ignore[type-var]
            async for piece in replying:
                yield ScenePiece(name, id_, piece)
        if member.last is not None:
            self.replies.append(member.last)
        for other in member.company:
            other.learn()
        await self.open()
