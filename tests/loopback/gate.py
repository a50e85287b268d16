"""A gate before the answers of the loopback server: a test decides when they go out.

Takes: what a test holds back, and requests as they arrive.  Gives: whether one has to wait.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Final

PATIENCE_SECONDS: Final = 60.0
"""Nothing is held longer: a test that never lets go fails, and does not hang."""


@dataclass(slots=True)
class Gate:
    """What is held back.

    Args:
        path: Only requests whose path ends so are.
        passing: The first of them that are answered all the same.
        pieces: Streams are answered up to so many pieces, and nothing else is held; None: whole
            answers are held.
        together: As soon as so many wait side by side, all may go; 0: they do not go by themselves.
        following: The gate before those that come later.
    """

    path: str = ""
    passing: int = 0
    pieces: int | None = None
    together: int = 0
    following: Gate | None = None
    _opened: threading.Event = field(default_factory=threading.Event)
    _passed: int = 0
    _waiting: int = 0

    def release(self) -> None:
        """Let everything go, for good."""
        self._opened.set()
        if self.following is not None:
            self.following.release()

    def before(self, path: str) -> Gate | None:
        """The gate that an answer to this path has to wait at; to be asked once a request."""
        if self._opened.is_set():
            return self.following and self.following.before(path)
        if self.pieces is not None or not path.endswith(self.path):
            return None
        self._passed += 1
        return self if self._passed > self.passing else None

    async def wait(self, is_gone: Callable[[], Awaitable[bool]] | None = None) -> None:
        """Wait until all may go, or the client ``is_gone``."""
        self._waiting += 1
        ends = time.monotonic() + PATIENCE_SECONDS
        try:
            while not self._opened.is_set() and time.monotonic() < ends:
                if self.together and self._waiting >= self.together:
                    self._opened.set()
                if is_gone is not None and await is_gone():
                    return
                await asyncio.sleep(0.005)
        finally:
            self._waiting -= 1
