"""Connections that say too much, do not listen, or are too many; as raw sockets."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
import uuid
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, contextmanager, suppress

import pytest
from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket

from offbook.server.limits import ConnectionLimits, limited
from tests.server.live import live
from tests.waiting import PATIENCE_SECONDS, until

MOST = 4
LIMITS = ConnectionLimits(4 * PATIENCE_SECONDS, stall_seconds=0.3)
PIECE = b"x" * 65_536
HELLO = b"GET / HTTP/1.1\r\nhost: localhost\r\n\r\n"
UPGRADE = (
    b"GET %b HTTP/1.1\r\nhost: localhost\r\nconnection: Upgrade\r\n"
    b"upgrade: websocket\r\nsec-websocket-version: 13\r\n"
    b"sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
)
_ended: dict[str, threading.Event] = {}
"""Number of an endless answer -> it has ended."""


def _numbered() -> tuple[str, threading.Event]:
    """The number of an endless answer that is to be asked for, and what tells that it has ended."""
    number, ended = uuid.uuid4().hex, threading.Event()
    _ended[number] = ended
    return number, ended


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


async def _heard(request: Request) -> Response:
    """What the head said, as it is told when the body is there."""
    await request.body()
    return PlainTextResponse(" ".join(request.headers))


async def _kept(socket: WebSocket) -> None:
    await socket.accept()
    await socket.receive()


@pytest.fixture(scope="module")
def address() -> Iterator[tuple[str, int]]:
    """Of a server with these limits."""
    with _serving(limited(LIMITS)) as found:
        yield found


@contextmanager
def _serving(protocol: type[asyncio.Protocol]) -> Iterator[tuple[str, int]]:
    routes = [
        Route("/", _hello),
        Route("/endless", _endless),
        Route("/heard", _heard, methods=["POST"]),
        WebSocketRoute("/kept", _kept),
    ]
    app = FastAPI(routes=routes)
    with live(
        app,
        http=protocol,
        ws="wsproto",
        timeout_graceful_shutdown=1,
        h11_max_incomplete_event_size=20_000,
    ) as url:
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


CHUNKED = (
    b"POST /heard HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n"
)


def test_what_follows_a_body_is_not_taken_for_the_head_that_was_checked(address):
    with _connected(address) as sock:
        sock.sendall(CHUNKED + b"0\r\nx-api-key: smuggled\r\nhost: elsewhere\r\n\r\n")
        came = b""
        while b"transfer-encoding" not in came and (part := sock.recv(65_536)):
            came += part
    assert came.startswith(b"HTTP/1.1 200")
    assert came.endswith(b"host transfer-encoding")


@pytest.mark.parametrize("around", [b"0\r\n", b"2;"], ids=["trailers", "words of a chunk"])
def test_what_comes_beside_a_body_is_no_way_to_send_without_end(address, around):
    with _connected(address) as sock:
        sock.sendall(CHUNKED + around)
        sent, piece = 0, (b"x:y\r\n" if around == b"0\r\n" else b"word=") * 2_000
        with suppress(ConnectionError):
            while sent < 50_000_000:
                sock.sendall(piece)
                sent += len(piece)
        assert sent < 50_000_000


def test_a_client_that_takes_nothing_is_left(address):
    number, ended = _numbered()
    with _opened(address, f"/endless?{number}"):
        assert ended.wait(PATIENCE_SECONDS)


@pytest.fixture(scope="module")
def patient() -> Iterator[tuple[str, int]]:
    """Of a server with few places, which closes nothing by itself while a test lasts."""
    limits = ConnectionLimits(4 * PATIENCE_SECONDS, stall_seconds=4 * PATIENCE_SECONDS, most=MOST)
    with _serving(limited(limits)) as found:
        yield found


def _connected(address: tuple[str, int]) -> socket.socket:
    return socket.create_connection(address, timeout=PATIENCE_SECONDS)


def _answer(sock: socket.socket, ends: bytes = b"hello") -> bytes:
    """The answer to what was asked, up to its end, or to that of the connection."""
    came = b""
    with suppress(ConnectionError):
        while not came.endswith(ends) and (part := sock.recv(200)):
            came += part
    return came


def _placed(
    address: tuple[str, int], asked: bytes = HELLO, told: int = 200, ends: bytes = b"hello"
) -> socket.socket:
    """A connection that has a place; others leave theirs a moment after they were closed."""
    found: list[socket.socket] = []

    def has_a_place() -> bool:
        sock = _connected(address)
        with suppress(ConnectionError):  # turned away before it had asked
            sock.sendall(asked)
        if not _answer(sock, ends).startswith(b"HTTP/1.1 %d" % told):
            sock.close()
            return False
        found.append(sock)
        return True

    until(has_a_place, "a place")
    return found[0]


@contextmanager
def _crowd(address: tuple[str, int]) -> Iterator[list[socket.socket]]:
    """As many connections as the server takes."""
    with ExitStack() as stack:
        yield [stack.enter_context(_placed(address)) for _ in range(MOST)]


@contextmanager
def _too_many(address: tuple[str, int]) -> Iterator[list[socket.socket]]:
    """As many without a place as wait for their first request; all of them are there."""
    with ExitStack() as stack:
        late = [stack.enter_context(_connected(address)) for _ in range(MOST)]
        with _connected(address) as one_more:  # it has asked nothing: those do not pile up
            assert _all_of(one_more).startswith(b"HTTP/1.1 503")
        yield late


def test_whoever_comes_into_a_crowd_is_told_so_in_the_envelope(patient):
    with _crowd(patient), _connected(patient) as sock:
        sock.sendall(b"GET /v1/models HTTP/1.1\r\nhost: localhost\r\n\r\n")
        head, _, body = _all_of(sock).partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 503")
    assert b"retry-after: 1" in head
    assert b"connection: close" in head
    assert b"x-request-id: req_" in head
    error = json.loads(body)["error"]
    assert (error["type"], error["code"]) == ("server_error", "overloaded")


def test_whoever_has_a_place_is_served_and_keeps_it_while_others_are_turned_away(patient):
    with _crowd(patient) as crowd, _too_many(patient) as late:
        for sock in crowd:
            sock.sendall(HELLO)
            assert _answer(sock).startswith(b"HTTP/1.1 200")
        crowd[0].close()
        with _placed(patient):  # a place that is free again is for whoever comes then
            late[0].sendall(HELLO)
            assert _all_of(late[0]).startswith(b"HTTP/1.1 503")


def test_a_connection_that_says_nothing_takes_a_place(patient):
    with _crowd(patient) as crowd, ExitStack() as stack:
        crowd.pop().close()

        def is_full() -> bool:
            stack.enter_context(_connected(patient))
            with _connected(patient) as sock:
                sock.sendall(HELLO)
                return _answer(sock).startswith(b"HTTP/1.1 503")

        until(is_full, "a silent one in the place that became free")


def test_a_web_socket_is_turned_away_as_well(patient):
    with _crowd(patient), _connected(patient) as sock:
        sock.sendall(UPGRADE % b"/kept")
        assert _all_of(sock).startswith(b"HTTP/1.1 503")


def test_a_web_socket_holds_its_place(patient):
    with _crowd(patient) as crowd:
        crowd.pop().close()
        upgrade = UPGRADE % b"/kept"
        with _placed(patient, upgrade, 101, b"\r\n\r\n"), _connected(patient) as late:
            late.sendall(HELLO)
            assert _answer(late).startswith(b"HTTP/1.1 503")


def test_a_web_socket_is_not_closed_because_no_head_comes_any_more():
    waits: list[asyncio.TimerHandle] = []

    class Noted(limited(LIMITS)):  # type: ignore[misc]
        def connection_made(self, transport: asyncio.Transport) -> None:
            super().connection_made(transport)
            waits.append(self._head)

    with _serving(Noted) as address, _connected(address) as sock:
        until(lambda: waits, "the connection")
        assert not waits[0].cancelled()
        sock.sendall(UPGRADE % b"/kept")
        assert _answer(sock, b"\r\n\r\n").startswith(b"HTTP/1.1 101")
        assert waits[0].cancelled()
