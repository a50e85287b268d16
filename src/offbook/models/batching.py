"""Many calls side by side, of which one may fail for good, and many items in one call.

Takes: jobs that call a model and may run further jobs themselves; or items, and how a batch of them
is asked.  Gives: answers as they arrive, kept by whoever asks, and the items that no answer could
be got for. After a failure no new call goes out, not even one of a job within a job, and those that
are out are waited for: they cost.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Sequence
from contextvars import ContextVar, copy_context
from dataclasses import dataclass
from functools import partial
from itertools import islice
from operator import is_
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

from offbook.errors import AnswerError, InputRefused
from offbook.prompts.ask import RETRIES, ask

if TYPE_CHECKING:
    from offbook.prompts.prompt import Prompt
    from offbook.protocols import ChatModel


Job = Callable[[], Coroutine[Any, Any, object]]

_calls: Final[ContextVar[list[str] | None]] = ContextVar("calls", default=None)
_around: Final[ContextVar[_Running | None]] = ContextVar("around", default=None)


def note_call() -> None:
    """Note that a call of the current job goes out; called by the limiter."""
    calls = _calls.get()
    if calls is not None:
        calls.append("out")


def failed_around() -> bool:
    """Whether a job beside the current one has failed, so that no new call should go out."""
    running = _around.get()
    return running is not None and running.why is not None


async def run_all(jobs: Iterable[Job]) -> None:
    """Run all jobs at once; how many calls are in flight is the limiter's to say.

    Raises:
        Exception: the first failure of a job, after the calls that were out have been kept; or of
            a job beside the one that runs these, after which it must not go on.
    """
    running = _Running(_around.get())
    for job in jobs:
        calls: list[str] = []
        context = copy_context()
        context.run(_calls.set, calls)
        context.run(_around.set, running)
        task = asyncio.create_task(job(), context=context)
        running.tasks[task] = calls
        task.add_done_callback(running.ended)
    try:
        if running.tasks:
            await asyncio.wait(running.tasks)
    finally:
        # Cancelled from outside: nobody waits for the answers any more.
        for task in running.tasks:
            task.cancel()
        await asyncio.gather(*running.tasks, return_exceptions=True)
        if running.outer is not None:
            running.outer.within.pop(running, None)
    if running.why is not None:
        raise running.why


async def gather_all(*jobs: Callable[[], Awaitable[Any]]) -> list[Any]:
    """Run jobs as :func:`run_all` does, and return what they give, in their order."""
    results: list[Any] = [None] * len(jobs)

    async def run(place: int) -> None:
        results[place] = await jobs[place]()

    await run_all(partial(run, place) for place in range(len(jobs)))
    return results


class _Running:
    """The tasks of one run, what went out for each, and the runs within them.

    Args:
        outer: The run in one of whose jobs this one takes place.
    """

    def __init__(self, outer: _Running | None) -> None:
        self.tasks: dict[asyncio.Task[object], list[str]] = {}
        self.within: dict[_Running, asyncio.Task[Any] | None] = {}
        self.outer = outer
        self._failure: BaseException | None = None
        if outer is not None:
            outer.within[self] = asyncio.current_task()

    @property
    def why(self) -> BaseException | None:
        """The first failure, of a job here or around."""
        if self._failure is not None or self.outer is None:
            return self._failure
        return self.outer.why

    def ended(self, task: asyncio.Task[object]) -> None:
        """After the first failure, give up what still waits for its turn."""
        error = None if task.cancelled() else task.exception()
        if error is not None and self.why is None:
            self._failure = error
            self._give_up()

    def _give_up(self) -> None:
        """Cancel jobs of which no call is out; those that run others do the same with these."""
        for inner in self.within:
            inner._give_up()
        busy = set(self.within.values())
        for task, calls in self.tasks.items():
            if not calls and task not in busy:
                task.cancel()


In = TypeVar("In")
Out = TypeVar("Out")

BATCH_ITEMS: Final = 24
BATCH_TOKENS: Final = 3_000


def no_documents(chunks: Iterable[str]) -> frozenset[str]:
    """For texts that are from no stored document."""
    del chunks
    return frozenset()


@dataclass(frozen=True, slots=True)
class Asking:
    """Who is asked, about whom, and how much of it in one call.

    ``documents`` gives the names ``character/document`` of those that chunks belong to; few items
    are spread over ``side_by_side`` calls, as answers take longer to write than questions to read.
    """

    model: ChatModel
    character: str
    documents: Callable[[Iterable[str]], frozenset[str]] = no_documents
    retries: int = RETRIES
    batch_items: int = BATCH_ITEMS
    batch_tokens: int = BATCH_TOKENS
    side_by_side: int = 16

    async def ask(self, prompt: Prompt[In, Out], inputs: In, chunks: Iterable[str]) -> Out:
        """The value of the answer to a prompt whose inputs hold text of these chunks.

        Raises:
            AnswerError: no answer could be used.
            InputRefused: the endpoint refuses these inputs.
            ModelError: the endpoint failed for good.
        """
        documents = self.documents(chunks)
        return await ask(self.model, prompt, inputs, documents=documents, retries=self.retries)


def tokens_of(line: str) -> int:
    """About what an item costs in a prompt; sizing a batch is not worth an exact count."""
    return len(line.encode("utf-8", "surrogatepass")) // 4 + 4


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
    """Ask about all batches side by side; answers, in the order of items, are kept as they arrive.

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
            await run_all([partial(settle, part) for part in (batch[:half], batch[half:])])
        else:
            await keep(list(zip(batch, answers, strict=True)))

    await run_all([partial(settle, batch) for batch in batches])
    return aside


def in_batches(
    items: Sequence[T], tokens: Callable[[T], int], most: int, size: int, spread: int = 1
) -> list[list[T]]:
    """Divide items evenly into batches of at most about ``most`` tokens, and ``size`` items.

    At least ``spread`` batches are made, even where fewer would do.
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
    others (``left`` of an item: itself, a smaller one, or nothing) is divided anew. Where all that
    is open needs fewer calls than that, it is divided as if there were nothing else.
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
