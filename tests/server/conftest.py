"""Fixtures of several folders: an endpoint, and a home of the test's own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.loopback.server import LoopbackServer


@pytest.fixture
def endpoint() -> Iterator[LoopbackServer]:
    """The endpoint of the model."""
    with LoopbackServer() as server:
        yield server
