"""Does the queued ingestions, one after another, and the queued evaluations, some side by side."""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, TypeVar

from offbook.app.commands import command_of
from offbook.app.documents import ingest_readings
from offbook.documents.readers import ReadDocument
from offbook.errors import UsageError
from offbook.evaluation.storage import summed, usage_of, usage_row
from offbook.server.background import QueuedWork, Stages
from offbook.stores import documents, queue

if TYPE_CHECKING:
    from collections.abc import Mapping

    from offbook.app.book import Offbook
    from offbook.evaluation.runs import RunOptions
    from offbook.ingestion.reports import IngestReport
    from offbook.models.metering import Meter
    from offbook.stores.leases import Owner
    from offbook.stores.queue import Claim

Amount = TypeVar("Amount", int, float)


class IngestionQueue:
    """The ingestions that wait, done one after another."""

    places = 1

    async def one(self, book: Offbook, owner: Owner) -> bool:
        """Do one; whether there was one."""
        work = await _Ingesting.take(book, owner)
        return work is not None and await work.go()


class _Ingesting(QueuedWork):
    """One ingestion that is being done."""

    noun = "ingestion"
    log = logging.getLogger("offbook.ingestions")
    kinds = queue.INGESTIONS

    def __init__(self, book: Offbook, taken: Claim, owner: Owner) -> None:
        super().__init__(book, taken, owner)
        self._before = usage_of(taken.usage)
        self._meter: Meter | None = None

    async def _done(self) -> Mapping[str, Any]:
        return (await self._in_all(await self._ingested())).as_json()

    async def _ingested(self) -> IngestReport:
        request = self._claimed.request
        command = command_of(self._book, method=request.get("method"), preset=request.get("preset"))
        self._meter, before = command.meter, self._before
        self._meter.budget.went_before(before.calls + before.embed_calls, before.cost_usd or 0.0)
        character = await command.find(self._claimed.character)
        readings = [ReadDocument(**document) for document in request.get("documents", ())]
        known = await command.store.read(documents.list_all, character.id)
        if not readings and not known:
            raise UsageError(f"{character.name!r} has no documents yet", "give some")
        order = request.get("order") or ()
        return await ingest_readings(
            command, character, readings, order=order, progress=self._progress
        )

    async def _in_all(self, report: IngestReport) -> IngestReport:
        """What the ingestion did from its beginning: a server may have stopped in the middle.

        What it had stored by then is `unchanged` to what comes after.
        """
        names = [document["name"] for document in self._claimed.request.get("documents", ())]
        now = await self._book.store.read(queue.digests, self._claimed.character, names)
        rows = list(report.documents)
        for place, (row, name) in enumerate(zip(rows, names, strict=False)):
            was, is_ = self._claimed.known.get(name), now.get(name)
            if row.status == "unchanged" and row.name == name and was != is_:
                rows[place] = replace(row, status="added" if was is None else "updated")
        return replace(report, documents=tuple(rows), usage=summed(self._before, report.usage))

    def _kept(self) -> dict[str, Any]:
        meter = self._meter
        spent = self._before if meter is None else summed(self._before, meter.usage())
        return {"usage": usage_row(spent)}


_MOST_MESSAGES: Final = 20
"""Of one job, for a person to read."""


class EvaluationQueue:
    """The evaluations that wait, some done side by side."""

    places = 4

    def __init__(self) -> None:
        self._in_hand: set[str] = set()

    async def one(self, book: Offbook, owner: Owner) -> bool:
        """Do one; whether there was one."""
        work = await _Evaluating.take(book, owner, in_hand=self._in_hand)
        if work is None:
            return False
        self._in_hand.add(work.id)
        try:
            return await work.go()
        finally:
            self._in_hand.discard(work.id)


class JobProgress(Stages):
    """How far a job is, what a person should know of it, and the run once it is begun."""

    def __init__(self, run: str | None = None) -> None:
        super().__init__(run)
        self._messages: list[str] = []

    def add_message(self, message: str) -> None:
        """Keep what a person should know."""
        if message not in self._messages and len(self._messages) < _MOST_MESSAGES:
            self._messages.append(message)

    def set_run(self, run: str) -> None:
        """Keep the id of the run."""
        self.run = run

    def as_json(self) -> dict[str, Any]:
        """Return the shape of ``progress``."""
        return {**super().as_json(), "messages": list(self._messages)}


def command_for(book: Offbook, request: Mapping[str, Any]) -> Offbook:
    """Offbook for one job; it spends no more than it may, nor than the server's settings let it."""
    limits = book.settings.values.limits
    return command_of(
        book,
        preset=request.get("preset"),
        limits__budget_calls=_least(limits.budget_calls, request.get("budget_calls")),
        limits__budget_usd=_least(limits.budget_usd, request.get("budget_usd")),
    )


def run_options(request: Mapping[str, Any]) -> RunOptions:
    """Return whom a run asks what, and how."""
    names = ("characters", "methods", "options", "metrics", "limit", "repeats", "seed", "create")
    options: RunOptions = {name: request[name] for name in names if name in request}  # type: ignore[assignment]
    return options


async def run_job(command: Offbook, taken: Claim, progress: JobProgress) -> dict[str, Any]:
    """Do a job; ``command`` is offbook as `command_for` gives it."""
    request = taken.request
    is_begun = taken.run is not None  # by a server that was stopped since: it goes on with it
    report = await command.evaluation.run(
        request["benchmark"],
        resume=taken.run or request.get("resume"),
        new=request.get("new", False) and not is_begun,
        build=request.get("build", False),
        retry_failed=request.get("retry_failed", False) and not is_begun,
        progress=progress,
        notify=progress.add_message,
        on_run=progress.set_run,
        **run_options(request),
    )
    return dict(report.as_json())


class _Evaluating(QueuedWork):
    """One evaluation that is being done."""

    noun = "evaluation job"
    log = logging.getLogger("offbook.evaluations")
    kinds = queue.EVALUATIONS

    def __init__(self, book: Offbook, taken: Claim, owner: Owner) -> None:
        self._job = JobProgress(taken.run)
        super().__init__(book, taken, owner, self._job)
        self.id = taken.id

    async def _done(self) -> Mapping[str, Any]:
        command = command_for(self._book, self._claimed.request)
        return await run_job(command, self._claimed, self._job)

    def _kept(self) -> dict[str, Any]:
        return {"run": self._job.run}


def _least(one: Amount | None, other: Amount | None) -> Amount | None:
    numbers = [value for value in (one, other) if value is not None]
    return min(numbers) if numbers else None
