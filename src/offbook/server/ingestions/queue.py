"""Does the queued ingestions, one after another.

Takes: an open offbook.  Gives: nothing; what becomes of each is in the store, where any process
sees it.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from offbook.app.commands import command_of
from offbook.app.ingesting import ingest_readings
from offbook.documents.readers import ReadDocument
from offbook.errors import OffbookError, UsageError
from offbook.server.background import SIGN_SECONDS, Stages, is_cancelled
from offbook.server.observing.secrets import Masking, secrets_of
from offbook.stores import documents, ingestions

if TYPE_CHECKING:
    from collections.abc import Mapping

    from offbook.app.book import Offbook
    from offbook.ingestion.reports import IngestReport
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
            await self._do(book, taken, owner)
        except asyncio.CancelledError:
            await store.write(lambda c: ingestions.give_back(c, taken, owner))
            raise
        except OffbookError:
            # Nobody gives signs for it any more: after a while it is taken again.
            _LOG.exception("what became of ingestion %s cannot be written", taken.id)
            return False
        return True

    async def _do(self, book: Offbook, taken: Taken, owner: Owner) -> None:
        told = Stages()
        doing = asyncio.create_task(self._outcome(book, taken, told))
        signs = asyncio.create_task(_give_signs(book, taken, owner, told, doing))
        try:
            report, error = await doing
        except asyncio.CancelledError:
            if not signs.done() or is_cancelled():  # the worker stops
                raise
            _LOG.warning("ingestion %s is not ours any more", taken.id)
            return
        finally:
            signs.cancel()
            await asyncio.gather(signs, return_exceptions=True)
        how = told.as_json()
        await book.store.write(
            lambda c: ingestions.finish(c, taken, owner, how, report=report, error=error)
        )
        _LOG.info("ingestion %s %s", taken.id, "failed" if report is None else "is done")

    async def _outcome(
        self, book: Offbook, taken: Taken, told: Stages
    ) -> tuple[Mapping[str, Any] | None, Mapping[str, Any] | None]:
        """The report, or the error."""
        try:
            return (await self._ingested(book, taken, told)).as_json(), None
        except OffbookError as failure:
            told_of = failure.as_json()["error"]
            masks = Masking(secrets_of(book.settings))
            return None, {key: masks(text) for key, text in told_of.items()}
        except Exception as failure:
            _LOG.exception("a mistake in offbook, in ingestion %s", taken.id)
            hint = "this is a mistake in offbook; the server's log has the details"
            return None, OffbookError(type(failure).__name__, hint).as_json()["error"]

    async def _ingested(self, book: Offbook, taken: Taken, told: Stages) -> IngestReport:
        request = taken.request
        command = command_of(book, method=request.get("method"), preset=request.get("preset"))
        character = await command.find(taken.character)
        readings = [ReadDocument(**document) for document in request.get("documents", ())]
        known = await command.store.read(lambda conn: documents.list_all(conn, character.id))
        if not readings and not known:
            raise UsageError(f"{character.name!r} has no documents yet", "give some")
        order = request.get("order") or ()
        return await ingest_readings(command, character, readings, order=order, progress=told)


async def _give_signs(
    book: Offbook, taken: Taken, owner: Owner, told: Stages, doing: asyncio.Task[Any]
) -> None:
    """Until another process has it, or it is deleted: then it is not gone on with here."""
    shown: dict[str, Any] | None = None
    while True:
        await asyncio.sleep(SIGN_SECONDS)
        now = told.as_json()
        news = now if now != shown else None
        shown = now
        with suppress(OffbookError):  # a sign that failed is no reason to stop
            if not await book.store.write(
                lambda c, n=news: ingestions.give_sign(c, taken, owner, n)
            ):
                doing.cancel()
                return
