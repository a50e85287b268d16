"""Synchronous faces of asynchronous objects, and the event loop behind them.

Takes: a class with coroutines.  Gives: a class with the same names that waits for them.  One loop
runs in a thread of its own, so that it works where another loop runs already, as in a notebook.
"""

from __future__ import annotations

import asyncio
import atexit
import inspect
import os
import threading
from collections.abc import AsyncGenerator, Callable, Coroutine, Generator
from contextvars import copy_context
from functools import cache, partial, wraps
from typing import Any, Final, TypeVar

from offbook.errors import UsageError

T = TypeVar("T")

_MOMENT_SECONDS: Final = 0.5
"""How long a wait lasts at once: Windows breaks off no wait, only what comes between two."""
_END: Final = object()


class BackgroundLoop:
    """An event loop in a thread of its own, which ends with the process."""

    def __init__(self) -> None:
        self.thread = threading.Thread(target=self._run, name="offbook.sync", daemon=True)
        self._ready = threading.Event()
        self.thread.start()
        self._ready.wait()
        atexit.register(self._stop)

    def _run(self) -> None:
        asyncio.run(self._serve())

    async def _serve(self) -> None:
        self.loop, self._stopped = asyncio.get_running_loop(), asyncio.Event()
        self._ready.set()
        await self._stopped.wait()

    def _stop(self) -> None:
        self.loop.call_soon_threadsafe(self._stopped.set)
        self.thread.join()

    def wait(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine to its end; what breaks off the wait, as Ctrl-C does, cancels it."""
        if threading.current_thread() is self.thread:
            work.close()
            raise UsageError(
                "offbook.sync was called from its own event loop, as a `progress` is",
                "call it from another thread, or use the asynchronous offbook.Offbook there",
            )
        tasks: list[asyncio.Task[T]] = []
        ended, context = threading.Event(), copy_context()

        def end(task: asyncio.Task[T]) -> None:
            if not task.cancelled():
                task.exception()  # looked at, also where nobody waits any more
            ended.set()

        def begin() -> None:
            tasks.append(self.loop.create_task(work, context=context))
            tasks[0].add_done_callback(end)

        def cancel() -> None:
            if tasks:
                tasks[0].cancel()
            else:  # it was broken off before it began
                work.close()
                ended.set()

        try:
            self.loop.call_soon_threadsafe(begin)
            _wait_for(ended)
        except BaseException:
            self.loop.call_soon_threadsafe(cancel)
            _wait_for(ended)
            raise
        return tasks[0].result()


def _wait_for(event: threading.Event) -> None:
    while not event.wait(_MOMENT_SECONDS):
        pass


@cache
def background() -> BackgroundLoop:
    """The loop of this process; it starts when it is first needed."""
    return BackgroundLoop()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=background.cache_clear)  # its thread stays with the parent


class Face:
    """An asynchronous object as code without a loop sees it."""

    def __init__(self, subject: Any) -> None:
        self._subject = subject

    def __getattr__(self, name: str) -> Any:
        """What the object has beside its methods."""
        if name.startswith("_"):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return _faced(getattr(self._subject, name))

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *(n for n in vars(self._subject) if n[0] != "_")})

    def __repr__(self) -> str:
        return f"<offbook.sync face of {self._subject!r}>"


class ClosingFace(Face):
    """A face that closes what is behind it when a ``with`` block ends."""

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_: object) -> None:
        background().wait(self._subject.close())


@cache
def face_of(kind: type) -> type[Face]:
    """The face of a class: its public methods and properties, each of which waits."""
    base = ClosingFace if hasattr(kind, "__aexit__") else Face
    members = {
        name: _member(kind, name, member)
        for name, member in inspect.getmembers_static(kind)
        if not name.startswith("_")
    }
    about = {"__doc__": kind.__doc__, "__module__": "offbook.sync"}
    return type(kind.__name__, (base,), {**members, **about})


def _member(kind: type, name: str, member: Any) -> Any:
    if isinstance(member, classmethod):
        make = member.__func__
        return staticmethod(wraps(make)(partial(_waiting(make), kind)))
    if inspect.isfunction(member):

        @wraps(member)
        def method(self: Face, *args: Any, **options: Any) -> Any:
            return _waiting(member)(self._subject, *args, **options)

        return method
    return property(lambda self: _faced(getattr(self._subject, name)), doc=inspect.getdoc(member))


def _waiting(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function as one that waits for what it gives."""
    if inspect.isasyncgenfunction(function):
        return lambda *args, **options: _drawn(function(*args, **options))

    async def called(*args: Any, **options: Any) -> Any:
        result = function(*args, **options)
        return await result if inspect.isawaitable(result) else result

    return lambda *args, **options: _faced(background().wait(called(*args, **options)))


def _drawn(stream: AsyncGenerator[T]) -> Generator[T]:
    """The pieces of a stream; closing it closes the stream."""

    async def draw() -> T | object:
        return await anext(stream, _END)

    try:
        while (piece := background().wait(draw())) is not _END:
            yield piece  # type: ignore[misc]
    finally:
        background().wait(stream.aclose())


def _faced(value: Any) -> Any:
    """A value as it is, unless it is one of ours that has to be waited for."""
    kind: type = type(value)
    return face_of(kind)(value) if _is_asynchronous(kind) else value


@cache
def _is_asynchronous(kind: type) -> bool:
    if not kind.__module__.startswith("offbook."):
        return False
    members = [member for name, member in inspect.getmembers_static(kind) if name[0] != "_"]
    return any(inspect.iscoroutinefunction(each) for each in members)
