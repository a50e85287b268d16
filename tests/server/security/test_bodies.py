"""Bodies that are too large, too slow, or end in the middle; heads that do not come."""

from __future__ import annotations

import asyncio
import base64
import gc
import json
import socket
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi.exceptions import RequestValidationError
from hypothesis import given
from hypothesis import strategies as st
from starlette.exceptions import HTTPException

from offbook.errors import OffbookError
from offbook.server import limits
from offbook.server.app import create_app
from offbook.server.limits import MOST_VALUES, ConnectionLimits, count_values, limited
from tests.server.inside import client_of, opened
from tests.server.live import live
from tests.server.served import settings_in
from tests.waiting import PATIENCE_SECONDS, eventually, until

CREATE = "/api/characters"
HEAD_SECONDS = 1.0
REFUSALS = (RequestValidationError, HTTPException, OffbookError, json.JSONDecodeError)


async def test_a_body_of_a_declared_size_is_refused_before_it_comes(tmp_path: Path):
    async with opened(tmp_path, server__max_body_bytes=1000) as book, client_of(book) as client:
        refused = await client.post(CREATE, json={"name": "x" * 2000})
        assert refused.status_code == 413
        assert refused.json()["error"]["kind"] == "too_large"
        assert (await client.post(CREATE, json={"name": "Eve"})).status_code == 201


async def test_a_body_without_a_size_is_counted(tmp_path: Path):
    async def pieces():
        yield b'{"name": "'
        for _ in range(30):
            yield b"x" * 100
        yield b'"}'

    headers = {"content-type": "application/json"}
    async with opened(tmp_path, server__max_body_bytes=1000) as book, client_of(book) as client:
        refused = await client.post(CREATE, content=pieces(), headers=headers)
        assert refused.status_code == 413
        assert (await client.get(CREATE)).json() == []


@pytest.mark.parametrize(
    "body",
    [
        b"[" + b"{}," * 300_000,
        b'{"name": "Eve", "z": [' + b"[[[[]]]]," * 60_000,
        b'{"name": "\\\\", "z": ["' + b'\\"","' * 300_000,
        b'{"name": "Eve"' + b', "k": 1' * 300_000,
        ("[" + "{}," * 300_000).encode("utf-16"),
    ],
    ids=["objects", "nested", "texts", "names", "utf-16"],
)
async def test_a_body_of_very_many_values_is_refused_before_it_is_read(tmp_path: Path, body: bytes):
    whole = b"{}" + b" " * len(body)
    headers = {"content-type": "application/json"}
    read: list[bytes] = []

    async def pieces(body: bytes):
        for start in range(0, len(body), 65_521):
            read.append(body[start : start + 65_521])
            yield read[-1]

    async with opened(tmp_path) as book, client_of(book) as client:
        refused = await client.post(CREATE, content=pieces(body), headers=headers)
        assert refused.status_code == 413
        assert refused.json()["error"]["kind"] == "too_large"
        assert f"{MOST_VALUES} values" in refused.json()["error"]["message"]
        read.clear()
        # What is no value is not counted for one: it is read, and says what is missing.
        assert (
            await client.post(CREATE, content=pieces(whole), headers=headers)
        ).status_code == 400
        assert sum(map(len, read)) == len(whole)


@given(
    st.recursive(
        st.none()
        | st.booleans()
        | st.floats(allow_nan=False)
        | st.text(',[{"\\:a\u00e9\n', max_size=9),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(',[{"\\', max_size=4), inner),
    ),
    st.booleans(),
    st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-32-le"]),
)
def test_no_value_stays_uncounted_and_signs_in_texts_are_none(value, ascii_only, encoding):
    body = json.dumps(value, ensure_ascii=ascii_only).encode(encoding)
    assert count_values(body) >= _values(value)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(limits, "MOST_VALUES", _values(value) - 1)
        assert limits.count_values(body) > limits.MOST_VALUES
        patched.setattr(limits, "MOST_VALUES", _values(value) + _empty(value))
        if encoding == "utf-8":  # an opening bracket may have nothing behind it
            assert limits.count_values(body) <= limits.MOST_VALUES


def _values(value: Any) -> int:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return 1 + sum(map(_values, inner))


def _empty(value: Any) -> int:
    if not isinstance(value, dict | list):
        return 0
    inner = value.values() if isinstance(value, dict) else value
    return int(not value) + sum(map(_empty, inner))


@pytest.mark.parametrize("size", ["-1", "1e3", "x", "99999999999999999999"])
async def test_a_size_that_is_none_is_refused(tmp_path: Path, size: str):
    async with opened(tmp_path) as book, client_of(book) as client:
        headers = {"content-type": "application/json", "content-length": size}
        answer = await client.post(CREATE, content=b"{}", headers=headers)
        assert answer.status_code == 413


async def test_a_body_that_does_not_come_is_given_up(tmp_path: Path):
    async def pieces():
        yield b'{"name":'
        await asyncio.Event().wait()

    headers = {"content-type": "application/json"}
    async with opened(tmp_path, server__body_seconds=0.1) as book, client_of(book) as client:
        async with asyncio.timeout(PATIENCE_SECONDS):
            refused = await client.post(CREATE, content=pieces(), headers=headers)
        assert refused.status_code == 408


def _closed_after(began: float, sock: socket.socket, sent: bytes) -> float:
    """Seconds until the server closes a connection that sends this and nothing more."""
    with suppress(ConnectionError):  # it did so before all was sent
        sock.sendall(sent)
        while sock.recv(4096):
            pass
    return time.monotonic() - began


def test_connections_whose_head_does_not_come_are_closed_and_others_are_not(tmp_path: Path):
    app = create_app(settings_in(tmp_path))
    protocol: Any = limited(ConnectionLimits(4 * PATIENCE_SECONDS))
    with live(app, http=protocol, ws="none") as url, ExitStack() as stack:
        host, port = url.removeprefix("http://").split(":")
        other, served = (HTTPConnection(host, int(port), timeout=PATIENCE_SECONDS) for _ in "12")
        for connection in (other, served):
            stack.callback(connection.close)
            assert _health(connection) == 200
        # From here on nothing has to be quick.
        protocol.limits = ConnectionLimits(HEAD_SECONDS)
        began = time.monotonic()
        silent, slow = (
            stack.enter_context(socket.create_connection((host, int(port)), PATIENCE_SECONDS))
            for _ in "12"
        )
        # The second head of a connection is awaited as the first is.
        sent = [(silent, b""), (slow, b"GET /healthz HT"), (served.sock, b"GET /hea")]
        with ThreadPoolExecutor(len(sent)) as pool:
            after = list(pool.map(lambda one: _closed_after(began, *one), sent))
        assert min(after) > 0.9 * HEAD_SECONDS
        # It does not open another connection by itself: that would be an error here.
        other.auto_open = 0
        assert _health(other) == 200


def _health(connection: HTTPConnection) -> int:
    connection.request("GET", "/healthz")
    answer = connection.getresponse()
    answer.read()
    return answer.status


def test_a_client_that_leaves_in_the_middle_of_a_body_leaves_nothing(tmp_path: Path, caplog):
    caplog.set_level("INFO", logger="offbook")
    paths = ("/api/characters", "/v1/chat/completions")

    def counted() -> list[str]:
        lines = client.get("/metrics").text.splitlines()
        asked = [line for line in lines if line.startswith("offbook_requests_total")]
        return [line for line in asked if any(f'route="{path}"' in line for path in paths)]

    app = create_app(settings_in(tmp_path))
    with (
        live(app, ws="none") as url,
        httpx.Client(base_url=url, timeout=PATIENCE_SECONDS) as client,
    ):
        host, port = url.removeprefix("http://").split(":")
        for path in paths:
            head = f"POST {path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json"
            with socket.create_connection((host, int(port))) as sock:
                sock.sendall(f'{head}\r\ncontent-length: 40\r\n\r\n{{"name": "Ev'.encode())
        until(lambda: len(counted()) == len(paths), "the end of both requests")
        # It is nobody's mistake: neither of ours nor of what was sent.
        assert all('status="499"' in line for line in counted())
        assert not [record for record in caplog.records if record.levelname != "INFO"]
        assert client.get("/api/characters").json() == []


NULS = base64.b64encode(bytes(1_000)).decode()


def errors_held() -> list[BaseException]:
    """The errors about bodies that are in memory; no object is asked what it says it is."""
    return [each for each in gc.get_objects() if issubclass(type(each), REFUSALS)]


@pytest.mark.parametrize(
    ("path", "body"),
    [
        (CREATE, b"no JSON"),
        (CREATE, b"\xff"),
        (CREATE, b'{"name": 1}'),
        (f"{CREATE}/eve/estimate", b'{"documents": [{"name": "x", "content_base64": "%b"}]}'),
    ],
)
async def test_a_body_that_was_refused_is_let_go_at_once(tmp_path: Path, path: str, body: bytes):
    headers = {"content-type": "application/json"}
    content = body.replace(b"%b", NULS.encode())
    async with opened(tmp_path) as book, client_of(book) as client:
        await book.create("Eve")
        assert (await client.post(path, content=content, headers=headers)).status_code == 400
        gc.collect()
        others = {id(each) for each in errors_held()}  # somebody else's, who still holds them
        gc.disable()  # without the collector, which may not come by for minutes
        try:
            await client.post(path, content=content, headers=headers)
            # A thread that it was read in lets it go as soon as it looks for other work.
            await eventually(lambda: not _bodies_held(others), "the end of the body")
        finally:
            gc.enable()


def _bodies_held(others: set[int]) -> bool:
    """Whether an error has a traceback: with that it holds the frames, and they the body."""
    found = (each for each in errors_held() if id(each) not in others)
    return any(each.__traceback__ is not None for each in found)
