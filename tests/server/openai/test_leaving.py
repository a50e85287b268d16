"""Clients that leave: the model's call ends, and nothing of the turn is stored."""

from __future__ import annotations

import asyncio
import json

import httpx
import pytest

from tests.loopback.server import LoopbackServer
from tests.server.openai.asking import ask, body, stored
from tests.server.served import Served
from tests.waiting import PATIENCE_SECONDS, eventually

CHAT = "/v1/chat/completions"


async def connected(server: Served, **more) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """A connection on which a request was sent."""
    port = int(server.root.rpartition(":")[2])
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    content = json.dumps(body(**more)).encode()
    head = (
        f"POST {CHAT} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(content)}\r\n\r\n"
    )
    writer.write(head.encode() + content)
    await writer.drain()
    return reader, writer


async def leave(writer: asyncio.StreamWriter) -> None:
    writer.transport.abort()
    await asyncio.sleep(0)


@pytest.mark.parametrize("stream", [True, False], ids=["stream", "whole"])
async def test_who_leaves_before_the_first_token_ends_the_call(server, endpoint, stream):
    endpoint.always("hang")
    _, writer = await connected(server, stream=stream)
    await eventually(lambda: endpoint.in_flight == 1)
    await leave(writer)
    await eventually(lambda: endpoint.in_flight == 0)
    assert await asyncio.to_thread(stored, server) == []


async def test_who_leaves_in_the_middle_ends_the_call(server, endpoint: LoopbackServer):
    endpoint.hold(pieces=1)
    reader, writer = await connected(server, stream=True)
    await reader.readuntil(b"I hear")
    await leave(writer)
    await eventually(lambda: endpoint.in_flight == 0)
    assert await asyncio.to_thread(stored, server) == []


async def test_who_leaves_among_several_replies_ends_all_calls(server, endpoint: LoopbackServer):
    endpoint.hold(pieces=1)
    reader, writer = await connected(server, stream=True, n=3)
    await reader.readuntil(b"I hear")
    await leave(writer)
    await eventually(lambda: endpoint.in_flight == 0)
    assert await asyncio.to_thread(stored, server) == []


async def test_who_leaves_during_retrieval_ends_it(
    pinging: Served, endpoint: LoopbackServer, monkeypatch
):
    from offbook.methods.naive import Naive

    entered, ended = asyncio.Event(), asyncio.Event()
    loop = asyncio.get_running_loop()

    async def slow(self, knowledge, question):
        loop.call_soon_threadsafe(entered.set)
        try:
            await asyncio.Event().wait()
        finally:
            loop.call_soon_threadsafe(ended.set)

    monkeypatch.setattr(Naive, "recall", slow)
    reader, writer = await connected(pinging, stream=True)
    async with asyncio.timeout(PATIENCE_SECONDS):
        await entered.wait()
        await reader.readuntil(b": ping\n\n")
        await leave(writer)
        await ended.wait()
    assert endpoint.count() == 0
    assert await asyncio.to_thread(stored, pinging) == []


async def test_one_failing_reply_of_several_ends_the_others(server, endpoint: LoopbackServer):
    endpoint.script("error_in_stream")
    endpoint.hold(1, path="/chat/completions")
    async with httpx.AsyncClient(base_url=server.root, timeout=PATIENCE_SECONDS) as client:
        response = await client.post(CHAT, json=body(stream=True, n=2))
    assert '"error"' in response.text
    assert response.text.endswith("data: [DONE]\n\n")
    await eventually(lambda: endpoint.in_flight == 0)
    assert await asyncio.to_thread(stored, server) == []


async def test_half_a_body_does_no_harm(server: Served):
    port = int(server.root.rpartition(":")[2])
    _, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(
        f"POST {CHAT} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        'Content-Length: 500\r\n\r\n{"model":'.encode()
    )
    await writer.drain()
    await leave(writer)
    assert (await asyncio.to_thread(ask, server))["choices"]


async def test_the_server_answers_others_while_one_waits(server, endpoint: LoopbackServer):
    endpoint.script("hang")
    _, writer = await connected(server, stream=True)
    await eventually(lambda: endpoint.in_flight == 1)
    found = await asyncio.to_thread(ask, server, "Are you well, and is the lamp lit?")
    assert found["choices"][0]["message"]["content"]
    await leave(writer)
    await eventually(lambda: endpoint.in_flight == 0)
