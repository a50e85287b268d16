"""Who answers a chat completion: the character, or for a client's own calls the model itself."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from offbook.agent.replay import Piece
from offbook.errors import ConfigurationError, IncompleteAnswer, InputRefused
from offbook.models.metering import Meter
from offbook.prompts.ask import parameters_of
from offbook.prompts.reply import ReplyOptions
from offbook.server.openai.client_tasks import offline_answer
from offbook.stores.responses import StoredResponse
from offbook.text.tokens import count_tokens
from offbook.types import ChatRequest, Ending, Message, MessageRole, Usage, traits_of

if TYPE_CHECKING:
    from offbook.agent.replay import ReplayedSession
    from offbook.app.book import Offbook
    from offbook.protocols import ChatModel
    from offbook.server.openai.body import ChatBody
    from offbook.types import Character, ToolCall

_STOP: Final = "stop"
_CALLS: Final = "tool_calls"
_REASONS: Final[Mapping[str, str]] = {
    "length": "length",
    "max_tokens": "length",
    "model_length": "length",
    "content_filter": "content_filter",
}
"""Why endpoints say that an answer ended -> how OpenAI's clients know it; all else is a stop, or
what is called tells."""
_ROLES: Final[Mapping[str, MessageRole]] = {
    "system": "system",
    "assistant": "assistant",
    "user": "user",
    "tool": "user",
}


@dataclass(slots=True)
class InCharacter:
    """Replies of a character in a conversation; closing the stream of pieces cancels the calls."""

    talk: ReplayedSession
    wishes: ReplyOptions
    n: int
    warnings: tuple[str, ...] = ()
    user: str | None = None

    @property
    def endings(self) -> list[str]:
        """Why each reply ended."""
        ends = zip(self.talk.endings, self.talk.calls, strict=True)
        return [ended_by(reason, calls) for reason, calls in ends]

    def stream(self) -> AsyncGenerator[Piece, None]:
        """The replies in pieces."""
        return self.talk.stream(self.wishes, self.n)

    async def whole(self) -> list[str]:
        """The texts of the replies, whole."""
        return list(await self.talk.whole(self.wishes, self.n))

    @property
    def calls(self) -> list[tuple[ToolCall, ...]]:
        """The tools that each reply calls."""
        return self.talk.calls

    def kept_as(self, name: str) -> StoredResponse | None:
        """The turn that is stored, as the response of this id; None: nothing is."""
        if self.talk.turn is None:
            return None
        return StoredResponse(name, self.talk.character.id, self.talk.stored, self.talk.turn)

    def extras(self) -> dict[str, Any]:
        """The shape of ``ask --json`` without the reply, which stands in its own place."""
        shape = self.talk.replies[0].as_json()
        del shape["reply"]
        where = {"session": self.talk.id, "user": self.user}
        # Seconds since the question came, until this was there.
        timings = dict(self.talk.timings)
        return {**shape, **where, "warnings": list(self.warnings), "timings": timings}

    def usage(self) -> Usage:
        """What they have cost so far."""
        return self.talk.usage()


@dataclass(slots=True)
class OfTheModel:
    """Answers of the language model itself to what a client asks of it, one after the other."""

    model: ChatModel
    meter: Meter
    body: ChatBody
    parameters: Mapping[str, Any]
    kind: str | None = None
    endings: list[str] = field(init=False)
    calls: list[tuple[ToolCall, ...]] = field(init=False)

    def __post_init__(self) -> None:
        # What a client asks for itself is asked once, however many replies it shows.
        self.endings = [_STOP] * (self.body.replies if self.kind is None else 1)
        self.calls = [()] * len(self.endings)

    async def stream(self) -> AsyncGenerator[Piece, None]:
        """The answers in pieces."""
        for index in range(len(self.endings)):
            async with aclosing(self._one(index)) as coming:
                async for text in coming:
                    yield Piece(index, text)

    async def _one(self, index: int) -> AsyncGenerator[str, None]:
        if not traits_of(self.model).measures:
            yield self._by_rule()
            return
        request, has_begun = self._request(index), False
        try:
            async with aclosing(self.model.stream(request)) as coming:  # type: ignore[type-var]
                async for text in coming:
                    has_begun = True
                    yield text
        except (IncompleteAnswer, InputRefused):
            if not has_begun or self.endings[index] == _STOP:
                raise

    async def whole(self) -> list[str]:
        """The texts of the answers, whole."""
        if not traits_of(self.model).measures:
            return [self._by_rule() for _ in self.endings]
        completions = [
            await self.model.complete(self._request(index)) for index in range(len(self.endings))
        ]
        return [each.text for each in completions]

    def kept_as(self, name: str) -> None:
        """Nothing: nothing is stored of them."""
        return

    def extras(self) -> None:
        """Nothing: no character is in it."""
        return

    def usage(self) -> Usage:
        """What they have cost so far."""
        return self.meter.usage()

    def _by_rule(self) -> str:
        if self.kind is None:
            raise ConfigurationError(
                "the offline backend has no language model that could be asked itself",
                "configure a model with chat.model and chat.base_url",
            )
        return offline_answer(self.kind, self.body.texts)

    def _request(self, index: int) -> ChatRequest:
        def ended(ending: Ending) -> None:
            self.endings[index] = ended_by(ending.finish_reason, ending.calls)
            self.calls[index] = ending.calls

        messages = tuple(Message(_ROLES[m.role], m.text) for m in self.body.texts)
        parameters = parameters_of(index, self.parameters)
        return ChatRequest(messages, parameters, sample=index, cacheable=False, ended=ended)


Answers = InCharacter | OfTheModel


def ended_by(reason: str, calls: Sequence[ToolCall] = ()) -> str:
    """Why an answer ended, as OpenAI's clients know it."""
    return _CALLS if calls else _REASONS.get(reason.lower(), _STOP)


def of_the_model(
    book: Offbook,
    character: Character,
    body: ChatBody,
    parameters: Mapping[str, Any],
    kind: str | None = None,
) -> OfTheModel:
    """Answers of the configured chat model, without the character."""
    meter = book.meter.part()
    actor = book.runtime(character.dimension, meter).actor
    return OfTheModel(actor, meter, body, parameters, kind)


def counted(usage: Usage, body: ChatBody, texts: list[str]) -> dict[str, Any]:
    """OpenAI's usage: all tokens that the answer took, those of recall included.

    Where no endpoint was asked, the tokens of what came and went are estimated. Those that are
    counted apart stand there where an endpoint told of them.
    """
    prompt, completion = usage.prompt_tokens, usage.completion_tokens
    if not prompt:
        prompt = sum(count_tokens(message.text) for message in body.texts)
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
