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
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Final, TypeVar

from offbook.errors import ModelError
from offbook.models.batching import note_call
from offbook.models.failures import PassingError

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
            await self.keep_rates(tokens)
            level, epoch = self._in_flight, self._pace.epoch
            note_call()
            yield
        except PassingError as error:
            self._reached = self._reached or not error.unreachable
            if error.throttled:
                self._pace.refused(level, epoch)
                self._rest(error.retry_after)
            raise
        except ModelError:
            self._reached = True
            raise
        else:
            self._reached = True
            self._pace.succeeded(level)
        finally:
            self._leave()

    async def pause(self, error: PassingError, tries: int) -> int:
        """Wait before the next try, and return the retries with it.

        Raises:
            PassingError: ``error`` itself, when it was the last try: after ``retries``, after one
                where nothing was ever reached, or where the endpoint asks for a longer rest
                than anyone would wait for.
        """
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

    async def keep_rates(self, tokens: int) -> None:
        """Wait until a request of so many tokens may go out; it then counts as sent."""
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
