"""Connections to an endpoint: where they go, what is sent, and what becomes of them."""

from __future__ import annotations

import asyncio
import gzip
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing, asynccontextmanager, suppress
from typing import Any

import pytest
from openai import APIConnectionError

from offbook.errors import ConfigurationError, ModelError
from offbook.models import openai_compatible
from offbook.models.clients import WITHOUT_OWNER, Clients
from offbook.models.failures import PassingError
from offbook.models.openai_compatible import OpenAICompatible
from offbook.types import ChatRequest, Message
from tests.waiting import PATIENCE_SECONDS

HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
END = b"0\r\n\r\n"
_STREAMS = 12
ASKED = ChatRequest((Message("user", "Who are you?"),), {}, cacheable=False)

Answering = Callable[[asyncio.StreamWriter], Awaitable[object]]


@pytest.fixture
def unhurried(monkeypatch):
    """The end of a stream is waited for, whatever else the machine does."""
    monkeypatch.setattr(openai_compatible, "_REST_SECONDS", PATIENCE_SECONDS)


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
        await WITHOUT_OWNER.close()
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
    await WITHOUT_OWNER.close()


async def test_an_address_that_is_none_is_unreachable():
    with pytest.raises(PassingError, match="cannot reach"):
        await told(OpenAICompatible("gopher://127.0.0.1/v1", "m"))
    await WITHOUT_OWNER.close()


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
        await WITHOUT_OWNER.close()
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
    kind = "content-type: application/json\r\ncontent-encoding: gzip"
    head = f"HTTP/1.1 200 OK\r\n{kind}\r\ncontent-length: {len(body)}\r\n\r\n"
    async with endpoint(lambda writer: _write(writer, head.encode() + body)) as there:
        assert (await there.model().complete(ASKED)).text == "Ada"


async def test_an_endpoint_that_does_not_stream_answers_whole():
    body = json.dumps({"choices": [{"message": {"content": "Ada"}, "finish_reason": "stop"}]})
    head = f"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\n"
    async with endpoint(lambda writer: _write(writer, f"{head}\r\n{body}".encode())) as there:
        assert [piece async for piece in there.model().stream(ASKED)] == ["Ada"]


async def test_a_redirect_is_not_followed():
    head = b"HTTP/1.1 307 Go\r\nlocation: http://127.0.0.1:9/v1\r\ncontent-length: 0\r\n\r\n"
    async with endpoint(lambda writer: _write(writer, head)) as there:
        with pytest.raises(ModelError, match="307"):
            await told(there.model())
        assert len(there.heads) == 1


async def test_a_request_to_another_address_is_stopped(loopback):
    client = WITHOUT_OWNER.of(loopback.base_url, "sk-key")
    elsewhere = client.with_options(base_url="http://127.0.0.1:9/v1")
    # Older versions of the SDK wrap what a hook raises.
    with pytest.raises((ConfigurationError, APIConnectionError)) as caught:
        await elsewhere.models.list()
    assert "does not go to" in f"{caught.value} {caught.value.__cause__}"
    assert loopback.count() == 0


async def test_events_are_read_however_their_bytes_arrive():
    stream = ": ping\r\n\r\nevent: x\nid: 7\n" + "".join(
        f"data:{json.dumps({'choices': [{'delta': {'content': text}}]}, ensure_ascii=False)}\n\n"
        for text in ("Ä", "d\u2028", "a")
    )
    stop = 'data: {"choices": [{"finish_reason": "stop"}]}'  # the last event may lack its end

    async def answer(writer: asyncio.StreamWriter) -> None:
        head = b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n"
        for byte in head + (stream + stop).encode():
            writer.write(bytes([byte]))
            await writer.drain()
            await asyncio.sleep(0)
        writer.close()

    async with endpoint(answer) as there:
        assert await told(there.model()) == "Äd\u2028a"


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

        for _ in range(_STREAMS):
            group.create_task(one())
        for _ in range(_STREAMS):
            await begun.acquire()
        assert there.connections == _STREAMS
        go.set()


@pytest.mark.usefixtures("unhurried")
async def test_closing_the_clients_of_one_owner_closes_their_connections_alone():
    async with endpoint(lambda writer: _write(writer, HEAD + WHOLE + END)) as there:
        mine, others = Clients(), Clients()
        for clients in (mine, others):
            model = OpenAICompatible(there.base_url, "m", "sk-key", clients=clients)
            assert await told(model) == "Ada"
        first = mine.of(there.base_url, "sk-key")
        await mine.close()
        await asyncio.wait_for(there.gone.wait(), 60)
        assert first.is_closed()
        assert mine.of(there.base_url, "sk-key") is not first
        assert await told(model) == "Ada"
        assert there.connections == 2
        await mine.close()
        await others.close()


async def _write(writer: asyncio.StreamWriter, data: bytes) -> None:
    writer.write(data)
    await writer.drain()
