"""The fixtures ``loopback``, a server of the test's own, and ``nobody``, an address without one."""

from __future__ import annotations

import socket
from collections.abc import AsyncIterator, Iterator

import pytest

from tests.loopback.server import LoopbackServer


@pytest.fixture
async def loopback() -> AsyncIterator[LoopbackServer]:
    """A running loopback server; connections to it are closed after the test."""
    from offbook.models.clients import WITHOUT_OWNER

    with LoopbackServer() as server:
        yield server
        await WITHOUT_OWNER.close()


@pytest.fixture
def nobody() -> Iterator[str]:
    """A base URL at which nobody answers: the port is taken, so that no other process gets it."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{taken.getsockname()[1]}/v1"
