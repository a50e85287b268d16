"""Many calls side by side, of which one may fail for good.

Takes: jobs that call a model, and may run further jobs themselves.  Gives: nothing; each job keeps
its own result as it arrives.  After a failure no new call goes out, not even one of a job within a
job, and those that are out are waited for: they cost.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from contextvars import ContextVar
from typing import Final

Job = Callable[[], Awaitable[object]]

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
        running.start(job)
    try:
        if running.tasks:
            await asyncio.wait(running.tasks)
    finally:
        # Cancelled from outside: nobody waits for the answers any more.
        for task in running.tasks:
            task.cancel()
        await asyncio.gather(*running.tasks, return_exceptions=True)
        running.leave()
    if running.why is not None:
        raise running.why


class _Running:
    """The tasks of one run, what went out for each, and the runs within them.

    Args:
        outer: The run in one of whose jobs this one takes place.
    """

    def __init__(self, outer: _Running | None) -> None:
        self.tasks: dict[asyncio.Task[None], list[str]] = {}
        self.within: dict[_Running, asyncio.Task[None] | None] = {}
        self._outer = outer
        self._failure: BaseException | None = None
        if outer is not None:
            outer.within[self] = asyncio.current_task()

    @property
    def why(self) -> BaseException | None:
        """The first failure, of a job here or around."""
        if self._failure is not None or self._outer is None:
            return self._failure
        return self._outer.why

    def leave(self) -> None:
        """This run is over."""
        if self._outer is not None:
            self._outer.within.pop(self, None)

    def start(self, job: Job) -> None:
        calls: list[str] = []
        task = asyncio.create_task(self._run(job, calls))
        self.tasks[task] = calls
        task.add_done_callback(self._ended)

    async def _run(self, job: Job, calls: list[str]) -> None:
        _calls.set(calls)
        _around.set(self)
        await job()

    def _ended(self, task: asyncio.Task[None]) -> None:
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
