"""Clients that leave the native API: what was begun for them ends, and nothing is stored."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator

import httpx
import pytest

from tests.loopback.server import LoopbackServer
from tests.server.openai.asking import stored
from tests.server.served import Served, settings_in, with_ada
from tests.waiting import PATIENCE_SECONDS, eventually

ONE = "/api/characters/ada-byrne"
TOM = "Who taught you to trim the lamp?"


@pytest.fixture
def endpoint() -> Iterator[LoopbackServer]:
    """The endpoint of the model."""
    with LoopbackServer() as server:
        yield server


@pytest.fixture
def server(tmp_path, endpoint: LoopbackServer) -> Iterator[Served]:
    """A server with Ada, whose replies come from the endpoint."""
    settings = settings_in(
        tmp_path,
        chat__model="loopback",
        chat__base_url=endpoint.base_url,
        extract__model="offline",
        memory__grace_seconds=0,
        limits__retries=0,
    )
    asyncio.run(with_ada(settings_in(tmp_path)))
    with Served(settings) as running:
        yield running


async def connected(server: Served, path: str) -> asyncio.StreamWriter:
    """A connection on which a question was sent."""
    port = int(server.root.rpartition(":")[2])
    _, writer = await asyncio.open_connection("127.0.0.1", port)
    content = json.dumps({"question": TOM, "session": "evening"}).encode()
    head = (
        f"POST {ONE}/{path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(content)}\r\n\r\n"
    )
    writer.write(head.encode() + content)
    await writer.drain()
    return writer


@pytest.mark.parametrize("path", ["ask", "chat"])
async def test_who_leaves_ends_the_call_of_the_model(server, endpoint: LoopbackServer, path: str):
    endpoint.always("hang")
    writer = await connected(server, path)
    await eventually(lambda: endpoint.in_flight == 1)
    writer.transport.abort()
    await eventually(lambda: endpoint.in_flight == 0)
    assert await asyncio.to_thread(stored, server) == []
    async with httpx.AsyncClient(base_url=server.root, timeout=PATIENCE_SECONDS) as client:
        counted = (await client.get("/metrics")).text
    assert 'offbook_model_calls_total{prompt="reply"} 1.0' in counted


@pytest.mark.parametrize("path", ["recall", "ask", "chat"])
async def test_who_leaves_ends_the_retrieval(server, endpoint, monkeypatch, path: str):
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
    writer = await connected(server, path)
    async with asyncio.timeout(PATIENCE_SECONDS):
        await entered.wait()
        writer.transport.abort()
        await ended.wait()
    assert endpoint.count() == 0
    assert await asyncio.to_thread(stored, server) == []


async def test_who_stays_is_answered_and_kept(server: Served):
    body = {"question": TOM, "session": "evening"}
    async with httpx.AsyncClient(base_url=server.root, timeout=PATIENCE_SECONDS) as client:
        replied = await client.post(f"{ONE}/ask", json=body)
    assert replied.status_code == 200, replied.text
    assert await asyncio.to_thread(stored, server) == [[(TOM, replied.json()["reply"])]]
