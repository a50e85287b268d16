"""Fixtures: a server with Ada by the offline backend, and one whose model is at an endpoint."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import httpx
import pytest

from tests.loopback.server import LoopbackServer
from tests.server.served import Served, settings_in, with_ada
from tests.waiting import PATIENCE_SECONDS


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
def endpoint() -> Iterator[LoopbackServer]:
    """The endpoint of the model."""
    with LoopbackServer() as server:
        yield server


@pytest.fixture
def server(tmp_path, endpoint: LoopbackServer) -> Iterator[Served]:
    """A server with a home of the test's own, whose model is at the endpoint."""
    settings = settings_in(
        tmp_path,
        chat__model="loopback",
        chat__base_url=endpoint.base_url,
        extract__model="offline",
        server__ping_seconds=0.05,
        memory__grace_seconds=0,
        limits__retries=0,
    )
    asyncio.run(with_ada(settings_in(tmp_path)))
    with Served(settings) as running:
        yield running
