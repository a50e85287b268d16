"""Fixtures of the tests that run whole commands."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import pytest

from tests.end_to_end.world import World
from tests.loopback import LoopbackServer
from tests.waiting import until

TOLD = (
    "latency_seconds",
    "answer",
    "dimension",
    "refuses",
    "usage",
    "retry_after",
    "poison",
    "most_at_once",
)
"""What a test may have told the endpoint."""


@pytest.fixture(scope="module")
def module_server() -> Iterator[LoopbackServer]:
    """An endpoint that runs as long as a file's tests."""
    with LoopbackServer() as running:
        yield running


@pytest.fixture
def server(module_server: LoopbackServer) -> LoopbackServer:
    """A running endpoint that nobody has told or asked anything yet."""
    for part in fields(LoopbackServer):
        if part.name in TOLD:
            setattr(module_server, part.name, part.default)
    module_server.release()
    until(lambda: not module_server.in_flight, "the end of all requests of the test before")
    module_server.forget_script()
    module_server.clear()
    return module_server


@pytest.fixture
def clean_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a home and an empty user's configuration, and the method `naive`.

    Nothing else is set. `naive` builds chunks and asks for a reply, and that is all: what these
    tests are about is the same whatever the method, and those that are about one name it.
    """
    for name in list(os.environ):
        if name.startswith(("OFFBOOK_", "OPENAI_")) or name.lower().endswith("_proxy"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("OFFBOOK_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("OFFBOOK_CONFIG", str(tmp_path / "config.toml"))
    monkeypatch.setenv("OFFBOOK_METHOD", "naive")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def offline(clean_environment: Path) -> World:
    """A world without an endpoint."""
    return World(clean_environment)


@pytest.fixture
def world(clean_environment: Path, server: LoopbackServer) -> World:
    """A world whose chat model and embedder are at the endpoint."""
    return World(clean_environment, server)
