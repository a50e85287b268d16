"""Writes that arrive while another one is being made go into one transaction together.

Takes: operations on the database.  Gives: each one stored when its caller goes on, or its failure.
A transaction costs more than a row, and answers to calls side by side arrive all at once.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from typing import TYPE_CHECKING, Any, Final
from weakref import WeakKeyDictionary, proxy

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from offbook.protocols import Store

Operation = Callable[["Connection"], None]


class GroupedWrites:
    """A store's writes, grouped; mostly made with :meth:`of`, so that different writers share.

    Args:
        store: Where they go.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._waiting: list[tuple[Operation, asyncio.Future[None]]] = []
        self._writing: asyncio.Task[None] | None = None

    @classmethod
    def of(cls, store: Store) -> GroupedWrites:
        """The one that all who write to ``store`` through it share."""
        found = _SHARED.get(store)
        if found is None:
            found = _SHARED[store] = cls(proxy(store))
        return found

    async def write(self, operation: Operation) -> None:
        """Run ``operation`` in a transaction, which it may share; it is stored on return.

        Raises:
            Exception: what the operation raised, for which others that shared the transaction are
                tried again on their own; or why nothing can be stored.
        """
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((operation, done))
        if self._writing is None:
            self._writing = asyncio.create_task(self._write_all())
        await done

    async def _write_all(self) -> None:
        """Write until nobody waits."""
        try:
            while self._waiting:
                group, self._waiting = self._waiting, []
                await self._together(group)
        finally:
            self._writing = None

    async def _together(self, group: Sequence[tuple[Operation, asyncio.Future[None]]]) -> None:
        def all_of_them(conn: Connection) -> None:
            for operation, _ in group:
                operation(conn)

        try:
            await self._store.write(all_of_them)
        except Exception as error:
            if len(group) > 1 and not _concerns_all(error):
                for one in group:
                    await self._together([one])
                return
            for _, done in group:
                if not done.done():
                    done.set_exception(error)
            return
        for _, done in group:
            if not done.done():
                done.set_result(None)


def _concerns_all(error: Exception) -> bool:
    """Whether it is the database that fails: each would wait as long again, and fail alike."""
    # Here and not above: who only asks a model should not wait for the database's libraries.
    import sqlite3

    from sqlalchemy.exc import InterfaceError, OperationalError

    failing = InterfaceError, OperationalError, sqlite3.OperationalError, OSError
    return isinstance(error.__cause__, failing)


_SHARED: Final[WeakKeyDictionary[Store, GroupedWrites]] = WeakKeyDictionary()
"""By store; a proxy in the value, so that it does not keep its own key alive."""


async def to_the_end(work: Coroutine[Any, Any, None]) -> None:
    """Finish ``work`` even when cancelled meanwhile; the cancellation goes on afterwards."""
    task = asyncio.create_task(work)
    try:
        await asyncio.shield(task)
    except asyncio.CancelledError:
        await task
        raise
