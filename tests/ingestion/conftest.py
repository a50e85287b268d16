"""Fixtures of the stages' tests: a character in an embedded store."""

from __future__ import annotations

import pytest

from offbook.protocols import Store
from offbook.stores import characters


@pytest.fixture
async def kept(sqlite_store: Store) -> Store:
    """A store with the character ``keeper``."""
    await sqlite_store.write(lambda conn: characters.create(conn, "Keeper"))
    return sqlite_store
