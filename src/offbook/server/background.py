"""What goes on behind requests, in a thread and an event loop of its own."""

from __future__ import annotations

import asyncio
import logging
import threading
import uuid
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Coroutine, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal, Protocol, Self, TypeVar

from offbook.app.book import Offbook
from offbook.app.commands import serving
from offbook.errors import OffbookError, StoreFailed
from offbook.server.failures import kept_error
from offbook.server.masking import Masking, secrets_of
from offbook.stores import queue
from offbook.stores.leases import Owner

if TYPE_CHECKING:
    from offbook.ingestion.reports import Progress
    from offbook.models.metering import Spending
    from offbook.settings import Settings


T = TypeVar("T")

_LOG: Final = logging.getLogger("offbook.background")
_POLL_SECONDS: Final = 5.0
"""How often work of a process that is gone is looked for."""
_STOP_SECONDS: Final = 8.5
"""How long work that is broken off has to be given back, from when it is told so."""
_LAST_SECONDS: Final = 0.5
"""How long the end of the thread is waited for at least."""
_MOST_CALLS: Final = 16
"""Calls in flight: a server may have hundreds of replies under way, and they go first."""


class Queue(Protocol):
    """Work of a kind."""

    @property
    def places(self) -> int:
        """How many pieces of it are worked on side by side."""
        ...

    async def one(self, book: Offbook, owner: Owner) -> bool:
        """Do one piece of work; whether there was one."""
        ...


class Stages:
    """How far a piece of work is, by stage in the order in which they began; its run, if any."""

    def __init__(self, run: str | None = None) -> None:
        self.run = run
        self._stages: dict[str, tuple[int, int]] = {}

    def __call__(self, event: Progress) -> None:
        """Take note of a step."""
        self._stages[event.stage] = event.done, event.total

    def as_json(self) -> dict[str, Any]:
        """The shape of ``progress``."""
        stages = [
            {"stage": name, "done": done, "total": total}
            for name, (done, total) in self._stages.items()
        ]
        return {"stages": stages}


def is_cancelled() -> bool:
    """Whether somebody cancels the task that runs, rather than only what it waits for."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


class BackgroundWorker:
    """The thread."""

    def __init__(
        self, settings: Settings, queues: Sequence[Queue], spending: Spending | None = None
    ) -> None:
        most = min(settings.values.limits.concurrency, _MOST_CALLS)
        self._settings = settings.overlaid({"limits.concurrency": most})
        self._queues = queues
        self._spending = spending
        self._owner = Owner(uuid.uuid4().hex)
        self._opened: Future[tuple[asyncio.AbstractEventLoop, Offbook]] = Future()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._woken = asyncio.Event()
        self._stopping = threading.Event()
        self._given_back_by = 0.0
        self._serving: list[asyncio.Task[None]] = []
        self._over = asyncio.Event()
        self._ended = False
        self._results: set[Future[Any]] = set()
        self._thread = threading.Thread(target=self._run, name="background", daemon=True)

    async def start(self) -> None:
        """Open offbook, and begin to look for queued work."""
        self._thread.start()
        await asyncio.wrap_future(self._opened)

    def wake(self) -> None:
        """Look at once: something was queued."""
        self._inside(self._wake)

    async def aside(self, work: Callable[[Offbook], Coroutine[Any, Any, T]]) -> T:
        """Compute what takes long in this thread; it is cancelled with the caller."""
        loop, book = self._opened.result()
        working = work(book)
        try:
            result = asyncio.run_coroutine_threadsafe(working, loop)
        except RuntimeError as error:  # the loop is closed
            working.close()
            raise _ended() from error
        self._results.add(result)
        if self._ended:  # the loop may have closed without a look at it
            result.cancel()
        try:
            return await asyncio.wrap_future(result)
        except asyncio.CancelledError:
            if self._ended:
                working.close()
            if is_cancelled():
                raise
            raise _ended() from None
        finally:
            self._results.discard(result)

    def drain(self) -> None:
        """Leave queued work to the next worker; what is asked for aside is done until the end."""
        if not self._stopping.is_set():
            self._given_back_by = monotonic() + _STOP_SECONDS
            self._stopping.set()
            self._inside(self._leave)

    async def stop(self) -> None:
        """Break off, and leave what is under way to the next worker."""
        self.drain()
        self._inside(self._over.set)
        left = self._given_back_by - monotonic()
        await asyncio.to_thread(self._thread.join, max(left, _LAST_SECONDS))

    def _run(self) -> None:
        try:
            asyncio.run(self._work())
        except BaseException as error:
            if self._opened.done():
                _LOG.exception("queued work stands still; it goes on when the server starts again")
            else:
                self._opened.set_exception(error)
        finally:
            self._ended = True
            for result in tuple(self._results):
                result.cancel()

    async def _work(self) -> None:
        async with (
            await Offbook.open(self._settings) as opened,
            serving(opened, self._spending) as book,
        ):
            self._loop = asyncio.get_running_loop()
            self._opened.set_result((self._loop, book))
            async with asyncio.TaskGroup() as group:
                self._serving = [
                    group.create_task(self._serve(book, queue))
                    for queue in self._queues
                    for _ in range(queue.places)
                ]
                # Without queues too, what is asked for aside is done until the thread ends.
                await self._over.wait()

    async def _serve(self, book: Offbook, queue: Queue) -> None:
        # A piece of work may meet the stop with another error: then it is not looked for more.
        while not self._stopping.is_set():
            woken = self._woken
            try:
                while not self._stopping.is_set() and await queue.one(book, self._owner):
                    pass
            except Exception:
                _LOG.exception("a mistake in offbook, in a queue; it is looked at again")
            if self._stopping.is_set():
                return
            with suppress(TimeoutError):
                async with asyncio.timeout(_POLL_SECONDS):
                    await woken.wait()

    def _inside(self, action: Callable[[], object]) -> None:
        """Have the thread do something, if it has not ended."""
        if self._loop is not None:
            with suppress(RuntimeError):  # the loop has just ended
                self._loop.call_soon_threadsafe(action)

    def _leave(self) -> None:
        for task in self._serving:
            task.cancel()

    def _wake(self) -> None:
        # All that wait look, and wait anew.
        self._woken, woken = asyncio.Event(), self._woken
        woken.set()


def _ended() -> StoreFailed:
    return StoreFailed(
        "what computes behind requests has ended", "ask again once the server has started anew"
    )


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
    """One piece of queued work that a worker has taken."""

    noun: ClassVar[str]
    log: ClassVar[logging.Logger]
    kinds: ClassVar[Collection[queue.TaskKind]]

    def __init__(
        self, book: Offbook, claimed: queue.Claim, owner: Owner, progress: Stages | None = None
    ) -> None:
        self._book, self._claimed, self._owner = book, claimed, owner
        self._progress = progress or Stages()
        self._written: Mapping[str, Any] | None = None
        self._cancelled = self._lost = False

    @classmethod
    async def take(cls, book: Offbook, owner: Owner, **claiming: Any) -> Self | None:
        """Take one, if any waits."""
        try:
            if not await book.store.read(queue.is_waiting, cls.kinds):
                return None
            claimed = await book.store.write(queue.claim, cls.kinds, owner, **claiming)
        except OffbookError:
            cls.log.exception("the queue of %ss cannot be read", cls.noun)
            return None
        if claimed is None:
            return None
        cls.log.info("%s %s begins", cls.noun, claimed.id)
        return cls(book, claimed, owner)

    async def go(self) -> bool:
        """Do it, until it has ended, somebody cancels it or has taken it, or the worker stops."""
        try:
            await self._go()
        except OffbookError:
            self.log.exception("what became of %s cannot be written", self._name)
            return False
        return True

    @property
    def _name(self) -> str:
        return f"{self.noun} {self._claimed.id}"

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
        self.log.error("a mistake in offbook, in %s", self._name, exc_info=failure)
        hint = "this is a mistake in offbook; the server's log has the details"
        return Outcome(error=OffbookError(type(failure).__name__, hint).as_json()["error"])

    async def _give_signs(self, doing: asyncio.Task[Any]) -> None:
        """Until somebody cancels it, or another process has it: then it is not gone on with."""
        while True:
            with suppress(OffbookError):  # a sign that failed is no reason to stop
                if not await self._sign():
                    self.log.warning("%s is not ours any more", self._name)
                    self._lost = True
                elif await self._is_unwanted():
                    self._cancelled = True
                if self._lost or self._cancelled:
                    doing.cancel()
                    return
            await asyncio.sleep(SIGN_SECONDS)

    async def _tell(self, function: Callable[..., T], *args: Any, **named: Any) -> T:
        """Write what one of the queue's functions writes of this work."""
        result: T = await self._book.store.write(
            function, self._claimed, self._owner, *args, **named
        )
        return result

    @abstractmethod
    async def _done(self) -> Mapping[str, Any]:
        """The work itself: its report."""

    @abstractmethod
    def _kept(self) -> dict[str, Any]:
        """What the next worker has to know of it: what it has cost, or its run."""

    async def _sign(self) -> bool:
        """Write a sign of life, with how far it is; whether it is still this worker's."""
        progress = self._progress.as_json()
        news = None if progress == self._written else progress
        is_ours = await self._tell(queue.heartbeat, progress=news, **self._kept())
        self._written = progress
        return is_ours

    async def _is_unwanted(self) -> bool:
        """Whether somebody wants it to end."""
        cancelled: bool = await self._book.store.read(queue.is_cancelled, self._claimed.id)
        return cancelled

    async def _give_back(self) -> None:
        """Leave it to the next worker."""
        await self._tell(queue.release, **self._kept())

    async def _finish(self, outcome: Outcome) -> None:
        """Write how it ended."""
        await self._tell(
            queue.finish,
            outcome.status,
            self._progress.as_json(),
            run=self._progress.run,
            report=outcome.report,
            error=outcome.error,
        )
        self.log.info("%s: %s", self._name, outcome.status)
