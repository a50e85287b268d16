"""Work beside the event loop: another thread, the caller's context, and failures as they are."""

from __future__ import annotations

import asyncio
import threading
from contextvars import ContextVar

import pytest

from offbook.models.beside import worked_out, working_beside

told: ContextVar[str] = ContextVar("told", default="")


def who(*, add: str = "") -> tuple[int, str]:
    return threading.get_ident(), told.get() + add


async def test_without_a_server_it_is_worked_out_at_once():
    told.set("context")
    assert await worked_out(who, add="!") == (threading.get_ident(), "context!")


async def test_in_a_server_another_thread_does_it_in_the_same_context():
    told.set("context")
    with working_beside():
        thread, context = await worked_out(who, add="!")
        assert thread != threading.get_ident()
        assert context == "context!"
    assert (await worked_out(who))[0] == threading.get_ident()


async def test_the_loop_goes_on_meanwhile():
    begun, go = threading.Event(), threading.Event()

    def work() -> str:
        begun.set()
        assert go.wait(60)
        return "done"

    with working_beside():
        working = asyncio.create_task(worked_out(work))
        while not begun.is_set():
            await asyncio.sleep(0)
        assert not working.done()
        go.set()
        assert await working == "done"


async def test_a_failure_is_the_callers():
    def fails() -> None:
        raise KeyError("x")

    with working_beside(), pytest.raises(KeyError):
        await worked_out(fails)


async def test_a_server_in_a_server_ends_by_itself():
    with working_beside():
        with working_beside():
            pass
        assert (await worked_out(who))[0] != threading.get_ident()
