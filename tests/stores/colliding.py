"""A store whose transactions collide with another's, as those of PostgreSQL may.

Takes: a store.  Gives: the same, except that each write is undone once and then run again.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from offbook.protocols import Store


class Colliding:
    """Runs every operation of a write twice; what the first did is not stored.

    Args:
        store: Where the second goes.
    """

    def __init__(self, store: Store) -> None:
        self.read = store.read
        self._store = store

    async def write(self, operation: Any) -> Any:
        def undone(conn: Any) -> None:
            operation(conn)
            raise ZeroDivisionError

        with suppress(ZeroDivisionError):
            await self._store.write(undone)
        return await self._store.write(operation)
