"""Jobs side by side: after a failure nothing new begins, and what is out is waited for."""

from __future__ import annotations

import asyncio
from functools import partial

import pytest

from offbook.errors import ModelError
from offbook.models.side_by_side import failed_around, note_call, run_all
from tests.waiting import PATIENCE_SECONDS


class Log:
    """What jobs did."""

    def __init__(self) -> None:
        self.done: list[str] = []
        self.begun, self.turn = asyncio.Event(), asyncio.Event()

    async def call(self, name: str) -> None:
        """A call that is out, and answered at the log's turn."""
        note_call()
        self.begun.set()
        await self.turn.wait()
        self.done.append(name)

    async def wait(self, name: str) -> None:
        """A job that never had its turn."""
        await asyncio.Event().wait()
        self.done.append(name)

    async def fail(self) -> None:
        """Fail while the call is out; it is answered after that."""
        note_call()
        await self.begun.wait()
        asyncio.get_running_loop().call_later(0.01, self.turn.set)
        raise ModelError("gone")


async def test_all_are_run_and_none_is_fine():
    log = Log()
    log.turn.set()
    await run_all([partial(log.call, str(n)) for n in range(5)])
    assert sorted(log.done) == ["0", "1", "2", "3", "4"]
    await run_all([])


async def test_after_a_failure_those_that_are_out_are_waited_for_and_others_given_up():
    log = Log()
    with pytest.raises(ModelError, match="gone"):
        await run_all([partial(log.call, "out"), log.fail, partial(log.wait, "queued")])
    assert log.done == ["out"]


async def test_jobs_within_a_job_stop_with_the_others():
    log, later = Log(), []

    async def inner() -> None:
        await run_all([partial(log.call, "out"), partial(log.wait, "queued")])
        later.append("went on")

    with pytest.raises(ModelError, match="gone"):
        await run_all([inner, log.fail])
    assert log.done == ["out"], "its call was out, so it was waited for"
    assert later == [], "and nothing came after it"


async def test_a_failure_within_a_job_stops_the_others():
    log = Log()

    async def inner() -> None:
        await run_all([log.fail])

    with pytest.raises(ModelError, match="gone"):
        await run_all([inner, partial(log.call, "out"), partial(log.wait, "queued")])
    assert log.done == ["out"]


async def test_a_job_can_ask_whether_another_has_failed():
    seen = []

    log = Log()

    async def watch() -> None:
        note_call()
        seen.append(failed_around())
        log.begun.set()
        async with asyncio.timeout(PATIENCE_SECONDS):
            while not failed_around():
                await asyncio.sleep(0)
        seen.append(failed_around())

    with pytest.raises(ModelError):
        await run_all([watch, log.fail])
    assert seen == [False, True]
    assert not failed_around()


async def test_whoever_is_cancelled_from_outside_takes_all_along():
    log = Log()
    task = asyncio.create_task(run_all([partial(log.call, "out"), partial(log.wait, "queued")]))
    await log.begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert log.done == []
