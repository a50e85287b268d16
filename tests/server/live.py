"""A server on a socket, as `offbook serve` has it, in a thread of the test's process.

Takes: an application.  Gives: its address, until the block ends.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import uvicorn

from tests.waiting import PATIENCE_SECONDS, until

if TYPE_CHECKING:
    from fastapi import FastAPI


@contextmanager
def live(app: FastAPI, **options: object) -> Iterator[str]:
    """Serve ``app`` on a free port; the address has no slash at its end."""
    # No connection that a client keeps is closed at the moment in which it is used again.
    options.setdefault("timeout_keep_alive", 4 * int(PATIENCE_SECONDS))
    config = uvicorn.Config(
        app,
        host="127.0.0.1",
        port=0,
        log_config=None,
        lifespan="on",
        **options,  # type: ignore[arg-type]
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    until(lambda: server.started or not thread.is_alive(), "the server")
    if not server.started:
        raise RuntimeError("the server did not start")
    try:
        port = server.servers[0].sockets[0].getsockname()[1]
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join(30)
