"""The thread behind requests outlives mistakes, and says so once it has ended."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path
from typing import Any

import pytest

from offbook.app import Offbook, estimate
from offbook.app.memories import Memories
from offbook.errors import StoreFailed, UsageError
from offbook.server import background
from offbook.server.background import BackgroundWorker
from offbook.server.native import evaluations
from offbook.stores.leases import Owner
from tests.server.inside import client_of, opened
from tests.server.served import settings_in
from tests.waiting import PATIENCE_SECONDS


class Faulty:
    """A queue whose first look fails with a mistake; it has no work."""

    places = 1

    def __init__(self, error: Exception | None = None) -> None:
        self.error = error
        self.failed, self.looked = threading.Event(), threading.Event()

    async def one(self, book: Offbook, owner: Owner) -> bool:
        if self.error is not None and not self.failed.is_set():
            self.failed.set()
            raise self.error
        self.looked.set()
        return False


class Stopped:
    """A queue whose work answers the stop with an error, as a full disk would have it."""

    places = 1

    def __init__(self) -> None:
        self.begun = threading.Event()

    async def one(self, book: Offbook, owner: Owner) -> bool:
        self.begun.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError as error:
            raise StoreFailed("it cannot be given back: disk full") from error
        return True


class GivenBack:
    """A queue whose work takes its time to be given back."""

    places = 1

    def __init__(self) -> None:
        self.begun, self.told, self.given_back = (threading.Event() for _ in range(3))
        self.go_on = asyncio.Event()

    async def one(self, book: Offbook, owner: Owner) -> bool:
        self.begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            self.told.set()
            await self.go_on.wait()
            self.given_back.set()
        return True

    async def let_go(self, book: Offbook) -> None:
        self.go_on.set()


async def comes(event: threading.Event) -> bool:
    return await asyncio.to_thread(event.wait, PATIENCE_SECONDS)


async def five(book: Offbook) -> int:
    return 5


async def test_a_mistake_in_a_queue_ends_neither_its_work_nor_that_of_others(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
):
    queue, other = Faulty(KeyError("the inner life")), Faulty()
    worker = BackgroundWorker(settings_in(tmp_path), [queue, other])
    await worker.start()
    assert await comes(queue.failed)
    worker.wake()
    assert await comes(queue.looked)
    assert await comes(other.looked)
    assert await worker.aside(five) == 5
    await worker.stop()
    assert "the inner life" in caplog.text


async def test_what_is_under_way_at_the_end_fails_for_whoever_waits(tmp_path: Path):
    begun = threading.Event()

    async def endless(book: Offbook) -> None:
        begun.set()
        await asyncio.Event().wait()

    worker = BackgroundWorker(settings_in(tmp_path), [])
    await worker.start()
    waiting = asyncio.create_task(worker.aside(endless))
    assert await comes(begun)
    await worker.stop()
    with pytest.raises(StoreFailed, match="has ended"):
        async with asyncio.timeout(PATIENCE_SECONDS):
            await waiting


async def test_work_that_cannot_be_given_back_does_not_keep_the_thread_from_stopping(
    tmp_path: Path, monkeypatch
):
    monkeypatch.setattr(background, "_STOP_SECONDS", PATIENCE_SECONDS)
    queue = Stopped()
    worker = BackgroundWorker(settings_in(tmp_path), [queue])
    await worker.start()
    assert await comes(queue.begun)
    async with asyncio.timeout(PATIENCE_SECONDS):
        await worker.stop()
    with pytest.raises(StoreFailed, match="has ended"):
        await worker.aside(five)


async def test_queues_are_left_at_once_and_what_is_asked_aside_is_done_until_the_end(
    tmp_path: Path,
):
    queue = GivenBack()
    worker = BackgroundWorker(settings_in(tmp_path), [queue])
    await worker.start()
    assert await comes(queue.begun)
    worker.drain()
    assert await comes(queue.told)
    assert await worker.aside(five) == 5
    ending = asyncio.create_task(worker.stop())
    await asyncio.sleep(0)  # the thread is told to end, while the work is being given back
    await worker.aside(queue.let_go)
    assert await comes(queue.given_back)
    async with asyncio.timeout(PATIENCE_SECONDS):
        await ending


ONE = "/api/characters/ada-byrne"


LONG: list[tuple[Any, str, str, str, Any]] = [
    (Offbook, "reembed", "POST", f"{ONE}/reembed", None),
    (Offbook, "forget", "DELETE", f"{ONE}/documents/x", None),
    (Offbook, "alias", "POST", f"{ONE}/aliases", {"a": "Tom", "b": "Thomas"}),
    (Offbook, "undo_decision", "DELETE", f"{ONE}/decisions/x", None),
    (Memories, "remember", "POST", f"{ONE}/memories", {}),
    (estimate, "estimate_ingestion", "POST", f"{ONE}/estimate", {}),
    (evaluations, "write_report", "GET", "/api/evaluation/runs/x/report", None),
]


async def test_it_is_worked_out_in_the_thread_behind_requests(tmp_path: Path, monkeypatch):
    where: list[str] = []

    async def told(*_: object, **__: object) -> None:
        where.append(threading.current_thread().name)
        raise UsageError("this far and no further", "it is a test")

    for owner, name, *_ in LONG:
        monkeypatch.setattr(owner, name, told)
    async with opened(tmp_path) as book, client_of(book) as client:
        await book.create("Ada Byrne")
        for _, name, method, path, body in LONG:
            answer = await client.request(method, path, json=body)
            said = answer.json()["error"]["message"]
            assert said == "this far and no further", (name, answer.text)
    assert where == ["background"] * len(LONG)
