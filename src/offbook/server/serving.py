"""Serving until somebody ends it: the listening socket, uvicorn, and a tidy end."""

from __future__ import annotations

import asyncio
import ipaddress
import math
import signal
import socket
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from types import FrameType
from typing import Final

import uvicorn
from fastapi import FastAPI

from offbook.app.book import Offbook
from offbook.errors import ConfigurationError
from offbook.server.app import create_app, require_keys
from offbook.server.limits import HEAD_BYTES, ConnectionLimits, limited
from offbook.server.masking import Masking, secrets_of
from offbook.server.stopping import FAREWELL_SECONDS, Stopping
from offbook.server.telemetry import start_logging
from offbook.settings import Settings
from offbook.settings.loading import DEFAULT

CONCURRENCY: Final = 1_000
"""Calls in flight of a server where nobody set another number: each open reply is one."""
_BACKLOG: Final = 2_048
GRACE_SECONDS: Final = 7.0
"""How long what is under way may still take when the server is told to stop. Whoever stops
containers kills them after ten seconds; by then all were told, which takes a second at most, and
the database is closed: what goes on behind requests is told at once, not after all that."""
_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)


def for_serving(settings: Settings) -> Settings:
    """The settings of a server: its clients, not one command, decide how much is in flight."""
    if settings.origin("limits.concurrency") != DEFAULT:
        return settings
    return settings.overlaid({"limits.concurrency": CONCURRENCY}, DEFAULT)


async def serve(
    book: Offbook,
    listening: Callable[[str], None],
    mount: Callable[[FastAPI], None] | None = None,
) -> None:
    """Serve until a signal comes; what is under way then may still end, for `GRACE_SECONDS`.

    Args:
        book: Offbook.
        listening: Told the address when requests are taken.
        mount: Puts pages on the application; they talk to it over WebSockets, which there are
            none of otherwise.

    Raises:
        ConfigurationError: the address cannot be listened to, or would be open to others without
            a key.
        KeyboardInterrupt: a second signal came before all that had ended.
    """
    options = book.settings.values.server
    await require_keys(book.settings, book.store)
    app = create_app(book)
    if mount is not None:
        mount(app)
    with listener(options.host, options.port) as sock:
        start_logging(Masking(secrets_of(book.settings)))
        limits = ConnectionLimits(options.head_seconds, options.body_seconds, options.connections)
        config = uvicorn.Config(
            app,
            http=limited(limits),
            log_config=None,
            access_log=False,
            server_header=False,
            ws="none" if mount is None else "wsproto",
            timeout_keep_alive=30,
            h11_max_incomplete_event_size=HEAD_BYTES,
            timeout_graceful_shutdown=math.ceil(GRACE_SECONDS + FAREWELL_SECONDS),
        )
        stopping: Stopping = app.state.stopping
        await _Server(config, stopping, lambda: listening(address_of(sock))).serve(sockets=[sock])


def listener(host: str, port: int) -> socket.socket:
    """A listening socket.

    Raises:
        ConfigurationError: the name is none, the port is taken, or not ours to take.
    """
    try:
        addresses = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        family, _, _, _, address = addresses[0]
        return socket.create_server(
            (str(address[0]), int(address[1])), family=family, backlog=_BACKLOG
        )
    except OSError as error:
        raise ConfigurationError(
            f"cannot listen at {host!r}, port {port}: {error.strerror or error}",
            "choose another with --host and --port (0: any free port)",
        ) from error


def address_of(sock: socket.socket) -> str:
    """The URL of a listening socket."""
    host, port = sock.getsockname()[:2]
    shown = f"[{host}]" if ipaddress.ip_address(host).version > 4 else host
    return f"http://{shown}:{port}"


class _Server(uvicorn.Server):
    """A server whose being told to stop is no failure: the database is closed afterwards."""

    def __init__(
        self, config: uvicorn.Config, stopping: Stopping, ready: Callable[[], None]
    ) -> None:
        super().__init__(config)
        self._stopping = stopping
        self._ready = ready
        self._loop = asyncio.get_running_loop()
        self._at_once = asyncio.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, and say so: until then requests would wait."""
        await super().startup(sockets)
        if self.started:
            self._ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Let what is under way end, and tell those whose answer takes too long."""
        self._stopping.begin()
        no_more_time = self._loop.call_later(GRACE_SECONDS, self._stopping.abort)
        ending = asyncio.create_task(super().shutdown(sockets))
        hurried = asyncio.create_task(self._at_once.wait())
        await asyncio.wait((ending, hurried), return_when=asyncio.FIRST_COMPLETED)
        no_more_time.cancel()
        hurried.cancel()
        if not ending.done():
            ending.cancel()
            self._stopping.abort()
            await self._stopping.ended()
            raise KeyboardInterrupt
        await ending

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Stop at a signal; at a second one, whichever, at once."""
        del sig, frame
        if self.should_exit:
            self._loop.call_soon_threadsafe(self._at_once.set)
        self.should_exit = True

    @contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        """Stop at a signal, and do not raise it again."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {number: signal.signal(number, self.handle_exit) for number in _SIGNALS}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
