"""Fixtures: a server with Ada by the offline backend, and one whose model is at an endpoint."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from tests.loopback.server import LoopbackServer
from tests.server.served import Served, settings_in, with_ada
from tests.waiting import PATIENCE_SECONDS

LONGEST_BETWEEN_PINGS = 60.0


@pytest.fixture(scope="module")
def offline(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server whose replies come from the offline backend; nothing of it is changed."""
    settings = settings_in(tmp_path_factory.mktemp("offline"))
    asyncio.run(with_ada(settings))
    with Served(settings) as server:
        yield server


@pytest.fixture(scope="module")
def client(offline: Served) -> Iterator[httpx.Client]:
    """A plain HTTP client of that server."""
    with httpx.Client(base_url=offline.root, timeout=PATIENCE_SECONDS) as made:
        yield made


@pytest.fixture
def server(tmp_path, endpoint: LoopbackServer) -> Iterator[Served]:
    """A server with a home of the test's own, whose model is at the endpoint.

    It sends no pings: they open a stream, and a failure after that has no status of its own.
    """
    with _served(tmp_path, endpoint, LONGEST_BETWEEN_PINGS) as running:
        yield running


@pytest.fixture
def pinging(tmp_path, endpoint: LoopbackServer) -> Iterator[Served]:
    """The same, with a ping every moment."""
    with _served(tmp_path, endpoint, 0.05) as running:
        yield running


@contextmanager
def _served(folder: Path, endpoint: LoopbackServer, ping_seconds: float) -> Iterator[Served]:
    settings = settings_in(
        folder,
        chat__model="loopback",
        chat__base_url=endpoint.base_url,
        extract__model="offline",
        server__ping_seconds=ping_seconds,
        memory__grace_seconds=0,
        limits__retries=0,
    )
    asyncio.run(with_ada(settings_in(folder)))
    with Served(settings) as running:
        yield running
