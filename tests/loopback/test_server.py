"""The loopback server does what tests rely on."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest

from tests.loopback import LoopbackServer, minimal_instance
from tests.loopback.answers import PLAIN_TEXT
from tests.waiting import PATIENCE_SECONDS

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
