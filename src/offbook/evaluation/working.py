"""A run that this process works on, and no other: signs of life, what it costs, how it ended.

Takes: a run.  Gives: its status and its usage in the store, up to date within seconds even where
the process is killed.
"""

from __future__ import annotations

import asyncio
import time
import uuid
from contextlib import AbstractAsyncContextManager, suppress
from types import TracebackType
from typing import TYPE_CHECKING, Final

from offbook.errors import BudgetReached, InUse
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
        other = await self._store.write(self._take)
        if other is not None:
            raise InUse(
                f"another process works on the run {self._run!r}",
                "wait until it has ended",
                f"process {other.pid} on {other.host!r}",
            )
        stored = await self._store.read(lambda conn: evaluations.require_run(conn, self._run))
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
        if self._signs is not None:
            self._signs.cancel()
            with suppress(asyncio.CancelledError):
                await self._signs
        status = self.status if error is None else _status_after(error)
        if self._judges_only:
            status = None
        await to_the_end(self._store.write(lambda conn: self._leave(conn, status)))

    def _take(self, conn: Connection) -> Owner | None:
        return evaluations.take(conn, self._run, self._owner, time.time())

    def _leave(self, conn: Connection, status: str | None) -> None:
        self._sign(conn)
        if status is not None:
            evaluations.change_run(conn, self._run, status=status)
        evaluations.leave(conn, self._run, self._owner)

    def _sign(self, conn: Connection) -> None:
        usage = usage_row(self.usage)
        evaluations.give_sign(conn, self._run, self._owner, time.time(), usage)

    async def _give_signs(self) -> None:
        while True:
            await asyncio.sleep(SIGN_SECONDS)
            await self._store.write(self._sign)


def _status_after(error: BaseException) -> str:
    """``stopped`` where a budget or a person ended it, ``failed`` where something broke."""
    by_person = isinstance(error, (asyncio.CancelledError, KeyboardInterrupt))
    return "stopped" if by_person or isinstance(error, BudgetReached) else "failed"
