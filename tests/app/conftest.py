"""Fixtures of the front door's tests."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from offbook.app import Offbook
from tests.app.graph_book import GraphBook
from tests.app.homes import home_with, text
from tests.cli.texts import ADA


@pytest.fixture
async def book(tmp_path: Path) -> AsyncIterator[Offbook]:
    """An open home with Ada."""
    async with home_with(tmp_path, "Ada Byrne", text("ada.md", ADA)) as found:
        yield found


@pytest.fixture
async def keeper(tmp_path: Path) -> AsyncIterator[GraphBook]:
    """An open home with a character whose graph is built."""
    found = await GraphBook.made(tmp_path)
    async with found.book:
        found.forget_calls()
        yield found


@pytest.fixture
async def pairs(tmp_path: Path) -> AsyncIterator[GraphBook]:
    """The same, where names are compared two by two and every description is merged."""
    one_by_one: dict[str, Any] = {"graph__who_is_who": False, "graph__join_words": 0}
    found = await GraphBook.made(tmp_path, **one_by_one)
    async with found.book:
        found.forget_calls()
        yield found
