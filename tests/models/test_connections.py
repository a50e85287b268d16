"""Both kinds of connections keep the same promises: aiohttp's, and the SDK's own client's."""

from __future__ import annotations

import asyncio
import gzip
import json
import ssl
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing, asynccontextmanager, suppress
from typing import Any

import pytest

from offbook.errors import ModelError
from offbook.models import clients, connections, openai_compatible
from offbook.models.aiohttp_connections import AiohttpConnections
from offbook.models.clients import client_for, close_clients
from offbook.models.connections import IN_A_POOL, SpreadConnections
from offbook.models.failures import PassingError
from offbook.models.openai_compatible import OpenAICompatible
from offbook.types import Message
from offbook.wire import ChatRequest
from tests.waiting import PATIENCE_SECONDS

HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
END = b"0\r\n\r\n"
ASKED = ChatRequest((Message("user", "Who are you?"),), {}, cacheable=False)

Answering = Callable[[asyncio.StreamWriter], Awaitable[object]]


@pytest.fixture(params=["aiohttp", "httpx"], autouse=True)
def kind(request, monkeypatch):
    """Whether aiohttp is installed."""
    if request.param == "httpx":
        monkeypatch.setitem(sys.modules, "offbook.models.aiohttp_connections", None)
    return request.param


@pytest.fixture
def unhurried(monkeypatch):
    """No connection is given up for the time that it takes."""
    monkeypatch.setattr(openai_compatible, "_REST_SECONDS", PATIENCE_SECONDS)
    monkeypatch.setattr(connections, "KEPT_SECONDS", PATIENCE_SECONDS)


class Endpoint:
    """An endpoint that writes by hand what it answers, and knows its connections."""

    def __init__(self, answer: Answering) -> None:
        self._answer = answer
        self.base_url = ""
        self.connections = 0
        self.heads: list[str] = []
        self.gone = asyncio.Event()
        self.serving: set[asyncio.Task[Any] | None] = set()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        self.serving.add(asyncio.current_task())
        try:
            with suppress(ConnectionError, asyncio.IncompleteReadError):
                while True:
                    head = (await reader.readuntil(b"\r\n\r\n")).decode()
                    self.heads.append(head)
                    length = head.lower().partition("content-length:")[2].split("\r\n")[0]
                    await reader.readexactly(int(length))
                    await self._answer(writer)
        finally:
            writer.close()
        with suppress(ConnectionError):
            await writer.wait_closed()
        self.gone.set()

    def model(self, seconds: float = PATIENCE_SECONDS) -> OpenAICompatible:
        return OpenAICompatible(self.base_url, "m", "sk-key", timeout_seconds=seconds)


@asynccontextmanager
async def endpoint(answer: Answering) -> AsyncIterator[Endpoint]:
    made = Endpoint(answer)
    server = await asyncio.start_server(made.serve, "127.0.0.1", 0)
    made.base_url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
    try:
        yield made
    finally:
        await close_clients()
        server.close()
        await asyncio.wait_for(asyncio.gather(*made.serving), 60)  # type: ignore[arg-type]


def event(delta: dict[str, str], reason: str | None = None) -> bytes:
    data = {"choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}
    return chunk(f"data: {json.dumps(data)}\n\n".encode())


def chunk(data: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(data), data)


WHOLE = event({"content": "Ada"}) + event({}, "stop") + chunk(b"data: [DONE]\n\n")


async def told(model: OpenAICompatible) -> str:
    async with aclosing(model.stream(ASKED)) as pieces:
        return "".join([piece async for piece in pieces])


def test_the_quicker_ones_are_taken_where_they_are_installed(kind):
    import openai

    made = connections.connections_for(openai.DefaultAsyncHttpxClient)
    expected = AiohttpConnections if kind == "aiohttp" else SpreadConnections
    assert isinstance(made, expected)


def test_certificates_are_read_where_an_endpoint_is_asked_by_https_and_only_there(
    kind, monkeypatch
):
    import openai

    read: list[bool] = []
    client = openai.DefaultAsyncHttpxClient
    library = next(
        base.__module__.partition(".")[0]
        for base in client.__mro__
        if base.__name__ == "AsyncClient"
    )

    def context(**_: object) -> ssl.SSLContext:
        read.append(True)
        return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)

    monkeypatch.setattr(f"{library}.create_ssl_context", context)
    connections.connections_for(client, encrypted=False)
    assert read == []
    connections.connections_for(client)
    assert read == [True]


@pytest.mark.parametrize(
    ("address", "encrypted"), [("http://127.0.0.1:1/v1", False), ("https://api.example/v1", True)]
)
async def test_an_address_says_whether_it_is_encrypted(address, encrypted, monkeypatch):
    asked: list[bool] = []
    made = connections.connections_for

    def noting(kind, *, encrypted):
        asked.append(encrypted)
        return made(kind, encrypted=encrypted)

    monkeypatch.setattr(clients, "connections_for", noting)
    clients.client_for(address, "k")
    await clients.close_clients()
    assert asked == [encrypted]


@pytest.mark.usefixtures("unhurried")
async def test_a_connection_is_used_again_when_a_stream_was_read():
    async def answer(writer: asyncio.StreamWriter) -> None:
        writer.write(HEAD + WHOLE)
        await writer.drain()
        await asyncio.sleep(0)  # the end comes apart from the last event, as with most servers
        writer.write(END)

    async with endpoint(answer) as there:
        model = there.model()
        assert [await told(model) for _ in range(3)] == ["Ada"] * 3
        assert there.connections == 1


async def test_an_endpoint_that_does_not_end_its_body_is_not_waited_for():
    async with endpoint(lambda writer: _write(writer, HEAD + WHOLE)) as there:
        assert await asyncio.wait_for(told(there.model(seconds=600)), 60) == "Ada"
        await asyncio.wait_for(there.gone.wait(), 60)


async def test_closing_a_stream_ends_its_connection():
    async with endpoint(lambda writer: _write(writer, HEAD + event({"content": "Ada"}))) as there:
        async with aclosing(there.model().stream(ASKED)) as pieces:
            assert await anext(pieces) == "Ada"
        await asyncio.wait_for(there.gone.wait(), 60)


async def test_a_stream_that_falls_silent_is_given_up():
    async with endpoint(lambda writer: _write(writer, HEAD + event({"content": "Ada"}))) as there:
        with pytest.raises(PassingError, match=r"did not answer within 0\.2 s"):
            await told(there.model(seconds=0.2))


@pytest.mark.parametrize(
    "sent", [b"", HEAD[:20], HEAD + event({"content": "Ada"}), b"no HTTP\r\n\r\n"]
)
async def test_a_connection_that_breaks_is_told_and_may_pass(sent):
    async def answer(writer: asyncio.StreamWriter) -> None:
        writer.write(sent)
        await writer.drain()
        writer.close()

    async with endpoint(answer) as there:
        with pytest.raises(PassingError, match=r"lost the connection|broke off") as caught:
            await told(there.model())
        assert not caught.value.unreachable
        assert "sk-key" not in str(caught.value)


async def test_an_endpoint_that_is_not_there_is_unreachable(nobody):
    with pytest.raises(PassingError, match="cannot reach") as caught:
        await told(OpenAICompatible(nobody, "m", "sk-key"))
    assert caught.value.unreachable
    await close_clients()


async def test_an_address_that_is_none_is_unreachable():
    with pytest.raises(PassingError, match="cannot reach"):
        await told(OpenAICompatible("gopher://127.0.0.1/v1", "m"))
    await close_clients()


async def test_a_certificate_that_nobody_vouches_for_is_no_certificate():
    # It speaks no TLS at all: what matters is that nothing is sent in the clear.
    heard: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        begun = await reader.read(1)
        writer.write(HEAD + WHOLE)
        rest = b""
        with suppress(ConnectionError):
            rest = await reader.read()
        writer.close()
        heard.set_result(begun + rest)

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        with pytest.raises(ModelError, match="cannot reach"):
            await told(OpenAICompatible(f"https://127.0.0.1:{port}/v1", "m", "sk-key"))
        await close_clients()
        said = await asyncio.wait_for(heard, PATIENCE_SECONDS)
    assert said
    assert b"sk-key" not in said


async def test_only_what_is_meant_is_sent(monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:1")

    async def answer(writer: asyncio.StreamWriter) -> None:
        writer.write(HEAD.replace(b"\r\n\r\n", b"\r\nset-cookie: a=b\r\n\r\n") + WHOLE + END)

    async with endpoint(answer) as there:
        model = there.model()
        await told(model)
        await told(model)
        names = [line.partition(":")[0].lower() for line in there.heads[1].split("\r\n")[1:]]
        assert sorted(filter(None, names)) == sorted(set(filter(None, names)))
        assert {*filter(None, names)} <= {
            "accept", "accept-encoding", "authorization", "connection", "content-length",
            "content-type", "host", "user-agent", "x-stainless-raw-response",
        }  # fmt: skip
        assert there.heads[1].startswith("POST /v1/chat/completions HTTP/1.1\r\n")


async def test_a_body_may_be_compressed():
    body = gzip.compress(json.dumps({"choices": [{"message": {"content": "Ada"}}]}).encode())
    head = f"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: {len(body)}\r\n\r\n"
    async with endpoint(lambda writer: _write(writer, head.encode() + body)) as there:
        assert (await there.model().complete(ASKED)).text == "Ada"


async def test_a_redirect_is_not_followed():
    head = b"HTTP/1.1 307 Go\r\nlocation: http://127.0.0.1:9/v1\r\ncontent-length: 0\r\n\r\n"
    async with endpoint(lambda writer: _write(writer, head)) as there:
        with pytest.raises(ModelError, match="307"):
            await told(there.model())
        assert len(there.heads) == 1


async def test_many_streams_at_once_each_have_their_own_connection():
    go = asyncio.Event()

    async def answer(writer: asyncio.StreamWriter) -> None:
        writer.write(HEAD + event({"content": "Ada"}))
        await go.wait()
        writer.write(event({}, "stop") + chunk(b"data: [DONE]\n\n") + END)

    async with endpoint(answer) as there, asyncio.TaskGroup() as group:
        model, begun = there.model(), asyncio.Semaphore(0)

        async def one() -> None:
            async with aclosing(model.stream(ASKED)) as pieces:
                async for _ in pieces:
                    begun.release()

        for _ in range(3 * IN_A_POOL):
            group.create_task(one())
        for _ in range(3 * IN_A_POOL):
            await begun.acquire()
        assert there.connections == 3 * IN_A_POOL
        go.set()


@pytest.mark.usefixtures("unhurried")
async def test_closing_the_clients_closes_their_connections():
    async with endpoint(lambda writer: _write(writer, HEAD + WHOLE + END)) as there:
        await told(there.model())
        assert not there.gone.is_set()
        await client_for(there.base_url, "sk-key").close()
        await asyncio.wait_for(there.gone.wait(), 60)


class _Pool:
    """A transport that answers everything, with bodies that are still open."""

    def __init__(self) -> None:
        self.taken = 0

    async def handle_async_request(self, request: Any) -> Any:
        if request == "bad":
            raise ConnectionError
        self.taken += 1
        return _Response()

    async def aclose(self) -> None:
        pass


class _Response:
    def __init__(self) -> None:
        self.stream = _Body()


class _Body:
    async def aclose(self) -> None:
        pass


async def test_a_response_takes_its_place_until_its_body_is_closed():
    pools: list[_Pool] = []

    def make() -> _Pool:
        pools.append(_Pool())
        return pools[-1]

    async with SpreadConnections(make) as spread:
        open_ = [await spread.handle_async_request("good") for _ in range(IN_A_POOL)]
        with pytest.raises(ConnectionError):
            await spread.handle_async_request("bad")
        await spread.handle_async_request("good")
        assert [pool.taken for pool in pools] == [IN_A_POOL, 1]
        for response in open_[:2]:
            await response.stream.aclose()
            await response.stream.aclose()  # a second time changes nothing
        for _ in range(3):
            await spread.handle_async_request("good")
        assert [pool.taken for pool in pools] == [IN_A_POOL + 2, 2]


async def _write(writer: asyncio.StreamWriter, data: bytes) -> None:
    writer.write(data)
    await writer.drain()
