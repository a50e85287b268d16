"""Does the queued ingestions, one after another.

Takes: an open offbook.  Gives: nothing; what becomes of each is in the store, where any process
sees it, and so is what one had read that was cancelled or has failed.
"""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from offbook.app.commands import command_of
from offbook.app.ingesting import ingest_readings
from offbook.documents.readers import ReadDocument
from offbook.errors import OffbookError, UsageError
from offbook.evaluation.keeping import summed, usage_of, usage_row
from offbook.server.background import Stages
from offbook.server.queued import QueuedWork
from offbook.stores import documents, ingestions

if TYPE_CHECKING:
    from collections.abc import Mapping

    from offbook.app.book import Offbook
    from offbook.ingestion.reports import IngestReport
    from offbook.models.metering import Meter
    from offbook.server.queued import Outcome
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
        return await _Ingesting(book, taken, owner).go()


class _Ingesting(QueuedWork):
    """One ingestion that is being done."""

    def __init__(self, book: Offbook, taken: Taken, owner: Owner) -> None:
        super().__init__(book, f"ingestion {taken.id}", _LOG)
        self._taken, self._owner = taken, owner
        self._told = Stages()
        self._shown: tuple[Any, ...] | None = None
        self._before = usage_of(taken.usage)
        self._meter: Meter | None = None

    # -- the work ------------------------------------------------------------------------------

    async def _done(self) -> Mapping[str, Any]:
        return (await self._in_all(await self._ingested())).as_json()

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

    async def _sign(self) -> bool:
        how, usage = self._told.as_json(), self._usage()
        now = how, {**usage, "seconds": None}
        news = (how, usage) if now != self._shown else (None, None)
        own: bool = await self._book.store.write(
            lambda c: ingestions.give_sign(c, self._taken, self._owner, *news)
        )
        self._shown = now
        return own

    async def _is_unwanted(self) -> bool:
        store = self._book.store
        found: bool = await store.read(lambda c: ingestions.is_cancelled(c, self._taken))
        return found

    async def _give_back(self) -> None:
        usage = self._usage()
        await self._book.store.write(
            lambda c: ingestions.give_back(c, self._taken, self._owner, usage)
        )

    async def _finish(self, outcome: Outcome) -> None:
        how, report, error = self._told.as_json(), outcome.report, outcome.error
        await self._book.store.write(
            lambda c: ingestions.finish(
                c, self._taken, self._owner, how, report=report, error=error
            )
        )
        _LOG.info("ingestion %s: %s", self._taken.id, outcome.status)
