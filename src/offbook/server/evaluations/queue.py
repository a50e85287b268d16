"""Does the queued jobs of evaluations, some side by side.

Takes: an open offbook.  Gives: nothing; what becomes of each is in the store, where any process
sees it, and so are the replies and ratings of a run that was cancelled or has failed.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from offbook.errors import OffbookError, StoreFailed
from offbook.server.background import SIGN_SECONDS, is_cancelled
from offbook.server.evaluations.doing import Told, command_for, do
from offbook.server.failures import kept_error
from offbook.server.observing.secrets import Masking, secrets_of
from offbook.stores import evaluation_jobs

if TYPE_CHECKING:
    from collections.abc import Mapping

    from offbook.app.book import Offbook
    from offbook.stores.evaluation_jobs import JobStatus, TakenJob
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
            await _Working(book, taken, owner).go()
        except OffbookError:
            # Nobody gives signs for it any more: after a while it is taken again.
            _LOG.exception("what became of evaluation job %s cannot be written", taken.id)
            return False
        finally:
            self._in_hand.discard(taken.id)
        return True


class _Working:
    """One job that is being done."""

    def __init__(self, book: Offbook, taken: TakenJob, owner: Owner) -> None:
        self._book, self._taken, self._owner = book, taken, owner
        self._told = Told(taken.run)
        self._cancelled = self._lost = False

    async def go(self) -> None:
        """Do it, until it has ended, somebody cancels it or has taken it, or the worker stops."""
        doing = asyncio.create_task(self._do())
        signs = asyncio.create_task(self._give_signs(doing))
        try:
            status, report, error = await doing
            if error is not None and is_cancelled():
                raise asyncio.CancelledError  # it met with that because the worker stops
        except asyncio.CancelledError:
            if self._lost and not is_cancelled():
                return
            if not self._cancelled:  # the worker stops
                await self._give_back()
                raise
            status, report, error = "cancelled", None, None
            if is_cancelled():  # the worker stops as well
                await self._finish(status, report, error)
                raise
        finally:
            signs.cancel()
            await asyncio.gather(signs, return_exceptions=True)
        try:
            await self._finish(status, report, error)
        except StoreFailed:  # it may pass: then the job is taken again
            raise
        except Exception as failure:  # it would fail as often as the job is done
            await self._finish("failed", None, self._mistake(failure))

    async def _do(
        self,
    ) -> tuple[JobStatus, Mapping[str, Any] | None, Mapping[str, str] | None]:
        try:
            command = command_for(self._book, self._taken.request)
            return "done", await do(command, self._taken, self._told), None
        except OffbookError as failure:
            masks = Masking(secrets_of(self._book.settings))
            return "failed", None, kept_error(failure, masks)
        except Exception as failure:
            return "failed", None, self._mistake(failure)

    def _mistake(self, failure: Exception) -> Mapping[str, str]:
        _LOG.exception("a mistake in offbook, in evaluation job %s", self._taken.id)
        hint = "this is a mistake in offbook; the server's log has the details"
        return OffbookError(type(failure).__name__, hint).as_json()["error"]

    async def _give_signs(self, doing: asyncio.Task[Any]) -> None:
        shown: dict[str, Any] | None = None
        while True:
            now, run = self._told.as_json(), self._told.run
            news = now if now != shown else None
            shown = now
            with suppress(OffbookError):  # a sign that failed is no reason to stop
                own = await self._book.store.write(
                    lambda c, n=news, r=run: evaluation_jobs.give_sign(
                        c, self._taken, self._owner, n, r
                    )
                )
                if not own:  # another process has it by now, or it is deleted
                    _LOG.warning("evaluation job %s is not ours any more", self._taken.id)
                    self._lost = True
                    doing.cancel()
                    return
                if await self._book.store.read(
                    lambda c: evaluation_jobs.is_cancelled(c, self._taken.id)
                ):
                    self._cancelled = True
                    doing.cancel()
                    return
            await asyncio.sleep(SIGN_SECONDS)

    async def _give_back(self) -> None:
        await self._book.store.write(
            lambda c: evaluation_jobs.give_back(c, self._taken, self._owner, self._told.run)
        )

    async def _finish(
        self,
        status: JobStatus,
        report: Mapping[str, Any] | None,
        error: Mapping[str, str] | None,
    ) -> None:
        told = self._told
        await self._book.store.write(
            lambda c: evaluation_jobs.finish(
                c,
                self._taken,
                self._owner,
                status,
                told.as_json(),
                run=told.run,
                report=report,
                error=error,
            )
        )
        _LOG.info("evaluation job %s: %s", self._taken.id, status)
