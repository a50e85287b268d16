"""Fixtures of the command line's tests: a folder of its own, no endpoint, a character."""

from __future__ import annotations

import pytest

from tests.cli.texts import ADA
from tests.end_to_end.conftest import clean_environment, offline
from tests.end_to_end.world import World

__all__ = ["ada", "clean_environment", "offline"]


@pytest.fixture
def ada(offline: World) -> World:
    """A world with Ada Byrne, who knows what `ada.md` says of her."""
    offline.done("create", "Ada Byrne")
    offline.done("ingest", "ada-byrne", offline.write("ada.md", ADA))
    return offline
