"""Ingestions behind requests: progress, failures, cancelling, a server that stops in between."""

from __future__ import annotations

import json
import threading
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from offbook.app import Offbook
from offbook.app.commands import command_of
from offbook.documents.readers import ReadDocument
from offbook.errors import StoreFailed
from offbook.evaluation.storage import usage_row
from offbook.rules.model import OfflineModel
from offbook.server import background
from offbook.server.job_handlers import IngestionQueue
from offbook.stores import documents, queue
from offbook.stores.leases import Owner
from offbook.types import ChatRequest, ChatResponse, Usage
from tests.cli import shapes
from tests.cli.shapes import misfit
from tests.cli.texts import ADA
from tests.loopback.graph import answer_about_a_graph
from tests.loopback.server import LoopbackServer
from tests.server.inside import client_of, ended, opened
from tests.waiting import PATIENCE_SECONDS, eventually

ONE = "/api/characters/ada-byrne"
GIVEN = {"documents": [{"name": "ada.md", "text": ADA}]}


async def test_documents_are_added_behind_the_request_and_can_be_asked_about(tmp_path: Path):
    async with opened(tmp_path) as book, client_of(book) as client:
        await book.create("Ada Byrne")
        began = await client.post(f"{ONE}/documents", json=GIVEN)
        assert began.status_code == 202
        assert began.json()["status"] in ("queued", "running")
        done = await ended(client, began.headers["location"])
        assert done["status"] == "done"
        assert misfit(done["report"], shapes.INGEST) is None
        stages = done["progress"]["stages"]
        assert [stage["done"] for stage in stages] == [stage["total"] for stage in stages] != []
        assert await cancelled(client, began.headers["location"]) == done
        again = await client.post(f"{ONE}/documents", json=GIVEN)
        report = (await ended(client, again.headers["location"]))["report"]
        assert report["documents"][0]["status"] == "unchanged"
        rows = (await client.get(f"{ONE}/ingestions")).json()
        assert [row["id"] for row in rows if row["status"] == "done"].count(done["id"]) == 1
        asked = await client.post(f"{ONE}/ask", json={"question": "Who was Tom?"})
        assert "Tom" in asked.json()["reply"]


async def test_a_full_disk_is_told_and_nothing_is_queued(tmp_path: Path, monkeypatch):
    async with opened(tmp_path) as book, client_of(book) as client:
        await book.create("Ada Byrne")

        async def full(*_: object, **__: object) -> None:
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


async def test_who_listens_is_told_that_the_database_cannot_be_read(tmp_path: Path, monkeypatch):
    one = queue.Ingestion(
        id="i1",
        status="running",
        progress={},
        report=None,
        error=None,
        created="",
        updated="",
        character="ada-byrne",
    )
    looks: list[queue.Ingestion] = [one, one]  # whether it is there, and how far it is

    def failing(*_: object) -> queue.Ingestion:
        if not looks:
            raise StoreFailed("the database cannot be read: disk full", "make room")
        return looks.pop()

    monkeypatch.setattr(queue, "get_ingestion", failing)
    async with opened(tmp_path) as book, client_of(book) as client:
        await book.create("Ada Byrne")
        stream = await client.get(f"{ONE}/ingestions/i1/events")
    event, data = stream.text.strip().split("\n\n")[-1].split("\n")
    assert event == "event: error"
    assert json.loads(data.removeprefix("data: "))["error"]["kind"] == "store_failed"


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


YEARS = "".join(
    f"# Year {n}\n\nAda Byrne met keeper number {n} of Rock {n}.\n\n" for n in range(12)
)
GONE = Owner("another", pid=2**22 - 3)
"""A process that is not there."""


@pytest.fixture
async def held(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[tuple[Offbook, LoopbackServer]]:
    """Ada, whose documents are read by an endpoint that holds everything after four answers."""
    monkeypatch.setattr(background, "_STOP_SECONDS", PATIENCE_SECONDS)
    with LoopbackServer(answer=answer_about_a_graph) as endpoint:
        endpoint.hold(4)
        flags = {
            "chat__model": "m",
            "chat__base_url": endpoint.base_url,
            "method": "rolerag",
            "graph__size": 50,
            "graph__overlap": 0,
            "graph__window": 0,
            "limits__concurrency": 1,
        }
        async with opened(tmp_path, **flags) as book:
            await book.create("Ada Byrne")
            yield book, endpoint


async def begun(client: httpx.AsyncClient, *texts: str) -> str:
    """The location of an ingestion of these texts; without any, of what is stored."""
    given = [{"name": f"{n}.md", "text": text} for n, text in enumerate(texts)]
    answer = await client.post(f"{ONE}/documents", json={"documents": given})
    assert answer.status_code == 202, answer.text
    return answer.headers["location"]


async def cancelled(client: httpx.AsyncClient, location: str) -> dict[str, Any]:
    answer = await client.post(f"{location}/cancel")
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def asked(endpoint: LoopbackServer) -> list[str]:
    """What the endpoint was asked."""
    return [json.dumps(body["messages"]) for body in endpoint.chat_bodies]


async def test_one_under_way_ends_and_a_later_one_asks_nothing_twice(held):
    book, endpoint = held
    async with client_of(book) as client:
        location = await begun(client, YEARS)
        await eventually(lambda: len(endpoint.chat_bodies) == 5)
        await cancelled(client, location)
        last = await ended(client, location)
        assert (last["status"], last["report"], last["error"]) == ("cancelled", None, None)
        assert last["progress"]["stages"]
        assert (await client.get(location)).json() == last
        await eventually(lambda: endpoint.in_flight == 0)
        assert [row["name"] for row in (await client.get(f"{ONE}/documents")).json()] == ["0.md"]
        before = len(asked(endpoint))
        endpoint.release()
        rest = await ended(client, await begun(client))
    assert rest["status"] == "done", rest["error"]
    assert rest["report"]["documents"][0]["status"] == "unchanged"  # it was the one before
    # At most the call that was in flight is sent again.
    assert len(asked(endpoint)) - len(set(asked(endpoint))) <= 1
    assert len(asked(endpoint)) > before


async def test_one_that_waits_for_another_ends_at_once_and_the_other_goes_on(held):
    book, endpoint = held
    async with client_of(book) as client:
        first = await begun(client, YEARS)
        await eventually(lambda: len(endpoint.chat_bodies) == 5)
        second = await begun(client, ADA, ADA + YEARS)
        assert (await cancelled(client, second))["status"] == "cancelled"
        assert (await ended(client, second))["status"] == "cancelled"
        endpoint.release()
        assert (await ended(client, first))["status"] == "done"
        assert [row["name"] for row in (await client.get(f"{ONE}/documents")).json()] == ["0.md"]


async def added(book: Offbook, *given: dict[str, str]) -> None:
    read = [{"media": "text/markdown", **each} for each in given]
    await book.store.write(queue.add, "i1", "ingestion", {"documents": read}, character="ada-byrne")


async def state(book: Offbook) -> queue.Ingestion:
    found: queue.Ingestion | None = await book.store.read(queue.get_ingestion, "ada-byrne", "i1")
    assert found is not None
    return found


async def test_a_server_that_stops_in_the_middle_goes_on_and_asks_nothing_twice(held):
    book, endpoint = held
    async with client_of(book) as client:
        location = await begun(client, YEARS)
        await eventually(lambda: len(endpoint.chat_bodies) == 5)
    # The server is down now.
    stopped = await book.store.read(queue.get_ingestion, "ada-byrne", location.rpartition("/")[2])
    assert stopped.status == "queued"
    assert len(await book.store.read(documents.list_all, "ada-byrne")) == 1
    before = len(set(asked(endpoint)))
    endpoint.release()
    async with client_of(book) as client:
        done = await ended(client, location)
    assert done["status"] == "done", done["error"]
    # At most the call that was in flight is sent again.
    assert len(asked(endpoint)) - len(set(asked(endpoint))) <= 1
    assert len(set(asked(endpoint))) > before
    # The report tells what was done before, too; that call may not have been counted any more.
    assert [row["status"] for row in done["report"]["documents"]] == ["added"]
    assert len(asked(endpoint)) - done["report"]["usage"]["calls"] in (0, 1)


async def test_a_budget_is_that_of_a_whole_ingestion_however_often_it_is_taken_up(held):
    book, endpoint = held
    endpoint.release()
    limited = command_of(book, limits__budget_calls=7)
    await added(book, {"name": "years.md", "text": YEARS})
    taken = await book.store.write(queue.claim, queue.INGESTIONS, GONE)
    spent = usage_row(Usage(calls=4, embed_calls=1))
    await book.store.write(queue.heartbeat, taken, GONE, usage=spent)
    assert await IngestionQueue().one(limited, Owner("a worker"))
    found = await state(book)
    assert found.error is not None
    assert found.error["kind"] == "budget_reached"
    assert len(endpoint.chat_bodies) == 2


async def test_what_one_had_stored_when_it_was_killed_is_its_own(tmp_path: Path):
    async with opened(tmp_path) as book:
        await book.create("Ada Byrne")
        old = [
            ReadDocument("changed.md", ADA, "text/markdown"),
            ReadDocument("same.md", YEARS, "text/markdown"),
        ]
        await book.ingest_texts("ada-byrne", old)
        new = [
            ReadDocument("changed.md", f"{ADA}\n\nAda wrote no more.", "text/markdown"),
            ReadDocument("new.md", "Tom Byrne rowed out to Grey Rock.", "text/markdown"),
        ]
        given = [{"name": each.name, "text": each.text} for each in [*new, old[1]]]
        copy = {"name": "copy.md", "text": new[1].text}
        await added(book, *given, copy)
        await book.store.write(queue.claim, queue.INGESTIONS, GONE)
        await book.ingest_texts("ada-byrne", new)  # as far as it had come
        assert await IngestionQueue().one(book, Owner("a worker"))
        found = await state(book)
    assert found.report is not None, found.error
    assert [(row["name"], row["status"]) for row in found.report["documents"]] == [
        ("changed.md", "updated"),
        ("new.md", "added"),
        ("same.md", "unchanged"),
        ("new.md", "unchanged"),  # the copy
    ]
