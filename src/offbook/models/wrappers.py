"""A backend as one command sees it: counted, looked up in the cache, asked within the limits.

Takes: a backend, and what the process and the command share.  Gives: the model that stages
are given.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace
from typing import TYPE_CHECKING

from offbook.errors import AnswerError, ModelError
from offbook.models.failures import PassingError
from offbook.models.metering import prompt_tokens_of, task_of
from offbook.text.tokens import count_tokens
from offbook.types import Ending, traits_of

if TYPE_CHECKING:
    from offbook.models.caching import CallCache
    from offbook.models.limits import Limiter
    from offbook.models.metering import Meter
    from offbook.protocols import ChatModel
    from offbook.types import ChatRequest, ChatResponse


def wrap(
    backend: ChatModel, *, meter: Meter, limiter: Limiter, cache: CallCache | None = None
) -> Wrapped:
    """Make ``metered(cached(limited(backend)))``.

    It is done anew for each command or turn, with a meter of its own, around a backend, a limiter
    and a cache (None: there is no store) that live as long as the process.

    Raises:
        ConfigurationError: there is a budget in money, and the model has no price.
    """
    meter.budget.check_price(backend.name)
    return Wrapped(backend, meter, limiter, cache)


class Wrapped:
    """The meter around the cache around the limits around a backend.

    The meter takes the time from the question to the answer. Requests and their tokens are counted
    where they are sent and answered, whoever then still waits for the answer: one call may take
    several, and others may wait for it.
    """

    def __init__(
        self, backend: ChatModel, meter: Meter, limiter: Limiter, cache: CallCache | None
    ) -> None:
        self.name, self.base_url, self.traits = backend.name, backend.base_url, traits_of(backend)
        self._backend = backend
        self._meter = meter
        self._limiter = limiter
        self._cache = cache

    async def complete(self, request: ChatRequest) -> ChatResponse:
        """Answer whole; see the protocol."""
        submitted, task = self._meter.clock(), task_of(request)
        try:
            if self._cache is None or not request.cacheable or request.origin is None:
                response = await self._complete(request)
            else:
                response = await self._cache.answer(self._backend, request, self._complete)
        except (ModelError, asyncio.CancelledError):
            self._meter.waited(task, submitted, self._meter.clock())
            raise
        if response.cached:
            self._meter.found()
        else:
            self._meter.waited(task, submitted, self._meter.clock())
        return response

    async def _complete(self, request: ChatRequest) -> ChatResponse:
        """Ask within the limits, again after passing failures, and keep to the budget."""
        # Counting a long prompt takes as long as sending it: it is done where somebody looks.
        counted = self._limiter.limits.tpm is not None or self._meter.budget.usd is not None
        tokens = prompt_tokens_of(request) if counted else 0

        async def attempt() -> ChatResponse:
            sending = _Sending(self._meter, self._limiter, self.name, request, tokens)
            try:
                response = await self._backend.complete(replace(request, further=sending.further))
                sending.ended = _ending_of(response, request)
            except ModelError as error:
                sending.ended = _ending_after(error, request)
                raise
            finally:
                sending.book()
            return replace(
                response,
                prompt_tokens=sending.ended.prompt_tokens,
                completion_tokens=sending.ended.completion_tokens,
            )

        return await self._limiter.run(attempt, tokens=tokens + _most_tokens(request))

    async def stream(self, request: ChatRequest) -> AsyncGenerator[str, None]:
        """Answer in pieces; tried again only while no piece was given."""
        submitted = self._meter.clock()
        tokens = prompt_tokens_of(request)
        tries, again = 0, False
        try:
            while True:
                heard = _Heard(request)
                try:
                    async with self._limiter.slot(tokens + _most_tokens(request), again=again):
                        sending = _Sending(self._meter, self._limiter, self.name, request, tokens)
                        sent = replace(heard.request, further=sending.further)
                        try:
                            async with aclosing(self._backend.stream(sent)) as pieces:  # type: ignore[type-var]
                                async for piece in pieces:
                                    heard.pieces.append(piece)
                                    yield piece
                        finally:
                            sending.ended = heard.ending(tokens)
                            sending.book()
                    return
                except PassingError as error:
                    if heard.pieces:
                        raise
                    tries, again = await self._limiter.pause(error, tries), True
        finally:
            self._meter.waited(task_of(request), submitted, self._meter.clock())


class _Sending:
    """A request that goes out: taken out of the budget, counted, and booked when it is over.

    Attributes:
        ended: What came of it; None: nothing that cost.
    """

    def __init__(
        self, meter: Meter, limiter: Limiter, model: str, request: ChatRequest, tokens: int
    ) -> None:
        self._meter, self._limiter, self._model = meter, limiter, model
        self._task = task_of(request)
        self._tokens, self._most_tokens = tokens, request.parameters.get("max_tokens")
        self.ended: Ending | None = None
        self._send()

    def _send(self) -> None:
        self._aside = self._meter.budget.reserve(self._model, self._tokens, self._most_tokens)
        self._meter.requested(self._model, self._task)

    async def further(self) -> None:
        """Let the backend send another request for the same answer: the last one was refused."""
        self.book()
        self._aside = 0.0
        await self._limiter.keep_rates(self._tokens)
        self._send()

    def book(self) -> None:
        """Count what it really cost instead of what was set aside for it."""
        spent = self.ended or Ending()
        budget = self._meter.budget
        budget.settle(self._model, self._aside, spent.prompt_tokens, spent.completion_tokens)
        if self.ended is not None:
            self._meter.answered(self._model, self._task, self.ended)


class _Heard:
    """What of a stream has come, and what its end tells.

    Args:
        request: What is asked; whoever hears of its end still does.
    """

    def __init__(self, request: ChatRequest) -> None:
        self.pieces: list[str] = []
        self._texts: list[str] = []  # with the thoughts, where the model tells of them
        self._ending: Ending | None = None
        self._original = request
        self.request = replace(request, ended=self._ended, heard=self._heard)

    def _ended(self, ending: Ending) -> None:
        self._ending = ending
        if self._original.ended is not None:
            self._original.ended(ending)

    def _heard(self, text: str) -> None:
        self._texts.append(text)
        if self._original.heard is not None:
            self._original.heard(text)

    def ending(self, prompt_tokens: int) -> Ending | None:
        """How it ended, with estimates of what is not told; None where nothing has come."""
        if self._ending is None and not self._texts and not self.pieces:
            return None
        ending = self._ending or Ending()
        text = "".join(self._texts or self.pieces)
        return replace(
            ending,
            prompt_tokens=ending.prompt_tokens or prompt_tokens,
            completion_tokens=ending.completion_tokens or count_tokens(text),
        )


def _most_tokens(request: ChatRequest) -> int:
    """Tokens of the longest answer, where a person or its prompt limits it."""
    return int(request.parameters.get("max_tokens") or request.limit or 0)


def _ending_of(response: ChatResponse, request: ChatRequest) -> Ending:
    """How a whole answer ended, with estimates where the endpoint tells no tokens."""
    return replace(
        response.ending,
        prompt_tokens=response.prompt_tokens or prompt_tokens_of(request),
        completion_tokens=response.completion_tokens or count_tokens(response.text),
    )


def _ending_after(error: ModelError, request: ChatRequest) -> Ending | None:
    """What an answer cost that was none; None where nothing is known of one.

    Of a model that tells no tokens, whatever it answered is as long as what there is of it, or
    else as the longest that it could be.
    """
    prompt, completion = error.tokens
    if isinstance(error, AnswerError):
        prompt = prompt or prompt_tokens_of(request)
        longest = int(request.parameters.get("max_tokens") or 0)
        completion = completion or count_tokens(error.answer) or longest
    return Ending("error", prompt, completion) if prompt or completion else None
