"""Does the queued ingestions, one after another.

Takes: an open offbook.  Gives: nothing; what becomes of each is in the store, where any process
sees it, and so is what one had read that was cancelled or has failed.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from offbook.app.commands import command_of
from offbook.app.ingesting import ingest_readings
from offbook.documents.readers import ReadDocument
from offbook.errors import OffbookError, UsageError
from offbook.evaluation.keeping import summed, usage_of, usage_row
from offbook.server.background import SIGN_SECONDS, Stages, is_cancelled
from offbook.server.failures import kept_error
from offbook.server.observing.secrets import Masking, secrets_of
from offbook.stores import documents, ingestions

if TYPE_CHECKING:
    from collections.abc import Mapping

    from offbook.app.book import Offbook
    from offbook.ingestion.reports import IngestReport
    from offbook.models.metering import Meter
    from offbook.stores.ingestions import Taken
    from offbook.stores.leases import Owner

_LOG: Final = logging.getLogger("offbook.ingestions")


class IngestionQueue:
    """The queue."""

    places = 1

    async def one(self, book: Offbook, owner: Owner) -> bool:
        """Do one ingestion; whether there was one."""
        store = book.store
        try:
            if not await store.read(ingestions.waiting):
                return False
            taken: Taken | None = await store.write(lambda c: ingestions.take(c, owner))
        except OffbookError:
            _LOG.exception("the queue of ingestions cannot be read")
            return False
        if taken is None:
            return False
        _LOG.info("ingestion %s begins", taken.id)
        try:
            await _Working(book, taken, owner).go()
        except OffbookError:
            # Nobody gives signs for it any more: after a while it is taken again.
            _LOG.exception("what became of ingestion %s cannot be written", taken.id)
            return False
        return True


class _Working:
    """One ingestion that is being done."""

    def __init__(self, book: Offbook, taken: Taken, owner: Owner) -> None:
        self._book, self._taken, self._owner = book, taken, owner
        self._told = Stages()
        self._before = usage_of(taken.usage)
        self._meter: Meter | None = None
        self._cancelled = self._lost = False

    async def go(self) -> None:
        """Do it, until it has ended, somebody cancels it or has taken it, or the worker stops."""
        doing = asyncio.create_task(self._outcome())
        signs = asyncio.create_task(self._give_signs(doing))
        try:
            report, error = await doing
            if error is not None and is_cancelled():
                raise asyncio.CancelledError  # it met with that because the worker stops
        except asyncio.CancelledError:
            if self._lost and not is_cancelled():
                return
            if not self._cancelled:  # the worker stops
                await self._give_back()
                raise
            report, error = None, None
            if is_cancelled():  # the worker stops as well
                await self._finish(report, error)
                raise
        finally:
            signs.cancel()
            await asyncio.gather(signs, return_exceptions=True)
        if self._cancelled:  # what it met with when it was broken off is no failure of its own
            error = None
        await self._finish(report, error)

    # -- the work ------------------------------------------------------------------------------

    async def _outcome(self) -> tuple[Mapping[str, Any] | None, Mapping[str, Any] | None]:
        """The report, or the error."""
        try:
            return (await self._in_all(await self._ingested())).as_json(), None
        except OffbookError as failure:
            masks = Masking(secrets_of(self._book.settings))
            return None, kept_error(failure, masks)
        except Exception as failure:
            _LOG.exception("a mistake in offbook, in ingestion %s", self._taken.id)
            hint = "this is a mistake in offbook; the server's log has the details"
            return None, OffbookError(type(failure).__name__, hint).as_json()["error"]

    async def _ingested(self) -> IngestReport:
        request = self._taken.request
        command = command_of(self._book, method=request.get("method"), preset=request.get("preset"))
        self._meter, before = command.meter, self._before
        self._meter.budget.went_before(before.calls + before.embed_calls, before.cost_usd or 0.0)
        character = await command.find(self._taken.character)
        readings = [ReadDocument(**document) for document in request.get("documents", ())]
        known = await command.store.read(lambda conn: documents.list_all(conn, character.id))
        if not readings and not known:
            raise UsageError(f"{character.name!r} has no documents yet", "give some")
        order = request.get("order") or ()
        return await ingest_readings(command, character, readings, order=order, progress=self._told)

    async def _in_all(self, report: IngestReport) -> IngestReport:
        """What the ingestion did from its beginning: a server may have stopped in the middle.

        What it had stored by then is `unchanged` to what comes after.
        """
        names = self._names()
        now = await self._book.store.read(
            lambda c: ingestions.digests(c, self._taken.character, names)
        )
        rows = list(report.documents)
        for place, (row, name) in enumerate(zip(rows, names, strict=False)):
            was, is_ = self._taken.known.get(name), now.get(name)
            if row.status == "unchanged" and row.name == name and was != is_:
                rows[place] = replace(row, status="added" if was is None else "updated")
        return replace(report, documents=tuple(rows), usage=summed(self._before, report.usage))

    def _names(self) -> list[str]:
        """The documents that were given, in the order of the report."""
        return [document["name"] for document in self._taken.request.get("documents", ())]

    # -- what the store is told ----------------------------------------------------------------

    def _usage(self) -> dict[str, Any]:
        meter = self._meter
        return usage_row(self._before if meter is None else summed(self._before, meter.usage()))

    async def _give_signs(self, doing: asyncio.Task[Any]) -> None:
        """Until somebody cancels it, or another process has it: then it is not gone on with."""
        shown: tuple[Any, ...] | None = None
        while True:
            how, usage = self._told.as_json(), self._usage()
            now = how, {**usage, "seconds": None}
            news = (how, usage) if now != shown else (None, None)
            shown = now
            with suppress(OffbookError):  # a sign that failed is no reason to stop
                own = await self._book.store.write(
                    lambda c, n=news: ingestions.give_sign(c, self._taken, self._owner, *n)
                )
                if not own:
                    _LOG.warning("ingestion %s is not ours any more", self._taken.id)
                    self._lost = True
                    doing.cancel()
                    return
                if await self._book.store.read(lambda c: ingestions.is_cancelled(c, self._taken)):
                    self._cancelled = True
                    doing.cancel()
                    return
            await asyncio.sleep(SIGN_SECONDS)

    async def _give_back(self) -> None:
        usage = self._usage()
        await self._book.store.write(
            lambda c: ingestions.give_back(c, self._taken, self._owner, usage)
        )

    async def _finish(
        self, report: Mapping[str, Any] | None, error: Mapping[str, Any] | None
    ) -> None:
        how = self._told.as_json()
        await self._book.store.write(
            lambda c: ingestions.finish(
                c, self._taken, self._owner, how, report=report, error=error
            )
        )
        ended = "is done" if report is not None else "failed" if error else "is cancelled"
        _LOG.info("ingestion %s %s", self._taken.id, ended)
