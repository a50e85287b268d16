"""Ingestions that are cancelled, and what one reports that a server's stop has cut in two."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from offbook.app import Offbook
from offbook.app.commands import command_of
from offbook.documents.readers import ReadDocument
from offbook.evaluation.keeping import usage_row
from offbook.server import background
from offbook.server import queued as queued_work
from offbook.server.ingestions import queue as queues
from offbook.server.ingestions.queue import IngestionQueue
from offbook.stores import documents, ingestions
from offbook.stores.leases import Owner
from offbook.types import Usage
from tests.cli.texts import ADA
from tests.loopback.graph import answer_about_a_graph
from tests.loopback.server import LoopbackServer
from tests.server.inside import bearer, client_of, opened
from tests.waiting import PATIENCE_SECONDS, eventually

ONE = "/api/characters/ada-byrne"
GIVEN = {"documents": [{"name": "ada.md", "text": ADA}]}
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


async def ended(client: httpx.AsyncClient, location: str) -> dict[str, Any]:
    """The ingestion, as its last event has it."""
    stream = await client.get(f"{location}/events", timeout=PATIENCE_SECONDS)
    last = stream.text.strip().split("\n\n")[-1]
    assert last.startswith("event: end\ndata: "), stream.text
    found: dict[str, Any] = json.loads(last.split("data: ", 1)[1])
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


async def test_one_that_has_ended_stays_as_it_is(tmp_path: Path):
    async with opened(tmp_path) as book, client_of(book) as client:
        await book.create("Ada Byrne")
        location = await begun(client, ADA)
        last = await ended(client, location)
        assert last["status"] == "done"
        assert await cancelled(client, location) == last


async def test_only_who_may_write_may_cancel(tmp_path: Path):
    async with opened(tmp_path) as book:
        for name in ("Ada Byrne", "Tom Byrne"):
            await book.create(name)
        await book.store.write(lambda c: ingestions.add(c, "ada-byrne", "i1", {}))
        reader = await bearer(book, right="chat")
        stranger = await bearer(book, right="write", characters=["tom-byrne"])
        writer = await bearer(book, right="write", characters=["ada-byrne"])
        await book.store.write(lambda c: ingestions.take(c, Owner("busy")))
        async with client_of(book) as client:
            for key, path, status in (
                ({}, "i1", 401),
                (reader, "i1", 403),
                (stranger, "i1", 404),
                (writer, "i2", 404),
                (writer, "i1", 200),
            ):
                answer = await client.post(f"{ONE}/ingestions/{path}/cancel", headers=key)
                assert answer.status_code == status, answer.text


# -- the work by itself ------------------------------------------------------------------------


async def added(book: Offbook, *given: dict[str, str]) -> None:
    read = [{"media": "text/markdown", **each} for each in given]
    await book.store.write(lambda c: ingestions.add(c, "ada-byrne", "i1", {"documents": read}))


async def state(book: Offbook) -> ingestions.Ingestion:
    found: ingestions.Ingestion | None = await book.store.read(
        lambda c: ingestions.get(c, "ada-byrne", "i1")
    )
    assert found is not None
    return found


async def test_one_whose_process_is_gone_is_not_gone_on_with(tmp_path: Path, monkeypatch):
    async def never(*_: object, **named: object) -> None:
        raise AssertionError("it is gone on with")

    monkeypatch.setattr(queues, "ingest_readings", never)
    async with opened(tmp_path) as book, asyncio.timeout(PATIENCE_SECONDS):
        await book.create("Ada Byrne")
        await added(book, GIVEN["documents"][0])
        await book.store.write(lambda c: ingestions.take(c, GONE))
        await book.store.write(lambda c: ingestions.cancel(c, "ada-byrne", "i1"))
        assert (await state(book)).status == "running"
        assert not await IngestionQueue().one(book, Owner("a worker"))
        assert (await state(book)).status == "cancelled"


@asynccontextmanager
async def unwinding(
    book: Offbook, monkeypatch: pytest.MonkeyPatch, meets: type[BaseException]
) -> AsyncIterator[tuple[asyncio.Task[bool], asyncio.Event]]:
    """An ingestion that is cancelled, takes its time to end, and ends with an error."""
    begun, broken, go_on = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def held(*_: object, **named: object) -> None:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            broken.set()
            await go_on.wait()
            raise meets

    monkeypatch.setattr(queues, "ingest_readings", held)
    monkeypatch.setattr(queued_work, "SIGN_SECONDS", 0.01)
    await book.create("Ada Byrne")
    await added(book, GIVEN["documents"][0])
    one = asyncio.create_task(IngestionQueue().one(book, Owner("a worker")))
    await begun.wait()
    await book.store.write(lambda c: ingestions.cancel(c, "ada-byrne", "i1"))
    await broken.wait()
    yield one, go_on
    go_on.set()


@pytest.mark.parametrize("meets", [asyncio.CancelledError, RuntimeError])
async def test_what_it_meets_with_as_it_ends_is_no_failure(tmp_path: Path, monkeypatch, meets):
    async with (
        asyncio.timeout(PATIENCE_SECONDS),
        opened(tmp_path) as book,
        unwinding(book, monkeypatch, meets) as (one, go_on),
    ):
        go_on.set()
        assert await one
        found = await state(book)
        assert (found.status, found.error) == ("cancelled", None)


async def test_a_stop_that_meets_one_that_is_cancelled_ends_the_worker_too(
    tmp_path: Path, monkeypatch
):
    async with (
        asyncio.timeout(PATIENCE_SECONDS),
        opened(tmp_path) as book,
        unwinding(book, monkeypatch, asyncio.CancelledError) as (one, _),
    ):
        one.cancel()
        with pytest.raises(asyncio.CancelledError):
            await one
        assert (await state(book)).status == "cancelled"


# -- what it did in all ------------------------------------------------------------------------


async def test_a_report_tells_what_was_done_before_the_server_stopped_too(held):
    book, endpoint = held
    async with client_of(book) as client:
        location = await begun(client, YEARS)
        await eventually(lambda: len(endpoint.chat_bodies) == 5)
    assert len(await book.store.read(lambda c: documents.list_all(c, "ada-byrne"))) == 1
    endpoint.release()
    async with client_of(book) as client:
        done = await ended(client, location)
    assert done["status"] == "done", done["error"]
    assert [row["status"] for row in done["report"]["documents"]] == ["added"]
    # The call that was in flight may not have been counted any more.
    assert len(asked(endpoint)) - done["report"]["usage"]["calls"] in (0, 1)


async def test_a_budget_is_that_of_a_whole_ingestion_however_often_it_is_taken_up(held):
    book, endpoint = held
    endpoint.release()
    limited = command_of(book, limits__budget_calls=7)
    await added(book, {"name": "years.md", "text": YEARS})
    taken = await book.store.write(lambda c: ingestions.take(c, GONE))
    spent = usage_row(Usage(calls=4, embed_calls=1))
    await book.store.write(lambda c: ingestions.give_sign(c, taken, GONE, None, spent))
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
        await book.store.write(lambda c: ingestions.take(c, GONE))
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
