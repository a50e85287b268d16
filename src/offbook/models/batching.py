"""Items in batches, the batches side by side, and a batch that fails in halves.

Takes: items, and how a batch of them is asked.  Gives: the answers as they arrive, and the items
that no answer could be got for. Used for everything that methods.md lets one call decide together.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from itertools import islice
from operator import is_
from typing import Generic, TypeVar

from offbook.errors import AnswerError, InputRefused
from offbook.models.side_by_side import run_all

T = TypeVar("T")
A = TypeVar("A")


@dataclass(frozen=True, slots=True)
class PutAside(Generic[T]):
    """An item without a usable answer, and why."""

    item: T
    reason: str


async def ask_in_batches(
    batches: Sequence[Sequence[T]],
    ask: Callable[[Sequence[T]], Awaitable[Sequence[A]]],
    keep: Callable[[Sequence[tuple[T, A]]], Awaitable[None]],
) -> list[PutAside[T]]:
    """Ask about all batches side by side; each answer is kept as it arrives.

    Args:
        batches: The items of each call.
        ask: Gives the answers to a batch in the order of its items.
        keep: Stores items with their answers.

    Returns:
        The items that had to be put aside: alone in a call, and still without a usable answer.

    Raises:
        ModelError: the endpoint failed for good; what arrived is kept.
        BudgetReached: likewise.
    """
    aside: list[PutAside[T]] = []

    async def settle(batch: Sequence[T]) -> None:
        try:
            answers = await ask(batch)
        except (AnswerError, InputRefused) as error:
            if len(batch) == 1:
                aside.append(PutAside(batch[0], error.message))
                return
            # One item may spoil the whole: the halves are asked about on their own.
            half = len(batch) // 2
            await run_all([_job(settle, part) for part in (batch[:half], batch[half:])])
        else:
            await keep(list(zip(batch, answers, strict=True)))

    await run_all([_job(settle, batch) for batch in batches])
    return aside


def in_batches(
    items: Sequence[T], tokens: Callable[[T], int], most: int, size: int, spread: int = 1
) -> list[list[T]]:
    """Items in their order, evenly filled.

    Args:
        items: What is asked about.
        tokens: What an item costs.
        most: About how many tokens a batch may have.
        size: How many items it may have.
        spread: As many batches are made even where fewer would do.
    """
    if not items:
        return []
    costs = [tokens(item) for item in items]
    wanted = max(-(-sum(costs) // most), -(-len(items) // size), min(spread, len(items)), 1)
    target, longest = sum(costs) / wanted, max(costs)
    made: list[list[T]] = [[]]
    filled = held = 0
    for item, cost in zip(items, costs, strict=True):
        over = filled + cost / 2 > target * len(made) and len(made) < wanted
        # Batches of as many small items as may be leave too much to those that follow.
        full = len(made[-1]) == size or held + cost > most + longest
        if made[-1] and (over or full):
            made.append([])
            held = 0
        made[-1].append(item)
        filled += cost
        held += cost
    return made


def open_batches(
    items: Sequence[T],
    left: Callable[[T], T | None],
    divide: Callable[[Sequence[T]], list[list[T]]],
) -> list[list[T]]:
    """Batches of what is still open, as far as possible those of a run that was interrupted.

    The answer to a batch is kept under its whole text, and may be there although nothing else of
    it is: a batch of which nothing is decided is asked about as it was, and what is open of the
    others is divided anew. Where all that is open needs fewer calls than that, it is new for the
    most part, and is divided as if there were nothing else.

    Args:
        items: What there is to ask about, be it decided or not, in an order that stays.
        left: What is open of an item: itself, a smaller one, or nothing.
        divide: Gives items in batches.
    """
    remaining = [left(item) for item in items]
    if not any(part is not None for part in remaining):
        return []
    parts = iter(remaining)
    whole, rest = [], []
    for batch in divide(items):
        opened = list(islice(parts, len(batch)))
        if all(map(is_, opened, batch)):
            whole.append(batch)
        else:
            rest += [part for part in opened if part is not None]
    if not rest:
        return whole
    as_they_were = [*whole, *divide(rest)]
    anew = divide([part for part in remaining if part is not None])
    return anew if len(anew) < len(as_they_were) else as_they_were


def _job(
    settle: Callable[[Sequence[T]], Awaitable[None]], batch: Sequence[T]
) -> Callable[[], Awaitable[None]]:
    return lambda: settle(batch)
