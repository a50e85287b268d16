"""Ctrl-C at the moment before a wait begins: it ends the wait, as it does at any other moment.

Takes: the event loop that runs; standard input.  Gives: waits that a signal ends; lines.
Python attends to signals between its own steps. One that comes after the last of these and before
a wait would be seen when the wait is over: with the next line, or when a call is given up.
"""

from __future__ import annotations

import asyncio
import codecs
import io
import os
import signal
import stat
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, TextIO

_PIECE_BYTES: Final = 65_536


@contextmanager
def signals_wake_the_loop() -> Iterator[None]:
    """Have signals end the sleep of the event loop that runs, until the block ends."""
    if threading.current_thread() is not threading.main_thread() or _loop_is_woken():
        yield
        return
    loop = asyncio.get_running_loop()
    told, telling = os.pipe()
    for descriptor in (told, telling):
        os.set_blocking(descriptor, False)
    loop.add_reader(told, os.read, told, _PIECE_BYTES)
    signal.set_wakeup_fd(telling, warn_on_full_buffer=False)
    try:
        yield
    finally:
        # In this order: whatever has the numbers of the closed pipe next must not be written to.
        signal.set_wakeup_fd(-1)
        loop.remove_reader(told)
        os.close(told)
        os.close(telling)


def _loop_is_woken() -> bool:
    """Whether the event loop sees to it itself, as some do."""
    descriptor = signal.set_wakeup_fd(-1)
    signal.set_wakeup_fd(descriptor)
    return descriptor != -1


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
