"""Work beside the event loop: another thread, the caller's context, and failures as they are."""

from __future__ import annotations

import asyncio
import threading
from contextvars import ContextVar
from types import SimpleNamespace

import pytest

from offbook.models.beside import (
    calls_first,
    worked_out,
    worked_out_in_parts,
    working_beside,
)

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


async def test_between_parts_whatever_else_wants_the_loop_has_its_turn():
    order: list[str] = []

    async def call() -> None:
        for _ in range(3):
            await asyncio.sleep(0)
        order.append("call")

    def work(part: str) -> str:
        order.append(part)
        return part.upper()

    calling = asyncio.create_task(call())
    assert await worked_out_in_parts(work, ["a", "b", "c", "d", "e", "f"]) == list("ABCDEF")
    await calling
    assert [part for part in order if part != "call"] == list("abcdef")
    assert order[-1] != "call"


async def test_a_loop_without_rest_is_waited_for_only_so_long(monkeypatch):
    monkeypatch.setattr("offbook.models.beside._TURNS", 20)
    ended = False

    async def busy() -> None:
        while not ended:
            threading.Event().wait(0.002)
            await asyncio.sleep(0)

    working = asyncio.create_task(busy())
    await calls_first()
    assert await worked_out_in_parts(str.upper, ["a", "b"]) == ["A", "B"]
    ended = True
    await working


async def test_in_a_server_parts_do_not_wait_for_a_loop_that_others_use(monkeypatch):
    def looked() -> float:
        raise AssertionError("looked whether the loop is idle")

    monkeypatch.setattr("offbook.models.beside.time", SimpleNamespace(perf_counter=looked))
    with working_beside():
        assert await worked_out_in_parts(str.upper, ["a", "b"]) == ["A", "B"]
