"""A server that is told to stop: what can still end does, and everybody else is told."""

from __future__ import annotations

import asyncio
import json
import signal
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from offbook.app import Offbook
from offbook.server import serving, stopping
from offbook.server.stopping import BreaksOff, Stopping
from offbook.stores import conversations, ingestions
from tests.loopback.server import LoopbackServer
from tests.server.openai.asking import body, chunks
from tests.server.served import MODEL, settings_in, with_ada
from tests.waiting import PATIENCE_SECONDS, eventually

ONE = f"/api/characters/{MODEL}"
AT_ONCE, NEVER = 0.01, 4 * PATIENCE_SECONDS
"""How long what is under way may still take."""


class Running:
    """A server as ``offbook serve`` runs it, in the test's own loop; signals go into it."""

    def __init__(self, book: Offbook) -> None:
        self.book = book
        self.ended = ""
        self._server: list[serving._Server] = []
        self._task: asyncio.Task[None] | None = None

    async def start(self, monkeypatch: pytest.MonkeyPatch) -> httpx.AsyncClient:
        made, address = self._server, asyncio.get_running_loop().create_future()

        class Kept(serving._Server):
            def __init__(self, *given: Any) -> None:
                super().__init__(*given)
                made.append(self)

        monkeypatch.setattr(serving, "_Server", Kept)
        monkeypatch.setattr(serving, "start_logging", lambda *_: None)
        self._task = asyncio.create_task(self._serve(address.set_result))
        async with asyncio.timeout(PATIENCE_SECONDS):
            return httpx.AsyncClient(base_url=await address, timeout=PATIENCE_SECONDS)

    async def _serve(self, listening: Any) -> None:
        try:
            await serving.serve(self.book, listening)
            self.ended = "tidily"
        except KeyboardInterrupt:
            self.ended = "at once"

    def signal(self, number: int = signal.SIGTERM) -> None:
        self._server[0].handle_exit(number, None)

    async def over(self) -> str:
        assert self._task is not None
        async with asyncio.timeout(PATIENCE_SECONDS):
            await self._task
        return self.ended

    async def stored(self) -> list[conversations.Conversation]:
        found: list[conversations.Conversation] = await self.book.store.read(
            lambda conn: conversations.list_all(conn, MODEL)
        )
        return found


@pytest.fixture
def endpoint() -> Iterator[LoopbackServer]:
    """The endpoint of the model."""
    with LoopbackServer() as server:
        yield server


@asynccontextmanager
async def running(
    folder: Path, endpoint: LoopbackServer, monkeypatch: pytest.MonkeyPatch, grace: float
) -> AsyncIterator[tuple[Running, httpx.AsyncClient]]:
    """A server with Ada, whose replies come from the endpoint; nobody is left untold for haste."""
    monkeypatch.setattr(serving, "GRACE_SECONDS", grace)
    for module in (serving, stopping):
        monkeypatch.setattr(module, "FAREWELL_SECONDS", PATIENCE_SECONDS)
    await with_ada(settings_in(folder))
    flags = {
        "chat__model": "loopback",
        "chat__base_url": endpoint.base_url,
        "extract__model": "offline",
        "memory__grace_seconds": 0,
        "limits__retries": 0,
        "server__port": 0,
    }
    async with await Offbook.open(settings_in(folder, **flags)) as book:
        server = Running(book)
        async with await server.start(monkeypatch) as client:
            try:
                yield server, client
            finally:
                for _ in range(2):
                    server.signal()
                await server.over()


async def rest_of(lines: AsyncIterator[str]) -> list[str]:
    """What still comes; the end of the answer has to be a proper one."""
    return [line async for line in lines if line]


async def until_line(lines: AsyncIterator[str], text: str) -> None:
    async for line in lines:
        if text in line:
            return
    raise AssertionError(f"{text!r} never came")


async def test_a_stream_that_takes_too_long_ends_with_an_error_and_nothing_is_stored(
    tmp_path, endpoint, monkeypatch
):
    endpoint.hold(pieces=1)
    async with running(tmp_path, endpoint, monkeypatch, AT_ONCE) as (server, client):
        asked: Any = {"json": body(stream=True)}
        async with client.stream("POST", "/v1/chat/completions", **asked) as answer:
            lines = answer.aiter_lines()
            await until_line(lines, "I hear")
            server.signal()
            rest = await rest_of(lines)
        error = chunks(rest)[-1]["error"]
        assert (error["type"], error["code"]) == ("server_error", "stopping")
        assert rest[-1] == "data: [DONE]"
        await eventually(lambda: endpoint.in_flight == 0)
        assert await server.over() == "tidily"
        assert await server.stored() == []


async def test_a_native_stream_that_takes_too_long_ends_with_an_error_event(
    tmp_path, endpoint, monkeypatch
):
    endpoint.hold(pieces=1)
    asked: Any = {"json": {"question": "Who taught you to trim the lamp?", "session": "evening"}}
    async with running(tmp_path, endpoint, monkeypatch, AT_ONCE) as (server, client):
        async with client.stream("POST", f"{ONE}/chat", **asked) as answer:
            lines = answer.aiter_lines()
            await until_line(lines, "I hear")
            server.signal()
            rest = await rest_of(lines)
        assert rest[-2] == "event: error"
        error = json.loads(rest[-1].removeprefix("data: "))["error"]
        assert (error["kind"], error["message"]) == ("stopping", "the server stops")
        assert await server.over() == "tidily"
        assert await server.stored() == []


@pytest.mark.parametrize(
    ("path", "asked"),
    [
        ("/v1/chat/completions", body()),
        (f"{ONE}/ask", {"question": "Are you well?", "session": "evening"}),
    ],
)
async def test_an_answer_that_has_not_begun_is_refused_for_now(
    tmp_path, endpoint, monkeypatch, path: str, asked: dict[str, Any]
):
    endpoint.always("hang")
    async with running(tmp_path, endpoint, monkeypatch, AT_ONCE) as (server, client):
        asking = asyncio.create_task(client.post(path, json=asked))
        await eventually(lambda: endpoint.in_flight == 1)
        server.signal()
        answer = await asking
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "1")
        assert "the server stops" in answer.json()["error"]["message"]
        assert answer.headers["x-request-id"]
        assert await server.over() == "tidily"
        assert await server.stored() == []


async def test_what_ends_in_time_is_whole_and_stored(tmp_path, endpoint, monkeypatch):
    endpoint.hold(pieces=1)
    async with running(tmp_path, endpoint, monkeypatch, NEVER) as (server, client):
        asked: Any = {"json": body(stream=True)}
        async with client.stream("POST", "/v1/chat/completions", **asked) as answer:
            lines = answer.aiter_lines()
            await until_line(lines, "I hear")
            server.signal()
            await nobody_else_is_let_in(str(client.base_url))
            endpoint.release()
            rest = await rest_of(lines)
        assert chunks(rest)[-1]["choices"][0]["finish_reason"] == "stop"
        assert rest[-1] == "data: [DONE]"
        assert await server.over() == "tidily"
        assert len(await server.stored()) == 1


async def nobody_else_is_let_in(url: str) -> None:
    """Wait until the server listens no more."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        while True:
            async with httpx.AsyncClient(base_url=url, timeout=PATIENCE_SECONDS) as other:
                try:
                    await other.get("/healthz")
                except httpx.TransportError:
                    return


@pytest.mark.parametrize("second", [signal.SIGTERM, signal.SIGINT])
async def test_a_second_signal_ends_at_once_and_says_so_too(
    tmp_path, endpoint, monkeypatch, second: int
):
    endpoint.hold(pieces=1)
    async with running(tmp_path, endpoint, monkeypatch, NEVER) as (server, client):
        asked: Any = {"json": body(stream=True)}
        async with client.stream("POST", "/v1/chat/completions", **asked) as answer:
            lines = answer.aiter_lines()
            await until_line(lines, "I hear")
            server.signal()
            server.signal(second)
            rest = await rest_of(lines)
        assert chunks(rest)[-1]["error"]["code"] == "stopping"
        assert await server.over() == "at once"
        assert await server.stored() == []


async def test_who_only_listens_keeps_nobody_waiting(tmp_path, endpoint, monkeypatch):
    async def none(*_: object) -> bool:
        return False

    # Before the server begins: a look that is under way could still find what is queued here.
    monkeypatch.setattr("offbook.server.ingestions.queue.IngestionQueue.one", none)
    async with running(tmp_path, endpoint, monkeypatch, NEVER) as (server, client):
        await server.book.store.write(lambda c: ingestions.add(c, MODEL, "i1", {}))
        async with client.stream("GET", f"{ONE}/ingestions/i1/events") as answer:
            lines = answer.aiter_lines()
            await until_line(lines, '"queued"')
            server.signal()
            rest = await rest_of(lines)
        assert rest[0] == "event: error"
        assert "the work goes on" in rest[1]
        assert await server.over() == "tidily"


async def test_work_behind_requests_is_left_while_what_is_under_way_still_goes_on(
    tmp_path, endpoint, monkeypatch
):
    begun, left = threading.Event(), threading.Event()

    async def goes_on(*_: object) -> bool:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            left.set()
        return True

    monkeypatch.setattr("offbook.server.ingestions.queue.IngestionQueue.one", goes_on)
    endpoint.hold(pieces=1)
    async with running(tmp_path, endpoint, monkeypatch, NEVER) as (server, client):
        await eventually(begun.is_set)
        asked: Any = {"json": body(stream=True)}
        async with client.stream("POST", "/v1/chat/completions", **asked) as answer:
            lines = answer.aiter_lines()
            await until_line(lines, "I hear")
            server.signal()
            await eventually(left.is_set)
            endpoint.release()
            rest = await rest_of(lines)
        assert rest[-1] == "data: [DONE]"
        assert await server.over() == "tidily"


# -- the layer by itself -----------------------------------------------------------------------


SCOPE: Any = {"type": "http", "path": "/v1/chat/completions", "headers": []}


async def _receive() -> dict[str, Any]:
    return {"type": "http.request", "body": b"", "more_body": False}


async def test_a_client_that_reads_nothing_is_not_waited_for(monkeypatch):
    monkeypatch.setattr(stopping, "FAREWELL_SECONDS", 0.01)
    began = asyncio.Event()

    async def app(scope, receive, send):
        head = [(b"content-type", b"text/event-stream")]
        await send({"type": "http.response.start", "status": 200, "headers": head})
        began.set()
        await asyncio.Event().wait()

    async def send(message: Any) -> None:
        if message["type"] == "http.response.body":
            await asyncio.Event().wait()

    told = Stopping()
    answering = asyncio.create_task(BreaksOff(app, told)(SCOPE, _receive, send))
    async with asyncio.timeout(PATIENCE_SECONDS):
        await began.wait()
        told.break_off()
        await told.ended()
        await answering


async def test_the_last_word_is_said_once_and_is_not_cut_off_by_being_hurried():
    sent: list[bytes] = []
    began, telling, go_on = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def app(scope, receive, send):
        head = [(b"content-type", b"text/event-stream")]
        await send({"type": "http.response.start", "status": 200, "headers": head})
        began.set()
        await asyncio.Event().wait()

    async def send(message: Any) -> None:
        if message["type"] == "http.response.body":
            telling.set()
            await go_on.wait()
            sent.append(message["body"])

    told = Stopping()
    answering = asyncio.create_task(BreaksOff(app, told)(SCOPE, _receive, send))
    async with asyncio.timeout(PATIENCE_SECONDS):
        await began.wait()
        told.break_off()
        await telling.wait()
        told.break_off()  # a second signal
        go_on.set()
        await answering
    assert [body.endswith(b"data: [DONE]\n\n") for body in sent] == [True]


@pytest.mark.parametrize("more", [True, False])
async def test_half_a_file_does_not_pass_for_the_whole(more: bool):
    sent: list[dict[str, Any]] = []
    began = asyncio.Event()

    async def app(scope, receive, send):
        head = [(b"content-type", b"application/zip")]
        await send({"type": "http.response.start", "status": 200, "headers": head})
        await send({"type": "http.response.body", "body": b"PK", "more_body": more})
        began.set()
        await asyncio.Event().wait()

    async def send(message: Any) -> None:
        sent.append(message)

    told = Stopping()
    answering = asyncio.create_task(BreaksOff(app, told)(SCOPE, _receive, send))
    async with asyncio.timeout(PATIENCE_SECONDS):
        await began.wait()
        told.break_off()
        await answering
    assert [message.get("body") for message in sent] == [None, b"PK"]


async def test_who_comes_when_it_is_over_is_refused():
    sent: list[dict[str, Any]] = []

    async def app(scope, receive, send):
        raise AssertionError("nothing is begun any more")

    async def send(message: Any) -> None:
        sent.append(message)

    told = Stopping()
    told.break_off()
    await BreaksOff(app, told)(SCOPE, _receive, send)
    assert sent[0]["status"] == 503


async def test_whoever_else_cancels_a_request_is_obeyed():
    began = asyncio.Event()

    async def app(scope, receive, send):
        began.set()
        await asyncio.Event().wait()

    async def send(message: Any) -> None:
        raise AssertionError("there is nobody to tell")

    answering = asyncio.create_task(BreaksOff(app, Stopping())(SCOPE, _receive, send))
    await began.wait()
    answering.cancel()
    with pytest.raises(asyncio.CancelledError):
        await answering
