"""One piece of queued work: done until it has ended, or is not to be gone on with.

Takes: the work, which knows what there is to do and where it is written down.  Gives: nothing;
what becomes of it is in the store.
"""

from __future__ import annotations

import asyncio
import logging
from abc import ABC, abstractmethod
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

from offbook.errors import OffbookError, StoreFailed
from offbook.server.background import is_cancelled
from offbook.server.failures import kept_error
from offbook.server.observing.secrets import Masking, secrets_of

if TYPE_CHECKING:
    from offbook.app.book import Offbook

SIGN_SECONDS: Final = 0.5
"""How often progress is written."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How work ended; with neither a report nor an error somebody cancelled it."""

    report: Mapping[str, Any] | None = None
    error: Mapping[str, Any] | None = None

    @property
    def status(self) -> Literal["done", "failed", "cancelled"]:
        """In a word."""
        if self.report is not None:
            return "done"
        return "cancelled" if self.error is None else "failed"


class QueuedWork(ABC):
    """One piece of queued work that a worker has taken.

    Args:
        book: An open offbook.
        name: What messages call it.
        log: Where they go.
    """

    def __init__(self, book: Offbook, name: str, log: logging.Logger) -> None:
        self._book, self._name, self._log = book, name, log
        self._cancelled = self._lost = False

    async def go(self) -> bool:
        """Do it, until it has ended, somebody cancels it or has taken it, or the worker stops.

        Returns:
            Whether what became of it is written. Where it is not nobody gives signs for it any
            more: after a while it is taken again.
        """
        try:
            await self._go()
        except OffbookError:
            self._log.exception("what became of %s cannot be written", self._name)
            return False
        return True

    async def _go(self) -> None:
        doing = asyncio.create_task(self._outcome())
        signs = asyncio.create_task(self._give_signs(doing))
        try:
            outcome = await doing
            if outcome.error is not None and is_cancelled():
                raise asyncio.CancelledError  # it met with that because the worker stops
        except asyncio.CancelledError:
            if self._lost and not is_cancelled():
                return
            if not self._cancelled:  # the worker stops
                await self._give_back()
                raise
            outcome = Outcome()
            if is_cancelled():  # the worker stops as well
                await self._finish(outcome)
                raise
        finally:
            signs.cancel()
            await asyncio.gather(signs, return_exceptions=True)
        if self._cancelled and outcome.error is not None:
            outcome = Outcome()  # what it met with as it was broken off is no failure of its own
        try:
            await self._finish(outcome)
        except StoreFailed:  # it may pass: then the work is taken again
            raise
        except Exception as failure:  # it would fail as often as the work is done
            await self._finish(self._mistaken(failure))

    async def _outcome(self) -> Outcome:
        try:
            return Outcome(report=await self._done())
        except OffbookError as failure:
            masks = Masking(secrets_of(self._book.settings))
            return Outcome(error=kept_error(failure, masks))
        except Exception as failure:
            return self._mistaken(failure)

    def _mistaken(self, failure: Exception) -> Outcome:
        self._log.error("a mistake in offbook, in %s", self._name, exc_info=failure)
        hint = "this is a mistake in offbook; the server's log has the details"
        return Outcome(error=OffbookError(type(failure).__name__, hint).as_json()["error"])

    async def _give_signs(self, doing: asyncio.Task[Any]) -> None:
        """Until somebody cancels it, or another process has it: then it is not gone on with."""
        while True:
            with suppress(OffbookError):  # a sign that failed is no reason to stop
                if not await self._sign():
                    self._log.warning("%s is not ours any more", self._name)
                    self._lost = True
                elif await self._is_unwanted():
                    self._cancelled = True
                if self._lost or self._cancelled:
                    doing.cancel()
                    return
            await asyncio.sleep(SIGN_SECONDS)

    # -- what there is to do, and where it is written down -------------------------------------

    @abstractmethod
    async def _done(self) -> Mapping[str, Any]:
        """The work itself: its report."""

    @abstractmethod
    async def _sign(self) -> bool:
        """Write a sign of life, with how far it is; whether it is still this worker's."""

    @abstractmethod
    async def _is_unwanted(self) -> bool:
        """Whether somebody wants it to end."""

    @abstractmethod
    async def _give_back(self) -> None:
        """Leave it to the next worker."""

    @abstractmethod
    async def _finish(self, outcome: Outcome) -> None:
        """Write how it ended."""
