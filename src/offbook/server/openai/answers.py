"""Who answers a chat completion: the character, or for a client's own calls the model itself.

Takes: the body of a request, and who asks.  Gives: replies in pieces or whole, with what they rest
on and what they cost.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Protocol

from offbook.agent.replay import Piece
from offbook.errors import ConfigurationError, IncompleteAnswer, InputRefused
from offbook.language.tokens import count_tokens
from offbook.models.metering import Meter
from offbook.prompts.reply import Wishes
from offbook.server.openai.chunks import Choice
from offbook.server.openai.utility import offline_answer
from offbook.types import Message, MessageRole, Usage
from offbook.wire import ChatRequest, Ending, parameters_of

if TYPE_CHECKING:
    from offbook.agent.replay import ReplayedSession
    from offbook.app.book import Offbook
    from offbook.protocols import ChatModel
    from offbook.server.openai.body import ChatBody
    from offbook.types import Character

_OFFLINE: Final = "offline:"
_STOP: Final = "stop"
_REASONS: Final[Mapping[str, str]] = {
    "length": "length",
    "max_tokens": "length",
    "model_length": "length",
    "content_filter": "content_filter",
}
"""Why endpoints say that an answer ended -> how OpenAI's clients know it; all else is a stop: they
give their end a name of their own, and tools, which nobody was offered, are called by none."""
_ROLES: Final[Mapping[str, MessageRole]] = {
    "system": "system",
    "assistant": "assistant",
    "user": "user",
    "tool": "user",
}


class Answers(Protocol):
    """Replies to one request."""

    @property
    def endings(self) -> list[str]:
        """Why each reply ended; complete when all are."""
        ...

    def stream(self) -> AsyncGenerator[Piece, None]:
        """The replies in pieces; closing the iterator cancels the calls."""
        ...

    async def whole(self) -> list[Choice]:
        """The replies, whole."""
        ...

    def extras(self) -> dict[str, Any] | None:
        """What the replies rest on; None where a model answered that knows no character."""
        ...

    def usage(self) -> Usage:
        """What they have cost so far."""
        ...


@dataclass(slots=True)
class InCharacter:
    """Replies of a character in a conversation."""

    talk: ReplayedSession
    wishes: Wishes
    n: int
    warnings: tuple[str, ...] = ()
    user: str | None = None

    @property
    def endings(self) -> list[str]:
        """Why each reply ended."""
        return [ended_by(reason) for reason in self.talk.endings]

    def stream(self) -> AsyncGenerator[Piece, None]:
        """See the protocol."""
        return self.talk.stream(self.wishes, self.n)

    async def whole(self) -> list[Choice]:
        """See the protocol."""
        texts = await self.talk.whole(self.wishes, self.n)
        return [Choice(*each) for each in zip(texts, self.endings, strict=True)]

    def extras(self) -> dict[str, Any]:
        """The shape of ``ask --json`` without the reply, which stands in its own place."""
        shape = self.talk.replies[0].as_json()
        del shape["reply"]
        where = {"session": self.talk.id, "user": self.user}
        # Seconds since the question came, until this was there.
        timings = dict(self.talk.timings)
        return {**shape, **where, "warnings": list(self.warnings), "timings": timings}

    def usage(self) -> Usage:
        """See the protocol."""
        return self.talk.usage()


@dataclass(slots=True)
class OfTheModel:
    """Answers of the language model itself to what a client asks of it, one after the other."""

    model: ChatModel
    meter: Meter
    body: ChatBody
    kind: str | None = None
    endings: list[str] = field(init=False)

    def __post_init__(self) -> None:
        self.endings = [_STOP] * self.body.n

    async def stream(self) -> AsyncGenerator[Piece, None]:
        """See the protocol."""
        for index in range(self.body.n):
            async with aclosing(self._one(index)) as coming:
                async for text in coming:
                    yield Piece(index, text)

    async def _one(self, index: int) -> AsyncGenerator[str, None]:
        if self.model.base_url == _OFFLINE:
            yield self._by_rule()
            return
        request, given = self._request(index), False
        try:
            async with aclosing(self.model.stream(request)) as coming:  # type: ignore[type-var]
                async for text in coming:
                    given = True
                    yield text
        except (IncompleteAnswer, InputRefused):
            if not given or self.endings[index] == _STOP:
                raise

    async def whole(self) -> list[Choice]:
        """See the protocol."""
        if self.model.base_url == _OFFLINE:
            return [Choice(self._by_rule()) for _ in self.endings]
        found = [await self.model.complete(self._request(index)) for index in range(self.body.n)]
        return [Choice(each.text, ended_by(each.finish_reason)) for each in found]

    def extras(self) -> None:
        """Nothing: no character is in it."""
        return

    def usage(self) -> Usage:
        """See the protocol."""
        return self.meter.usage()

    def _by_rule(self) -> str:
        if self.kind is None:
            raise ConfigurationError(
                "the offline backend has no language model that could be asked itself",
                "configure a model with chat.model and chat.base_url",
            )
        return offline_answer(self.kind, self.body.messages)

    def _request(self, index: int) -> ChatRequest:
        def ended(ending: Ending) -> None:
            self.endings[index] = ended_by(ending.finish_reason)

        messages = tuple(Message(_ROLES[m.role], m.text) for m in self.body.messages)
        told = parameters_of(index, self.body.parameters)
        return ChatRequest(messages, told, sample=index, cacheable=False, ended=ended)


def ended_by(reason: str) -> str:
    """Why an answer ended, as OpenAI's clients know it."""
    return _REASONS.get(reason.lower(), _STOP)


def of_the_model(
    book: Offbook, character: Character, body: ChatBody, kind: str | None = None
) -> OfTheModel:
    """Answers of the configured chat model, without the character."""
    meter = book.meter.part()
    return OfTheModel(book.stage(character.dimension, meter).actor, meter, body, kind)


def counted(usage: Usage, body: ChatBody, texts: list[str]) -> dict[str, Any]:
    """OpenAI's usage: all tokens that the answer took, those of recall included.

    Where no endpoint was asked, the tokens of what came and went are estimated. Those that are
    counted apart stand there where an endpoint told of them.
    """
    prompt, completion = usage.prompt_tokens, usage.completion_tokens
    if not prompt:
        prompt = sum(count_tokens(message.text) for message in body.messages)
        completion = sum(count_tokens(text) for text in texts)
    total = prompt + completion
    shape: dict[str, Any] = {
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": total,
    }
    if usage.cached_tokens is not None:
        shape["prompt_tokens_details"] = {"cached_tokens": usage.cached_tokens}
    if usage.reasoning_tokens is not None:
        shape["completion_tokens_details"] = {"reasoning_tokens": usage.reasoning_tokens}
    return shape
