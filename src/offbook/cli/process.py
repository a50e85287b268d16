"""Set up the process of a command, and end it in time on Ctrl-C and SIGTERM.

Takes: signals, the running event loop, standard input.  Gives: an end in time, an exit code.
Python handles signals between its own steps. One that comes after the last of these and before
a wait would be seen when the wait is over: with the next line, or when a call is given up.
"""

from __future__ import annotations

import asyncio
import codecs
import gc
import io
import math
import os
import signal
import stat
import struct
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any, Final, TextIO

_COLLECT_AFTER: Final = (50_000, 20, 20)
"""New objects until the collector looks. Importing makes hundreds of thousands of objects, none of
them garbage: by default a tenth of a command's processor time goes into looking at them again."""
_ONE_CORE: Final = "OPENBLAS_NUM_THREADS"
"""Read by NumPy's matrix library as it is loaded. Its threads wait for one another by turning in
circles: where something else wants the cores, a product of 0.5 ms takes 16, and most of ours are
small; with all cores free a large one takes up to as many times as long without them."""

_NO_CURSOR: Final = "PROMPT_TOOLKIT_NO_CPR"
"""Read by the line editor: it asks no terminal for its cursor, and complains of none without an
answer."""


def set_up() -> None:
    """To be called before NumPy is imported; what the user's environment says stays."""
    gc.set_threshold(*_COLLECT_AFTER)
    os.environ.setdefault(_ONE_CORE, "1")
    os.environ.setdefault(_NO_CURSOR, "1")


def is_dumb() -> bool:
    """Whether the terminal shows no emphasis."""
    return os.environ.get("TERM") == "dumb"


INTERRUPTED: Final = 130
TERMINATED: Final = 143
"""128 and the number of the signal, as with 130."""

_came: list[int] = []
_running: list[asyncio.Task[object]] = []


@contextmanager
def terminable() -> Iterator[None]:
    """Take the signal as a Ctrl-C until the block ends; a handler of somebody else's stays."""
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        yield
        return
    signal.signal(signal.SIGTERM, _end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        _came.clear()


def exit_code() -> int:
    """Of a command that was told to end."""
    return TERMINATED if _came else INTERRUPTED


def _end(number: int, frame: FrameType | None) -> None:
    _came.append(number)
    as_ctrl_c = signal.getsignal(signal.SIGINT)
    if callable(as_ctrl_c):
        as_ctrl_c(signal.SIGINT, frame)
    elif _running and len(_came) == 1:
        # Behind `&` in a script Ctrl-C is ignored, and an event loop leaves it at that.
        _running[-1].cancel()
    else:
        raise KeyboardInterrupt


PATIENCE_SECONDS: Final = 1.2
"""How long a command may take to stop by itself: of two seconds that are promised in all, a busy
machine takes some."""

_ENDING: Final = (signal.SIGINT, signal.SIGTERM)
_STOPPING: Final = "stopping ... (Ctrl-C again ends at once)\n"
_STOPPED: Final = 0
_PATIENCE: Final = 255
"""No numbers of signals."""
_PIECE_BYTES: Final = 65_536


class _Watcher:
    """A thread that sees Ctrl-C and SIGTERM at once, whatever the main thread is computing.

    Python's own handlers run in the main thread, between two of its steps, and a cancelled task
    ends when the event loop comes to it: after a long computation both are late. Every write to
    the database is a transaction, so that the process may be left at any time.

    Args:
        end: Leaves the process at once; told the signal's number.
    """

    def __init__(self, end: Callable[[int], None]) -> None:
        self.loop: asyncio.AbstractEventLoop | None = None
        self.patience = PATIENCE_SECONDS
        self._end = end
        self._unsaid = [_STOPPING]
        self._reading, self._writing = os.pipe()
        os.set_blocking(self._writing, False)
        self._thread = threading.Thread(target=self._watch, name="signals", daemon=True)

    def start(self) -> None:
        self._before = signal.set_wakeup_fd(self._writing, warn_on_full_buffer=False)
        self._thread.start()

    def stop(self) -> None:
        signal.set_wakeup_fd(self._before)
        os.close(self._writing)  # the thread reads its end
        self._thread.join()

    def note(self, number: int) -> None:
        """Take note of a signal, or with 0 that what was told to stop has stopped."""
        os.write(self._writing, bytes([number]))

    def be_patient(self, seconds: float) -> None:
        """Change the patience for signals that come from now on, not for those that are unread."""
        self.patience = seconds
        os.write(self._writing, bytes([_PATIENCE]) + struct.pack("d", seconds))

    def say_stopping(self) -> None:
        """Say that it stops, once, from whichever thread comes to it first."""
        with suppress(IndexError, RuntimeError):  # said, or the main thread is just writing
            sys.stderr.write(self._unsaid.pop())

    def _watch(self) -> None:
        """Read what was written, in its order: signals, by Python as they arrive, and the rest."""
        ending: threading.Timer | None = None
        patience_now = PATIENCE_SECONDS
        while numbers := os.read(self._reading, 1):
            number = numbers[0]
            if number == _PATIENCE:
                (patience_now,) = struct.unpack("d", os.read(self._reading, struct.calcsize("d")))
            elif number == _STOPPED:
                if ending is not None:
                    ending.cancel()
                ending = None
                self._unsaid[:] = [_STOPPING]
            elif number in _ENDING:
                self._wake_loop()
                if math.isinf(patience_now):
                    continue
                if ending is not None:
                    self._end(number)
                # SIGTERM is for the whole command, and not for a reply.
                seconds = patience_now if number == signal.SIGINT else PATIENCE_SECONDS
                ending = threading.Timer(seconds, self._end, [number])
                ending.daemon = True
                ending.start()
                self.say_stopping()
        if ending is not None:
            ending.cancel()
        os.close(self._reading)

    def _wake_loop(self) -> None:
        """End the sleep of the event loop, just before which a signal may have come."""
        if self.loop is not None:
            with suppress(RuntimeError):  # it has just been closed
                self.loop.call_soon_threadsafe(lambda: None)


_watchers: list[_Watcher] = []
"""The one of the command that runs, if it runs in a process of its own."""


@contextmanager
def ending_in_time(end: Callable[[int], None]) -> Iterator[None]:
    """Leave the process where a command does not end by itself soon after it was told to.

    Args:
        end: Leaves the process at once; told the signal's number.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    watcher = _Watcher(end)
    watcher.start()
    _watchers.append(watcher)
    try:
        yield
    finally:
        _watchers.remove(watcher)
        watcher.stop()


@contextmanager
def heeding_signals() -> Iterator[None]:
    """Have signals end the sleep of the event loop, and the task that runs, until the block ends.

    Python cancels the task by itself on Ctrl-C, unless whoever started the process ignores that.
    """
    if (task := asyncio.current_task()) is None:
        raise RuntimeError("no task runs")
    _running.append(task)
    for watcher in _watchers:
        watcher.loop = asyncio.get_running_loop()
    try:
        yield
    finally:
        _running.remove(task)
        for watcher in _watchers:
            watcher.loop = None


@contextmanager
def patience(seconds: float) -> Iterator[None]:
    """Give what is in the block so long to stop; with infinity it sees to signals itself."""
    before = [watcher.patience for watcher in _watchers]
    for watcher in _watchers:
        watcher.be_patient(seconds)
    try:
        yield
    finally:
        for watcher, earlier in zip(_watchers, before, strict=True):
            watcher.be_patient(earlier)


@contextmanager
def ctrl_c_stops(task: asyncio.Task[Any], seconds: float) -> Iterator[None]:
    """Have Ctrl-C cancel one task and not the command; SIGTERM, and a second one, end that.

    Args:
        task: What is stopped.
        seconds: How long it may take to.
    """
    before = signal.getsignal(signal.SIGINT)
    if not callable(before):
        yield  # whoever started the process has Ctrl-C ignored
        return
    loop = asyncio.get_running_loop()
    stopped = False

    def stop(number: int, frame: FrameType | None) -> None:
        nonlocal stopped
        if stopped or exit_code() == TERMINATED:
            before(number, frame)
        else:
            stopped = True  # also where the task has just ended, and can no longer be cancelled
            say_stopping()
            task.cancel()
            loop.call_soon_threadsafe(lambda: None)

    signal.signal(signal.SIGINT, stop)
    try:
        with patience(seconds):
            yield
    finally:
        signal.signal(signal.SIGINT, before)
        if stopped and exit_code() != TERMINATED:
            note(_STOPPED)


@contextmanager
def unwatched() -> Iterator[None]:
    """Let the event loop have the signals until the block ends: it takes them from the watcher."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.set_wakeup_fd(-1)
    try:
        yield
    finally:
        signal.set_wakeup_fd(before, warn_on_full_buffer=False)


def say_stopping() -> None:
    """Say that the command, or a part of it, stops; where that was not said yet."""
    for watcher in _watchers:
        watcher.say_stopping()


def note(number: int) -> None:
    """Have a signal watched that the block of :func:`patience` saw to itself."""
    for watcher in _watchers:
        watcher.note(number)


class PipedLines:
    """The lines of a pipe or a file, waited for in the event loop.

    Args:
        stream: Of which nothing was read yet.
        descriptor: The system's number of it.
    """

    def __init__(self, stream: TextIO, descriptor: int) -> None:
        self._descriptor = descriptor
        self._text, self._has_ended = "", False
        decoder = codecs.getincrementaldecoder(stream.encoding)(stream.errors or "strict")
        self._decoder = io.IncrementalNewlineDecoder(decoder, translate=True)

    @classmethod
    def of(cls, stream: TextIO) -> PipedLines | None:
        """Those of a stream; None where somebody sits at it, or it cannot be waited for so."""
        try:
            descriptor = stream.fileno()
        except (OSError, ValueError):
            return None  # no stream of the system's
        return None if stream.isatty() or os.name != "posix" else cls(stream, descriptor)

    async def next(self) -> str | None:
        """The next line; None at the end."""
        while "\n" not in self._text and not self._has_ended:
            await _until_readable(self._descriptor)
            piece = os.read(self._descriptor, _PIECE_BYTES)
            self._has_ended = not piece
            self._text += self._decoder.decode(piece, final=self._has_ended)
        line, end, self._text = self._text.partition("\n")
        return line + end or None


async def _until_readable(descriptor: int) -> None:
    """Wait until something can be read, or the end."""
    mode = os.fstat(descriptor).st_mode
    if not (stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)):
        return  # a file always can be; asked to wait for it, some systems refuse, or never wake
    readable = asyncio.Event()
    loop = asyncio.get_running_loop()
    loop.add_reader(descriptor, readable.set)
    try:
        await readable.wait()
    finally:
        loop.remove_reader(descriptor)
