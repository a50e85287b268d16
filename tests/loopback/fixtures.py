"""The fixture ``loopback``: a server of the test's own."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tests.loopback.server import LoopbackServer


@pytest.fixture
async def loopback() -> AsyncIterator[LoopbackServer]:
    """A running loopback server; connections to it are closed after the test."""
    from offbook.models.clients import close_clients

    with LoopbackServer() as server:
        yield server
        await close_clients()
