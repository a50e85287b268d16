"""What tokens cost, and the most that a command may spend.

Takes: prices in USD per million tokens, none built in.  Gives: costs, and a refusal before the call
that would go over the budget.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from offbook.errors import BudgetReached, ConfigurationError

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
        self._longest[model] = max(self._longest.get(model, 0), completion_tokens)
