"""One request of a client and what answers it, in whatever shape that is written.

Takes: a chat completion, or what was read as one.  Gives: the events of a stream, or the whole.
Whose turn it is, whose conversation it belongs to, and what of it is kept is decided here.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, ParamSpec, TypeVar

from fastapi.responses import JSONResponse

from offbook.app.conversations import replayed
from offbook.models.beside import worked_out
from offbook.prompts.reply import Company
from offbook.server.dependencies import Caller, remembers, unless_left
from offbook.server.openai.answers import InCharacter, OfTheModel, counted, of_the_model
from offbook.server.openai.body import name_of
from offbook.server.openai.citations import citations_of
from offbook.server.openai.client_tasks import kind_of
from offbook.server.openai.events import Choice, EventStream, Outcome
from offbook.server.openai.groups import group_of, own_names
from offbook.server.openai.messages import policy_of, read_messages, require_short, wishes_of
from offbook.server.openai.response_shape import ResponseShape
from offbook.server.openai.tools import may_call, passing
from offbook.stores import responses
from offbook.text.words import fold
from offbook.types import traits_of

if TYPE_CHECKING:
    from fastapi import Request, Response

    from offbook.app.book import Offbook
    from offbook.server.openai.answers import Answers
    from offbook.server.openai.body import ChatBody
    from offbook.server.openai.events import Shape
    from offbook.server.openai.groups import Group
    from offbook.types import Character

P = ParamSpec("P")
T = TypeVar("T")

_OWN_SESSION: Final = "x-session-id"
_CHAT_OF_CLIENT: Final = "x-openwebui-chat-id"
_USER_OF_CLIENT: Final = "x-openwebui-user-id"
_FLEETING: Final = ("temporary:", "local:")
"""How the ids of chats begin that Open WebUI itself keeps nothing of, now and formerly."""
LARGE: Final = 250_000
"""Bytes of a request that are read in a few milliseconds."""


@dataclass(frozen=True, slots=True)
class Target:
    """What the name of a model means: a character, and perhaps who speaks; or the model itself."""

    character: Character
    user: str | None = None
    raw: bool = False


@dataclass(frozen=True, slots=True)
class Behind:
    """The stored turn behind which something is said, and whose conversation that is."""

    principal: str
    session: str
    turn: str


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request, and in which shape it is answered; ``behind``: where it names what it follows."""

    request: Request
    book: Offbook
    caller: Caller
    target: Target
    body: ChatBody
    shape: Shape
    behind: Behind | None = None

    async def respond(self) -> Response:
        """The answer, as a stream where one is asked for."""
        if self.body.stream:
            pings = self.book.settings.values.server.ping_seconds
            return EventStream(self._events(), self.shape, pings)
        return await unless_left(self.request.receive, self._whole())

    async def _events(self) -> AsyncGenerator[bytes, None]:
        """The events of a stream."""
        answers = await self._answers()
        texts = [""] * self.body.replies
        opened: set[int] = set()
        async with aclosing(answers.stream()) as coming:
            async for piece in coming:
                if piece.index not in opened:
                    opened.add(piece.index)
                    yield self.shape.opening(piece.index)
                texts[piece.index] += piece.text
                yield self.shape.piece(piece.index, piece.text)
        for data in self.shape.closing(await self._outcome(answers, texts), opened):
            yield data

    async def _whole(self) -> Response:
        answers = await self._answers()
        texts = await answers.whole()
        return JSONResponse(self.shape.whole(await self._outcome(answers, texts)))

    async def _outcome(self, answers: Answers, texts: list[str]) -> Outcome:
        """All that the answer is; what is stored of it can be gone on from by its id."""
        # Nothing goes on from a chat completion by its id.
        stored = answers.kept_as(self.shape.id) if isinstance(self.shape, ResponseShape) else None
        if stored is not None:
            await self.book.store.write(responses.put, stored)
        ends = zip(answers.endings, answers.calls, strict=True)
        choices = [Choice(texts[i], reason, calls) for i, (reason, calls) in enumerate(ends)]
        extras = answers.extras()
        return Outcome(
            choices=tuple(choices),
            usage=counted(answers.usage(), self.body, texts),
            extras=extras,
            is_kept=stored is not None,
            citations=() if extras is None else citations_of(self.request, extras),
        )

    async def _answers(self) -> InCharacter | OfTheModel:
        """Who answers, ready to be asked."""
        body, target = self.body, self.target
        group = None if target.raw else await of_size(body.size, group_of, body.texts)
        character = await self._speaking(group)
        names = () if group is None else own_names(character, group)
        read = await of_size(body.size, read_messages, body.texts, group, names)
        kind = (
            None
            if target.raw
            else await of_size(body.size, kind_of, read, stream=bool(body.stream))
        )
        if kind is not None:
            return of_the_model(self.book, character, body, body.parameters, kind)
        settings = self.book.settings.values
        actor = self.book.runtime(character.dimension).actor
        passed = passing(
            body,
            allowed=self.caller.tools or may_call(character, settings.server),
            is_offline=not traits_of(actor).measures,
        )
        parameters = {**body.parameters, **passed.parameters}
        if target.raw:
            return of_the_model(self.book, character, body, parameters)
        require_short(read.transcript)
        user = self._user()
        talk = await replayed(
            self.book,
            character,
            read.transcript,
            self.behind.principal if self.behind else self.caller.speaker(user),
            session=self._session(),
            # A client with a header of ours may leave the history to us; others send all of it.
            resends=self._named_by_us() is None,
            fleeting=self._is_fleeting(),
            after=self.behind.turn if self.behind else None,
            gave=bool(read.given),
            company=None if group is None else Company(group.others(names)),
        )
        policy, room = policy_of(character, settings.server), settings.context.history_tokens
        wishes, warnings = await of_size(body.size, wishes_of, read, parameters, policy, room)
        told = (*body.warnings, *passed.warnings, *read.warnings, *warnings)
        return InCharacter(talk, wishes, body.replies, told, user)

    async def _speaking(self, group: Group | None) -> Character:
        """Whose turn it is: in a group the character of that name, if the caller may see one.

        All members of a group ask one model: without this all would speak from what one knows.
        """
        mine = self.target.character
        if group is None or not group.speaking:
            return mine
        if fold(group.speaking) in map(fold, (mine.name, mine.id)):
            return mine
        named: Character | None = await self.book.store.read(self.caller.find, group.speaking)
        return named or mine

    def _user(self) -> str | None:
        """The name of who speaks."""
        return user_of(self.request, self.target, self.body)

    def _named_by_us(self) -> str | None:
        return named_in(self.request, _OWN_SESSION) or self.body.session

    def _session(self) -> str | None:
        """The name of the conversation; None: its history tells which it is."""
        if self.behind is not None:
            return self.behind.session
        return self._named_by_us() or named_in(self.request, _CHAT_OF_CLIENT)

    def _is_fleeting(self) -> bool:
        """Whether nothing of it is to be stored."""
        chat = named_in(self.request, _CHAT_OF_CLIENT)
        temporary = self._named_by_us() is None and chat is not None and chat.startswith(_FLEETING)
        return temporary or self.body.store is False or not remembers(self.request, self.caller)


def user_of(request: Request, target: Target, body: ChatBody) -> str | None:
    """The name of who speaks, by the model's name, a header or the body."""
    in_model = name_of(target.user, "model")
    return in_model or named_in(request, _USER_OF_CLIENT) or body.speaker


async def of_size(size: int, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """The result of work on a request of this size; where it is large, others go on meanwhile."""
    if size < LARGE:
        return function(*args, **kwargs)
    return await worked_out(function, *args, **kwargs)


def named_in(request: Request, header: str) -> str | None:
    """The name in a header; in UTF-8, where it is that, as in bodies."""
    value = request.headers.get(header)
    if value is not None and not value.isascii():
        with suppress(UnicodeDecodeError):
            value = value.encode("latin-1").decode()
    return name_of(value, header)
