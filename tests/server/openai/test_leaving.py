"""Clients that leave: the model's call ends, and nothing of the turn is stored."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import httpx
import pytest

from tests.loopback.server import LoopbackServer
from tests.server.openai.asking import body, stored
from tests.server.served import MODEL, Served
from tests.waiting import PATIENCE_SECONDS, eventually

CHAT = "/v1/chat/completions"


ONE = f"/api/characters/{MODEL}"
QUESTION = {"question": "Who taught you to trim the lamp?", "session": "evening"}


async def connected(
    server: Served, path: str = CHAT, asked: Any = None, **more: Any
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """A connection on which a request was sent."""
    port = int(server.root.rpartition(":")[2])
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    content = json.dumps(asked or body(**more)).encode()
    head = (
        f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(content)}\r\n\r\n"
    )
    writer.write(head.encode() + content)
    await writer.drain()
    return reader, writer


async def leave(writer: asyncio.StreamWriter) -> None:
    writer.transport.abort()
    await asyncio.sleep(0)


@pytest.mark.parametrize(
    ("path", "asked"),
    [
        (CHAT, body(stream=True)),
        (CHAT, body(stream=False)),
        (f"{ONE}/ask", QUESTION),
        (f"{ONE}/chat", QUESTION),
    ],
)
async def test_who_leaves_before_the_first_token_ends_the_call(server, endpoint, path, asked):
    endpoint.always("hang")
    _, writer = await connected(server, path, asked)
    await eventually(lambda: endpoint.in_flight == 1)
    await leave(writer)
    await eventually(lambda: endpoint.in_flight == 0)
    assert await asyncio.to_thread(stored, server) == []
    async with httpx.AsyncClient(base_url=server.root, timeout=PATIENCE_SECONDS) as client:
        counted = (await client.get("/metrics")).text
    assert 'offbook_model_calls_total{prompt="reply"} 1.0' in counted


@pytest.mark.parametrize("n", [1, 3])
async def test_who_leaves_in_the_middle_ends_all_calls(server, endpoint: LoopbackServer, n: int):
    endpoint.hold_reply()
    reader, writer = await connected(server, stream=True, n=n)
    await reader.readuntil(b"I hear")
    await leave(writer)
    await eventually(lambda: endpoint.in_flight == 0)
    assert await asyncio.to_thread(stored, server) == []


@pytest.mark.parametrize("path", [CHAT, f"{ONE}/recall", f"{ONE}/ask", f"{ONE}/chat"])
async def test_who_leaves_during_retrieval_ends_it(
    pinging: Served, endpoint: LoopbackServer, monkeypatch, path: str
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
    asked = body(stream=True) if path == CHAT else QUESTION
    reader, writer = await connected(pinging, path, asked)
    async with asyncio.timeout(PATIENCE_SECONDS):
        await entered.wait()
        if path == CHAT:
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
