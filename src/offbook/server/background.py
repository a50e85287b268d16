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
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeVar

from offbook.app.book import Offbook
from offbook.stores.leases import Owner

if TYPE_CHECKING:
    from offbook.ingestion.reports import Progress
    from offbook.settings import Settings
    from offbook.types import Usage

T = TypeVar("T")
Spent = Callable[["Usage"], None]
"""Told what a piece of work asked of models."""

SIGN_SECONDS: Final = 0.5
"""How often progress is written."""

_LOG: Final = logging.getLogger("offbook.background")
_POLL_SECONDS: Final = 5.0
"""How often work of a process that is gone is looked for."""
_STOP_SECONDS: Final = 10.0
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


class BackgroundWorker:
    """The thread.

    Args:
        settings: Of the server: where the database is, and which models answer.
        queues: What is to be done.
    """

    def __init__(self, settings: Settings, queues: Sequence[Queue]) -> None:
        most = min(settings.values.limits.concurrency, _MOST_CALLS)
        self._settings = settings.overlaid({"limits.concurrency": most})
        self._queues = queues
        self._owner = Owner(uuid.uuid4().hex)
        self._opened: Future[tuple[asyncio.AbstractEventLoop, Offbook]] = Future()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._woken = asyncio.Event()
        self._working: asyncio.Task[None] | None = None
        self._stopping = False
        self._thread = threading.Thread(target=self._run, name="background", daemon=True)

    def start(self) -> None:
        """Begin to look for queued work."""
        self._thread.start()

    def wake(self) -> None:
        """Look at once: something was queued."""
        if self._loop is not None:
            with suppress(RuntimeError):  # the loop has just ended
                self._loop.call_soon_threadsafe(self._wake)

    async def aside(self, work: Callable[[Offbook], Coroutine[Any, Any, T]]) -> T:
        """The result of what computes long, worked out in this thread; cancelled with the caller.

        Raises:
            OffbookError: whatever the work raises, or what kept the thread from opening offbook.
        """
        opened: Awaitable[tuple[asyncio.AbstractEventLoop, Offbook]]
        opened = asyncio.shield(asyncio.wrap_future(self._opened))
        loop, book = await opened
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work(book), loop))

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
        except Exception as error:
            _LOG.exception("what is queued stands still; it goes on when the server starts again")
            if not self._opened.done():
                self._opened.set_exception(error)
        finally:
            self._opened.cancel()

    async def _work(self) -> None:
        self._working = asyncio.current_task()
        self._loop = asyncio.get_running_loop()
        if self._stopping:
            return
        async with await Offbook.open(self._settings) as book:
            self._opened.set_result((self._loop, book))
            async with asyncio.TaskGroup() as group:
                for queue in self._queues:
                    for _ in range(queue.places):
                        group.create_task(self._serve(book, queue))

    async def _serve(self, book: Offbook, queue: Queue) -> None:
        while True:
            woken = self._woken
            while await queue.one(book, self._owner):
                pass
            with suppress(TimeoutError):
                async with asyncio.timeout(_POLL_SECONDS):
                    await woken.wait()

    def _wake(self) -> None:
        # All that wait look, and wait anew.
        self._woken, woken = asyncio.Event(), self._woken
        woken.set()
