"""Evaluations behind requests: cancelled, gone on with after a stop, failed, side by side."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from offbook.app import Offbook
from offbook.errors import StoreFailed
from offbook.server import background
from offbook.server import background as queued_work
from offbook.server import job_handlers as queues
from offbook.server.background import BackgroundWorker
from offbook.server.job_handlers import EvaluationQueue
from offbook.stores import evaluations, leases, queue
from offbook.stores.connection import Connection
from offbook.stores.leases import Owner
from tests.app.homes import home_with, text
from tests.cli.texts import ADA
from tests.loopback.server import LoopbackServer
from tests.server.inside import bearer, client_of, ended, opened
from tests.waiting import PATIENCE_SECONDS, eventually

EVALUATION = "/api/evaluation"
CHAT = "/chat/completions"
QUESTIONS = [{"question": f"What happened in year {n}?", "id": f"q{n}"} for n in range(3)]
ASKED = {"questions": QUESTIONS, "characters": ["Ada Byrne"], "methods": ["vanilla"]}


@pytest.fixture
async def book(tmp_path: Path, endpoint: LoopbackServer) -> AsyncIterator[Offbook]:
    """Ada, whose replies come from the endpoint, one at a time; the offline judge rates them."""
    flags = {
        "chat__model": "m",
        "chat__base_url": endpoint.base_url,
        "chat__api_key": "sk-the-configured-key",
        "extract__model": "offline",
        "judge__model": "offline",
        "limits__concurrency": 1,
        "limits__retries": 0,
    }
    async with home_with(tmp_path, "Ada Byrne", text("ada.md", ADA), **flags) as made:
        yield made


async def begun(client: httpx.AsyncClient, **more: Any) -> str:
    """The location of a run that was begun."""
    answer = await client.post(f"{EVALUATION}/runs", json={**ASKED, **more})
    assert answer.status_code == 202, answer.text
    return answer.headers["location"]


async def seen(
    client: httpx.AsyncClient, location: str, so: Callable[[dict[str, Any]], object]
) -> dict[str, Any]:
    """The job, as soon as it is so."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        while True:
            job: dict[str, Any] = (await client.get(location)).json()
            if so(job):
                return job
            await asyncio.sleep(0.02)


async def test_one_that_is_cancelled_ends_its_calls_and_can_be_gone_on_with(book, endpoint):
    endpoint.hold(1, path=CHAT)
    async with client_of(book) as client:
        location = await begun(client)
        await eventually(lambda: endpoint.in_flight == 1 and endpoint.answered == 1)
        answer = await client.post(f"{location}/cancel")
        assert answer.status_code == 200, answer.text
        job = await ended(client, location)
        assert (job["status"], job["report"], job["error"]) == ("cancelled", None, None)
        await eventually(lambda: endpoint.in_flight == 0)
        run = job["run"]
        shown = (await book.evaluation.show(run)).as_json()
        assert shown["run"]["status"] == "stopped"
        assert shown["cells"]["stored"] == 1
        assert (await client.post(f"{location}/cancel")).json() == job
        endpoint.release()
        rest = await ended(client, await begun(client))
        assert (rest["run"], rest["report"]["now"]["asked"]) == (run, 2)


async def test_a_server_that_stops_in_the_middle_goes_on_with_the_run(book, endpoint, monkeypatch):
    monkeypatch.setattr(background, "_STOP_SECONDS", PATIENCE_SECONDS)
    endpoint.hold(1, path=CHAT)
    async with client_of(book) as client:
        location = await begun(client, new=True)
        await eventually(lambda: endpoint.in_flight == 1 and endpoint.answered == 1)
    id_ = location.rpartition("/")[2]
    stopped = await book.store.read(queue.get_job, id_)
    assert stopped is not None
    assert (stopped.status, bool(stopped.run)) == ("queued", True)
    await eventually(lambda: endpoint.in_flight == 0)
    endpoint.release()
    async with client_of(book) as client:
        job = await ended(client, location)
        assert (job["status"], job["run"]) == ("done", stopped.run), job
        assert [row["id"] for row in (await client.get(f"{EVALUATION}/runs")).json()] == [
            job["run"]
        ]
    asked = [json.dumps(body["messages"]) for body in endpoint.chat_bodies]
    # Only the call that was in flight is sent again.
    assert (len(asked), len(set(asked))) == (4, 3)


async def test_what_a_failing_endpoint_said_is_told_without_its_key(book, endpoint):
    endpoint.always("401")
    async with client_of(book) as client:
        told = await ended(client, await begun(client))
        assert (told["status"], told["error"]["kind"]) == ("failed", "model_failed")
        assert "401" in told["error"]["message"]
        assert "sk-the" not in json.dumps(told)
    async with client_of(book, **await bearer(book, right="admin")) as client:
        seen = (await client.get(f"{EVALUATION}/jobs/{told['id']}")).json()
    assert seen["error"] == told["error"]


async def test_a_mistake_of_ours_fails_the_job_without_details(book, monkeypatch, caplog):
    async def mistaken(*_: object) -> dict[str, Any]:
        raise RuntimeError("the inner life of a function")

    monkeypatch.setattr(queues, "run_job", mistaken)
    async with client_of(book) as client:
        job = await ended(client, await begun(client))
    assert (job["status"], job["error"]["kind"]) == ("failed", "failed")
    assert "inner life" not in json.dumps(job)
    assert "inner life" in caplog.text


async def test_several_jobs_go_on_side_by_side(book, endpoint):
    async with client_of(book) as client:
        finished = await ended(client, await begun(client))
        endpoint.hold(path=CHAT)
        held = await begun(client, new=True)
        await eventually(lambda: endpoint.in_flight == 1)
        other = await ended(client, await begun(client, resume=finished["run"]))
        assert (other["status"], other["report"]["now"]["asked"]) == ("done", 0), other
        assert (await client.get(held)).json()["status"] == "running"
        await client.post(f"{held}/cancel")
        assert (await ended(client, held))["status"] == "cancelled"


async def test_nobody_is_told_which_process_works_on_a_run(book):
    async with client_of(book) as client:
        run = (await ended(client, await begun(client)))["run"]
        other = Owner("another", "the-host-of-another", os.getpid())
        assert await book.store.write(evaluations.claim, run, other) is None
        refused = [await ended(client, await begun(client, resume=run))]
    async with client_of(book, **await bearer(book, right="admin")) as client:
        refused.append(await ended(client, await begun(client, resume=run)))
    for job in refused:
        assert job["status"] == "failed"
        assert job["error"] == {
            "kind": "usage",
            "message": f"another process works on the run {run!r}",
            "hint": "wait until it has ended",
        }


async def test_a_worker_that_cannot_open_the_database_says_why(tmp_path: Path):
    (tmp_path / "taken").write_text("no folder")
    async with opened(tmp_path) as book:
        broken = book.settings.overlaid({"database.url": f"sqlite:///{tmp_path}/taken/x.db"})
    worker = BackgroundWorker(broken, [])
    with pytest.raises(Exception, match="taken") as caught:
        await worker.start()
    assert type(caught.value).__module__ == "offbook.errors"
    await worker.stop()


async def test_a_queue_that_cannot_be_read_is_tried_again_later(book, monkeypatch, caplog):
    async def broken(*_: object) -> None:
        raise StoreFailed("the database cannot be read: disk full", "make room")

    monkeypatch.setattr(book.store, "read", broken)
    assert not await EvaluationQueue().one(book, Owner("a worker"))
    assert "disk full" in caplog.text


class Held:
    """Work that goes on until it is cancelled, and then takes its time."""

    def __init__(self) -> None:
        self.begun, self.unwinding, self.released = (asyncio.Event() for _ in range(3))
        self.times = 0
        self.meets: Exception | None = None

    async def __call__(self, *_: object) -> dict[str, Any]:
        self.times += 1
        self.begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            self.unwinding.set()
            await self.released.wait()
            if self.meets is not None:
                raise self.meets
        return {}


@pytest.fixture
async def held(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Held]:
    found = Held()
    monkeypatch.setattr(queues, "run_job", found)
    monkeypatch.setattr(queued_work, "SIGN_SECONDS", 0.01)
    yield found
    found.released.set()


async def job_of(book: Offbook, id_: str = "1") -> queue.EvaluationJob:
    found: queue.EvaluationJob | None = await book.store.read(queue.get_job, id_)
    assert found is not None
    return found


async def queued(book: Offbook, id_: str = "1") -> None:
    await book.store.write(queue.add, id_, "run", ASKED)


async def test_a_stop_while_a_cancelled_job_unwinds_stops_the_worker_too(tmp_path: Path, held):
    async with opened(tmp_path) as book, asyncio.timeout(PATIENCE_SECONDS):
        await queued(book)
        one = asyncio.create_task(EvaluationQueue().one(book, Owner("a worker")))
        await held.begun.wait()
        await book.store.write(queue.cancel, "1")
        await held.unwinding.wait()
        one.cancel()
        with pytest.raises(asyncio.CancelledError):
            await one
        assert (await job_of(book)).status == "cancelled"


@pytest.mark.parametrize(("cancelled", "status"), [(True, "cancelled"), (False, "queued")])
async def test_what_a_job_meets_with_as_it_ends_is_no_failure(
    tmp_path: Path, held, cancelled: bool, status: str
):
    held.meets = StoreFailed("the statement was broken off")
    held.released.set()
    async with opened(tmp_path) as book, asyncio.timeout(PATIENCE_SECONDS):
        await queued(book)
        one = asyncio.create_task(EvaluationQueue().one(book, Owner("a worker")))
        await held.begun.wait()
        if cancelled:
            await book.store.write(queue.cancel, "1")
            assert await one
        else:
            one.cancel()  # the worker stops
            with pytest.raises(asyncio.CancelledError):
                await one
        job = await job_of(book)
        assert (job.status, job.error) == (status, None)
        next_one = Owner("the next")
        again = await book.store.write(queue.claim, queue.EVALUATIONS, next_one)
        assert (again is None) == cancelled
        assert again is None or again.request == ASKED


async def done(*_: object) -> dict[str, Any]:
    return {"n": 1}


def unwritten(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    """The first end of a job cannot be written."""
    finish = queue.finish
    met: list[object] = []

    def broken(*given: Any, **named: Any) -> None:
        if not met:
            met.append(given)
            raise error
        finish(*given, **named)

    monkeypatch.setattr(queue, "finish", broken)


@pytest.mark.parametrize("cancelled", [False, True])
async def test_a_job_whose_end_could_not_be_written_is_taken_again_unless_it_is_cancelled(
    tmp_path: Path, monkeypatch, cancelled: bool
):
    unwritten(monkeypatch, StoreFailed("the database cannot be written: disk full", "make room"))
    monkeypatch.setattr(queues, "run_job", done)
    work, owner = EvaluationQueue(), Owner("a worker")
    async with opened(tmp_path) as book, asyncio.timeout(PATIENCE_SECONDS):
        await queued(book)
        assert not await work.one(book, owner)
        assert (await job_of(book)).status == "running"
        monkeypatch.setattr(leases, "STALE_SECONDS", -1.0)
        if cancelled:  # it ends without being taken up
            await book.store.write(queue.cancel, "1")
        assert await work.one(book, owner) is not cancelled
        assert (await job_of(book)).status == ("cancelled" if cancelled else "done")


async def test_an_end_that_can_never_be_written_fails_the_job(tmp_path: Path, monkeypatch):
    unwritten(monkeypatch, TypeError("the inner life of a report"))
    monkeypatch.setattr(queues, "run_job", done)
    async with opened(tmp_path) as book:
        await queued(book)
        assert await EvaluationQueue().one(book, Owner("a worker"))
        job = await job_of(book)
    assert (job.status, job.report) == ("failed", None)
    assert job.error is not None
    assert "inner life" not in json.dumps(job.error)


def take_from_whoever_has_it(conn: Connection, owner: Owner) -> queue.Claim | None:
    conn.exec_driver_sql("UPDATE tasks SET heartbeat = 0")  # and no sign of life comes in between
    return queue.claim(conn, queue.EVALUATIONS, owner)


async def test_a_job_that_another_has_taken_is_stopped_and_nothing_more_is_written(
    tmp_path: Path, held
):
    held.released.set()
    other = Owner("another", "elsewhere", 7)
    async with opened(tmp_path) as book, asyncio.timeout(PATIENCE_SECONDS):
        await queued(book)
        work = EvaluationQueue()
        one = asyncio.create_task(work.one(book, Owner("a worker")))
        await held.begun.wait()
        taken = await book.store.write(take_from_whoever_has_it, other)
        before = await job_of(book)
        assert await one
        assert await job_of(book) == before
        assert taken is not None
        assert await book.store.write(queue.heartbeat, taken, other)
