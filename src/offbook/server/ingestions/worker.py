"""Does the queued ingestions, one after another, in a thread and an event loop of its own.

Takes: settings.  Gives: nothing; what becomes of each is in the store, where any process sees it.

Splitting, embedding and building a graph compute for seconds at a stretch: in the server's own loop
every stream would stand still. A worker that stops, or is killed, leaves its ingestion to the next
one, which asks for nothing that was stored.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import uuid
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from offbook.app.book import Offbook
from offbook.app.commands import command_of
from offbook.app.ingesting import ingest_readings
from offbook.documents.readers import ReadDocument
from offbook.errors import OffbookError, UsageError
from offbook.server.observing.secrets import Masking, secrets_of
from offbook.stores import documents, ingestions
from offbook.stores.leases import Owner

if TYPE_CHECKING:
    from collections.abc import Mapping

    from offbook.ingestion.reports import IngestReport, Progress
    from offbook.settings import Settings
    from offbook.stores.ingestions import Taken

_LOG: Final = logging.getLogger("offbook.ingestions")
_POLL_SECONDS: Final = 5.0
"""How often ingestions of a process that is gone are looked for."""
_SIGN_SECONDS: Final = 0.5
"""How often progress is written."""
_STOP_SECONDS: Final = 10.0
_MOST_CALLS: Final = 16
"""Calls in flight: a server may have hundreds of replies under way, and they go first."""


class IngestionWorker:
    """The thread.

    Args:
        settings: Of the server: where the database is, and which models answer.
    """

    def __init__(self, settings: Settings) -> None:
        most = min(settings.values.limits.concurrency, _MOST_CALLS)
        self._settings = settings.overlaid({"limits.concurrency": most})
        self._masks = Masking(secrets_of(settings))
        self._owner = Owner(uuid.uuid4().hex)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._woken: asyncio.Event | None = None
        self._working: asyncio.Task[None] | None = None
        self._stopping = False
        self._thread = threading.Thread(target=self._run, name="ingestions", daemon=True)

    def start(self) -> None:
        """Begin to look for queued ingestions."""
        self._thread.start()

    def wake(self) -> None:
        """Look at once: something was queued."""
        if self._loop is not None and self._woken is not None:
            with suppress(RuntimeError):  # the loop has just ended
                self._loop.call_soon_threadsafe(self._woken.set)

    async def stop(self) -> None:
        """Break off, and leave what is under way to the next worker."""
        self._stopping = True
        if self._loop is not None and self._working is not None:
            with suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._working.cancel)
        await asyncio.to_thread(self._thread.join, _STOP_SECONDS)

    def _run(self) -> None:
        try:
            asyncio.run(self._work())
        except asyncio.CancelledError:
            pass
        except Exception:
            _LOG.exception("ingestions stand still; they go on when the server starts again")

    async def _work(self) -> None:
        self._woken = asyncio.Event()
        self._working = asyncio.current_task()
        self._loop = asyncio.get_running_loop()
        if self._stopping:
            return
        async with await Offbook.open(self._settings) as book:
            while True:
                self._woken.clear()
                while await self._one(book):
                    pass
                with suppress(TimeoutError):
                    async with asyncio.timeout(_POLL_SECONDS):
                        await self._woken.wait()

    async def _one(self, book: Offbook) -> bool:
        """Do one ingestion; whether there was one."""
        store = book.store
        try:
            if not await store.read(ingestions.waiting):
                return False
            taken: Taken | None = await store.write(lambda c: ingestions.take(c, self._owner))
        except OffbookError:
            _LOG.exception("the queue of ingestions cannot be read")
            return False
        if taken is None:
            return False
        _LOG.info("ingestion %s begins", taken.id)
        try:
            await self._do(book, taken)
        except asyncio.CancelledError:
            await store.write(lambda c: ingestions.give_back(c, taken, self._owner))
            raise
        except OffbookError:
            # Nobody gives signs for it any more: after a while it is taken again.
            _LOG.exception("what became of ingestion %s cannot be written", taken.id)
            return False
        return True

    async def _do(self, book: Offbook, taken: Taken) -> None:
        told = _Told()
        signs = asyncio.create_task(self._give_signs(book, taken, told))
        error: Mapping[str, Any] | None = None
        report: Mapping[str, Any] | None = None
        try:
            report = (await _ingested(book, taken, told)).as_json()
        except OffbookError as failure:
            told_of = failure.as_json()["error"]
            error = {key: self._masks(text) for key, text in told_of.items()}
        except Exception as failure:
            _LOG.exception("a mistake in offbook, in ingestion %s", taken.id)
            hint = "this is a mistake in offbook; the server's log has the details"
            error = OffbookError(type(failure).__name__, hint).as_json()["error"]
        finally:
            signs.cancel()
            await asyncio.gather(signs, return_exceptions=True)
        how = told.as_json()
        await book.store.write(
            lambda c: ingestions.finish(c, taken, self._owner, how, report=report, error=error)
        )
        _LOG.info("ingestion %s %s", taken.id, "failed" if report is None else "is done")

    async def _give_signs(self, book: Offbook, taken: Taken, told: _Told) -> None:
        shown: dict[str, Any] | None = None
        while True:
            await asyncio.sleep(_SIGN_SECONDS)
            now = told.as_json()
            news = now if now != shown else None
            shown = now
            with suppress(OffbookError):  # a sign that failed is no reason to stop
                await book.store.write(
                    lambda c, n=news: ingestions.give_sign(c, taken, self._owner, n)
                )


class _Told:
    """How far an ingestion is, by stage in the order in which they began."""

    def __init__(self) -> None:
        self._stages: dict[str, tuple[int, int]] = {}

    def __call__(self, event: Progress) -> None:
        self._stages[event.stage] = event.done, event.total

    def as_json(self) -> dict[str, Any]:
        """The shape of ``progress``."""
        stages = [
            {"stage": name, "done": done, "total": total}
            for name, (done, total) in self._stages.items()
        ]
        return {"stages": stages}


async def _ingested(book: Offbook, taken: Taken, told: _Told) -> IngestReport:
    request = taken.request
    command = command_of(book, method=request.get("method"), preset=request.get("preset"))
    character = await command.find(taken.character)
    readings = [ReadDocument(**document) for document in request.get("documents", ())]
    known = await command.store.read(lambda conn: documents.list_all(conn, character.id))
    if not readings and not known:
        raise UsageError(f"{character.name!r} has no documents yet", "give some")
    order = request.get("order") or ()
    return await ingest_readings(command, character, readings, order=order, progress=told)
