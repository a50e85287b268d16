"""What goes on behind requests, in a thread and an event loop of its own.

Takes: settings, and queues of work.  Gives: nothing; what becomes of each piece of work is in the
store, where any process sees it.

Splitting, embedding, building a graph and scoring compute for seconds at a stretch: in the server's
own loop every stream would stand still. A worker that stops, or is killed, leaves its work to the
next one, which asks for nothing that was stored.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import uuid
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from concurrent.futures import Future
from contextlib import suppress
from time import monotonic
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeVar

from offbook.app.book import Offbook
from offbook.app.commands import serving
from offbook.errors import StoreFailed
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
_REOPEN_SECONDS: Final = 1.0
"""How long the first wait is after offbook could not be opened; each further one is twice that."""
_MOST_REOPEN_SECONDS: Final = 60.0
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
    """How far a piece of work is, by stage in the order in which they began."""

    def __init__(self) -> None:
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
    """The thread.

    Args:
        settings: Of the server: where the database is, and which models answer.
        queues: What is to be done.
        spending: Told of what is asked of models.
    """

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
        self._working: asyncio.Task[None] | None = None
        self._stopping = threading.Event()
        self._given_back_by = 0.0
        self._serving: list[asyncio.Task[None]] | None = None
        self._over = asyncio.Event()
        self._ended = False
        self._asked: set[Future[Any]] = set()
        self._thread = threading.Thread(target=self._run, name="background", daemon=True)

    def start(self) -> None:
        """Begin to look for queued work."""
        self._thread.start()

    def wake(self) -> None:
        """Look at once: something was queued."""
        self._inside(self._wake)

    async def aside(self, work: Callable[[Offbook], Coroutine[Any, Any, T]]) -> T:
        """The result of what computes long, worked out in this thread; cancelled with the caller.

        Raises:
            OffbookError: whatever the work raises, or what kept the thread from opening offbook.
            StoreFailed: the thread has ended.
        """
        opened: Awaitable[tuple[asyncio.AbstractEventLoop, Offbook]]
        opened = asyncio.shield(asyncio.wrap_future(self._opened))
        loop, book = await opened
        working = work(book)
        try:
            asked = asyncio.run_coroutine_threadsafe(working, loop)
        except RuntimeError as error:  # the loop is closed
            working.close()
            raise _ended() from error
        self._asked.add(asked)
        if self._ended:  # the loop may have closed without a look at it
            asked.cancel()
        try:
            return await asyncio.wrap_future(asked)
        except asyncio.CancelledError:
            if self._ended:
                working.close()
            if is_cancelled():
                raise
            raise _ended() from None
        finally:
            self._asked.discard(asked)

    def leave_queues(self) -> None:
        """Leave queued work to the next worker; what is asked for aside is done until the end."""
        if not self._stopping.is_set():
            self._given_back_by = monotonic() + _STOP_SECONDS
            self._stopping.set()
            self._inside(self._leave)

    async def stop(self) -> None:
        """Break off, and leave what is under way to the next worker."""
        self.leave_queues()
        self._inside(self._end)
        left = self._given_back_by - monotonic()
        await asyncio.to_thread(self._thread.join, max(left, _LAST_SECONDS))

    def _run(self) -> None:
        try:
            asyncio.run(self._work())
        except asyncio.CancelledError:
            pass
        except BaseException:
            _LOG.exception("what is queued stands still; it goes on when the server starts again")
        finally:
            self._ended = True
            self._tell(_ended())
            for asked in tuple(self._asked):
                asked.cancel()

    async def _work(self) -> None:
        self._working = asyncio.current_task()
        self._loop = asyncio.get_running_loop()
        wait = _REOPEN_SECONDS
        while not self._stopping.is_set():
            try:
                await self._serve_all(self._loop)
            except Exception as error:
                _LOG.exception("what is queued stands still for %g seconds", wait)
                self._tell(error)
                if not self._stopping.is_set():
                    await asyncio.sleep(wait)
                wait = min(2 * wait, _MOST_REOPEN_SECONDS)

    async def _serve_all(self, loop: asyncio.AbstractEventLoop) -> None:
        async with (
            await Offbook.open(self._settings) as opened,
            serving(opened, self._spending) as book,
        ):
            self._tell((loop, book))
            try:
                async with asyncio.TaskGroup() as group:
                    self._serving = [
                        group.create_task(self._serve(book, queue))
                        for queue in self._queues
                        for _ in range(queue.places)
                    ]
                    # Without queues too, what is asked for aside is done until the thread ends.
                    await self._over.wait()
            finally:
                self._serving = None

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

    def _tell(self, found: tuple[asyncio.AbstractEventLoop, Offbook] | Exception) -> None:
        # Whoever waits for the first word gets it; later ones are for whoever comes later.
        told = Future() if self._opened.done() else self._opened
        if isinstance(found, Exception):
            told.set_exception(found)
        else:
            told.set_result(found)
        self._opened = told

    def _inside(self, action: Callable[[], object]) -> None:
        """Have the thread do something, if it has not ended."""
        if self._loop is not None:
            with suppress(RuntimeError):  # the loop has just ended
                self._loop.call_soon_threadsafe(action)

    def _leave(self) -> None:
        for task in self._serving or ():
            task.cancel()

    def _end(self) -> None:
        # Work that was told so is not told again: that would cut off its being given back.
        if self._serving is not None:
            self._over.set()
        elif self._working is not None:
            self._working.cancel()

    def _wake(self) -> None:
        # All that wait look, and wait anew.
        self._woken, woken = asyncio.Event(), self._woken
        woken.set()


def _ended() -> StoreFailed:
    return StoreFailed(
        "what computes behind requests has ended", "ask again once the server has started anew"
    )
