"""A run that this process works on, and no other: signs of life, what it costs, how it ended.

Takes: a run.  Gives: its status and its usage in the store, up to date within seconds even where
the process is killed.
"""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, suppress
from types import TracebackType
from typing import TYPE_CHECKING, Final

from offbook.errors import BudgetReached, InUse, OffbookError
from offbook.evaluation.keeping import summed, usage_of, usage_row
from offbook.stores import evaluations
from offbook.stores.grouped_writes import to_the_end
from offbook.stores.leases import Owner

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from offbook.models.metering import Meter
    from offbook.protocols import Store
    from offbook.types import Usage

SIGN_SECONDS: Final = 5.0
"""How often a run gives a sign of life, and notes what it has cost."""


class Working(AbstractAsyncContextManager["Working"]):
    """Holds a run while its body works on it.

    Args:
        store: Where the run is.
        run: Its id.
        meter: Of this stretch of work.
        judges_only: Whether only stored replies are judged: that leaves the status as it is.

    Attributes:
        status: What the run is to be when the body ends well; None: as it was.
    """

    def __init__(self, store: Store, run: str, meter: Meter, *, judges_only: bool = False) -> None:
        self.status: str | None = None
        self._judges_only = judges_only
        self._store, self._run, self._meter = store, run, meter
        self._owner = Owner(uuid.uuid4().hex)
        self._before: Usage = usage_of({})
        self._signs: asyncio.Task[None] | None = None

    @property
    def usage(self) -> Usage:
        """What the run has cost, this stretch included."""
        return summed(self._before, self._meter.usage())

    async def __aenter__(self) -> Working:
        """Take the run.

        Raises:
            InUse: another process works on it.
        """
        try:
            other = await self._store.write(self._take)
            if other is not None:
                raise InUse(
                    f"another process works on the run {self._run!r}",
                    "wait until it has ended",
                    f"process {other.pid} on {other.host!r}",
                )
            stored = await self._store.read(lambda conn: evaluations.require_run(conn, self._run))
        except BaseException:
            # The write that takes it goes on to its end even where it is cancelled. What cannot be
            # given back now is stale in a minute.
            with suppress(OffbookError):
                await to_the_end(self._store.write(self._give_back))
            raise
        self._before = usage_of(stored.usage)
        self._signs = asyncio.create_task(self._give_signs())
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Note how it ended, and give the run back."""
        status = self.status if error is None else _status_after(error)
        await to_the_end(self._leave(None if self._judges_only else status))

    def _take(self, conn: Connection) -> Owner | None:
        return evaluations.take(conn, self._run, self._owner, time.time())

    def _give_back(self, conn: Connection) -> None:
        evaluations.leave(conn, self._run, self._owner)

    async def _leave(self, status: str | None) -> None:
        if self._signs is not None:
            self._signs.cancel()
            await asyncio.gather(self._signs, return_exceptions=True)
        sign = self._sign()

        def end(conn: Connection) -> None:
            sign(conn)
            if status is not None:
                evaluations.change_run(conn, self._run, status=status)
            self._give_back(conn)

        await self._store.write(end)

    def _sign(self) -> Callable[[Connection], None]:
        """A sign of life, with what the run has cost by now: the meter counts on meanwhile."""
        usage = usage_row(self.usage)
        return lambda conn: evaluations.give_sign(conn, self._run, self._owner, time.time(), usage)

    async def _give_signs(self) -> None:
        while True:
            await asyncio.sleep(SIGN_SECONDS)
            with suppress(OffbookError):  # a sign that failed is no reason to give no other
                await self._store.write(self._sign())


def _status_after(error: BaseException) -> str:
    """``stopped`` where a budget or a person ended it, ``failed`` where something broke."""
    by_person = isinstance(error, (asyncio.CancelledError, KeyboardInterrupt))
    return "stopped" if by_person or isinstance(error, BudgetReached) else "failed"
