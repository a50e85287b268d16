"""A server that is told to stop: what can still end does, and everybody else is told."""

from __future__ import annotations

import asyncio
import json
import signal
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from offbook.app import Offbook
from offbook.server import serving, stopping
from offbook.server.stopping import LastWord, Stopping
from offbook.stores import conversations, queue
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
            conversations.list_all, MODEL
        )
        return found


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


CHAT = "/v1/chat/completions"
NATIVE = {"question": "Who taught you to trim the lamp?", "session": "evening"}


async def until_line(lines: AsyncIterator[str], text: str) -> None:
    async for line in lines:
        if text in line:
            return
    raise AssertionError(f"{text!r} never came")


@asynccontextmanager
async def begun(
    client: httpx.AsyncClient, path: str = CHAT, asked: Any = None, word: str = "I hear"
) -> AsyncIterator[list[str]]:
    """A stream whose first words have come; what still comes, to a proper end, is in the list."""
    rest: list[str] = []
    asked = asked or body(stream=True)
    method = "GET" if path.endswith("/events") else "POST"
    told: Any = {} if method == "GET" else {"json": asked}
    async with client.stream(method, path, **told) as answer:
        lines = answer.aiter_lines()
        await until_line(lines, word)
        yield rest
        rest += [line async for line in lines if line]


async def test_a_stream_that_takes_too_long_ends_with_an_error_and_nothing_is_stored(
    tmp_path, endpoint, monkeypatch
):
    endpoint.hold_reply()
    async with running(tmp_path, endpoint, monkeypatch, AT_ONCE) as (server, client):
        async with begun(client) as rest, begun(client, f"{ONE}/chat", NATIVE) as native:
            server.signal()
        error = chunks(rest)[-1]["error"]
        assert (error["type"], error["code"]) == ("server_error", "stopping")
        assert rest[-1] == "data: [DONE]"
        assert native[-2] == "event: error"
        error = json.loads(native[-1].removeprefix("data: "))["error"]
        assert (error["kind"], error["message"]) == ("stopping", "the server stops")
        await eventually(lambda: endpoint.in_flight == 0)
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
    endpoint.hold_reply()
    async with running(tmp_path, endpoint, monkeypatch, NEVER) as (server, client):
        async with begun(client) as rest:
            server.signal()
            await nobody_else_is_let_in(str(client.base_url))
            endpoint.release()
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
    endpoint.hold_reply()
    async with running(tmp_path, endpoint, monkeypatch, NEVER) as (server, client):
        async with begun(client) as rest:
            server.signal()
            server.signal(second)
        assert chunks(rest)[-1]["error"]["code"] == "stopping"
        assert await server.over() == "at once"
        assert await server.stored() == []


async def test_who_only_listens_keeps_nobody_waiting(tmp_path, endpoint, monkeypatch):
    async def none(*_: object) -> bool:
        return False

    # Before the server begins: a look that is under way could still find what is queued here.
    monkeypatch.setattr("offbook.server.job_handlers.IngestionQueue.one", none)
    async with running(tmp_path, endpoint, monkeypatch, NEVER) as (server, client):
        await server.book.store.write(queue.add, "i1", "ingestion", {}, character=MODEL)
        async with begun(client, f"{ONE}/ingestions/i1/events", word='"queued"') as rest:
            server.signal()
        assert rest[0] == "event: error"
        assert "the work goes on" in rest[1]
        assert await server.over() == "tidily"


async def test_work_behind_requests_is_left_while_what_is_under_way_still_goes_on(
    tmp_path, endpoint, monkeypatch
):
    taken, left = threading.Event(), threading.Event()

    async def goes_on(*_: object) -> bool:
        taken.set()
        try:
            await asyncio.Event().wait()
        finally:
            left.set()
        return True

    monkeypatch.setattr("offbook.server.job_handlers.IngestionQueue.one", goes_on)
    endpoint.hold_reply()
    async with running(tmp_path, endpoint, monkeypatch, NEVER) as (server, client):
        await eventually(taken.is_set)
        async with begun(client) as rest:
            server.signal()
            await eventually(left.is_set)
            endpoint.release()
        assert rest[-1] == "data: [DONE]"
        assert await server.over() == "tidily"


SCOPE: Any = {"type": "http", "path": "/v1/chat/completions", "headers": []}


async def _receive() -> dict[str, Any]:
    return {"type": "http.request", "body": b"", "more_body": False}


class Endless:
    """An application whose answer begins and does not end."""

    def __init__(self, media: bytes = b"text/event-stream", *bodies: dict[str, Any]) -> None:
        head = {"status": 200, "headers": [(b"content-type", media)]}
        self.messages = [{"type": "http.response.start", **head}, *bodies]
        self.began = asyncio.Event()

    async def __call__(self, scope, receive, send) -> None:
        for message in self.messages:
            await send(message)
        self.began.set()
        await asyncio.Event().wait()


async def test_a_client_that_reads_nothing_is_not_waited_for(monkeypatch):
    monkeypatch.setattr(stopping, "FAREWELL_SECONDS", 0.01)
    app, told = Endless(), Stopping()

    async def send(message: Any) -> None:
        if message["type"] == "http.response.body":
            await asyncio.Event().wait()

    answering = asyncio.create_task(LastWord(app, told)(SCOPE, _receive, send))
    async with asyncio.timeout(PATIENCE_SECONDS):
        await app.began.wait()
        told.abort()
        await told.ended()
        await answering


async def test_the_last_word_is_said_once_and_is_not_cut_off_by_being_hurried():
    app, told = Endless(), Stopping()
    sent: list[bytes] = []
    telling, go_on = asyncio.Event(), asyncio.Event()

    async def send(message: Any) -> None:
        if message["type"] == "http.response.body":
            telling.set()
            await go_on.wait()
            sent.append(message["body"])

    answering = asyncio.create_task(LastWord(app, told)(SCOPE, _receive, send))
    async with asyncio.timeout(PATIENCE_SECONDS):
        await app.began.wait()
        told.abort()
        await telling.wait()
        told.abort()  # a second signal
        go_on.set()
        await answering
    assert [body.endswith(b"data: [DONE]\n\n") for body in sent] == [True]


@pytest.mark.parametrize("more", [True, False])
async def test_half_a_file_does_not_pass_for_the_whole(more: bool):
    half = {"type": "http.response.body", "body": b"PK", "more_body": more}
    app, told = Endless(b"application/zip", half), Stopping()
    sent: list[dict[str, Any]] = []

    async def send(message: Any) -> None:
        sent.append(message)

    answering = asyncio.create_task(LastWord(app, told)(SCOPE, _receive, send))
    async with asyncio.timeout(PATIENCE_SECONDS):
        await app.began.wait()
        told.abort()
        await answering
        assert [message.get("body") for message in sent] == [None, b"PK"]
        # Who comes now is refused, and nothing is begun for them.
        app.began.clear()
        await LastWord(app, told)(SCOPE, _receive, send)
    assert sent[-2]["status"] == 503
    assert not app.began.is_set()


async def test_whoever_else_cancels_a_request_is_obeyed():
    app = Endless()
    app.messages.clear()

    async def send(message: Any) -> None:
        raise AssertionError("there is nobody to tell")

    answering = asyncio.create_task(LastWord(app, Stopping())(SCOPE, _receive, send))
    await app.began.wait()
    answering.cancel()
    with pytest.raises(asyncio.CancelledError):
        await answering
