"""A server on a socket, as `offbook serve` has it, in a thread of the test's process.

Takes: an application.  Gives: its address, until the block ends.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import uvicorn

if TYPE_CHECKING:
    from fastapi import FastAPI


@contextmanager
def live(app: FastAPI, **options: object) -> Iterator[str]:
    """Serve ``app`` on a free port; the address has no slash at its end."""
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
    until = time.monotonic() + 30
    while not server.started:
        if not thread.is_alive() or time.monotonic() > until:
            raise RuntimeError("the server did not start")
        time.sleep(0.01)
    try:
        port = server.servers[0].sockets[0].getsockname()[1]
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join(30)
