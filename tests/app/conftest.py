"""Fixtures of the front door's tests."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from offbook.app import Offbook
from tests.app.homes import opened, text
from tests.cli.texts import ADA


@pytest.fixture
async def book(tmp_path: Path) -> AsyncIterator[Offbook]:
    """An open home with Ada."""
    async with await opened(tmp_path) as found:
        await found.create("Ada Byrne")
        await found.ingest_texts("ada-byrne", [text("ada.md", ADA)])
        yield found
