"""How fast an endpoint is asked: calls in flight, rates, back-off, and trying again.

Takes: attempts.  Gives: their results, once there was room for them. All models at one endpoint
share one limiter, because the endpoint counts them together. How many calls may be in flight is
learned from refusals (429), like the congestion control of TCP, but with a memory.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, TypeVar

from offbook.errors import AnswerError, ModelError
from offbook.models.batching import note_call
from offbook.models.delegation import AroundModel
from offbook.models.failures import PassingError
from offbook.models.metering import Meter, prompt_tokens_of, task_of
from offbook.text.tokens import count_tokens
from offbook.types import Ending

if TYPE_CHECKING:
    from offbook.protocols import ChatModel
    from offbook.types import ChatRequest, ChatResponse


T = TypeVar("T")

_PATIENCE: Final = 64
_LEAST_PATIENCE: Final = 8
_MOST_PATIENCE: Final = 512
_PROOF: Final = 16
"""Successes after which a refusal of no more calls than before is taken for an accident."""


class Pace:
    """The number of calls in flight that one endpoint takes.

    A refusal halves what is allowed, and what was allowed before comes back within a few successes.
    What was refused *because of* the number in flight is remembered as the top, and only tried
    again after many successes, of which more are asked for each time that it is refused again: an
    endpoint with room for eight calls refuses one call in a hundred, not every tenth.

    Args:
        most: The most that are wanted.
    """

    def __init__(self, most: int) -> None:
        self._most = self._top = most
        self._allowed = float(most)
        self._proven = 0
        self._patience = _PATIENCE
        self._successes = 0
        self._epoch = 0
        self._epoch_top = most

    @property
    def allowed(self) -> int:
        """Calls that may be in flight now."""
        return max(1, int(self._allowed))

    @property
    def epoch(self) -> int:
        """Grows with each refusal that tells something new; to be noted when a call goes out."""
        return self._epoch

    def succeeded(self, level: int) -> None:
        """Learn from a call that went out as number ``level`` of those in flight."""
        if self._allowed < self._top:
            self._allowed = min(self._top, self._allowed + 1)
        if 2 * level < self._top:
            return  # a call that is nearly alone says nothing of how many are too many
        self._successes += 1
        if self._successes >= _PROOF:
            self._proven = max(self._proven, self._top)
        if self._successes >= self._patience and self._top < self._most:
            self._top += 1
            self._successes = 0
            self._patience = max(_LEAST_PATIENCE, self._patience // 2)

    def refused(self, level: int, epoch: int) -> None:
        """Learn from a refused call, by the calls in flight and the ``epoch`` when it went out."""
        if epoch != self._epoch:
            # Others that were out at the same time were refused already; but this one may have
            # been among the first of them.
            if self._proven < level:
                self._lower(level - 1)
            return
        self._epoch += 1
        self._epoch_top = self._top
        self._allowed = max(1.0, self._allowed / 2)
        if level > self._proven:
            if self._proven:  # it was tried whether there is more room, and there is none
                self._patience = min(_MOST_PATIENCE, 4 * self._patience)
            self._lower(level - 1)
        elif self._successes < _PROOF:
            self._lower(self._top - 1)
        self._successes = 0

    def _lower(self, top: int) -> None:
        """Remember that more than ``top`` calls were too many, but be halved at most."""
        least = max(1, self._epoch_top // 2)
        self._top = min(self._top, max(least, top))
        self._proven = min(self._proven, self._top)
        self._allowed = min(self._allowed, self._top)


_WINDOW_SECONDS: Final = 60.0


@dataclass(frozen=True, slots=True)
class Limits:
    """What an endpoint is asked at most.

    Args:
        concurrency: Calls in flight.
        rpm: Requests a minute, or None.
        tpm: Tokens a minute, or None: those of the prompts, estimated, and of the answers as far
            as the requests limit them.
        retries: Further attempts after a passing failure.
        backoff_seconds: The first pause; it doubles.
        backoff_cap_seconds: The longest pause of our own.
        retry_after_cap_seconds: The longest pause that an endpoint may ask for; where it asks for
            more, the failure is told at once instead of waiting.
    """

    concurrency: int = 16
    rpm: int | None = None
    tpm: int | None = None
    retries: int = 4
    backoff_seconds: float = 0.5
    backoff_cap_seconds: float = 30.0
    retry_after_cap_seconds: float = 120.0


class Limiter:
    """The gate to one endpoint.

    After a 429 the whole endpoint rests as long as it asked, and fewer calls go out at once, as
    :class:`~offbook.models.limits.Pace` has learned, up to the configured concurrency.

    Args:
        limits: What is allowed.
        clock: Seconds, for tests.
        sleep: How to wait, for tests.
        jitter: A number from 0 to 1, for tests.
    """

    def __init__(
        self,
        limits: Limits | None = None,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        self.limits = limits or Limits()
        self._clock, self._sleep, self._jitter = clock, sleep, jitter
        self._pace = Pace(self.limits.concurrency)
        self._in_flight = 0
        self._queue: deque[asyncio.Future[None]] = deque()
        self._rest_until = 0.0
        self._recent: deque[tuple[float, int]] = deque()
        self._recent_tokens = 0
        self._reached = False

    @property
    def allowed(self) -> int:
        """Calls that may be in flight now."""
        return self._pace.allowed

    async def run(self, attempt: Callable[[], Awaitable[T]], *, tokens: int = 0) -> T:
        """Return the result of ``attempt``, made when there is room, and again where it may pass.

        Raises:
            ModelError: the failure lasts, or did not pass in all tries.
        """
        tries, again = 0, False
        while True:
            try:
                async with self.slot(tokens, again=again):
                    return await attempt()
            except PassingError as error:
                tries, again = await self.pause(error, tries), True

    @asynccontextmanager
    async def slot(self, tokens: int = 0, *, again: bool = False) -> AsyncGenerator[None, None]:
        """Room for one request; what happens inside teaches the limiter.

        One that is made ``again`` goes before those that have not been made yet: otherwise a dead
        endpoint would be asked everything once before the first call is given up.
        """
        await self._enter(again=again)
        level, epoch = self._in_flight, self._pace.epoch
        try:
            await self._wait_for_rates(tokens)
            level, epoch = self._in_flight, self._pace.epoch
            note_call()
            yield
        except PassingError as error:
            self._reached = self._reached or not error.unreachable
            if error.throttled:
                self._pace.refused(level, epoch)
                self._rest(error.retry_after)
            raise
        else:
            self._reached = True
            self._pace.succeeded(level)
        finally:
            self._leave()

    async def pause(self, error: PassingError, tries: int) -> int:
        """Wait before the next try, and return the retries with it; one ``at_once`` is none.

        Raises:
            PassingError: ``error`` itself, when it was the last try: after ``retries``, after one
                where nothing was ever reached, or where the endpoint asks for a longer rest
                than anyone would wait for.
        """
        if error.at_once:
            return tries
        limits = self.limits
        most = limits.retries if self._reached else min(1, limits.retries)
        rest = error.retry_after or 0.0
        if tries >= most or rest > limits.retry_after_cap_seconds:
            raise error
        step = min(limits.backoff_cap_seconds, limits.backoff_seconds * 2**tries)
        # Half of the pause is by chance, so that calls refused together do not come back together.
        await self._sleep(max(rest, step * (0.5 + 0.5 * self._jitter())))
        return tries + 1

    async def _enter(self, *, again: bool) -> None:
        if self._in_flight < self.allowed and not self._queue:
            self._in_flight += 1
            return
        place = asyncio.get_running_loop().create_future()
        if again:
            self._queue.appendleft(place)
        else:
            self._queue.append(place)
        try:
            await place
        except asyncio.CancelledError:
            if place.done() and not place.cancelled():
                self._leave()
            elif place in self._queue:
                self._queue.remove(place)
            raise

    def _leave(self) -> None:
        self._in_flight -= 1
        while self._queue and self._in_flight < self.allowed:
            place = self._queue.popleft()
            if not place.done():
                self._in_flight += 1
                place.set_result(None)

    def _rest(self, retry_after: float | None) -> None:
        rest = retry_after or 0.0
        if rest > self.limits.retry_after_cap_seconds:
            rest = 0.0  # nobody waits that long: `pause` gives up
        self._rest_until = max(self._rest_until, self._clock() + rest)

    async def _wait_for_rates(self, tokens: int) -> None:
        while (seconds := self._seconds_to_wait(tokens)) > 0:
            await self._sleep(seconds)
        self._recent.append((self._clock(), tokens))
        self._recent_tokens += tokens

    def _seconds_to_wait(self, tokens: int) -> float:
        """Seconds until a request of so many tokens keeps the rates; 0 when it may go now."""
        now = self._clock()
        while self._recent and self._recent[0][0] <= now - _WINDOW_SECONDS:
            self._recent_tokens -= self._recent.popleft()[1]
        limits = self.limits
        full = limits.rpm is not None and len(self._recent) >= limits.rpm
        # One request of more than a minute's tokens goes alone rather than never.
        over = limits.tpm is not None and self._recent_tokens + tokens > limits.tpm
        wait = self._rest_until - now
        if self._recent and (full or over):
            wait = max(wait, self._recent[0][0] + _WINDOW_SECONDS - now)
        return wait


def _most_tokens(request: ChatRequest) -> int:
    """Tokens of the longest answer, where a person or its prompt limits it."""
    return int(request.parameters.get("max_tokens") or request.limit or 0)


def _with_tokens(response: ChatResponse, request: ChatRequest) -> ChatResponse:
    """The response with estimates where the endpoint tells no usage."""
    if response.prompt_tokens:
        return response
    return replace(
        response,
        prompt_tokens=prompt_tokens_of(request),
        completion_tokens=response.completion_tokens or count_tokens(response.text),
    )


def _spent_on(error: ModelError, request: ChatRequest) -> Ending | None:
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

    def spent(self, prompt_tokens: int) -> Ending | None:
        """What it cost; None where nothing has come. What is not told is estimated."""
        if self._ending is None and not self._texts and not self.pieces:
            return None
        ending = self._ending or Ending()
        text = "".join(self._texts or self.pieces)
        return replace(
            ending,
            prompt_tokens=ending.prompt_tokens or prompt_tokens,
            completion_tokens=ending.completion_tokens or count_tokens(text),
        )


class Limiters:
    """One limiter for each endpoint, for as long as the process lives."""

    def __init__(self, limits: Limits | None = None) -> None:
        self._limits = limits or Limits()
        self._known: dict[str, Limiter] = {}

    def of(self, base_url: str) -> Limiter:
        """The limiter of the endpoint at ``base_url``."""
        key = base_url.rstrip("/")
        if key not in self._known:
            self._known[key] = Limiter(self._limits)
        return self._known[key]


class Limited(AroundModel):
    """Asks within the limits, tries again after passing failures, and keeps to the budget.

    What an answer cost is counted here, where it comes, whoever then still waits for it.
    """

    def __init__(self, inner: ChatModel, limiter: Limiter, meter: Meter) -> None:
        super().__init__(inner)
        self._limiter = limiter
        self._meter = meter

    async def complete(self, request: ChatRequest) -> ChatResponse:
        """Answer whole; see the protocol."""
        budget = self._meter.budget
        # Counting a long prompt takes as long as sending it: it is done where somebody looks.
        counted = self._limiter.limits.tpm is not None or budget.usd is not None
        tokens = prompt_tokens_of(request) if counted else 0

        async def attempt() -> ChatResponse:
            aside = budget.reserve(self.name, tokens, request.parameters.get("max_tokens"))
            self._meter.requested(self.name, task_of(request))
            spent: ChatResponse | Ending | None = None
            try:
                response = spent = _with_tokens(await self._inner.complete(request), request)
            except ModelError as error:
                spent = _spent_on(error, request)
                self._count_further(request, error.requests)
                raise
            finally:
                self._book(request, aside, spent)
            self._count_further(request, response.requests)
            return response

        return await self._limiter.run(attempt, tokens=tokens + _most_tokens(request))

    def _count_further(self, request: ChatRequest, requests: int) -> None:
        """Count the requests beyond the first that one attempt took."""
        if requests > 1:
            self._meter.requested(self.name, task_of(request), requests - 1)

    def _book(
        self, request: ChatRequest, aside: float, spent: ChatResponse | Ending | None
    ) -> None:
        """Count what a request really cost instead of what was set aside for it."""
        if spent is None:
            self._meter.budget.settle(self.name, aside, 0, 0)
        else:
            tokens_in, tokens_out = spent.prompt_tokens, spent.completion_tokens
            self._meter.budget.settle(self.name, aside, tokens_in, tokens_out)
            self._meter.answered(self.name, task_of(request), spent)

    async def stream(self, request: ChatRequest) -> AsyncGenerator[str, None]:
        """Answer in pieces; tried again only while no piece was given."""
        tokens = prompt_tokens_of(request)
        budget = self._meter.budget
        tries, again = 0, False
        while True:
            heard = _Heard(request)
            try:
                async with self._limiter.slot(tokens + _most_tokens(request), again=again):
                    aside = budget.reserve(self.name, tokens, request.parameters.get("max_tokens"))
                    self._meter.requested(self.name, task_of(request))
                    try:
                        async with aclosing(self._inner.stream(heard.request)) as pieces:  # type: ignore[type-var]
                            async for piece in pieces:
                                heard.pieces.append(piece)
                                yield piece
                    finally:
                        self._book(request, aside, heard.spent(tokens))
                return
            except PassingError as error:
                if heard.pieces:
                    raise
                tries, again = await self._limiter.pause(error, tries), True
