"""Visitors of pages, and a home with Ada."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from offbook.app import Offbook
from offbook.server.authentication import Pace
from offbook.server.dependencies import OWNER, Caller
from offbook.ui.visitor import Visitor
from tests.app.homes import home_with, text
from tests.cli.texts import ADA

MakeVisitor = Callable[..., Visitor]


@pytest.fixture
def visitor() -> MakeVisitor:
    """Makes a visitor: ``visitor(book, caller, pace, background)``."""

    def make(
        book: Any, caller: Caller = OWNER, pace: Pace | None = None, background: Any = None
    ) -> Visitor:
        async def recognize() -> Caller:
            return caller

        return Visitor(book, caller, recognize, pace or Pace(lambda: 0.0), background)

    return make


@pytest.fixture
async def book(tmp_path: Path) -> AsyncIterator[Offbook]:
    """An open home with Ada, and one document that was read."""
    async with home_with(tmp_path, "Ada Byrne", text("ada.md", ADA)) as made:
        yield made
