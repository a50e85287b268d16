"""Ingestions behind requests: progress, failures, and a server that stops in the middle."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from offbook.app import Offbook
from offbook.errors import StoreFailed
from offbook.models.offline.model import OfflineModel
from offbook.server import background
from offbook.server import queued as queued_work
from offbook.server.background import BackgroundWorker
from offbook.server.ingestions import queue as queues
from offbook.server.ingestions.queue import IngestionQueue
from offbook.stores import documents, ingestions
from offbook.stores.leases import Owner
from offbook.wire import ChatRequest, ChatResponse
from tests.cli import shapes
from tests.cli.shapes import misfit
from tests.cli.texts import ADA
from tests.loopback.graph import answer_about_a_graph
from tests.loopback.server import LoopbackServer
from tests.server.inside import client_of, opened
from tests.server.served import settings_in
from tests.waiting import PATIENCE_SECONDS, eventually

ONE = "/api/characters/ada-byrne"
GIVEN = {"documents": [{"name": "ada.md", "text": ADA}]}


async def ended(client: httpx.AsyncClient, location: str) -> dict[str, Any]:
    """The ingestion, as its last event has it."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        stream = await client.get(f"{location}/events")
    last = stream.text.strip().split("\n\n")[-1]
    assert last.startswith("event: end\ndata: ")
    found: dict[str, Any] = json.loads(last.split("data: ", 1)[1])
    return found


async def test_documents_are_added_behind_the_request_and_can_be_asked_about(tmp_path: Path):
    async with opened(tmp_path) as book, client_of(book) as client:
        await book.create("Ada Byrne")
        began = await client.post(f"{ONE}/documents", json=GIVEN)
        assert began.status_code == 202
        assert began.json()["status"] in ("queued", "running")
        done = await ended(client, began.headers["location"])
        assert done["status"] == "done"
        assert misfit(done["report"], shapes.INGEST) is None
        assert [stage["done"] == stage["total"] for stage in done["progress"]["stages"]]
        again = await client.post(f"{ONE}/documents", json=GIVEN)
        report = (await ended(client, again.headers["location"]))["report"]
        assert report["documents"][0]["status"] == "unchanged"
        rows = (await client.get(f"{ONE}/ingestions")).json()
        assert [row["id"] for row in rows if row["status"] == "done"].count(done["id"]) == 1
        asked = await client.post(f"{ONE}/ask", json={"question": "Who was Tom?"})
        assert "Tom" in asked.json()["reply"]


async def test_what_was_sent_is_not_kept_twice_once_it_is_read(tmp_path: Path):
    async with opened(tmp_path) as book, client_of(book) as client:
        await book.create("Ada Byrne")
        began = await client.post(f"{ONE}/documents", json=GIVEN)
        await ended(client, began.headers["location"])
        left = await book.store.read(
            lambda conn: conn.exec_driver_sql("SELECT request FROM ingestions").scalars().all()
        )
        assert left == [None]


async def test_a_failure_is_told_with_what_to_do_and_without_the_key(tmp_path: Path):
    with LoopbackServer() as endpoint:
        endpoint.always("401")
        flags = {"chat__model": "m", "chat__base_url": endpoint.base_url, "method": "rolerag"}
        flags["limits__retries"] = "0"
        async with (
            opened(tmp_path, chat__api_key="sk-the-configured-key", **flags) as book,
            client_of(book) as client,
        ):
            await book.create("Ada Byrne")
            began = await client.post(f"{ONE}/documents", json=GIVEN)
            failed = await ended(client, began.headers["location"])
    assert failed["status"] == "failed"
    assert failed["error"]["kind"] == "model_failed"
    assert failed["report"] is None
    assert "sk-the" not in json.dumps(failed)


async def test_a_server_that_stops_in_the_middle_goes_on_and_asks_nothing_twice(
    tmp_path: Path, monkeypatch
):
    monkeypatch.setattr(background, "_STOP_SECONDS", PATIENCE_SECONDS)
    text = "".join(
        f"# Year {n}\n\nAda Byrne met keeper number {n} of Rock {n}.\n\n" for n in range(12)
    )
    with LoopbackServer(answer=answer_about_a_graph) as endpoint:
        flags = {
            "chat__model": "m",
            "chat__base_url": endpoint.base_url,
            "method": "rolerag",
            "graph__size": 50,
            "graph__overlap": 0,
            "limits__concurrency": 1,
        }
        async with opened(tmp_path, **flags) as book:
            await book.create("Ada Byrne")
            endpoint.hold(4)
            async with client_of(book) as client:
                body = {"documents": [{"name": "years.md", "text": text}]}
                began = await client.post(f"{ONE}/documents", json=body)
                location = began.headers["location"]
                await eventually(lambda: len(endpoint.chat_bodies) == 5)
            # The server is down now.
            asked_before = [_prompt(body) for body in endpoint.chat_bodies]
            stopped = await book.store.read(
                lambda conn: ingestions.get(conn, "ada-byrne", location.rsplit("/", 1)[1])
            )
            assert stopped is not None
            assert stopped.status == "queued"
            endpoint.release()
            async with client_of(book) as client:
                done = await ended(client, location)
            asked = [_prompt(body) for body in endpoint.chat_bodies]
    assert done["status"] in ("done", "failed"), done
    assert done["status"] == "done", done["error"]
    # At most the call that was in flight is sent again.
    assert len(asked) - len(set(asked)) <= 1
    assert len(set(asked)) > len(set(asked_before))


def _prompt(body: dict[str, Any]) -> str:
    return json.dumps(body["messages"])


async def test_an_ingestion_of_a_process_that_is_gone_is_taken_up(tmp_path: Path):
    settings = settings_in(tmp_path)
    async with await Offbook.open(settings) as book:
        await book.create("Ada Byrne")
        asked = {"documents": [{"name": "ada.md", "text": ADA, "media": "text/markdown"}]}
        await book.store.write(lambda c: ingestions.add(c, "ada-byrne", "i1", asked))
        gone = Owner("another", pid=2**22 - 3)
        assert await book.store.write(lambda c: ingestions.take(c, gone)) is not None
        worker = BackgroundWorker(settings, [IngestionQueue()])
        worker.start()
        found = None
        async with asyncio.timeout(PATIENCE_SECONDS):
            while found is None or not found.has_ended:
                await asyncio.sleep(0.05)
                found = await book.store.read(lambda c: ingestions.get(c, "ada-byrne", "i1"))
        await worker.stop()
        assert found is not None
        assert found.status == "done"
        assert len(await book.store.read(lambda c: documents.list_all(c, "ada-byrne"))) == 1


async def test_a_full_disk_is_told_and_nothing_is_queued(tmp_path: Path, monkeypatch):
    async with opened(tmp_path) as book, client_of(book) as client:
        await book.create("Ada Byrne")

        async def full(operation: object) -> None:
            raise StoreFailed("the database cannot be written: disk full", "make room")

        monkeypatch.setattr(book.store, "write", full)
        answer = await client.post(f"{ONE}/documents", json=GIVEN)
        assert answer.status_code == 503
        assert answer.json()["error"] == {
            "kind": "store_failed",
            "message": "the database cannot be written: disk full",
            "hint": "make room",
        }
        assert (await client.get(f"{ONE}/ingestions")).json() == []


async def test_a_worker_that_is_stopped_before_it_began_ends(tmp_path: Path):
    worker = BackgroundWorker(settings_in(tmp_path), [IngestionQueue()])
    worker.start()
    await worker.stop()
    worker.wake()
    with pytest.raises(StoreFailed, match="has ended"):
        await worker.aside(lambda book: book.find("ada-byrne"))


async def test_documents_are_read_in_another_thread_than_that_of_the_servers_loop(
    tmp_path: Path, monkeypatch
):
    extracting: set[int] = set()
    complete = OfflineModel.complete

    async def noted(self: OfflineModel, request: ChatRequest) -> ChatResponse:
        extracting.add(threading.get_ident())
        return await complete(self, request)

    monkeypatch.setattr(OfflineModel, "complete", noted)
    text = "".join(f"# Day {n}\n\nAda Byrne wrote of gale {n} to Tom Byrne.\n\n" for n in range(12))
    async with opened(tmp_path, method="rolerag") as book, client_of(book) as client:
        await book.create("Ada Byrne")
        body = {"documents": [{"name": "days.md", "text": text}]}
        began = await client.post(f"{ONE}/documents", json=body)
        assert (await ended(client, began.headers["location"]))["status"] == "done"
    assert len(extracting) == 1
    assert threading.get_ident() not in extracting


async def test_what_one_meets_with_as_the_worker_stops_is_no_failure(tmp_path: Path, monkeypatch):
    begun = asyncio.Event()

    async def broken_off(*_: object, **named: object) -> None:
        begun.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError as error:
            raise StoreFailed("the statement was broken off") from error

    monkeypatch.setattr(queues, "ingest_readings", broken_off)
    async with opened(tmp_path) as book, asyncio.timeout(PATIENCE_SECONDS):
        await book.create("Ada Byrne")
        asked = {"documents": [{"name": "ada.md", "text": ADA, "media": "text/markdown"}]}
        await book.store.write(lambda c: ingestions.add(c, "ada-byrne", "i1", asked))
        one = asyncio.create_task(IngestionQueue().one(book, Owner("a worker")))
        await begun.wait()
        one.cancel()
        with pytest.raises(asyncio.CancelledError):
            await one
        found = await book.store.read(lambda c: ingestions.get(c, "ada-byrne", "i1"))
        assert found is not None
        assert (found.status, found.error) == ("queued", None)
        again = await book.store.write(lambda c: ingestions.take(c, Owner("the next")))
        assert again is not None
        assert again.request == asked


@pytest.fixture
async def released() -> AsyncIterator[asyncio.Event]:
    """Set at the end too, so that no work that waits for it outlives a test that failed."""
    found = asyncio.Event()
    yield found
    found.set()


@pytest.mark.parametrize("stops", [False, True])
async def test_an_ingestion_that_another_has_taken_is_stopped_and_nothing_more_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, released: asyncio.Event, stops: bool
):
    begun, unwinding = asyncio.Event(), asyncio.Event()

    async def held(*_: object, **named: object) -> None:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            unwinding.set()
            await released.wait()

    monkeypatch.setattr(queues, "ingest_readings", held)
    monkeypatch.setattr(queued_work, "SIGN_SECONDS", 0.01)
    other = Owner("another", "elsewhere", 7)
    async with opened(tmp_path) as book, asyncio.timeout(PATIENCE_SECONDS):
        await book.create("Ada Byrne")
        asked = {"documents": [{"name": "ada.md", "text": ADA, "media": "text/markdown"}]}
        await book.store.write(lambda c: ingestions.add(c, "ada-byrne", "i1", asked))
        queue = IngestionQueue()
        one = asyncio.create_task(queue.one(book, Owner("a worker")))
        await begun.wait()
        taken = await book.store.write(lambda c: ingestions.take(c, other, now=9e12))
        before = await book.store.read(lambda c: ingestions.get(c, "ada-byrne", "i1"))
        await unwinding.wait()
        if stops:  # the stop is not taken for what was cancelled here
            one.cancel()
            with pytest.raises(asyncio.CancelledError):
                await one
        else:
            released.set()
            assert await one
        assert await book.store.read(lambda c: ingestions.get(c, "ada-byrne", "i1")) == before
        assert await book.store.write(lambda c: ingestions.give_sign(c, taken, other))
