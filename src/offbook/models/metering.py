"""What one command cost (calls, tokens, money, calls that waited for others), and its budget.

Takes: the calls as they are made, and prices in USD per million tokens.  Gives: ``Usage``, the
shape that the contract prints, and a refusal before the call that would go over the budget.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Protocol

from offbook.errors import BudgetReached, ConfigurationError
from offbook.text.tokens import count_tokens
from offbook.types import TaskUsage, Usage

if TYPE_CHECKING:
    from offbook.types import ChatRequest, ChatResponse, Ending


_MILLION: Final = 1_000_000
_FIRST_GUESS_TOKENS: Final = 512


@dataclass(frozen=True, slots=True)
class Price:
    """USD per million tokens."""

    prompt: float
    completion: float = 0.0

    def of(self, prompt_tokens: int, completion_tokens: int) -> float:
        """What a call cost, in USD."""
        spent = prompt_tokens * self.prompt + completion_tokens * self.completion
        return spent / _MILLION


@dataclass(slots=True)
class Budget:
    """The most that one command may spend, over all of its models.

    What is in flight counts with an estimate, so that calls side by side cannot all slip through:
    the prompt's tokens are known, the answer counts as the longest that the model gave so far (512
    before the first). Calls are requests to an endpoint, chat and embeddings alike.

    Args:
        calls: The most requests, or None.
        usd: The most money, or None.
        prices: Price of each model.
    """

    calls: int | None = None
    usd: float | None = None
    prices: Mapping[str, Price] = field(default_factory=dict)
    _calls: int = 0
    _spent: float = 0.0
    _reserved: float = 0.0
    _longest: dict[str, int] = field(default_factory=dict)

    def check_price(self, model: str) -> None:
        """Refuse a budget in money for a model without a price.

        Raises:
            ConfigurationError: there is no price for ``model``.
        """
        if self.usd is not None and model not in self.prices:
            raise ConfigurationError(
                f"limits.budget_usd is {self.usd:g}, and model {model!r} has no price",
                f"set prices.{model}.prompt and prices.{model}.completion (USD per million "
                "tokens), or use limits.budget_calls",
            )

    def went_before(self, calls: int, usd: float) -> None:
        """Count what an earlier stretch of the same work has spent of it."""
        self._calls += calls
        self._spent += usd

    def reserve(self, model: str, prompt_tokens: int, max_tokens: int | None) -> float:
        """Take one call out of the budget.

        Args:
            model: Who is asked.
            prompt_tokens: Estimate of the prompt's tokens.
            max_tokens: Most tokens of the answer; 0 for embeddings, None where no limit is set.

        Returns:
            The money that was set aside, to be given to :meth:`settle`.

        Raises:
            BudgetReached: the call would go over the budget; nothing was taken.
        """
        if self.calls is not None and self._calls + 1 > self.calls:
            raise BudgetReached(
                f"the budget of {self.calls} calls is used up",
                "raise limits.budget_calls and run the command again; what was done is kept",
            )
        self.check_price(model)
        aside = 0.0
        if self.usd is not None:
            longest = self._longest.get(model, _FIRST_GUESS_TOKENS)
            answer = longest if max_tokens is None else max_tokens
            aside = self.prices[model].of(prompt_tokens, answer)
            if self._spent + self._reserved + aside > self.usd:
                raise BudgetReached(
                    f"the next call could go over the budget of {self.usd:g} USD "
                    f"({self._spent:.4f} spent, {self._reserved:.4f} in flight)",
                    "raise limits.budget_usd and run the command again; what was done is kept",
                )
        self._calls += 1
        self._reserved += aside
        return aside

    def settle(self, model: str, aside: float, prompt_tokens: int, completion_tokens: int) -> None:
        """Book what a reserved call really cost; nothing for one that failed."""
        self._reserved -= aside
        if model in self.prices:
            self._spent += self.prices[model].of(prompt_tokens, completion_tokens)
        if completion_tokens:
            self._longest[model] = max(self._longest.get(model, 0), completion_tokens)


class Spending(Protocol):
    """Told of what is spent while it is: whoever counts over many commands."""

    def requested(self, task: str, requests: int) -> None:
        """Requests went out to an endpoint, answered or not."""
        ...

    def answered(self, task: str, prompt_tokens: int, completion_tokens: int) -> None:
        """An answer has come, or what there was of it."""
        ...

    def waited(self, task: str, seconds: float) -> None:
        """A call has ended, answered or not; its time in the queue is counted, too."""
        ...

    def embedded(self, prompt_tokens: int) -> None:
        """A request for embeddings was answered."""
        ...


class Meter:
    """Collects the usage of one command, and keeps its budget; make a new one for each.

    All models of the command share it. A turn of a conversation is a part of it, made with
    :meth:`part`.

    Args:
        prices: USD per million tokens for each model; no price, no cost.
        budget_calls: The most requests; None is no limit.
        budget_usd: The most money; it needs a price for every model that is asked.
        clock: Seconds, for tests.
        spending: Told of what is spent; None: nobody is.
    """

    def __init__(
        self,
        prices: Mapping[str, Price] | None = None,
        *,
        budget_calls: int | None = None,
        budget_usd: float | None = None,
        clock: Callable[[], float] = time.monotonic,
        spending: Spending | None = None,
    ) -> None:
        self.prices = prices or {}
        self._spending = spending
        self._whole: Meter | None = None
        self.budget = Budget(budget_calls, budget_usd, self.prices)
        self.clock = clock
        self._started = clock()
        self._tasks: dict[str, TaskUsage] = {}
        self._models: dict[str, TaskUsage] = {}
        self._cached_calls = 0
        self._embed_calls = 0
        self._embed_tokens = 0
        self._cached_tokens: int | None = None
        self._reasoning_tokens: int | None = None
        self._chain = Chain()

    def requested(self, model: str, task: str, requests: int = 1) -> None:
        """Count requests that went out to an endpoint, answered or not."""
        _add(self._tasks, task, TaskUsage(requests))
        _add(self._models, model, TaskUsage(requests))
        if self._spending is not None:
            self._spending.requested(task, requests)
        if self._whole is not None:
            self._whole.requested(model, task, requests)

    def answered(self, model: str, task: str, counts: Ending | ChatResponse) -> None:
        """Count the tokens of an answer."""
        tokens = TaskUsage(0, counts.prompt_tokens, counts.completion_tokens)
        _add(self._tasks, task, tokens)
        _add(self._models, model, tokens)
        self._cached_tokens = _with(self._cached_tokens, counts.cached_tokens)
        self._reasoning_tokens = _with(self._reasoning_tokens, counts.reasoning_tokens)
        if self._spending is not None:
            self._spending.answered(task, counts.prompt_tokens, counts.completion_tokens)
        if self._whole is not None:
            self._whole.answered(model, task, counts)

    def found(self) -> None:
        """Count a call that was answered without an endpoint."""
        self._cached_calls += 1
        if self._whole is not None:
            self._whole.found()

    def waited(self, task: str, submitted: float, finished: float) -> None:
        """Note the interval of a call, queueing included, for the chain of calls."""
        self._chain.add(submitted, finished)
        if self._spending is not None:
            self._spending.waited(task, finished - submitted)
        if self._whole is not None:
            self._whole.waited(task, submitted, finished)

    def embedded(self, model: str, prompt_tokens: int) -> None:
        """Count an answered request for embeddings; its tokens cost, and are no chat's."""
        self._embed_calls += 1
        self._embed_tokens += prompt_tokens
        _add(self._models, model, TaskUsage(0, prompt_tokens))
        if self._spending is not None:
            self._spending.embedded(prompt_tokens)
        if self._whole is not None:
            self._whole.embedded(model, prompt_tokens)

    def part(self) -> Meter:
        """Make a meter for a part of the command: it counts here as well, and shares the budget."""
        part = Meter(self.prices, clock=self.clock)
        part.budget, part._whole = self.budget, self
        return part

    def usage(self) -> Usage:
        """What was used so far."""
        tasks = dict(sorted(self._tasks.items()))
        models, prices = self._models, self.prices
        cost = sum(
            prices[model].of(t.prompt_tokens, t.completion_tokens)
            for model, t in models.items()
            if model in prices
        )
        return Usage(
            calls=sum(task.calls for task in tasks.values()),
            cached_calls=self._cached_calls,
            round_trips=self._chain.length,
            prompt_tokens=sum(task.prompt_tokens for task in tasks.values()),
            completion_tokens=sum(task.completion_tokens for task in tasks.values()),
            embed_calls=self._embed_calls,
            # It is not known where one that was used has no price.
            cost_usd=cost if prices and models.keys() <= prices.keys() else None,
            seconds=self.clock() - self._started,
            by_task=tasks,
            cached_tokens=self._cached_tokens,
            reasoning_tokens=self._reasoning_tokens,
        )


def _add(table: dict[str, TaskUsage], name: str, more: TaskUsage) -> None:
    known = table.get(name, TaskUsage())
    table[name] = TaskUsage(
        known.calls + more.calls,
        known.prompt_tokens + more.prompt_tokens,
        known.completion_tokens + more.completion_tokens,
    )


def _with(sum_so_far: int | None, count: int | None) -> int | None:
    """Add a count to a sum; None as long as there was none."""
    return sum_so_far if count is None else (sum_so_far or 0) + count


@dataclass(slots=True)
class Chain:
    """The longest chain of intervals of which each begins when or after the one before it ended.

    A call that waited for another was submitted after that one had finished, so this is the longest
    chain of calls that waited for one another. Intervals come in the order of their ends, and
    taking the earliest end first finds the longest chain: one number has to be kept.
    """

    length: int = 0
    _end: float = float("-inf")

    def add(self, submitted: float, finished: float) -> None:
        """Take in the interval that ended last."""
        if submitted >= self._end:
            self.length += 1
            self._end = finished


def task_of(request: ChatRequest) -> str:
    """The prompt's name, under which usage is counted."""
    return str(request.origin[0].name) if request.origin else "unnamed"


def prompt_tokens_of(request: ChatRequest) -> int:
    """Estimate of the tokens of a request's messages."""
    return sum(count_tokens(message.content) for message in request.messages)
