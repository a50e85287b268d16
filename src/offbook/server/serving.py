"""Serving until somebody ends it: the listening socket, uvicorn, and a tidy end.

Takes: an open offbook.  Gives: nothing; it returns when the server was told to stop.
"""

from __future__ import annotations

import ipaddress
import signal
import socket
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Final

import uvicorn
from fastapi import FastAPI

from offbook.app.book import Offbook
from offbook.errors import ConfigurationError
from offbook.server.app import create_app
from offbook.server.guarding import require_keys
from offbook.server.interpreter import tuned
from offbook.server.observing.logs import start_logging
from offbook.server.observing.secrets import Masking, secrets_of
from offbook.server.security.connections import ConnectionLimits, limited
from offbook.settings import Settings

CONCURRENCY: Final = 1_000
"""Calls in flight of a server where nobody set another number: each open reply is one."""
_BACKLOG: Final = 2_048
_GRACE_SECONDS: Final = 10
_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)


def for_serving(settings: Settings) -> Settings:
    """The settings of a server: its clients, not one command, decide how much is in flight."""
    if settings.origin("limits.concurrency").label != "default":
        return settings
    return settings.overlaid({"limits.concurrency": CONCURRENCY})


async def serve(
    book: Offbook,
    listening: Callable[[str], None],
    mount: Callable[[FastAPI], None] | None = None,
) -> None:
    """Serve until a signal comes.

    Args:
        book: Offbook.
        listening: Told the address when requests are taken.
        mount: Puts pages on the application; they talk to it over WebSockets, which there are
            none of otherwise.

    Raises:
        ConfigurationError: the address cannot be listened to, or would be open to others without
            a key.
    """
    own = book.settings.values.server
    await require_keys(book.settings, book.store)
    app = create_app(book)
    if mount is not None:
        mount(app)
    with listener(own.host, own.port) as sock:
        start_logging(Masking(secrets_of(book.settings)))
        limits = ConnectionLimits(own.head_seconds, own.body_seconds, own.connections)
        config = uvicorn.Config(
            app,
            http=limited(limits),
            log_config=None,
            access_log=False,
            server_header=False,
            ws="none" if mount is None else "wsproto",
            timeout_keep_alive=30,
            timeout_graceful_shutdown=_GRACE_SECONDS,
        )
        await _Server(config, lambda: listening(address_of(sock))).serve(sockets=[sock])


def listener(host: str, port: int) -> socket.socket:
    """A listening socket.

    Raises:
        ConfigurationError: the name is none, the port is taken, or not ours to take.
    """
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        family, _, _, _, address = found[0]
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
    """A server whose being told to stop is no failure: the database is closed afterwards.

    Args:
        config: Of uvicorn.
        ready: Called when requests are answered.
    """

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, and say so: until then requests would wait."""
        await super().startup(sockets)
        if self.started:
            self._ready()

    async def main_loop(self) -> None:
        """Serve; everything that replies need is loaded by now."""
        with tuned():
            await super().main_loop()

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
