"""The loopback server does what tests rely on."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest

from tests.loopback import LoopbackServer, minimal_instance
from tests.loopback.answers import PLAIN_TEXT
from tests.loopback.faults import FAULTS
from tests.waiting import PATIENCE_SECONDS, until

ROOT = Path(__file__).resolve().parents[2]
SCHEMA = {
    "type": "object",
    "$defs": {"Part": {"type": "object", "properties": {"kind": {"enum": ["a", "b"]}}}},
    "properties": {
        "name": {"type": "string"},
        "count": {"type": "integer", "minimum": 3},
        "maybe": {"anyOf": [{"type": "null"}, {"type": "string"}]},
        "parts": {"type": "array", "minItems": 2, "items": {"$ref": "#/$defs/Part"}},
    },
}


ALL_THERE_IS = {
    "temperature": 1,
    "max_tokens": 1,
    "response_format": {"type": "json_object"},
    "encoding_format": "float",
}


def send(server: LoopbackServer, path: str, body: dict[str, Any]) -> tuple[int, Any, Any]:
    """Status, headers and body of the response."""
    connection = HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE_SECONDS)
    try:
        text = json.dumps({"model": "m", **body})
        connection.request("POST", f"/v1{path}", text, {"content-type": "application/json"})
        response = connection.getresponse()
        return response.status, response.headers, json.loads(response.read())
    finally:
        connection.close()


def chat(server: LoopbackServer, body: Mapping[str, Any] | None = None) -> tuple[int, Any, Any]:
    messages = [{"role": "user", "content": "Say something."}]
    return send(server, "/chat/completions", {"messages": messages, **(body or {})})


def content(server: LoopbackServer, body: dict[str, Any] | None = None) -> str:
    return str(chat(server, body)[2]["choices"][0]["message"]["content"])


@pytest.fixture
def server():
    with LoopbackServer() as running:
        yield running


def test_answers_the_least_that_fits_the_schema(server):
    form = {"type": "json_schema", "json_schema": {"name": "x", "schema": SCHEMA}}
    assert json.loads(content(server, {"response_format": form})) == {
        "name": "word",
        "count": 3,
        "maybe": None,
        "parts": [{"kind": "a"}, {"kind": "a"}],
    }
    assert minimal_instance({"const": 4}) == 4


def test_meets_its_script_one_request_each_and_then_is_well(server):
    server.script("500", "ok", "429")
    server.retry_after = "7"
    assert chat(server)[0] == 500
    assert chat(server)[0] == 200
    status, headers, _ = chat(server)
    assert (status, headers["retry-after"]) == (429, "7")
    assert chat(server)[0] == 200
    assert server.count() == 4


def test_an_unknown_fault_is_a_mistake_of_the_test(server):
    assert "think_only" in FAULTS
    with pytest.raises(ValueError, match="no_such"):
        server.script("no_such")


def test_counts_requests_and_how_many_were_there_at_once(server):
    server.gather(5)
    with ThreadPoolExecutor(5) as pool:
        list(pool.map(lambda _: chat(server), range(5)))
    assert server.count("/chat/completions") == 5
    assert server.peak_in_flight == 5
    chat(server)
    server.clear()
    assert (server.count(), server.peak_in_flight) == (0, 0)


def test_what_is_held_back_goes_out_when_it_is_let_go(server):
    server.hold(1, path="/chat/completions")
    with ThreadPoolExecutor(3) as pool:
        first = [pool.submit(chat, server) for _ in range(2)]
        send(server, "/embeddings", {"input": ["a"]})
        until(lambda: server.count() == 3 and server.answered == 2)
        assert server.in_flight == 1
        server.release()
        assert [job.result()[0] for job in first] == [200, 200]
    assert chat(server)[0] == 200


def test_a_stream_is_held_back_after_its_first_pieces(server):
    server.hold(pieces=2)
    assert chat(server)[0] == 200, "what is no stream is not held"
    connection = HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE_SECONDS)
    body = {"model": "m", "stream": True, "messages": [{"role": "user", "content": "Speak."}]}
    connection.request("POST", "/v1/chat/completions", json.dumps(body))
    response = connection.getresponse()
    told = b""
    while PLAIN_TEXT[7:14].encode() not in told:
        told += response.read1()
    assert server.in_flight == 1
    assert PLAIN_TEXT[14:21].encode() not in told
    server.release()
    assert response.read().rstrip().endswith(b"[DONE]")
    connection.close()


@pytest.mark.long
def test_runs_as_a_process_of_its_own():
    command = [sys.executable, "-m", "tests.loopback.server", "--latency-ms", "1"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as process:
        try:
            assert process.stdout is not None
            word, port = process.stdout.readline().split()
            assert word == "READY"
            assert content(LoopbackServer(port=int(port))) == PLAIN_TEXT
        finally:
            process.kill()
