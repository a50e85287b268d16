"""Does the queued jobs of evaluations, some side by side.

Takes: an open offbook.  Gives: nothing; what becomes of each is in the store, where any process
sees it, and so are the replies and ratings of a run that was cancelled or has failed.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, Final

from offbook.errors import OffbookError
from offbook.server.evaluations.doing import Told, command_for, do
from offbook.server.queued import QueuedWork
from offbook.stores import evaluation_jobs

if TYPE_CHECKING:
    from collections.abc import Mapping

    from offbook.app.book import Offbook
    from offbook.server.queued import Outcome
    from offbook.stores.evaluation_jobs import TakenJob
    from offbook.stores.leases import Owner

_LOG: Final = logging.getLogger("offbook.evaluations")


class EvaluationQueue:
    """The queue."""

    places = 4

    def __init__(self) -> None:
        self._in_hand: set[str] = set()

    async def one(self, book: Offbook, owner: Owner) -> bool:
        """Do one job; whether there was one."""
        store = book.store
        try:
            if not await store.read(evaluation_jobs.waiting):
                return False
            taken: TakenJob | None = await store.write(
                lambda c: evaluation_jobs.take(c, owner, in_hand=self._in_hand)
            )
        except OffbookError:
            _LOG.exception("the queue of evaluations cannot be read")
            return False
        if taken is None:
            return False
        _LOG.info("evaluation job %s begins: %s", taken.id, taken.kind)
        self._in_hand.add(taken.id)
        try:
            return await _Evaluating(book, taken, owner).go()
        finally:
            self._in_hand.discard(taken.id)


class _Evaluating(QueuedWork):
    """One job that is being done."""

    def __init__(self, book: Offbook, taken: TakenJob, owner: Owner) -> None:
        super().__init__(book, f"evaluation job {taken.id}", _LOG)
        self._taken, self._owner = taken, owner
        self._told = Told(taken.run)
        self._shown: Mapping[str, Any] | None = None

    async def _done(self) -> Mapping[str, Any]:
        command = command_for(self._book, self._taken.request)
        return await do(command, self._taken, self._told)

    async def _sign(self) -> bool:
        now, run = self._told.as_json(), self._told.run
        news = now if now != self._shown else None
        own: bool = await self._book.store.write(
            lambda c: evaluation_jobs.give_sign(c, self._taken, self._owner, news, run)
        )
        self._shown = now
        return own

    async def _is_unwanted(self) -> bool:
        store = self._book.store
        found: bool = await store.read(lambda c: evaluation_jobs.is_cancelled(c, self._taken.id))
        return found

    async def _give_back(self) -> None:
        await self._book.store.write(
            lambda c: evaluation_jobs.give_back(c, self._taken, self._owner, self._told.run)
        )

    async def _finish(self, outcome: Outcome) -> None:
        told = self._told
        await self._book.store.write(
            lambda c: evaluation_jobs.finish(
                c,
                self._taken,
                self._owner,
                outcome.status,
                told.as_json(),
                run=told.run,
                report=outcome.report,
                error=outcome.error,
            )
        )
        _LOG.info("evaluation job %s: %s", self._taken.id, outcome.status)
