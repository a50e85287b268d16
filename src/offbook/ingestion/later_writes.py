"""Writes that nobody waits for: they are made together, as soon as the event loop is at rest.

Takes: operations on the database.  Gives: all of them stored, in their order, at the end at latest.
Answers to calls side by side arrive all at once. What follows from them is asked first, and they
are stored while models work on that; until then the cache of calls holds what was paid for.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from offbook.models.beside import calls_first
from offbook.stores.grouped_writes import GroupedWrites, to_the_end

if TYPE_CHECKING:
    from types import TracebackType

    from sqlalchemy import Connection

    from offbook.protocols import Store
    from offbook.stores.grouped_writes import Operation

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Rows(Generic[T]):
    """An operation that stores rows: further ones may be added until it runs."""

    put: Callable[[Connection, list[T]], None]
    rows: list[T]

    def __call__(self, conn: Connection) -> None:
        self.put(conn, self.rows)


class LaterWrites:
    """The writes of one run; used as a context, at whose end all are stored, come what may.

    Args:
        store: Where they go.
    """

    def __init__(self, store: Store) -> None:
        # Its own, and not the one that others share: theirs would take these along at once.
        self._writes = GroupedWrites(store)
        self._waiting: list[Operation] = []
        self._one_at_a_time = asyncio.Lock()
        self._resting: asyncio.Task[None] | None = None
        self._failure: BaseException | None = None

    def add(self, operation: Operation) -> None:
        """Have ``operation`` run after those that were added before.

        Raises:
            StoreFailed: an earlier one could not be stored: nothing more should be asked for.
        """
        self._raise_failure()
        self._waiting.append(operation)
        if self._resting is None or self._resting.done():
            self._resting = asyncio.create_task(self._at_rest())

    def add_rows(self, put: Callable[[Connection, list[T]], None], rows: Iterable[T]) -> None:
        """Have ``put`` store rows, in one go with those that were added for it right before.

        Raises:
            StoreFailed: see :meth:`add`.
        """
        self._raise_failure()
        last = self._waiting[-1] if self._waiting else None
        if isinstance(last, _Rows) and last.put == put:
            last.rows.extend(rows)
        else:
            self.add(_Rows(put, list(rows)))

    async def flush(self) -> None:
        """Store what waits; once begun it goes on to the end, also when cancelled.

        Raises:
            StoreFailed: something could not be stored, now or before.
        """
        await to_the_end(self._store_all())
        self._raise_failure()

    async def _store_all(self) -> None:
        async with self._one_at_a_time:
            while self._waiting:
                group, self._waiting = self._waiting, []
                made = await asyncio.gather(*map(self._writes.write, group), return_exceptions=True)
                failures = [each for each in made if each is not None]
                self._failure = self._failure or next(iter(failures), None)

    async def __aenter__(self) -> LaterWrites:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            await self.flush()
        except Exception:
            if error is None:
                raise
        finally:
            if self._resting is not None:
                self._resting.cancel()

    async def _at_rest(self) -> None:
        while self._waiting:  # more may come while it is stored
            await calls_first()
            with suppress(Exception):  # kept, and raised to whoever writes next
                await self.flush()

    def _raise_failure(self) -> None:
        if self._failure is not None:
            raise self._failure
