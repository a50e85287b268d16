"""Connections that say too much, do not listen, or are too many; by both of uvicorn's parsers."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
import uuid
from collections import defaultdict
from collections.abc import AsyncIterator, Iterator

import pytest
from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from offbook.server.security.connections import ConnectionLimits, limited
from tests.server.live import live
from tests.waiting import PATIENCE_SECONDS, until

MOST = 4
HEAD_SECONDS = 2.0
LIMITS = ConnectionLimits(HEAD_SECONDS, stall_seconds=0.3, most=MOST, head_bytes=20_000)
PIECE = b"x" * 65_536
_ended: dict[str, threading.Event] = defaultdict(threading.Event)
"""Number of an endless answer -> it has ended."""


async def _hello(request: Request) -> Response:
    return PlainTextResponse("hello")


async def _endless(request: Request) -> Response:
    async def pieces() -> AsyncIterator[bytes]:
        try:
            while True:
                yield PIECE
                await asyncio.sleep(0)
        finally:
            _ended[request.url.query].set()

    return StreamingResponse(pieces())


async def _socket(socket: WebSocket) -> None:
    await socket.accept()
    await asyncio.sleep(1.5 * HEAD_SECONDS)
    await socket.send_text("still here")
    await socket.close()


@pytest.fixture(scope="module", params=[HttpToolsProtocol, H11Protocol])
def address(request: pytest.FixtureRequest) -> Iterator[tuple[str, int]]:
    """Of a server with these limits."""
    routes = [Route("/", _hello), Route("/endless", _endless), WebSocketRoute("/socket", _socket)]
    app = FastAPI(routes=routes)
    protocol = limited(LIMITS, request.param)
    with live(app, http=protocol, ws="wsproto", timeout_graceful_shutdown=1) as url:
        host, port = url.removeprefix("http://").split(":")
        yield host, int(port)


def _opened(address: tuple[str, int], path: str = "/") -> socket.socket:
    """A connection on which the first part of an answer has come."""
    sock = socket.create_connection(address, timeout=PATIENCE_SECONDS)
    sock.sendall(f"GET {path} HTTP/1.1\r\nhost: localhost\r\n\r\n".encode())
    assert sock.recv(200).startswith(b"HTTP/1.1 200")
    return sock


def _all_of(sock: socket.socket) -> bytes:
    """The head of what comes until the server closes the connection."""
    came = b""
    try:
        while part := sock.recv(65_536):
            came = (came + part)[:10_000]
    except ConnectionError:  # what it had not read was dropped: the answer may be as well
        pass
    return came


def test_a_head_of_any_size_is_refused_while_it_comes(address):
    with socket.create_connection(address, timeout=PATIENCE_SECONDS) as sock:
        sock.sendall(b"GET / HTTP/1.1\r\nhost: localhost\r\nx-long: ")
        sent = 0
        try:
            while sent < 50_000_000:
                sock.sendall(b"a" * 10_000)
                sent += 10_000
        except ConnectionError:
            pass
        assert sent < 50_000_000
    with socket.create_connection(address, timeout=PATIENCE_SECONDS) as sock:
        sock.sendall(b"GET / HTTP/1.1\r\nhost: localhost\r\nx-long: " + b"a" * 100_000)
        assert _all_of(sock).startswith((b"HTTP/1.1 431", b"HTTP/1.1 400"))


@pytest.mark.parametrize("address", [HttpToolsProtocol], indirect=True)  # h11 reads no further
def test_a_head_behind_an_answer_that_is_on_its_way_is_counted(address):
    number = uuid.uuid4().hex
    with _opened(address, f"/endless?{number}") as sock:
        sock.sendall(b"GET / HTTP/1.1\r\nx-long: ")
        threading.Thread(target=_flood, args=(sock,), daemon=True).start()
        _all_of(sock)
        assert _ended[number].wait(PATIENCE_SECONDS)


def _flood(sock: socket.socket) -> None:
    try:
        while True:
            sock.sendall(b"a" * 10_000)
    except OSError:
        pass


def test_a_client_that_takes_nothing_is_left(address):
    number = uuid.uuid4().hex
    with _opened(address, f"/endless?{number}"):
        assert _ended[number].wait(PATIENCE_SECONDS)


def test_whoever_comes_into_a_crowd_is_told_so_in_the_envelope(address):
    crowd = [_opened(address) for _ in range(MOST)]
    try:
        with socket.create_connection(address, timeout=PATIENCE_SECONDS) as sock:
            sock.sendall(b"GET /v1/models HTTP/1.1\r\nhost: localhost\r\n\r\n")
            head, _, body = _all_of(sock).partition(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 503")
        assert b"retry-after: 1" in head
        assert b"x-request-id: req_" in head
        error = json.loads(body)["error"]
        assert (error["type"], error["code"]) == ("server_error", "overloaded")
    finally:
        for sock in crowd:
            sock.close()

    def is_empty() -> bool:
        with socket.create_connection(address, timeout=PATIENCE_SECONDS) as sock:
            sock.sendall(b"GET / HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")
            return _all_of(sock).startswith(b"HTTP/1.1 200")

    until(is_empty, "room")


def test_a_web_socket_stays_open_although_no_head_comes_any_more(address):
    with socket.create_connection(address, timeout=PATIENCE_SECONDS) as sock:
        sock.sendall(
            b"GET /socket HTTP/1.1\r\nhost: localhost\r\nconnection: Upgrade\r\n"
            b"upgrade: websocket\r\nsec-websocket-version: 13\r\n"
            b"sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
        )
        assert b"still here" in _all_of(sock)
