"""Look-ups that arrive together are made in one read.

Takes: keys, one by one.  Gives: what is stored under each. A transaction costs more than a row, and
calls that go out side by side are looked up all at once.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from offbook.protocols import Store

K = TypeVar("K")
V = TypeVar("V")


class GroupedReads(Generic[K, V]):
    """A look-up by key, grouped.

    Args:
        store: Where it is looked up.
        read: What is stored under some keys; one that is missing has nothing.
    """

    def __init__(
        self, store: Store, read: Callable[[Connection, Sequence[K]], Mapping[K, V]]
    ) -> None:
        self._store, self._read = store, read
        self._waiting: list[tuple[K, asyncio.Future[V | None]]] = []
        self._reading: asyncio.Task[None] | None = None

    async def get(self, key: K) -> V | None:
        """What is stored under ``key``, if anything.

        Raises:
            Exception: why nothing can be read.
        """
        found: asyncio.Future[V | None] = asyncio.get_running_loop().create_future()
        self._waiting.append((key, found))
        if self._reading is None:
            self._reading = asyncio.create_task(self._read_all())
        return await found

    async def _read_all(self) -> None:
        """Read until nobody waits."""
        try:
            while self._waiting:
                group, self._waiting = self._waiting, []
                await self._together(group)
        finally:
            self._reading = None

    async def _together(self, group: Sequence[tuple[K, asyncio.Future[V | None]]]) -> None:
        keys = list(dict.fromkeys(key for key, _ in group))
        try:
            stored = await self._store.read(lambda conn: self._read(conn, keys))
        except Exception as error:
            for _, found in group:
                if not found.done():
                    found.set_exception(error)
            return
        for key, found in group:
            if not found.done():
                found.set_result(stored.get(key))
