"""Connections that say nothing, or too slowly, are closed: they would hold a place for ever.

Takes: seconds.  Gives: the protocol that uvicorn serves connections with.  Bodies have a limit of
their own (``bodies``), and connections between two requests uvicorn's.
"""

from __future__ import annotations

import asyncio
from typing import Any


def head_limited(seconds: float) -> type[asyncio.Protocol]:
    """A protocol whose connections have to send the head of each request within ``seconds``."""
    return type("HeadLimitedProtocol", (_HeadLimited, _protocol()), {"head_seconds": seconds})


class _HeadLimited:
    """Closes a connection whose next head does not come; stands before a protocol of uvicorn's."""

    head_seconds: float
    loop: asyncio.AbstractEventLoop
    transport: asyncio.Transport
    cycle: Any
    _head: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:
        """Begin to wait for the first head."""
        super().connection_made(transport)  # type: ignore[misc]
        self._await_head()

    def data_received(self, data: bytes) -> None:
        """Pass on, and see whether a head is there now."""
        if not self._is_serving():
            self._await_head()
        super().data_received(data)  # type: ignore[misc]
        if self._is_serving():
            self._wait_no_longer()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait for nothing any more."""
        self._wait_no_longer()
        super().connection_lost(exc)  # type: ignore[misc]

    def _is_serving(self) -> bool:
        """Whether a request's head has come and its answer is not out yet."""
        return self.cycle is not None and not self.cycle.response_complete

    def _await_head(self) -> None:
        if self._head is None:
            self._head = self.loop.call_later(self.head_seconds, self._give_up)

    def _wait_no_longer(self) -> None:
        if self._head is not None:
            self._head.cancel()
            self._head = None

    def _give_up(self) -> None:
        self._head = None
        if not self._is_serving():
            self.transport.close()


def _protocol() -> Any:
    """The quicker of uvicorn's protocols that is installed."""
    try:
        from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
    except ImportError:
        from uvicorn.protocols.http.h11_impl import H11Protocol

        return H11Protocol
    return HttpToolsProtocol
