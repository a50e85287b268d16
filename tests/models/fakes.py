"""A model that answers as a test tells it, and remembers what it was asked."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from hypothesis import strategies as st

from offbook.errors import ModelError
from offbook.prompts.ask import request_of
from offbook.prompts.prompt import Prompt, Text, read_answer
from offbook.types import ChatRequest, ChatResponse, Message

T = TypeVar("T")
# No answer holds what no database takes.
STORABLE = st.characters(exclude_categories=["Cs"], exclude_characters="\0")
st.register_type_strategy(str, st.text(STORABLE))
st.register_type_strategy(
    Message, st.builds(Message, st.sampled_from(["user", "assistant"]), st.text(max_size=20))
)
Answer = str | ChatResponse | BaseException


@dataclass(frozen=True)
class Said:
    text: str


def read(prompt: Prompt[Any, Any], inputs: Any, answer: str | ChatResponse) -> Any:
    """The value of an answer to a prompt."""
    response = ChatResponse(answer) if isinstance(answer, str) else answer
    return read_answer(request_of(prompt, inputs), response)


def prompt(*, cacheable: bool = True, name: str = "echo") -> Prompt[Said, str]:
    """A prompt without a wording file; its requests are made by :func:`request`."""
    return Prompt(name, "test", Said, Text(), "ours", parameters={}, cacheable=cacheable)


ECHO = prompt()


def request(text: str = "Hello.", **changes: object) -> ChatRequest:
    """A request that puts ``text`` to a model."""
    settings = {"messages": (Message("user", text),), "origin": (ECHO, Said(text)), **changes}
    return ChatRequest(**settings)  # type: ignore[arg-type]


class Scripted:
    """Answers with a function of the request, or in turn with the given answers.

    It is strict: when the answers are used up, the next request is an error of the test.
    """

    base_url = "https://models.test/v1"

    def __init__(
        self, *answers: Answer, by: Callable[[ChatRequest], Answer] | None = None, name: str = "m"
    ) -> None:
        self.name = name
        self.requests: list[ChatRequest] = []
        self.in_flight = self.peak = self.cancelled = 0
        self.gate: asyncio.Event | None = None
        self._answers, self._by = list(answers), by

    async def complete(self, request: ChatRequest) -> ChatResponse:
        answer = await self._next(request)
        return ChatResponse(answer, "stop", 10, 5) if isinstance(answer, str) else answer

    async def stream(self, request: ChatRequest) -> AsyncGenerator[str, None]:
        answer = await self._next(request)
        text = answer if isinstance(answer, str) else answer.text
        for word in text.split(" "):
            yield word + " "

    async def _next(self, request: ChatRequest) -> str | ChatResponse:
        self.requests.append(request)
        self.in_flight += 1
        self.peak = max(self.peak, self.in_flight)
        try:
            await (self.gate.wait() if self.gate else asyncio.sleep(0))
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        finally:
            self.in_flight -= 1
        assert self._by or self._answers, f"an unexpected request: {request.messages!r}"
        answer = self._by(request) if self._by else self._answers.pop(0)
        if isinstance(answer, BaseException):
            raise answer
        return answer


async def collected(stream: AsyncIterator[T]) -> tuple[list[T], BaseException | None]:
    """What a stream gave, and how it failed, if it did."""
    got: list[T] = []
    try:
        async for piece in stream:
            got.append(piece)  # noqa: PERF401
    except ModelError as error:
        return got, error
    return got, None


class Clock:
    """Time that passes only when somebody sleeps."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.slept: list[float] = []

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds
        await asyncio.sleep(0)
