"""Many calls side by side, of which one may fail for good.

Takes: jobs that call a model.  Gives: nothing; each job keeps its own result as it arrives.
After a failure no new call goes out, and those that are out are waited for: they cost.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from contextvars import ContextVar
from typing import Final

Job = Callable[[], Awaitable[None]]

_calls: Final[ContextVar[tuple[list[str], ...]]] = ContextVar("calls", default=())
"""What went out for the current job, and for the jobs that it is part of."""


def note_call() -> None:
    """Note that a call of the current job goes out; called by the limiter."""
    for calls in _calls.get():
        calls.append("out")


async def run_all(jobs: Iterable[Job]) -> None:
    """Run all jobs at once; how many calls are in flight is the limiter's to say.

    Raises:
        Exception: the first failure of a job, after the calls that were out have been kept.
    """
    running = _Running()
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
    if running.failure is not None:
        raise running.failure


class _Running:
    """The tasks of one run, and what went out for each."""

    def __init__(self) -> None:
        self.tasks: dict[asyncio.Task[None], list[str]] = {}
        self.failure: BaseException | None = None

    def start(self, job: Job) -> None:
        calls: list[str] = []
        task = asyncio.create_task(self._run(job, calls))
        self.tasks[task] = calls
        task.add_done_callback(self._ended)

    async def _run(self, job: Job, calls: list[str]) -> None:
        _calls.set((*_calls.get(), calls))
        await job()

    def _ended(self, task: asyncio.Task[None]) -> None:
        """After the first failure, give up what still waits for its turn."""
        error = None if task.cancelled() else task.exception()
        if error is None or self.failure is not None:
            return
        self.failure = error
        for other, calls in self.tasks.items():
            if not calls:
                other.cancel()
